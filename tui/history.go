package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// historyWindow lists what was done to the open group from here, newest first.
type historyWindow struct {
	key  model.Key
	top  int
	page int
}

func newHistory(_ *Model, k model.Key) window { return &historyWindow{key: k} }

func (d *historyWindow) screen() keymap.Screen { return keymap.History }
func (d *historyWindow) paste(*Model, string)  {}
func (d *historyWindow) refresh(*Model)        {}

func (d *historyWindow) press(m *Model, id keymap.ID, _ tea.KeyPressMsg) tea.Cmd {
	switch top, ok := moved(id, d.top, 1<<20, d.page); {
	case id == keymap.Close:
		m.pop()
	case id == keymap.Undo:
		m.group.start(m, id)
	case ok:
		d.top = top
	}
	return nil
}

func (d *historyWindow) settle(m *Model) {
	d.page = max(1, m.windowHeight()-2)
	d.top = scrollEnd(d.top, len(d.lines(m, windowWidth(m.width)-4)), d.page)
}

func (d *historyWindow) draw(m *Model, w, _ int) []*row {
	inner := windowWidth(w) - 4
	lines := d.lines(m, inner)
	return boxed(m.theme, "Done to "+d.key.String()+" from here", strings.TrimSpace(more(d.top, len(lines), d.page)), portion(lines, d.top, d.page), inner+4)
}

func (d *historyWindow) lines(m *Model, w int) []*row {
	t := m.theme
	var rows []*row
	for _, a := range m.snap.History(d.key) {
		st, note := t.text, ""
		if a.To > 0 {
			note = fmt.Sprintf(" (revision %d ▸ %d)", a.From, a.To)
		}
		if a.Undone {
			st, note = t.dim, note+", undone since"
		}
		for i, s := range glyph.Wrap(t.row().safe(a.Text+note), w-10) {
			r := t.row().gap(10)
			if i == 0 {
				r = t.row().put(t.dim, m.clock(a.At)).gap(2)
			}
			rows = append(rows, r.put(st, s))
		}
		if moves := model.DescribeMoves(a.Before.Assignment(), a.After.Assignment()); a.To > 0 && moves != "" {
			rows = append(rows, t.row().gap(10).left(t.dim, moves, w-10))
		}
	}
	if len(rows) == 0 {
		return []*row{t.row().put(t.dim, "nothing yet")}
	}
	return append(rows, d.undo(m, w)...)
}

// undo says what u would do now.
func (d *historyWindow) undo(m *Model, w int) []*row {
	g := m.snap.Group(d.key)
	if g == nil {
		return nil
	}
	t := m.theme
	rows := []*row{t.row()}
	if in, err := m.snap.Undo(g); err != nil {
		rows = append(rows, labelled(t, "u undo", "not now: "+reason(err), t.dim, w)...)
	} else {
		rows = append(rows, labelled(t, "u undo", in.Undoes, t.text, w)...)
	}
	return rows
}
