package tui

import (
	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// overview is the list of groups, at first the worst first. What is equal in the order
// is ordered by name, so that a row moves only when what it is ordered by changes.
type overview struct {
	groups   []*model.Group // all groups, by key
	entries  []*entry       // the same
	sorted   []*entry       // of them those that are shown, in order
	rows     []*model.Group // the same
	arranged arrangement    // by which they were arranged
	total    int            // all there are
	need     int            // of all, those that ask for somebody
	failed   int            // of all, those of which nothing could be read
	order    order
	ledger   ledger // of those shown
	sums     totals // the same, added up
	selected model.Key
	chosen   bool      // the selection stays on its group; else it is on the first row
	awaited  model.Key // a group that is selected once it is there, unless the selection moves before
	stead    stead[model.Key]
	index    int // where the selection is, to stay near it when it vanishes
	top      int
	filter   input
	typing   bool
	signs    int // widest verdict
	names    int // widest group name, or their count
}

// take sorts and filters a snapshot's groups.
func (o *overview) take(s *model.Snapshot) {
	o.follow(s.Groups)
	o.total = len(s.Groups)
	o.sums = o.ledger.totals()
	o.signs, o.names = max(len("VERDICT")+1, o.ledger.signs.most()), max(len("GROUP")+1, o.ledger.names.most(), glyph.Width(o.counted()))
	o.find()
}

// arrangement is what decides which groups are shown and in which order.
type arrangement struct {
	order  order
	filter string
}

// find follows the selection by identity. When it is hidden the nearest takes over, and when
// it is gone the neighbour.
func (o *overview) find() {
	if _, shown := o.where(o.awaited); shown {
		o.settle(o.awaited)
	}
	if !o.chosen {
		o.pick(0)
		o.stead.end(o.selected)
		return
	}
	home := o.stead.home(o.filter.text(), o.selected)
	if o.entry(home) == nil {
		home = o.selected
	}
	switch e := o.entry(home); {
	case e == nil:
		o.pick(o.index)
		home = o.selected
	case e.shown:
		o.selected, o.index = home, o.place(e)
	case len(o.rows) > 0:
		o.pick(o.nearest(e))
	default:
		o.selected, o.index = home, 0
	}
	o.stead.put(home, o.selected)
}

// settle puts the selection on a group, and leads it nowhere else by itself.
func (o *overview) settle(k model.Key) {
	o.selected, o.chosen, o.awaited = k, true, model.Key{}
	o.stead.end(k)
}

// pick selects by position.
func (o *overview) pick(i int) {
	o.index = max(0, min(i, len(o.rows)-1))
	if o.index < len(o.rows) {
		o.selected = o.rows[o.index].Key
	}
}

// move handles what moves the selection.
func (o *overview) move(id keymap.ID, page int) bool {
	i, ok := moved(id, o.index, len(o.rows), page)
	if ok {
		o.pick(i)
		o.settle(o.selected)
	}
	return ok
}

// moved is where a move leads in a list.
func moved(id keymap.ID, i, n, page int) (int, bool) {
	switch id {
	case keymap.Up:
		i--
	case keymap.Down:
		i++
	case keymap.Top:
		i = 0
	case keymap.Bottom:
		i = n - 1
	case keymap.PageUp:
		i -= max(1, page)
	case keymap.PageDown:
		i += max(1, page)
	case keymap.HalfUp:
		i -= max(1, page/2)
	case keymap.HalfDown:
		i += max(1, page/2)
	default:
		return i, false
	}
	return max(0, min(i, n-1)), true
}

// visible is the keys of the rows on the screen.
func (o *overview) visible(rows int) []model.Key {
	var keys []model.Key
	for _, g := range o.rows[min(o.top, len(o.rows)):min(o.top+max(0, rows), len(o.rows))] {
		keys = append(keys, g.Key)
	}
	return keys
}

// tableRows is how many groups fit into a body of h lines: the line above the table,
// the heads, the sums, and what is said below the table take the others.
func (o *overview) tableRows(h int) int {
	rows := h - 2
	if o.summed(h) {
		rows--
	}
	if h >= 16 {
		rows -= overviewBelow
	}
	return max(1, rows)
}

// summed tells whether there is room for the sums.
func (o *overview) summed(h int) bool { return h >= 14 && len(o.rows) > 1 }

func (o *overview) filtering() bool { return o.typing || o.filter.text() != "" }

// overviewBelow is the least that the selection's detail and the events get.
const overviewBelow = 7

// view draws the body.
func (o *overview) view(m *Model, w, h int) []*row {
	t := m.theme
	tab := fitted(o.columns(m, w-2), w-2)
	lines := []*row{o.about(t, tab, w)}
	if len(o.rows) == 0 {
		return append(lines, o.empty(m, w)...)
	}
	rows := min(o.tableRows(h), len(o.rows))
	lines = append(lines, tab.heads(t.row().gap(1), t, o.order, func(m *Model, id keymap.ID) { m.sortGroups(id) }))
	for i := o.top; i < min(o.top+rows, len(o.rows)); i++ {
		lines = append(lines, o.line(m, tab, i, w))
	}
	if o.summed(h) {
		lines = append(lines, tab.sums(t.row().gap(1)))
	}
	return append(lines, o.below(m, w, h-len(lines))...)
}

// line draws one group. A click selects it, another one opens it.
func (o *overview) line(m *Model, tab table, i, w int) *row {
	t, g := m.theme, o.rows[i]
	r := t.row()
	sel := g.Key == o.selected
	if sel {
		r.put(t.accent.strong(), "▌")
	} else {
		r.gap(1)
	}
	tab.draw(r, i)
	if m.outdated(g) != "" {
		r = t.old(r)
	}
	r.fit(w)
	if sel {
		r = t.selected(r)
	}
	key := g.Key
	return r.on(clicks(func(m *Model) {
		if sel {
			m.open(key)
			return
		}
		m.overview.choose(key)
	}))
}

// choose selects a group by its key.
func (o *overview) choose(k model.Key) {
	o.settle(k)
	o.find()
}

// await selects a group that was made as soon as it is there.
func (o *overview) await(k model.Key) {
	o.awaited = k
	o.find()
}

// about is the line above the table: the filter, the order where the heads do not show
// it, and what the selection stays on.
func (o *overview) about(t *theme, tab table, w int) *row {
	r := t.row()
	if o.filtering() {
		count := number(uint64(len(o.rows)), 9) + " of " + number(uint64(o.total), 9) + " shown"
		line := t.row().gap(1).put(t.key, "/ ")
		o.filter.draw(line, t, max(4, w-len(count)-6), o.typing)
		r.join(line.on(&target{action: keymap.Search})).gap(2).put(t.dim, count)
	}
	if !tab.shows(o.order.by) {
		r.gap(2).put(t.dim, "sorted "+sortName(keymap.Overview, o.order.by)+" "+o.order.mark())
	}
	return ellipsis(t, r, w)
}
