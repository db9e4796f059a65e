package tui

import (
	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/tui/glyph"
)

// lineWindow asks for one line of text.
type lineWindow struct {
	title, label string
	hints        []string
	input        input
	problem      string                  // why the line was not taken
	done         func(text string) error // takes it; the window closes unless there is an error
}

func (d *lineWindow) screen() keymap.Screen { return keymap.Line }
func (d *lineWindow) refresh(*Model)        {}
func (d *lineWindow) settle(*Model)         {}

func (d *lineWindow) paste(_ *Model, text string) {
	d.input.insert(text)
	d.problem = ""
}

func (d *lineWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		if err := d.done(d.input.text()); err != nil {
			d.problem = reason(err)
			return nil
		}
		m.pop()
	default:
		if d.input.key(k) {
			d.problem = ""
		}
	}
	return nil
}

func (d *lineWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := min(windowWidth(w), 80) - 4
	line := t.row().put(t.head, d.label+"  ")
	d.input.draw(line, t, inner-line.width, true)
	rows := []*row{line, t.row()}
	say := func(text string, st style) {
		for _, s := range glyph.Wrap(t.row().safe(text), inner-2) {
			rows = append(rows, t.row().gap(2).put(st, s))
		}
	}
	if d.problem != "" {
		say(d.problem, t.warn)
	} else {
		for _, hint := range d.hints {
			say(hint, t.dim)
		}
	}
	return boxed(t, d.title, "", rows[:min(len(rows), h-2)], inner+4)
}
