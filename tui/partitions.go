package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// partTable is the screen of a group's partitions: a row each, or the map in full. The
// cursor is the map's own.
type partTable struct {
	chart *partMap
	sort  int   // which column the rows are ordered by: see orders
	order []int // partition numbers as shown
	heat  bool  // the map instead of the table
	top   int
	page  int
	names int // widest owner
}

// orders are what rows can be ordered by; all but the number put the most first.
func orders() []string { return []string{"PART", "PENDING", "OLDEST", "IN/S", "OUT/S"} }

func newPartTable(c *partMap) *partTable {
	t := &partTable{chart: c}
	t.take()
	return t
}

// take orders the rows anew; ties stay in the order of their numbers.
func (t *partTable) take() {
	g := t.chart.group
	t.order, t.names = t.order[:0:0], len("OWNER")
	for p := range g.Partitions {
		t.order = append(t.order, p)
	}
	for _, m := range g.Members {
		t.names = max(t.names, glyph.Width(glyph.Clean(m.Name)))
	}
	if t.sort == 0 {
		return
	}
	count := func(p int) model.PartitionCount {
		if c := g.Partitions[p].Count; c != nil {
			return *c
		}
		return model.PartitionCount{}
	}
	slices.SortStableFunc(t.order, func(x, y int) int {
		a, b := count(x), count(y)
		switch t.sort {
		case 1:
			return cmp.Compare(b.Pending, a.Pending)
		case 2:
			if a.Oldest.IsZero() != b.Oldest.IsZero() {
				return cmp.Compare(btoi(a.Oldest.IsZero()), btoi(b.Oldest.IsZero()))
			}
			return a.Oldest.Compare(b.Oldest)
		case 3:
			return cmp.Compare(b.In, a.In)
		}
		return cmp.Compare(b.Out, a.Out)
	})
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// row is where the cursor is in the order shown.
func (t *partTable) row() int { return max(0, slices.Index(t.order, t.chart.cursor)) }

func (t *partTable) press(v *groupView, id keymap.ID) tea.Cmd {
	switch id {
	case keymap.Back:
		v.table = nil
	case keymap.Next, keymap.Previous:
		t.heat = !t.heat
	case keymap.SortNext, keymap.SortBefore:
		step := 1
		if id == keymap.SortBefore {
			step = len(orders()) - 1
		}
		t.sort, t.heat = (t.sort+step)%len(orders()), false
		t.take()
	default:
		if t.heat {
			t.chart.move(id, t.page)
		} else if i, ok := moved(id, t.row(), len(t.order), t.page); ok && len(t.order) > 0 {
			t.chart.cursor = t.order[i]
		}
	}
	return nil
}

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
		t.top = scrolled(t.top, t.row(), len(t.order), t.page)
	}
}

func (t *partTable) view(m *Model, w, h int) []*row {
	th := m.theme
	title := th.row().gap(1).put(th.accent.strong(), "PARTITIONS").put(th.dim, "  "+t.chart.about(true))
	lines := []*row{ellipsis(th, title, w-1), ellipsis(th, t.totals(th), w-1)}
	if roomy(h) {
		lines = append([]*row{th.row()}, append(lines, th.row())...)
		h -= 2
	}
	if t.heat {
		return append(append(lines, th.row()), t.chart.view(th, w, h-chromeLines, true)...)
	}
	tab := fitted(t.columns(th, w-2), w-2)
	lines = append(lines, tab.head(th.row().gap(1), th.head))
	for i := t.top; i < min(len(t.order), t.top+h-chromeLines); i++ {
		sel := t.order[i] == t.chart.cursor
		r := th.row()
		if sel {
			r.put(th.accent.strong(), "▌")
		} else {
			r.gap(1)
		}
		tab.draw(r, i)
		r.fit(w)
		if sel {
			r = th.selected(r)
		}
		lines = append(lines, r)
	}
	return lines
}

