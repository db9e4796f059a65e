package tui

import (
	"fmt"
	"slices"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// wideEnough is from where on all columns are drawn.
const wideEnough = 130

// columns are the overview's, fullest form. What is dropped first says least about
// whether somebody has to act.
func (o *overview) columns(m *Model, w int) []column {
	t := m.theme
	group := func(i int) *model.Group { return o.rows[i] }
	count := func(f func(*model.Group) uint64) func(*row, int, int) {
		return func(r *row, i, w int) {
			if g := group(i); g.Unread() {
				r.right(t.dim, "-", w)
			} else {
				r.right(quiet(t, f(g)), number(f(g), w), w)
			}
		}
	}
	flow := func(f func(*model.Group) float64) func(*row, int, int) {
		return func(r *row, i, w int) {
			switch g := group(i); {
			case g.Unread(), g.RateSpan == 0: // not measured is not zero
				r.right(t.dim, "-", w)
			case f(g) <= 0:
				r.right(t.dim, "0", w)
			default:
				r.right(t.text, rate(f(g), w), w)
			}
		}
	}
	wide := w >= wideEnough || len(m.opts.Columns) > 0
	lag, reason, name, least := 8, 80, max(12, w/4), max(8, min(26, w/4))
	small := w < 56 && len(m.opts.Columns) == 0
	if small { // what is said below the table has to do
		lag, reason, name = 6, 0, w/2
	}
	kind := o.kindColumn(t, w, small, wide)
	if kind.keep == 0 { // it takes its room from what can be cut
		name, least = name-btoi(small)*(kind.want+1), min(19, max(8, least-3))
	}
	if name = min(o.names, name); !small { // a long name leaves half of the room to what is wrong
		both := name + least
		name = min(name, max(20, both/2))
		least = both - name
	}
	beside := func(n int) int { // only where there is room for everything
		if wide {
			return n
		}
		return 0
	}
	sum := &o.sums
	// known draws a sum, which nobody knows while no row was read.
	known := func(f func(w int) string) func(*row, int) {
		return func(r *row, w int) {
			if sum.unread {
				r.right(t.head, "-", w)
			} else {
				r.right(t.head, f(w), w)
			}
		}
	}
	all := func(n func() uint64) func(*row, int) {
		return known(func(w int) string { return number(n(), w) })
	}
	// lags draws a sum to which more may belong than is known.
	lags := func(n func() uint64) func(*row, int) {
		return known(func(w int) string {
			switch {
			case !sum.atLeast:
				return number(n(), w)
			case n() == 0:
				return "-"
			}
			return "≥" + number(n(), w-1)
		})
	}
	rates := func(f func() float64) func(*row, int) {
		return func(r *row, w int) {
			if sum.rated {
				r.right(t.head, rate(f(), w), w)
			} else {
				r.right(t.head, "-", w)
			}
		}
	}
	return o.chosenColumns(m, []column{
		{id: "verdict", sort: keymap.SortVerdict, title: "VERDICT", want: o.signs, cell: func(r *row, i, w int) {
			s, st := t.verdict(group(i).Verdict)
			r.left(st, s+" "+string(group(i).Verdict), w)
		}},
		{id: "group", sort: keymap.SortName, title: "GROUP", want: min(o.names, max(20, w/3)), least: name, cell: func(r *row, i, w int) { groupName(r, t, group(i).Key, w) },
			sum: func(r *row, w int) { r.left(t.head, o.counted(), w) }},
		kind,
		{id: "partitions", sort: keymap.SortParts, title: "PARTS", want: max(5, sum.parts), keep: 1, right: true, cell: func(r *row, i, w int) {
			r.right(t.dim, model.Thousands(len(group(i).Partitions)), w)
		}, sum: func(r *row, w int) { r.right(t.head, model.Thousands(sum.partitions), w) }},
		{id: "members", sort: keymap.SortMembers, title: "MEMBERS", want: max(7, sum.members), keep: 9, right: true, cell: func(r *row, i, w int) {
			pulling, configured := group(i).Pulling()
			st := t.text
			if group(i).Unread() {
				r.right(t.dim, "-/"+model.Thousands(configured), w)
				return
			}
			if pulling < configured || configured == 0 {
				st = t.warn
			}
			r.right(st, model.Thousands(pulling)+"/"+model.Thousands(configured), w)
		}, sum: func(r *row, w int) {
			pulling := "-"
			if !sum.unread {
				pulling = model.Thousands(sum.pulling)
			}
			r.right(t.head, pulling+"/"+model.Thousands(sum.configured), w)
		}},
		{id: "pinned", sort: keymap.SortPinned, title: "PINNED", want: max(7, sum.instances), keep: 6, right: true, cell: func(r *row, i, w int) {
			if group(i).Unread() || !group(i).Pins() {
				r.right(t.dim, "-", w)
				return
			}
			r.right(t.text, instanceCount(group(i).Instances()), w)
		}, sum: known(func(int) string { return instanceCount(sum.running) })},
		{id: "pending", sort: keymap.SortPending, title: "PENDING", want: beside(8), keep: 3, right: true, cell: lagCell(t, group, (*model.Group).Waits), sum: lags(func() uint64 { return sum.pending })},
		{id: "lag", sort: keymap.SortLag, title: "LAG", want: lag, right: true, cell: lagCell(t, group, (*model.Group).Lag), sum: lags(func() uint64 { return sum.lag })},
		{id: "unacked", sort: keymap.SortUnacked, title: "UNACKED", want: beside(7), keep: 3, right: true, cell: count(func(g *model.Group) uint64 { return g.AckPending }), sum: all(func() uint64 { return sum.unacked })},
		{id: "out", sort: keymap.SortOut, title: "OUT/S", want: 6, keep: 7, right: true, cell: flow(func(g *model.Group) float64 { return g.Out }), sum: rates(func() float64 { return sum.out })},
		{id: "in", sort: keymap.SortIn, title: "IN/S", want: 6, keep: 4, right: true, cell: flow(func(g *model.Group) float64 { return g.In }), sum: rates(func() float64 { return sum.in })},
		{id: "trend", sort: keymap.SortTrend, title: "LAG 2 MIN", want: 9, keep: 5, cell: func(r *row, i, w int) {
			st := t.shade
			if group(i).Verdict.InNeed() {
				_, st = t.verdict(group(i).Verdict)
				st.bold = false
			}
			trend(r, t, st, history(group(i)), w)
		}, sum: func(r *row, w int) { trend(r, t, t.shade, sum.history, w) }},
		{id: "why", sort: keymap.SortWhy, title: "WHY", want: reason, least: least, rest: reason > 0, cell: func(r *row, i, w int) {
			text, st := why(m, group(i), w)
			r.left(st, text, w)
		}},
	})
}

// kindColumn is never dropped where there is more than one kind: then the name does not tell.
func (o *overview) kindColumn(t *theme, w int, small, wide bool) column {
	c := column{id: "kind", sort: keymap.SortKind, title: "KIND", want: max(7, o.sums.kindNames), keep: 2, cell: func(r *row, i, w int) {
		r.left(t.dim, kindWord(o.rows[i].Key.Kind, w), w)
	}}
	if o.sums.kinds < 2 {
		return c
	}
	c.keep, c.least = 0, 5
	switch {
	case small: // not even for the sign of the order is there room
		c.sort, c.want, c.least = "", 4, 0
	case w < 100:
		c.want = 5
	case !wide:
		c.want = 7
	}
	return c
}

// kindWord is what a kind is called in w cells: its name, or how that begins, which a filter
// for the kind finds, too.
func kindWord(k model.Kind, w int) string {
	if len(k) <= w {
		return string(k)
	}
	return string(k[:min(len(k), w, 4)])
}

// counted says how many groups the sums are over.
func (o *overview) counted() string {
	if len(o.rows) < o.total {
		return fmt.Sprintf("%d of %s", len(o.rows), model.Count(o.total, "group"))
	}
	return model.Count(o.total, "group")
}

// chosenColumns are those that were asked for, in that order; all by themselves.
func (o *overview) chosenColumns(m *Model, all []column) []column {
	if len(m.opts.Columns) == 0 {
		return all
	}
	var list []column
	for _, id := range m.opts.Columns {
		for _, c := range all {
			if c.id == id {
				list = append(list, c)
			}
		}
	}
	return list
}

// Columns names the columns of the overview, as they may be asked for in
// [Options].Columns.
func Columns() []string {
	var o overview
	var names []string
	for _, c := range o.columns(&Model{theme: &theme{}}, wideEnough) {
		names = append(names, c.id)
	}
	return names
}

// quiet dims what is nothing.
func quiet(t *theme, n uint64) style {
	if n == 0 {
		return t.dim
	}
	return t.text
}

// groupName draws STREAM/GROUP with the stream in the second place.
func groupName(r *row, t *theme, k model.Key, w int) {
	if k.Stream == "" || glyph.Width(r.safe(k.String())) > w {
		r.name(t.text, k.String(), w)
		return
	}
	r.put(t.dim, k.Stream+"/").put(t.text, k.Group)
}

// why says in w cells what is wrong with a group, and how bad the worst of it is: one
// thing in full where that fits, several in a few words, as many as fit.
func why(m *Model, g *model.Group, w int) (string, style) {
	old := m.outdated(g)
	if len(g.Findings) == 0 {
		return old, m.theme.dim
	}
	f := g.Findings[0]
	_, st := m.theme.severity(f.Severity)
	if f.Severity == model.Info {
		st = m.theme.dim
	}
	st.bold = false
	if old != "" {
		old += ": "
	}
	fits := func(text string) bool { return glyph.Width(m.theme.row().safe(text)) <= w }
	others := otherReasons(g.Findings)
	if text := old + f.Text; len(others) == 0 && fits(text) {
		return text, st
	}
	text := old + f.Short()
	for _, s := range others {
		if !fits(text + "; " + s) {
			break
		}
		text += "; " + s
	}
	safe := m.theme.row().safe(text)
	for _, most := range mostOfNames() {
		if text = glyph.Names(safe, most); glyph.Width(text) <= w {
			break
		}
	}
	return glyph.Sentence(text, w), st
}

// mostReasons is how many things are said of a group in a line.
const mostReasons = 4

// otherReasons are what needs somebody beside the worst, in a few words.
func otherReasons(findings []model.Finding) []string {
	said := []string{findings[0].Short()}
	for _, f := range findings[1:] {
		if f.Severity == model.Info || len(said) == mostReasons { // those come last
			break
		}
		if s := f.Short(); !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return said[1:]
}
