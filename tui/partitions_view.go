package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// chromeLines are the lines that are not rows: the title, what is said of the whole, and
// the heads.
const chromeLines = 3

// roomy tells whether there is room for blank lines.
func roomy(h int) bool { return h >= 30 }

func (t *partTable) settle(w, h int) {
	if roomy(h) {
		h -= 2
	}
	t.page = max(1, h-chromeLines)
	if t.heat {
		t.chart.settle(w, t.page)
	} else {
		t.settleRows(t.page)
	}
}

// settleRows keeps the row under the cursor visible in so many.
func (t *partTable) settleRows(n int) {
	t.page = max(1, n)
	t.top = scrolled(t.top, t.row(), len(t.rows), t.page)
}

func (t *partTable) view(m *Model, gone bool, w, h int) []*row {
	th := m.theme
	title := th.row().gap(1).put(th.accent.strong(), "PARTITIONS").put(th.dim, "  "+t.chart.about(true))
	second := t.totals(th)
	if gone {
		second = deletedLine(th)
	}
	if t.typing || t.filter.text() != "" {
		second = t.filterLine(th, w)
	}
	lines := []*row{ellipsis(th, title, w-1), ellipsis(th, second, w-1)}
	if roomy(h) {
		lines = append([]*row{th.row()}, append(lines, th.row())...)
		h -= 2
	}
	if t.heat {
		return append(append(lines, th.row()), t.chart.view(th, w, h-chromeLines, true)...)
	}
	return append(lines, t.list(m, w, h-chromeLines+1, true)...)
}

// list draws the heads and the rows into h lines.
func (t *partTable) list(m *Model, w, h int, focused bool) []*row {
	th := m.theme
	tab := fitted(t.columns(th, w-2), w-2)
	lines := []*row{tab.heads(th.row().gap(1), th, t.sort, func(_ *Model, id keymap.ID) {
		t.sort.choose(id)
		t.take()
	})}
	if len(t.rows) == 0 {
		return append(lines, th.row().gap(2).put(th.dim, "no partition matches; numbers such as 0-4,15, an owner's name, is:STATE or is:need"))
	}
	for i := t.top; i < min(len(t.rows), t.top+h-1); i++ {
		p := t.rows[i]
		sel := p == t.chart.cursor
		r := th.row()
		if sel {
			r.put(th.accent.strong(), "▌")
		} else {
			r.gap(1)
		}
		tab.draw(r, i)
		r.fit(w)
		if sel && focused {
			r = th.selected(r)
		}
		lines = append(lines, r.on(&target{click: func(m *Model) tea.Cmd {
			if sel && focused {
				return m.do(keymap.Open)
			}
			t.chart.cursor = p
			return nil
		}}))
	}
	return lines
}

// totals says how much waits in all, and how it was counted.
func (t *partTable) totals(th *theme) *row {
	g := t.chart.group
	r := th.row().gap(1)
	var sum uint64
	n := 0
	for _, p := range g.Partitions {
		if p.Count != nil {
			sum, n = sum+p.Count.Pending, n+1
		}
	}
	if g.Counts == nil || g.Counts.Error != "" || n == 0 || n < len(g.Partitions) && g.Pins() {
		switch {
		case g.Counts != nil && g.Counts.Error != "":
			return r.put(th.warn, "not counted: "+g.Counts.Error)
		case !g.Countable() && !g.Pins(): // nor will it be
			return r.put(th.dim, "no partition has a consumer of its own: what waits is told of members")
		}
		return r.put(th.warn, "not counted yet")
	}
	facts := []string{number(sum, 12) + " wait in " + model.Count(n, "partition")}
	if n < len(g.Partitions) { // the others have no consumer of their own
		facts[0] += fmt.Sprintf(" of %d", len(g.Partitions))
	}
	if g.AtMost() {
		facts[0] = "at most " + facts[0] // what is acknowledged above the ack floor is in it
	}
	if n := g.Hop.Waiting(); n > 0 {
		facts = append(facts, number(n, 12)+" more at the origin")
	}
	if g.RateSpan > 0 {
		facts = append(facts, strings.TrimSpace(rate(g.In, 8))+" in and "+strings.TrimSpace(rate(g.Out, 8))+" out a second")
	}
	facts = append(facts, "counted "+since(g.Counts.At, g.Clock())+" ago")
	if g.Counts.Every > 0 {
		facts = append(facts, "every "+age(g.Counts.Every))
	}
	facts = append(facts, "sorted "+sortName(keymap.Partitions, t.sort.by)+" "+t.sort.mark())
	return r.put(th.dim, strings.Join(facts, " · "))
}

