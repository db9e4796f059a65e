package report

import (
	"fmt"
	"io"
	"strings"

	"pcgtop/tui/glyph"
)

// Text makes what is written to w safe for a terminal: what is not to be drawn is
// written out, line by line. A write must hold whole characters.
func Text(w io.Writer) io.Writer {
	return filter{w, func(s string) string {
		lines := strings.Split(s, "\n")
		for i, l := range lines {
			lines[i] = glyph.Clean(l)
		}
		return strings.Join(lines, "\n")
	}}
}

// Escaped does the same for JSON, of which it keeps the meaning: the encoder escapes
// what is below a blank, but leaves DEL and the C1 controls as they are.
func Escaped(w io.Writer) io.Writer {
	return filter{w, func(s string) string {
		if strings.IndexFunc(s, control) < 0 {
			return s
		}
		var b strings.Builder
		for _, r := range s {
			if control(r) {
				fmt.Fprintf(&b, `\u%04x`, r)
			} else {
				b.WriteRune(r)
			}
		}
		return b.String()
	}}
}

func control(r rune) bool { return r >= 0x7f && r < 0xa0 }

type filter struct {
	w    io.Writer
	safe func(string) string
}

func (f filter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(f.w, f.safe(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
