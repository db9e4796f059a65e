// Package glyph makes any text safe to draw and handles it by what it takes on the
// screen: glyphs, which are never split, measured in cells.
package glyph

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// maxCluster is how many code points one glyph may be made of before it counts as an
// attempt to scribble over its neighbours.
const maxCluster = 4

// Clean makes any text safe to draw: control characters, escapes, invalid UTF-8,
// invisible and direction-changing characters are written out. What is left has the
// same width on every terminal: a glyph that terminals disagree about (joined or
// varied emoji) is written out too, so that no row is ever longer than it was measured.
func Clean(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(s[i:], string(utf8.RuneError)):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r):
			b.WriteRune(r)
		default:
			b.WriteString(escape(r))
		}
	}
	return evenWidth(b.String())
}

// longest is how many bytes of a text are looked at to draw it. It is more than the
// largest screen holds, and little enough to be measured for every frame.
const longest = 16 << 10

// Screenful is [Clean] for what is drawn: the end of a text that has no room on any screen
// is left out, with an ellipsis.
func Screenful(s string) string {
	if len(s) <= longest {
		return Clean(s)
	}
	n := longest
	for n > longest-utf8.UTFMax && !utf8.RuneStart(s[n]) {
		n--
	}
	return Clean(s[:n]) + "…"
}

// plain is the fast way out: nothing but printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x100:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// evenWidth writes out every glyph whose width is zero or in doubt.
func evenWidth(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		if s[0] < 0x80 && (len(s) == 1 || s[1] < 0x80) {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		cluster, _ := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
		s = s[len(cluster):]
		if certain(cluster) {
			b.WriteString(cluster)
			continue
		}
		for _, r := range cluster {
			if certain(string(r)) {
				b.WriteRune(r)
			} else {
				b.WriteString(escape(r))
			}
		}
	}
	return b.String()
}

// certain tells whether a glyph is as wide whichever way it is measured, alone and
// between others.
func certain(cluster string) bool {
	w := ansi.StringWidth(cluster)
	return w > 0 && w == ansi.StringWidthWc(cluster) &&
		utf8.RuneCountInString(cluster) <= maxCluster &&
		ansi.StringWidth(" "+cluster+" ") == w+2
}

// ASCII translates our own signs, and writes out everything else that is not ASCII.
func ASCII(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r < 0x80:
			b.WriteRune(r)
		default:
			if t := sign(r); t != "" {
				b.WriteString(t)
			} else {
				b.WriteString(escape(r))
			}
		}
	}
	return b.String()
}

// sign is the ASCII form of a sign that pcgtop itself draws.
func sign(r rune) string {
	switch r {
	case '●', '■':
		return "*"
	case '○':
		return "o"
	case '▌', '▸':
		return ">"
	case '✗':
		return "X"
	case '✓', '┌', '┐', '└', '┘', '├', '┤':
		return "+"
	case '·':
		return "."
	case '…':
		return "~"
	case '│', '▏':
		return "|"
	case '─':
		return "-"
	case '═':
		return "="
	case '▲', '↑':
		return "^"
	case '▼', '↓':
		return "v"
	case '←':
		return "<"
	case '→':
		return ">"
	case '⇧':
		return "shift+"
	case '↵':
		return "enter"
	case '—':
		return "-"
	case '×':
		return "x"
	case '≥':
		return ">"
	case '≤':
		return "<"
	case '▎', '▍':
		return ":"
	case '▋', '▊', '▉':
		return "="
	}
	if i := strings.IndexRune("▁▂▃▄▅▆▇█", r); i >= 0 {
		return string("._-~=+*#"[i/3])
	}
	return ""
}

// Width is how wide a cleaned text is on the screen.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return ansi.StringWidth(s)
}

// Cut returns the glyphs of a cleaned text that lie wholly within the first w cells,
// and how many cells they take. It looks no further than that: a text may be very long.
func Cut(s string, w int) (string, int) {
	w = max(0, w)
	if plain(s[:min(w+1, len(s))]) { // what comes next, too: it may join the last
		n := min(w, len(s))
		return s[:n], n
	}
	taken := 0
	for i := 0; i < len(s); {
		cluster, cw := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		if taken+cw > w {
			return s[:i], taken
		}
		taken += cw
		i += len(cluster)
	}
	return s, taken
}

// Skip leaves out the glyphs of a cleaned text that begin within the first w cells. A
// glyph that reaches over the edge leaves blanks.
func Skip(s string, w int) string {
	at := 0
	for i := 0; i < len(s); {
		if at >= w {
			return strings.Repeat(" ", at-w) + s[i:]
		}
		cluster, cw := ansi.FirstGraphemeCluster(s[i:], ansi.GraphemeWidth)
		at += cw
		i += len(cluster)
	}
	return strings.Repeat(" ", max(0, at-w))
}

// Short cuts a cleaned text to w cells, with an ellipsis where something is missing.
func Short(s string, w int) string {
	if Width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	head, _ := Cut(s, w-1)
	return head + "…"
}

// Wrap breaks a cleaned text into lines of at most w cells, at blanks where it can.
func Wrap(s string, w int) []string {
	if w <= 0 {
		return nil
	}
	var lines []string
	line, used := "", 0
	for _, word := range strings.Fields(s) {
		ww := Width(word)
		if used > 0 && used+1+ww <= w {
			line, used = line+" "+word, used+1+ww
			continue
		}
		if used > 0 {
			lines = append(lines, line)
		}
		for ww > w {
			head, n := Cut(word, w)
			if n == 0 { // a glyph wider than the line
				return lines
			}
			lines = append(lines, head)
			word, ww = word[len(head):], ww-n
		}
		line, used = word, ww
	}
	if used > 0 {
		lines = append(lines, line)
	}
	return lines
}
