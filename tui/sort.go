package tui

import (
	"cmp"
	"slices"

	"pcgtop/keymap"
)

// order is what the rows of a table are sorted by, and which way.
type order struct {
	by       keymap.ID
	reversed bool
}

// choose sorts by a column; by the same once more, the other way round.
func (o *order) choose(id keymap.ID) {
	if o.by == id {
		o.reversed = !o.reversed
		return
	}
	*o = order{by: id}
}

// take sorts as an action says, and tells whether it is about sorting. columns are those
// that are shown.
func (o *order) take(id keymap.ID, columns []keymap.ID) bool {
	switch {
	case id == keymap.SortNext:
		o.step(columns, 1)
	case id == keymap.SortBefore:
		o.step(columns, -1)
	case id == keymap.SortReverse:
		o.reversed = !o.reversed
	case keymap.Sorts(id):
		o.choose(id)
	default:
		return false
	}
	return true
}

// step goes to the column n to the right, round the end.
func (o *order) step(columns []keymap.ID, n int) {
	i := slices.Index(columns, o.by)
	if i < 0 && n < 0 {
		i = 0 // from a column that is not shown to the last
	}
	if len(columns) > 0 {
		o.choose(columns[(i+n+len(columns))%len(columns)])
	}
}

// sortable is the columns of a table that it can be sorted by.
func sortable(columns []column) []keymap.ID {
	var list []keymap.ID
	for _, c := range columns {
		if c.sort != "" && (c.want > 0 || c.rest) {
			list = append(list, c.sort)
		}
	}
	return list
}

// sortKey is what one row is sorted by: numbers first, then text, the smallest first.
type sortKey struct {
	n    float64
	text string
}

// sorted orders rows by their keys. What is equal stays as it was, whichever way, and
// what is not known comes last.
func sorted[T any](rows []T, o order, key func(T) (k sortKey, known bool)) {
	type keyed struct {
		sortKey
		known bool
		at    int
		row   T
	}
	list := make([]keyed, len(rows))
	for i, r := range rows {
		k, known := key(r)
		list[i] = keyed{k, known, i, r}
	}
	slices.SortFunc(list, func(a, b keyed) int {
		return cmp.Or(o.compare(a.sortKey, a.known, b.sortKey, b.known), cmp.Compare(a.at, b.at))
	})
	for i := range list {
		rows[i] = list[i].row
	}
}

// compare orders two keys, of which each is known or not; 0 leaves rows as they were.
func (o order) compare(a sortKey, knownA bool, b sortKey, knownB bool) int {
	switch {
	case knownA != knownB:
		return btoi(knownB) - btoi(knownA)
	case !knownA:
		return 0
	}
	c := cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.text, b.text))
	if o.reversed {
		return -c
	}
	return c
}

// mark shows which way the rows go: down from the most or the worst, or up.
func (o order) mark() string {
	up := o.by == keymap.SortName || o.by == keymap.SortKind || o.by == keymap.SortOwner
	if up != o.reversed {
		return "▲"
	}
	return "▼"
}

// sortName is how an order is called on a screen.
func sortName(s keymap.Screen, by keymap.ID) string {
	for _, e := range keymap.New().Entries(s, nil) {
		if e.ID == by {
			return e.Binding.Help().Desc
		}
	}
	return ""
}
