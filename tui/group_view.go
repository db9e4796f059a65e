package tui

import (
	"fmt"
	"strings"

	"pcgtop/keymap"
	"pcgtop/model"
)

// view draws the body.
func (v *groupView) view(m *Model, w, h int) []*row {
	t := m.theme
	if v.shown == nil {
		word := "Reading…"
		if m.snap.Link.State == model.LinkLive {
			word = "There is no group " + v.key.String()
		}
		return []*row{t.row(), t.row().gap(2).put(t.title, word)}
	}
	if v.table != nil {
		return v.dimmed(m, v.table.view(m, v.gone, w, h))
	}
	lines := v.facts(t, w, h)
	h -= len(lines)
	canvas := make([]*row, h)
	for i := range canvas {
		canvas[i] = t.row()
	}
	areas, tabs := v.layout(w, h)
	if tabs {
		canvas[0] = v.tabs(t)
	}
	for _, a := range areas {
		rows := v.panel(m, a, tabs)
		for len(rows) < a.h && !tabs {
			rows = append(rows, t.row())
		}
		for _, r := range rows {
			r.fit(a.w).in(a.panel)
		}
		place(canvas, rows, a.x, a.y, a.w)
	}
	return v.dimmed(m, append(lines, canvas...))
}

// dimmed dims what may no longer hold.
func (v *groupView) dimmed(m *Model, lines []*row) []*row {
	if v.gone || m.outdated(v.shown) != "" {
		for i, r := range lines {
			lines[i] = m.theme.old(r)
		}
	}
	return lines
}

// panel draws one panel with its title, which the tabs show where there are any.
func (v *groupView) panel(m *Model, a area, tabs bool) []*row {
	t := m.theme
	rows := []*row{}
	h := a.h
	focused := a.panel == v.focused
	if !tabs {
		h--
	}
	title := t.row()
	if focused {
		title.put(t.accent.strong(), "▸"+a.panel.title())
	} else {
		title.gap(1).put(t.head, a.panel.title())
	}
	switch a.panel {
	case panelMembers:
		rows = v.members.view(m, title, a.w, h, focused)
	case panelMap:
		title = ellipsis(t, title.put(t.dim, "  "+v.chart.about(focused)), a.w)
		rows = v.chart.view(t, a.w, h, focused)
	case panelTable:
		title = ellipsis(t, title.gap(1).join(v.parts.totals(t)), a.w)
		rows = v.parts.list(m, a.w, h, focused)
	case panelFindings:
		all, of := v.findingLines(t, a.w)
		if len(all) == 0 {
			all = []*row{t.row().gap(1).put(t.dim, "nothing is wrong")}
		}
		if !focused && v.said {
			title.put(t.dim, "  beside the one above")
		}
		title.put(t.dim, moreOf(v.scroll[a.panel], of, h))
		rows = portion(all, v.scroll[a.panel], h)
	case panelEvents:
		title.put(t.dim, more(v.scroll[a.panel], len(v.events), h))
		for _, e := range portion(v.events, v.scroll[a.panel], h) {
			rows = append(rows, eventLine(m, e, 0).on(&target{action: keymap.Happened}))
		}
		if len(v.events) == 0 {
			rows = append(rows, t.row().gap(1).put(t.dim, "none since "+m.began()))
		}
	}
	if tabs {
		return rows
	}
	return append([]*row{ruled(t, title, a.w, focused)}, rows...)
}

// ruled draws a line behind a title: a double one where the focus is, so that it is seen
// without colours too.
func ruled(t *theme, title *row, w int, focused bool) *row {
	st, line := t.line, "─"
	if focused {
		st, line = t.accent, "═"
	}
	title = ellipsis(t, title, w)
	if room := w - title.width - 1; room > 2 {
		title.gap(1).put(st, strings.Repeat(line, room))
	}
	return title
}

// portion is the visible part of a list.
func portion[T any](list []T, top, h int) []T {
	top = max(0, min(top, len(list)))
	return list[top:min(len(list), top+max(0, h))]
}

// more says how much of a list lies above and below what is visible.
func more(top, n, h int) string {
	if n <= h {
		return ""
	}
	return fmt.Sprintf("  %d-%d of %d", top+1, min(n, top+h), n)
}

// moreOf is [more] for a list whose things take several lines each: of says which thing a line
// is of, from 0.
func moreOf(top int, of []int, h int) string {
	if len(of) <= h {
		return ""
	}
	shown, n := portion(of, top, h), of[len(of)-1]+1
	switch {
	case len(shown) == 0:
		return ""
	case shown[0] == shown[len(shown)-1]:
		return fmt.Sprintf("  %d of %d", shown[0]+1, n)
	}
	return fmt.Sprintf("  %d-%d of %d", shown[0]+1, shown[len(shown)-1]+1, n)
}

// tabs is the line that stands for the panels that are not drawn.
func (v *groupView) tabs(t *theme) *row {
	r := t.row()
	for p := range panels {
		if p == panelTable {
			continue
		}
		name := p.title()
		if p == panelFindings && len(v.shown.Findings) > 0 {
			name += fmt.Sprintf(" %d", len(v.shown.Findings))
		}
		tab := t.row()
		if p == v.focused {
			tab.put(t.accent.strong(), "▸"+name)
		} else {
			tab.gap(1).put(t.head, name)
		}
		r.join(tab.in(p))
	}
	return r
}

// mostFindings is how many findings are drawn: with thousands of members a group can have
// as many, and nobody reads them one by one.
const mostFindings = 500

// findingLines draws every finding with its hint. The worst one is not said again where
// it stands in full in the first lines, unless the findings are what is read. of
// says which of them each line is of.
func (v *groupView) findingLines(t *theme, w int) (lines []*row, of []int) {
	if t == nil {
		t = &theme{}
	}
	all := v.shown.Findings
	if v.focused != panelFindings && v.said {
		all = all[1:]
	}
	for n, f := range all[:min(len(all), mostFindings)] {
		sign, st := t.severity(f.Severity)
		said, _ := sentence(t, f, 3, w-4, 4)
		for i, r := range said {
			if i == 0 {
				r = t.row().gap(1).put(st, sign).gap(1).join(r.cut(3, max(3, r.width)))
			}
			lines, of = append(lines, r), append(of, n)
		}
	}
	if more := len(all) - mostFindings; more > 0 {
		lines, of = append(lines, t.row().gap(3).put(t.dim, "and "+model.Count(more, "more finding"))), append(of, len(all)-1)
	}
	return lines, of
}
