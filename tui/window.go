package tui

import (
	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/tui/glyph"
)

// window is a dialog on the stack.
type window interface {
	screen() keymap.Screen
	// press takes a key press; id is empty when the key is bound to nothing.
	press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd
	paste(m *Model, text string)
	// refresh hears of a new snapshot, held or not.
	refresh(m *Model)
	// settle follows every message: what depends on the size of the screen.
	settle(m *Model)
	// draw puts the window together for a screen of w by h.
	draw(m *Model, w, h int) []*row
}

func (m *Model) window() window {
	if len(m.windows) == 0 {
		return nil
	}
	return m.windows[len(m.windows)-1]
}

// told is the top window that is not about the keys themselves.
func (m *Model) told() window {
	for i := len(m.windows) - 1; i >= 0; i-- {
		switch w := m.windows[i].(type) {
		case *helpWindow, *paletteWindow:
		default:
			return w
		}
	}
	return nil
}

func (m *Model) push(w window) { m.windows = append(m.windows, w) }

func (m *Model) pop() { m.windows = m.windows[:max(0, len(m.windows)-1)] }

// windowHeight is how high a window may be: how far what is shown can be trusted, and
// the hints, stay visible.
func (m *Model) windowHeight() int { return m.height - 2 - len(m.banners()) }

// overlay lays the top window over the middle of the screen; what lies below is dimmed.
func (m *Model) overlay(rows []*row) []*row {
	top := m.window()
	if top == nil {
		return rows
	}
	w, h := m.width, m.windowHeight()
	first := len(rows) - h
	box := top.draw(m, w, h)
	if len(box) == 0 {
		return rows
	}
	bw := 0
	for _, r := range box {
		bw = max(bw, r.width)
	}
	x, y := max(0, (w-bw)/2), first+max(0, (h-len(box))/2)
	for i := first; i < len(rows); i++ {
		rows[i] = m.theme.below(rows[i])
	}
	for i, r := range box {
		if y+i >= len(rows) {
			break
		}
		below := rows[y+i].fit(w)
		rows[y+i] = below.cut(0, x).join(r.fit(bw)).join(below.cut(x+bw, w))
	}
	return rows
}

// boxed draws a frame of width w around rows, with a title and a note in its top line.
func boxed(t *theme, title, note string, rows []*row, w int) []*row {
	inner := w - 4
	top := t.row().put(t.line, "┌ ")
	room := w - 6
	n := t.row().safe(note)
	if glyph.Width(n) > room/2 {
		n = ""
	}
	name := t.row().safe(title)
	if n != "" {
		room -= glyph.Width(n) + 2
	}
	top.put(t.title, glyph.Short(name, room)).gap(1)
	for top.width < w-3-glyph.Width(n) {
		top.put(t.line, "─")
	}
	if n != "" {
		top.gap(1).put(t.dim, n)
		top.gap(1)
	} else {
		top.put(t.line, "──")
	}
	box := []*row{top.fit(w-1).put(t.line, "┐")}
	for _, r := range rows {
		box = append(box, t.row().put(t.line, "│ ").join(r.fit(inner)).put(t.line, " │"))
	}
	bottom := t.row().put(t.line, "└")
	for bottom.width < w-1 {
		bottom.put(t.line, "─")
	}
	return append(box, bottom.put(t.line, "┘"))
}
