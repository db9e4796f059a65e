package tui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/tui/glyph"
)

// helpWindow lists what the keys do on the screen it was opened on, why some do nothing
// now, and what the signs there mean.
type helpWindow struct {
	of   keymap.Screen
	top  int
	page int
}

func newHelp(_ *Model, of keymap.Screen) window { return &helpWindow{of: of} }

func (d *helpWindow) screen() keymap.Screen { return keymap.Help }
func (d *helpWindow) paste(*Model, string)  {}
func (d *helpWindow) refresh(*Model)        {}

func (d *helpWindow) press(m *Model, id keymap.ID, _ tea.KeyPressMsg) tea.Cmd {
	if id == keymap.Close {
		m.pop()
	} else if top, ok := moved(id, d.top, 1<<20, d.page); ok {
		d.top = top
	}
	return nil
}

func (d *helpWindow) settle(m *Model) {
	d.page = max(1, m.windowHeight()-2)
	d.top = scrollEnd(d.top, len(d.lines(m, windowWidth(m.width)-4)), d.page)
}

func (d *helpWindow) draw(m *Model, w, _ int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	lines := d.lines(m, inner)
	return boxed(t, "Keys and signs", strings.TrimSpace(more(d.top, len(lines), d.page)), portion(lines, d.top, d.page), inner+4)
}

// lines is the table, section by section: keys, what they do, why not.
func (d *helpWindow) lines(m *Model, w int) []*row {
	t := m.theme
	entries := m.keys.Entries(d.of, m.disabled(d.of))
	keys := 0
	for _, e := range entries {
		keys = max(keys, glyph.Width(t.row().safe(e.Key())))
	}
	var rows []*row
	var section keymap.Section
	for _, e := range inSections(entries) {
		if e.Section != section {
			if section = e.Section; len(rows) > 0 {
				rows = append(rows, t.row())
			}
			rows = append(rows, t.row().put(t.head, string(section)))
		}
		rows = append(rows, d.entry(t, e, keys, w)...)
	}
	return append(rows, d.signs(t, w)...)
}

// signs is what the screen's signs and letters mean.
func (d *helpWindow) signs(t *theme, w int) []*row {
	list := legend(t, d.of)
	if len(list) == 0 {
		return nil
	}
	widest := 0
	for _, s := range list {
		widest = max(widest, glyph.Width(t.row().safe(s.text)))
	}
	rows := []*row{t.row(), t.row().put(t.head, "Signs")}
	for _, s := range list {
		for i, text := range glyph.Wrap(t.row().safe(s.means), w-widest-4) {
			r := t.row().gap(2)
			if i == 0 {
				r.left(s.look, s.text, widest).gap(2)
			} else {
				r.gap(widest + 2)
			}
			rows = append(rows, r.put(t.text, text).fit(w))
		}
	}
	return rows
}

// inSections orders actions by their sections, what changes something first.
func inSections(entries []keymap.Entry) []keymap.Entry {
	var list []keymap.Entry
	for _, section := range []keymap.Section{keymap.Time, keymap.Change, keymap.Here, keymap.Look, keymap.Sort, keymap.Move} {
		for _, e := range entries {
			if e.Section == section {
				list = append(list, e)
			}
		}
	}
	return list
}

func (d *helpWindow) entry(t *theme, e keymap.Entry, keys, w int) []*row {
	text, st, key := e.Long, t.text, t.key
	if e.Disabled != "" {
		text, st, key = e.Long+" Not now: "+e.Disabled+".", t.dim, t.dim
	}
	var rows []*row
	for i, s := range glyph.Wrap(t.row().safe(text), w-keys-4) {
		r := t.row().gap(2)
		if i == 0 {
			r.left(key, e.Key(), keys).gap(2)
		} else {
			r.gap(keys + 2)
		}
		rows = append(rows, r.put(st, s).fit(w).on(d.does(e)))
	}
	return rows
}

// does closes the help and carries the action out that was clicked on.
func (d *helpWindow) does(e keymap.Entry) *target {
	return &target{action: e.ID, click: func(m *Model) tea.Cmd {
		m.pop()
		if e.Disabled != "" {
			m.say(sorry, e.Disabled)
			return nil
		}
		return m.do(e.ID)
	}}
}
