package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// sourceWindow takes changes of a group's partition source, a line each, and shows at once
// what they come to.
type sourceWindow struct {
	draft
	taken []string
	line  input
	top   int
}

func newSourceWindow(m *Model, g *model.Group) window {
	d := &sourceWindow{draft: draft{key: g.Key}}
	d.refresh(m)
	return d
}

func (d *sourceWindow) screen() keymap.Screen { return keymap.Editing }
func (d *sourceWindow) settle(*Model)         {}

// refresh works out what is typed so far. Nothing is no mistake yet.
func (d *sourceWindow) refresh(m *Model) {
	in := d.intent()
	if len(in.Edits) == 0 {
		d.group, d.plan, d.problem = m.live.Group(d.key), nil, m.writeRefusal()
		return
	}
	d.work(m, in)
}

// intent is the lines that were taken and the one that is being typed.
func (d *sourceWindow) intent() model.Intent {
	in := model.Intent{Action: model.ActionEditSource, Edits: append([]string{}, d.taken...)}
	if typed := strings.TrimSpace(d.line.text()); typed != "" {
		in.Edits = append(in.Edits, typed)
	}
	return in
}

// paste takes every line but the last, which can be typed on.
func (d *sourceWindow) paste(m *Model, text string) {
	lines := strings.Split(strings.ReplaceAll(text, "\r", "\n"), "\n")
	for i, line := range lines {
		d.line.insert(line)
		if i < len(lines)-1 {
			d.take(m)
		}
	}
	d.refresh(m)
}

// take takes the line, if there is one and it fits.
func (d *sourceWindow) take(m *Model) {
	if d.refresh(m); d.problem == "" && strings.TrimSpace(d.line.text()) != "" {
		d.taken, d.line = d.intent().Edits, input{}
	}
}

func (d *sourceWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		if strings.TrimSpace(d.line.text()) != "" {
			d.take(m)
		} else if d.plan != nil {
			m.plan(d.group, d.intent())
		}
	case keymap.Up:
		d.top = max(0, d.top-1)
	case keymap.Down:
		d.top++
	default:
		if n := len(d.taken); k.String() == "backspace" && d.line.text() == "" && n > 0 { // back to the line before
			d.line.value, d.taken = d.taken[n-1], d.taken[:n-1]
			d.refresh(m)
		} else if d.line.key(k) {
			d.refresh(m)
		}
	}
	return nil
}

func (d *sourceWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	line := t.row().put(t.head, "change  ")
	d.line.draw(line, t, inner-line.width, true)
	below := d.below(m, inner, max(1, h/2))
	room := max(0, h-2-1-len(below))
	d.top = scrollEnd(d.top, len(d.taken), room)
	var rows []*row
	for _, text := range portion(d.taken, max(d.top, len(d.taken)-room), room) {
		rows = append(rows, t.row().gap(8).put(t.text, glyph.Short(t.row().safe(text), inner-8)))
	}
	rows = append(append(rows, line), below...)
	note := ""
	if d.plan != nil {
		note = fmt.Sprintf("revision %d", d.plan.Revision)
	}
	return boxed(t, "Edit the source of "+d.key.String(), note, rows[:min(len(rows), h-2)], inner+4)
}

// below is what the changes come to, why they cannot be, or how they are written.
func (d *sourceWindow) below(m *Model, w, h int) []*row {
	t := m.theme
	rows := []*row{t.row()}
	switch {
	case d.problem != "":
		rows = append(rows, d.preview(t, w, h-1)...)
	case d.plan != nil:
		rows = append(rows, t.row().gap(2).put(t.text, d.plan.Edit.Counted()), t.row().gap(2).put(t.dim, d.next(m)))
	default:
		for _, hint := range []string{"+eu.7:3:gpu adds a partition of keys eu, 7, weight 3, label gpu", "-eu.7 removes it; eu.7:5 weighs it 5, eu.7::gpu labels it", `keys with a colon in them stand in quotes: "a:b":5`} {
			rows = append(rows, t.row().gap(2).put(t.dim, glyph.Short(hint, w-2)))
		}
	}
	return rows
}

// next says what enter does.
func (d *sourceWindow) next(m *Model) string {
	enter := m.keys.Key(keymap.Editing, keymap.Make)
	if strings.TrimSpace(d.line.text()) != "" {
		return enter + " takes the line"
	}
	return enter + " shows the plan"
}
