package tui

import (
	"strings"
	"unicode/utf8"

	"pcgtop/tui/glyph"

	tea "charm.land/bubbletea/v2"
)

// maxInput bounds what may be typed or pasted, in bytes.
const maxInput = 16 << 10

// input is a line of text being typed. The cursor is always at its end: what is typed
// here is short, and the end of it is what has to be seen.
type input struct{ value string }

func (in *input) text() string { return in.value }

// insert takes typed or pasted text as it is; line ends become blanks.
func (in *input) insert(s string) {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", " "), "\n", " ")
	in.value += strings.ReplaceAll(s, "\r", " ")
	if len(in.value) > maxInput {
		in.value = strings.ToValidUTF8(in.value[:maxInput], "")
	}
}

// key handles a key press and tells whether it was for the text.
func (in *input) key(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "backspace":
		_, n := utf8.DecodeLastRuneInString(in.value)
		in.value = in.value[:len(in.value)-n]
	case "ctrl+u":
		in.value = ""
	case "ctrl+w":
		in.value = strings.TrimRight(in.value, " ")
		in.value = in.value[:strings.LastIndexByte(in.value, ' ')+1]
	default:
		if k.Text == "" || k.Mod&(tea.ModCtrl|tea.ModAlt) != 0 {
			return false
		}
		in.insert(k.Text)
	}
	return true
}

// draw shows the end of the text in at most w cells, with a cursor while it is typed.
func (in *input) draw(r *row, t *theme, w int, cursor bool) {
	const tail = 1 << 10 // more than any window shows
	value := in.value
	if len(value) > tail {
		value = strings.ToValidUTF8(value[len(value)-tail:], "")
	}
	s := r.safe(value)
	if over := glyph.Width(s) - (w - 2); over > 0 {
		r.put(t.dim, "…")
		s = glyph.Skip(s, over)
	}
	r.append(t.text.strong(), s)
	if cursor {
		r.put(t.accent, "▏")
	}
}