// columns are the table's, fullest form.
func (t *partTable) columns(th *theme, w int) []column {
	g := t.chart.group
	part := func(i int) model.Partition { return g.Partitions[t.rows[i]] }
	counted := func(f func(*row, *model.PartitionCount, int)) func(*row, int, int) {
		return func(r *row, i, w int) {
			if c := part(i).Count; c != nil {
				f(r, c, w)
			} else {
				r.right(th.dim, "-", w)
			}
		}
	}
	flow := func(f func(*model.PartitionCount) float64) func(*row, int, int) {
		return counted(func(r *row, c *model.PartitionCount, w int) {
			switch {
			case c.RateSpan == 0, c.AtLeast && f(c) < 0.05: // at least nothing says nothing
				r.right(th.dim, "-", w)
			case c.AtLeast:
				r.right(th.dim, "≥"+rate(f(c), w-1), w)
			case f(c) <= 0:
				r.right(th.dim, "0", w)
			default:
				r.right(th.text, rate(f(c), w), w)
			}
		})
	}
	letters := t.chart.letterWidth()
	bar := min(24, max(4, w/9))
	named, labels, notes, weights := t.said()
	ages := 7
	if !g.Pins() && g.Oldest().IsZero() { // kinds whose messages nobody reads tell no age
		ages = 0
	}
	return []column{
		{sort: keymap.SortName, title: "PART", want: max(5, t.chart.digits()), right: true, cell: func(r *row, i, w int) { r.right(th.text, fmt.Sprint(part(i).Number), w) }},
		{title: "NAME", want: min(named, 40), least: min(named, max(8, w/5)), keep: 10, cell: func(r *row, i, w int) { r.name(th.text, part(i).Told().Name, w) }},
		{sort: keymap.SortOwner, title: "OWNER", want: min(t.names, 30) + letters + 1, least: min(t.names, max(6, w/6)) + letters + 1, cell: func(r *row, i, w int) {
			p := part(i)
			if !p.Owned() {
				st, whose := noOwner(th, p)
				r.left(st, whose, w)
				return
			}
			r.left(th.member(p.Member), model.Letter(p.Member), letters).gap(1).name(th.text, p.Owner, w-letters-1)
		}},
		{sort: keymap.SortState, title: "  STATE", want: 13, keep: 8, cell: func(r *row, i, w int) {
			p := part(i)
			switch {
			case p.Unknown:
				r.left(th.warn, "? unknown", w)
				return
			case !p.Owned():
				r.left(th.bad, "✗ unowned", w)
				return
			}
			sign, st := memberLook(th, g.Members[p.Member], t.chart.trouble)
			r.sign(st, sign).left(st, string(g.Members[p.Member].State), w-2)
		}},
		{title: "NOTE", want: min(notes, 40), least: min(notes, max(8, w/6)), keep: 7, cell: func(r *row, i, w int) { r.left(th.warn, glyph.Sentence(r.safe(part(i).Told().Note), w), w) }},
		{title: "WEIGHT", want: weights, keep: 6, right: true, cell: func(r *row, i, w int) { r.right(th.text, fmt.Sprint(part(i).Told().Weight), w) }},
		{title: "LABEL", want: min(labels, 20), keep: 4, cell: func(r *row, i, w int) { r.name(th.dim, part(i).Told().Label, w) }},
		{sort: keymap.SortPending, title: "PENDING", want: 9, right: true, cell: counted(func(r *row, c *model.PartitionCount, w int) { r.right(quiet(th, c.Pending), number(c.Pending, w), w) })},
		{title: "WAITING", want: bar, keep: 3, cell: func(r *row, i, w int) {
			text, st := t.chart.heat.bar(th, part(i).Number, w)
			r.left(st, text, w)
		}},
		{sort: keymap.SortOldest, title: "OLDEST", want: ages, keep: 9, right: true, cell: counted(func(r *row, c *model.PartitionCount, w int) {
			if c.Oldest.IsZero() {
				r.right(th.dim, "-", w)
				return
			}
			r.right(th.text, oldest(c, g.Counts.At), w)
		})},
		{sort: keymap.SortIn, title: "IN/S", want: 6, keep: 5, right: true, cell: flow(func(c *model.PartitionCount) float64 { return c.In })},
		{sort: keymap.SortOut, title: "OUT/S", want: 6, keep: 4, right: true, cell: flow(func(c *model.PartitionCount) float64 { return c.Out })},
		{sort: keymap.SortEmpty, title: "EMPTY IN", want: 8, keep: 2, right: true, cell: func(r *row, i, w int) {
			c := part(i).Count
			if left, ok := c.Drain(); ok && c.Pending > 0 {
				r.right(th.text, age(left), w)
			} else {
				r.right(th.dim, "-", w)
			}
		}},
	}
}

// said is how wide what only some kinds of groups say of their partitions is: names, labels,
// notes and weights; 0 where they say nothing.
func (t *partTable) said() (names, labels, notes, weights int) {
	for _, p := range t.chart.group.Partitions {
		told := p.Told()
		names, labels, notes = max(names, glyph.Width(glyph.Clean(told.Name))), max(labels, glyph.Width(glyph.Clean(told.Label))), max(notes, glyph.Width(glyph.Clean(told.Note)))
		if told.Weight != 0 {
			weights = len("WEIGHT")
		}
	}
	if labels > 0 {
		labels = max(labels, len("LABEL"))
	}
	return names, labels, notes, weights
}

// filterLine is the filter, and how many partitions match it.
func (t *partTable) filterLine(th *theme, w int) *row {
	count := number(uint64(len(t.rows)), 9) + " of " + number(uint64(len(t.chart.group.Partitions)), 9) + " shown"
	r := th.row().gap(1).put(th.key, "/ ")
	t.filter.draw(r, th, max(4, w-len(count)-6), t.typing)
	return r.on(&target{action: keymap.Search}).gap(2).put(th.dim, count)
}
