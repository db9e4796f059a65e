package tui

import "pcgtop/tui/glyph"

// tone is how a message is meant.
type tone int

const (
	plainly tone = iota
	good
	sorry
)

// message is the line at the bottom that says what came of something. It stays until
// the next key press: nothing on the screen moves by itself.
type message struct {
	tone tone
	text string
}

func (m *Model) say(t tone, text string) { m.message = message{t, text} }

// over draws the message in place of the last lines.
func (msg message) over(t *theme, rows []*row, w int) []*row {
	if msg.text == "" {
		return rows
	}
	sign, st := "·", t.text
	switch msg.tone {
	case good:
		sign, st = "✓", t.ok
	case sorry:
		sign, st = "!", t.warn
	}
	const most = 3
	words := glyph.Wrap(t.row().safe(msg.text), w-5)
	if len(words) > most {
		words = words[:most]
		words[most-1] += "…"
	}
	for i, s := range words {
		r := t.row().gap(1)
		if i == 0 {
			r.put(st.strong(), sign+" ")
		} else {
			r.gap(2)
		}
		rows[len(rows)-len(words)+i] = r.put(st, s)
	}
	return rows
}
