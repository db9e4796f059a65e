package tui

import (
	"cmp"
	"slices"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// entry is what the list of groups needs of one group. It is worked out when the group
// has changed, so that a picture costs what is new in it.
type entry struct {
	group  *model.Group
	shown  bool // the filter lets it through
	key    sortKey
	known  bool // the key is
	need   bool // it asks for somebody
	failed bool // nothing could be read of it
	sign   int  // how wide its verdict is
	name   int  // and its name
	row    int  // where it stood when that was looked up
	summand
}

// summand is what a group adds to the sums.
type summand struct {
	read                       bool // something was read of its consumers
	partitions                 int
	pulling, configured        int
	running                    model.InstanceCount
	pending, lag, unacked      uint64
	atLeast                    bool // more may wait than is known
	out, in                    float64
	rated                      bool     // the rates were measured
	history                    []uint64 // the newest, at most HistoryLen
	wideMembers, wideInstances int      // how wide the cells are that are made of two numbers
}

func summandOf(g *model.Group) summand {
	s := summand{partitions: len(g.Partitions), read: !g.Unread()}
	s.pulling, s.configured = g.Pulling()
	if !s.read {
		return s
	}
	s.running = g.Instances()
	s.wideMembers, s.wideInstances = digits(s.pulling)+1+digits(s.configured), wide(s.running)
	s.unacked, s.atLeast = g.AckPending, !g.LagKnown() || g.LagAtLeast()
	if g.LagKnown() {
		s.pending, s.lag = g.Waits(), g.Lag()
	}
	s.out, s.in, s.rated = g.Out, g.In, g.RateSpan > 0
	s.history = history(g)
	return s
}

// measure takes a group in.
func (e *entry) measure(g *model.Group, m meter) {
	if e.group == nil || e.group.Key != g.Key {
		e.name = glyph.Width(glyph.Clean(g.Key.String()))
	}
	e.group, e.shown, e.need, e.summand = g, matches(g, m.want), g.Verdict.InNeed(), summandOf(g)
	e.failed = g.Unread() && g.ReadError != ""
	e.key, e.known = m.key(g)
	e.sign = len(g.Verdict) + 2
}

// follow brings the rows up to date with the groups, which are ordered by key. It costs
// what is new: as a rule few groups are others than before, and most of these stay where
// they were in the order.
func (o *overview) follow(groups []*model.Group) {
	now := arrangement{o.order, o.filter.text()}
	changed, same := changes(o.groups, groups)
	anew := now != o.arranged
	o.arranged, o.groups = now, groups
	m := o.meter()
	if anew || !same {
		o.arrange(m, anew)
		return
	}
	o.replace(m, changed)
}

// changes lists the places at which another group stands than before, of the same key;
// else the groups are not the same.
func changes(before, now []*model.Group) (at []int, same bool) {
	if len(before) != len(now) {
		return nil, false
	}
	for i, g := range now {
		if old := before[i]; old != g {
			if old.Key != g.Key {
				return nil, false
			}
			at = append(at, i)
		}
	}
	return at, true
}

// meter is what entries are measured by.
type meter struct {
	want []term
	key  func(*model.Group) (sortKey, bool)
}

func (o *overview) meter() meter { return meter{terms(o.filter.text()), groupKey(o.order.by)} }

// arrange makes the rows anew. Entries are measured where their groups are others, or all.
func (o *overview) arrange(m meter, all bool) {
	before := o.entries
	o.entries = make([]*entry, 0, len(o.groups))
	o.sorted, o.rows, o.ledger, o.need, o.failed = o.sorted[:0], o.rows[:0], ledger{}, 0, 0
	for _, g := range o.groups {
		for len(before) > 0 && before[0].group.Key.Compare(g.Key) < 0 {
			before = before[1:]
		}
		var e *entry
		if len(before) > 0 && before[0].group.Key == g.Key {
			e = before[0]
		} else {
			e = &entry{}
		}
		if all || e.group != g {
			e.measure(g, m)
		}
		o.entries = append(o.entries, e)
		o.need += btoi(e.need)
		o.failed += btoi(e.failed)
		if e.shown {
			o.sorted = append(o.sorted, e)
			o.ledger.add(e)
		}
	}
	sorted(o.sorted, o.order, func(e *entry) (sortKey, bool) { return e.key, e.known })
	for i, e := range o.sorted {
		e.row = i
		o.rows = append(o.rows, e.group)
	}
}

// replace takes the groups at some places in, which were others. As a rule their rows stay
// where they were.
func (o *overview) replace(m meter, changed []int) {
	for _, i := range changed { // all of them before the order that they are found by is another
		if e := o.entries[i]; e.shown {
			o.place(e)
		}
	}
	var left []int // rows
	var came []*entry
	for _, i := range changed {
		e := o.entries[i]
		was := *e
		if was.shown {
			o.ledger.drop(e)
		}
		e.measure(o.groups[i], m)
		o.need += btoi(e.need) - btoi(was.need)
		o.failed += btoi(e.failed) - btoi(was.failed)
		if e.shown {
			o.ledger.add(e)
		}
		if was.shown == e.shown && was.known == e.known && was.key == e.key {
			if e.shown {
				o.rows[e.row] = e.group
			}
			continue
		}
		if was.shown {
			left = append(left, e.row)
		}
		if e.shown {
			came = append(came, e)
		}
	}
	o.leave(left)
	o.join(came)
}

// leave takes rows out.
func (o *overview) leave(rows []int) {
	if len(rows) == 0 {
		return
	}
	slices.Sort(rows)
	end := rows[0]
	for n, at := range rows {
		next := len(o.sorted)
		if n+1 < len(rows) {
			next = rows[n+1]
		}
		copy(o.rows[end:], o.rows[at+1:next])
		end += copy(o.sorted[end:], o.sorted[at+1:next])
	}
	o.sorted, o.rows = slices.Delete(o.sorted, end, len(o.sorted)), slices.Delete(o.rows, end, len(o.rows))
}

// join puts entries in where they belong.
func (o *overview) join(came []*entry) {
	slices.SortFunc(came, o.compare)
	end := len(o.sorted)
	o.sorted, o.rows = append(o.sorted, came...), append(o.rows, make([]*model.Group, len(came))...)
	for n := len(came) - 1; n >= 0; n-- {
		e := came[n]
		at, _ := slices.BinarySearchFunc(o.sorted[:end], e, o.compare)
		copy(o.sorted[at+n+1:], o.sorted[at:end])
		copy(o.rows[at+n+1:], o.rows[at:end])
		o.sorted[at+n], o.rows[at+n], end = e, e.group, at
		e.row = at + n
	}
}

func (o *overview) compare(a, b *entry) int {
	return cmp.Or(o.order.compare(a.key, a.known, b.key, b.known), a.group.Key.Compare(b.group.Key))
}

// place is where an entry stands in the order, or would. As a rule it is where it stood.
func (o *overview) place(e *entry) int {
	if e.row < len(o.sorted) && o.sorted[e.row] == e {
		return e.row
	}
	e.row, _ = slices.BinarySearchFunc(o.sorted, e, o.compare)
	return e.row
}

// nearest is the row that stands nearest to a group which the filter hides, in the list of
// all; of two, the one below.
func (o *overview) nearest(hidden *entry) int {
	below := o.place(hidden)
	above := below - 1
	switch {
	case above < 0:
		return below
	case below == len(o.sorted):
		return above
	}
	up, down := 0, 0 // how many are between
	for _, e := range o.entries {
		if e.shown || e == hidden {
			continue
		}
		switch to := o.compare(e, hidden); {
		case to < 0 && o.compare(o.sorted[above], e) < 0:
			up++
		case to > 0 && o.compare(e, o.sorted[below]) < 0:
			down++
		}
	}
	if up < down {
		return above
	}
	return below
}

// entry is a group's, nil when there is none.
func (o *overview) entry(k model.Key) *entry {
	i, ok := slices.BinarySearchFunc(o.groups, k, func(g *model.Group, k model.Key) int { return g.Key.Compare(k) })
	if !ok {
		return nil
	}
	return o.entries[i]
}

// where is the row of a group, false when it is not shown.
func (o *overview) where(k model.Key) (row int, shown bool) {
	if e := o.entry(k); e != nil && e.shown {
		return o.place(e), true
	}
	return 0, false
}
