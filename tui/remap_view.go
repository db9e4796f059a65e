package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// remapFrame is how many lines of the window lie around the map and the totals: the
// frame, the state of the edit, blanks.
func remapFrame(h int) int {
	if h < 16 {
		return 6
	}
	return 8
}

// mapSize is how much of the window the map gets: beside the totals where it is wide,
// above them where it is not.
func (d *remapWindow) mapSize(w, h int) (mw, mh int) {
	h -= remapFrame(h)
	inner := windowWidth(w) - 4
	if w >= 80 {
		return d.chart.wants(inner-34, h), max(1, h)
	}
	return inner, max(1, min(d.chart.lines(inner), h-3))
}

func (d *remapWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	mw, mh := d.mapSize(w, h)
	chart := d.chart.view(t, mw, mh, true)
	rows := []*row{d.about(t)}
	if w >= 80 {
		if rows[0].width < mw+3 {
			rows[0].fit(mw + 3).join(d.heads(t, inner-mw-3))
		}
		totals := d.totals(t, inner-mw-3, mh)
		for i := range max(len(chart), len(totals)) {
			r := t.row()
			if i < len(chart) {
				r = chart[i]
			}
			r = r.fit(mw + 3)
			if i < len(totals) {
				r.join(totals[i])
			}
			rows = append(rows, r)
		}
	} else {
		rows = append(rows, chart...)
		rows = append(rows, d.totals(t, inner, h-remapFrame(h)-len(chart)+1)...)
	}
	rows = append(rows, t.row())
	rows = append(rows, d.state(t, inner)...)
	if remapFrame(h) > 6 {
		rows = append(rows, d.price(t, inner), d.form(t, inner))
	}
	return boxed(t, "Remap "+d.key.String(), fmt.Sprintf("revision %d", d.group.Revision), rows, inner+4)
}

// about says what the cursor is on.
func (d *remapWindow) about(t *theme) *row {
	r := t.row()
	if len(d.owner) == 0 {
		return r.put(t.dim, "there is no partition")
	}
	p := d.chart.cursor
	r.put(t.head, "partition ").put(t.title, fmt.Sprint(p)).put(t.text, "  "+d.name(d.before[p]))
	if d.owner[p] != d.before[p] {
		r.put(t.line, " ▸ ").put(t.text.strong(), d.name(d.owner[p]))
	}
	if n := len(d.chart.marked); n > 0 {
		r.put(t.accent, fmt.Sprintf("  %d marked", n))
	}
	return r
}

func (d *remapWindow) name(i int) string {
	if i < 0 {
		return "nobody"
	}
	return d.names[i]
}

// fields is how wide the names are in totals of w cells, and whether there is room for the
// loads.
func (d *remapWindow) fields(w int) (names int, loaded bool) {
	names = len("MEMBER")
	for _, n := range d.names {
		names = max(names, glyph.Width(glyph.Clean(n)))
	}
	before, _ := d.loads()
	if loaded = before != nil && w >= 30; loaded {
		w -= 8
	}
	return max(4, min(names, w-18)), loaded
}

// heads are those of the totals.
func (d *remapWindow) heads(t *theme, w int) *row {
	names, loaded := d.fields(w)
	r := t.row().gap(d.chart.letterWidth()+1).right(t.head, "PARTS", names+4)
	if loaded {
		r.gap(6).right(t.head, "LOAD", 5)
	}
	return r.fit(w)
}

// totals is how many partitions each member has, and had.
func (d *remapWindow) totals(t *theme, w, h int) []*row {
	before, after := make([]int, len(d.names)), make([]int, len(d.names))
	for p := range d.owner {
		if o := d.before[p]; o >= 0 {
			before[o]++
		}
		if o := d.owner[p]; o >= 0 {
			after[o]++
		}
	}
	loadBefore, loadAfter := d.loads()
	names, loaded := d.fields(w)
	var rows []*row
	at := -1
	if len(d.owner) > 0 {
		at = d.owner[d.chart.cursor]
	}
	first := scrolled(0, at, len(d.names), h)
	for i := first; i < min(len(d.names), first+h); i++ {
		r := t.row().left(t.member(i), model.Letter(i), d.chart.letterWidth()).gap(1).left(t.text.strong(), d.names[i], names)
		r.right(t.dim, fmt.Sprint(before[i]), 4)
		end := r.width + 6
		switch {
		case after[i] == before[i] && !d.out[i]:
		case after[i] == 0:
			r.put(t.line, " ▸ ").put(t.warn, "-")
		default:
			r.put(t.line, " ▸ ").put(t.text.strong(), fmt.Sprint(after[i]))
		}
		r.gap(end - r.width)
		switch {
		case d.out[i]:
			r.gap(1).put(t.warn, "left out")
		case after[i] == 0 && before[i] > 0:
			r.gap(1).put(t.warn, "leaves")
		case loaded:
			r.right(t.dim, percent(loadBefore[i]), 5).put(t.line, "▸").put(t.text, percent(loadAfter[i]))
		}
		if i == at {
			r = t.selected(r.fit(w))
		}
		rows = append(rows, r.fit(w).on(clicks(func(m *Model) { d.give(m, i) })))
	}
	return rows
}

// state says what the edit would come to.
func (d *remapWindow) state(t *theme, w int) []*row {
	warn := func(s string) []*row {
		r := t.row().put(t.warn.strong(), "! ")
		return []*row{r.left(t.warn, s, w-2)}
	}
	switch {
	case d.stale != "":
		return warn("changed meanwhile: " + d.stale + "; 0 starts again")
	case d.problem != "":
		return warn(d.problem)
	case d.plan.Moved() == 0:
		return []*row{t.row().put(t.dim, "no partition moves yet")}
	}
	moves := model.DescribeMoves(d.plan.Base.Assignment(), d.plan.After())
	r := t.row().put(t.title, fmt.Sprintf("%d of %d move", d.plan.Moved(), len(d.owner))).put(t.dim, fmt.Sprintf(" (%d had to)  ", d.plan.HadTo()))
	return []*row{r.left(t.text, moves, max(0, w-r.width))}
}

// nameWindow takes the name of a new member for the remap editor.
type nameWindow struct {
	editor *remapWindow
	name   input
}

func (d *nameWindow) screen() keymap.Screen       { return keymap.Name }
func (d *nameWindow) paste(_ *Model, text string) { d.name.insert(text) }
func (d *nameWindow) refresh(m *Model)            { d.editor.refresh(m) }
func (d *nameWindow) settle(*Model)               {}

func (d *nameWindow) problem() string {
	name := d.name.text()
	for _, n := range d.editor.names {
		if n == name {
			return name + " is a member already"
		}
	}
	if err := model.CheckMemberName(name); err != nil && name != "" {
		return err.Error()
	}
	return ""
}

func (d *nameWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		if d.name.text() != "" && d.problem() == "" {
			d.editor.hire(m, d.name.text())
			m.pop()
		}
	default:
		d.name.key(k)
	}
	return nil
}

func (d *nameWindow) draw(m *Model, w, _ int) []*row {
	t := m.theme
	inner := min(windowWidth(w)-4, 60)
	line := t.row().put(t.head, "name  ")
	d.name.draw(line, t, inner-line.width, true)
	say := t.row().left(t.dim, "it gets the partition under the cursor, or those marked", inner)
	if p := d.problem(); p != "" {
		say = t.row().put(t.warn.strong(), "! ").left(t.warn, p, inner-2)
	}
	return boxed(t, "New member of "+d.editor.key.String(), "", []*row{line, t.row(), say}, inner+4)
}
