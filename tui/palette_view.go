package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// paletteChrome is the lines of the window that are not choices: the frame, the query
// and a blank, and what the selected one does.
const paletteChrome = 5

func (d *paletteWindow) settle(m *Model) {
	d.page = max(1, min(m.windowHeight()-paletteChrome, 20))
	d.top = scrolled(d.top, d.index, len(d.shown), d.page)
}

func (d *paletteWindow) draw(m *Model, w, _ int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	line := t.row().put(t.key, ": ")
	d.query.draw(line, t, inner-line.width, true)
	rows := []*row{line, t.row().left(t.dim, d.says(), inner)}
	for i := d.top; i < min(len(d.shown), d.top+d.page); i++ {
		c := d.shown[i]
		r := d.line(t, c, inner).fit(inner)
		if i == d.index {
			r = t.selected(r)
		}
		rows = append(rows, r.on(&target{click: func(m *Model) tea.Cmd { return d.take(m, c) }}))
	}
	for len(rows) < d.page+2 { // it keeps its size while one types
		rows = append(rows, t.row())
	}
	about := t.row()
	if d.index < len(d.shown) {
		c := d.shown[d.index]
		if c.off != "" {
			about.put(t.warn.strong(), "! ").left(t.warn, c.off, inner-2)
		} else {
			about.left(t.dim, c.note, inner)
		}
	}
	return boxed(t, "Do or go to", strings.TrimSpace(more(d.top, len(d.shown), d.page)), append(rows, about), inner+4)
}

func (d *paletteWindow) says() string {
	switch {
	case len(d.shown) == 0:
		return "nothing is called that"
	case d.query.text() == "" && len(d.all) > len(d.shown):
		return "some letters of an action, a group or a member"
	case d.query.text() == "":
		return "some letters of an action"
	case d.left > 0:
		return model.Count(d.left, "more place") + " fit: type on"
	}
	return ""
}

// line is a choice: its name with the letters that fit, its key, what it is.
func (d *paletteWindow) line(t *theme, c choice, w int) *row {
	keys := 6
	name := min(w-keys-1, max(24, w/3))
	if c.kind != choiceAction {
		name = min(w-1, max(24, w*2/3))
		keys = 0
	}
	r := t.row()
	base, key := t.text, t.key
	if c.off != "" {
		base, key = t.dim, t.dim
	}
	title := marked(t, c, base)
	if c.takes != "" {
		title.put(t.dim, " "+c.takes)
	}
	if title.width > name {
		title = t.row().name(base, c.name, name)
	}
	r.join(title.fit(name)).gap(1)
	if keys > 0 {
		r.left(key, keyName(c.key), keys)
	}
	note := c.note
	if c.off != "" {
		note = "not now: " + c.off
	}
	if room := w - r.width - 1; room > 8 {
		r.gap(1).left(t.dim, glyph.Short(t.row().safe(note), room), room)
	}
	return r
}

// keyName writes a key as help does.
func keyName(stroke string) string {
	return strings.NewReplacer("shift+", "⇧", "ctrl+", "^", "up", "↑", "down", "↓", "left", "←", "right", "→").Replace(stroke)
}

// marked draws a name with the letters that fit.
func marked(t *theme, c choice, base style) *row {
	r := t.row()
	hits := c.hits
	if strings.ContainsFunc(c.name, func(r rune) bool { return r < ' ' || r > '~' }) {
		hits = nil // what is written out has other letters
	}
	for i, at := 0, 0; i < len(c.name); i = at {
		hit := slices.Contains(hits, i)
		for at = i + 1; at < len(c.name) && (hits == nil || slices.Contains(hits, at) == hit); at++ {
		}
		st := base
		if hit {
			st = t.accent.strong()
			st.underline = true
		}
		r.put(st, c.name[i:at])
	}
	return r
}
