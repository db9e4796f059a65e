package tui

// area is where a panel is drawn.
type area struct {
	panel      panelID
	x, y, w, h int
}

// layout says which panels are drawn where in a body of w by h, below the lines that
// say what group this is: side by side where it is wide, below each other where it is
// high, and one at a time where it is neither.
func (v *groupView) layout(w, h int) (areas []area, tabs bool) {
	switch {
	case h < 14:
		return []area{{v.focused, 0, 1, w, h - 1}}, true
	case wideTable(w, h):
		return v.abreast(w, h), false
	case w >= 100:
		return v.beside(w, h), false
	}
	return v.stacked(w, h), false
}

// wideTable tells whether there is room for the table of partitions beside the rest.
func wideTable(w, h int) bool { return w >= 170 && h >= 36 }

// abreast is beside, with the table of partitions to the left of what was found and what
// happened.
func (v *groupView) abreast(w, h int) []area {
	left := v.chart.wants(min(w*2/5, 72), h)
	upper := min(max(v.chart.lines(left)+1, v.members.lines()+1), h/2)
	areas := []area{{panelMembers, left + 3, 0, w - left - 3, upper}, {panelMap, 0, 0, left, upper}}
	y, half := upper+1, w*9/20
	areas = append(areas, area{panelTable, 0, y, half, h - y})
	for _, a := range v.lower(w-half-3, y, h-y) {
		a.x = half + 3
		areas = append(areas, a)
	}
	return areas
}

// beside puts the map to the left of the members, and what was found and what happened
// below both.
func (v *groupView) beside(w, h int) []area {
	left := v.chart.wants(min(w*2/5, 72), h)
	right := w - left - 3
	upper := max(v.chart.lines(left)+1, v.members.lines()+1)
	lower := v.lowerWants(w)
	upper = min(upper, max(h-lower-1, h/2))
	areas := []area{{panelMembers, left + 3, 0, right, upper}, {panelMap, 0, 0, left, upper}}
	return append(areas, v.lower(w, upper+1, h-upper-1)...)
}

// stacked puts the map above the members.
func (v *groupView) stacked(w, h int) []area {
	chart := min(v.chart.lines(w-1)+1, max(4, h/3))
	rest := h - chart - 1
	lower := rest / 3
	if v.focused == panelMembers && len(v.members.table) > len(v.members.group.Members) {
		lower = rest / 4 // who is pinned comes first
	}
	members := min(v.members.lines()+1, max(rest-min(v.lowerWants(w), lower)-1, rest/2))
	if rows := max(1, len(v.members.table)) + 2; members < rows+memberDetail-1 { // too little for the detail is better used below
		members = min(members, rows)
	}
	areas := []area{{panelMap, 0, 0, w, chart}, {panelMembers, 0, chart + 1, w, members}}
	return append(areas, v.lower(w, chart+members+2, h-chart-members-2)...)
}

// lowerWants is how many lines findings and events would like.
func (v *groupView) lowerWants(w int) int {
	n := 0
	if f := v.findingHeight(w); f > 0 {
		n += f + 2
	}
	return n + min(len(v.events), 6) + 1
}

// lower shares what is left between findings and events; the focused one wins when
// there is room for one alone.
func (v *groupView) lower(w, y, h int) []area {
	if h < 3 {
		return nil
	}
	findings := 0
	if n := v.findingHeight(w); n > 0 || v.focused == panelFindings {
		findings = max(1, n) + 1
	}
	switch {
	case findings == 0:
		return []area{{panelEvents, 0, y, w, h}}
	case h < 6 && v.focused == panelEvents:
		return []area{{panelEvents, 0, y, w, h}}
	case h < 6:
		return []area{{panelFindings, 0, y, w, h}}
	}
	findings = min(findings, max(3, h-4))
	areas := []area{{panelFindings, 0, y, w, findings}}
	if rest := h - findings - 1; rest >= 2 {
		areas = append(areas, area{panelEvents, 0, y + findings + 1, w, rest})
	}
	return areas
}

// settle keeps what is selected visible.
func (v *groupView) settle(w, h int) {
	v.page = 1
	if v.shown == nil {
		return
	}
	if v.table != nil {
		v.chart.owned = ""
		v.table.settle(w, h)
		return
	}
	h -= len(v.facts(nil, w, h))
	switch v.wide = wideTable(w, h); {
	case !v.wide && v.focused == panelTable:
		v.focused, v.lent = panelMap, true
	case v.wide && v.lent:
		v.focused, v.lent = panelTable, false
	}
	v.chart.owned = ""
	if v.focused == panelMembers {
		v.chart.owned = v.members.selected
	}
	areas, tabs := v.layout(w, h)
	for _, a := range areas {
		rows := max(1, a.h-1)
		if tabs { // the tabs are the title
			rows = max(1, a.h)
		}
		if a.panel == v.focused {
			v.page = rows
		}
		switch a.panel {
		case panelMembers:
			v.members.settle(rows)
		case panelMap:
			v.chart.settle(a.w, rows)
		case panelTable:
			v.parts.settleRows(rows - 1)
		case panelFindings:
			v.scroll[a.panel] = scrollEnd(v.scroll[a.panel], v.findingHeight(a.w), rows)
		case panelEvents:
			v.scroll[a.panel] = scrollEnd(v.scroll[a.panel], len(v.events), rows)
		}
	}
}

// scrollEnd keeps the first of rows visible lines out of n within reason.
func scrollEnd(top, n, rows int) int { return max(0, min(top, n-rows)) }

// place copies a panel's rows onto the canvas.
func place(canvas []*row, rows []*row, x, y, w int) {
	for i, r := range rows {
		if y+i >= len(canvas) {
			return
		}
		line := canvas[y+i]
		canvas[y+i] = line.fit(max(line.width, x)).cut(0, x).join(r.fit(w)).join(line.cut(x+w, max(line.width, x+w)))
	}
}

// findingHeight is how many lines the findings take.
func (v *groupView) findingHeight(w int) int {
	lines, _ := v.findingLines(nil, w)
	return len(lines)
}
