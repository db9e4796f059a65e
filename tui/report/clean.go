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
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// OneLine makes any text safe to print as one line.
func OneLine(s string) string { return clean(strings.ReplaceAll(s, "\n", "; ")) }