// totals says how much waits in all, and how it was counted.
func (t *partTable) totals(th *theme) *row {
	g := t.chart.group
	r := th.row().gap(1)
	if !g.Counted() {
		why := "not counted yet"
		if g.Counts != nil && g.Counts.Error != "" {
			why = "not counted: " + g.Counts.Error
		}
		return r.put(th.warn, why)
	}
	var sum uint64
	for _, p := range g.Partitions {
		sum += p.Count.Pending
	}
	facts := []string{number(sum, 12) + " wait in " + model.Count(len(g.Partitions), "partition")}
	if g.Key.Kind == model.KindStatic {
		facts[0] = "at most " + facts[0] // what is acknowledged above the ack floor is in it
	}
	if n := g.Hop.Waiting(); n > 0 {
		facts = append(facts, number(n, 12)+" more at the origin")
	}
	facts = append(facts, "counted "+since(g.Counts.At, g.Clock())+" ago", "every "+age(g.Counts.Every), "sorted by "+orders()[t.sort])
	return r.put(th.dim, strings.Join(facts, " · "))
}

// columns are the table's, fullest form.
func (t *partTable) columns(th *theme, w int) []column {
	g := t.chart.group
	part := func(i int) model.Partition { return g.Partitions[t.order[i]] }
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
			case c.RateSpan == 0:
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
	return []column{
		{title: t.title(0, t.chart.digits()), want: max(5, t.chart.digits()), right: true, cell: func(r *row, i, w int) { r.right(th.text, fmt.Sprint(part(i).Number), w) }},
		{title: "OWNER", want: min(t.names, 30) + letters + 1, least: min(t.names, max(6, w/6)) + letters + 1, cell: func(r *row, i, w int) {
			p := part(i)
			if !p.Owned() {
				r.left(th.bad, "nobody", w)
				return
			}
			r.left(th.member(p.Member), model.Letter(p.Member), letters).gap(1).name(th.text, p.Owner, w-letters-1)
		}},
		{title: "  STATE", want: 13, keep: 8, cell: func(r *row, i, w int) {
			p := part(i)
			if !p.Owned() {
				r.left(th.bad, "✗ unowned", w)
				return
			}
			sign, st := memberLook(th, g.Members[p.Member], t.chart.trouble)
			r.put(st, sign+" ").left(st, string(g.Members[p.Member].State), w-2)
		}},
		{title: t.title(1, 9), want: 9, right: true, cell: counted(func(r *row, c *model.PartitionCount, w int) { r.right(quiet(th, c.Pending), number(c.Pending, w), w) })},
		{title: "WAITING", want: bar, keep: 3, cell: func(r *row, i, w int) {
			text, st := t.chart.heat.bar(th, part(i).Number, w)
			r.left(st, text, w)
		}},
		{title: t.title(2, 7), want: 7, keep: 9, right: true, cell: counted(func(r *row, c *model.PartitionCount, w int) {
			if c.Oldest.IsZero() {
				r.right(th.dim, "-", w)
				return
			}
			r.right(th.text, since(c.Oldest, g.Counts.At), w)
		})},
		{title: t.title(3, 6), want: 6, keep: 5, right: true, cell: flow(func(c *model.PartitionCount) float64 { return c.In })},
		{title: t.title(4, 6), want: 6, keep: 4, right: true, cell: flow(func(c *model.PartitionCount) float64 { return c.Out })},
		{title: "EMPTY IN", want: 8, keep: 2, right: true, cell: func(r *row, i, w int) {
			c := part(i).Count
			if left, ok := c.Drain(); ok && c.Pending > 0 {
				r.right(th.text, age(left), w)
			} else {
				r.right(th.dim, "-", w)
			}
		}},
	}
}

// title marks the column that rows are ordered by.
func (t *partTable) title(i, w int) string {
	name := orders()[i]
	if i == t.sort && i > 0 && len(name) < w {
		return name + "▼"
	}
	return name
}
