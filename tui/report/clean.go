package report

import (
	"fmt"
	"strings"
	"unicode"
)

// clean makes control characters visible.
func clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r != ' ' && (!unicode.IsGraphic(r) || unicode.IsSpace(r)) {
			format := `\u%04x`
			if r < 0x100 {
				format = `\x%02x`
			}
			fmt.Fprintf(&b, format, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// OneLine makes any text safe to print as one line.
func OneLine(s string) string { return clean(strings.ReplaceAll(s, "\n", "; ")) }
