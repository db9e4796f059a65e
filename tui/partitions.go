package tui

import (
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
	chart  *partMap
	sort   order
	rows   []int // partition numbers as shown
	filter input
	typing bool
	heat   bool // the map instead of the table
	top    int
	page   int
	names  int // widest owner
	stead  stead[int]
}

func newPartTable(c *partMap) *partTable {
	t := &partTable{chart: c, sort: order{by: keymap.SortName}}
	t.take()
	return t
}

// take filters and orders the rows anew; ties stay in the order of their numbers.
func (t *partTable) take() {
	g := t.chart.group
	t.rows, t.names = t.rows[:0:0], len("OWNER")
	want := terms(t.filter.text())
	for i := range want {
		want[i].numbers, _ = model.ParseRanges(want[i].text)
	}
	for p := range g.Partitions {
		if t.matches(p, want) {
			t.rows = append(t.rows, p)
		}
	}
	for _, m := range g.Members {
		t.names = max(t.names, glyph.Width(glyph.Clean(m.Name)))
	}
	sorted(t.rows, t.sort, t.key)
	home := t.stead.home(t.filter.text(), t.chart.cursor)
	if home >= len(g.Partitions) {
		home = t.chart.cursor
	}
	t.chart.cursor = t.near(home)
	t.stead.put(home, t.chart.cursor)
}

// near is a partition, or the nearest to it in the order of all that is shown.
func (t *partTable) near(home int) int {
	if len(t.rows) == 0 || slices.Contains(t.rows, home) {
		return home
	}
	all := make([]int, len(t.chart.group.Partitions))
	for p := range all {
		all[p] = p
	}
	sorted(all, t.sort, t.key)
	place := make([]int, len(all))
	for i, p := range all {
		place[p] = i
	}
	places := make([]int, len(t.rows))
	for i, p := range t.rows {
		places[i] = place[p]
	}
	return t.rows[nearest(places, place[home])]
}

// matches tells whether a partition is to be shown: by number, by what its owner is
// called, or by the owner's state.
func (t *partTable) matches(p int, want []term) bool {
	g := t.chart.group
	part := g.Partitions[p]
	owner, state := strings.ToLower(part.Whose()), string(g.StateOf(part))
	need := !part.Unknown
	if part.Owned() {
		need = t.chart.idle(part.Member)
	}
	for _, w := range want {
		var ok bool
		switch {
		case w.key == "is":
			ok = strings.HasPrefix(state, w.text) || need && strings.HasPrefix("need", w.text)
		case w.key == "member":
			ok = strings.Contains(owner, w.text)
		case len(w.numbers) > 0:
			_, ok = slices.BinarySearch(w.numbers, p)
		default:
			told := part.Told()
			ok = strings.Contains(owner+" "+state+" "+strings.ToLower(told.Name+" "+told.Label+" "+told.Note), w.text)
		}
		if ok == w.not {
			return false
		}
	}
	return true
}

// key is what a partition is sorted by; what was not counted is not known.
func (t *partTable) key(p int) (sortKey, bool) {
	g := t.chart.group
	part := g.Partitions[p]
	c := part.Count
	switch t.sort.by {
	case keymap.SortOwner:
		return sortKey{text: part.Owner}, part.Owned()
	case keymap.SortState:
		if !part.Owned() {
			return sortKey{n: -1}, true
		}
		return sortKey{n: float64(btoi(!t.chart.idle(part.Member))), text: string(g.Members[part.Member].State)}, true
	case keymap.SortName:
		return sortKey{n: float64(p)}, true
	}
	if c == nil {
		return sortKey{}, false
	}
	switch t.sort.by {
	case keymap.SortOldest:
		return sortKey{n: float64(c.Oldest.UnixNano())}, !c.Oldest.IsZero()
	case keymap.SortIn:
		return sortKey{n: -c.In}, c.RateSpan > 0
	case keymap.SortOut:
		return sortKey{n: -c.Out}, c.RateSpan > 0
	case keymap.SortEmpty:
		left, known := c.Drain()
		return sortKey{n: -left.Seconds()}, known && c.Pending > 0
	}
	return sortKey{n: -float64(c.Pending)}, true
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// row is where the cursor is in the order shown.
func (t *partTable) row() int { return max(0, slices.Index(t.rows, t.chart.cursor)) }

func (t *partTable) press(m *Model, v *groupView, id keymap.ID, k tea.KeyPressMsg) {
	if t.typing {
		t.typed(id, k)
		return
	}
	switch id {
	case keymap.Back:
		if t.filter.text() == "" {
			v.table = nil
			return
		}
		t.filtered("")
	case keymap.Search:
		t.typing = true
	case keymap.Next, keymap.Previous:
		t.heat = !t.heat
	case keymap.Worst:
		t.chart.toFullest()
	case keymap.Open:
		t.owner(m, v)
	default:
		t.move(m, id)
	}
}

// move sorts, or goes through the rows or the map.
func (t *partTable) move(m *Model, id keymap.ID) {
	if t.sort.take(id, sortable(fitted(t.columns(m.theme, m.width-2), m.width-2).columns)) {
		t.heat = false
		t.take()
		return
	}
	if t.heat {
		t.chart.move(id, t.page)
		return
	}
	t.step(id)
}

// step goes through the rows.
func (t *partTable) step(id keymap.ID) {
	if i, ok := moved(id, t.row(), len(t.rows), t.page); ok && len(t.rows) > 0 {
		t.chart.cursor = t.rows[i]
		t.stead.end(t.rows[i])
	}
}

func (t *partTable) typed(id keymap.ID, k tea.KeyPressMsg) {
	switch id {
	case keymap.Close:
		t.typing = false
		t.filtered("")
	case keymap.Open:
		t.typing = false
	default:
		if id != "" {
			t.step(id)
		} else if t.filter.key(k) {
			t.take()
		}
	}
}

func (t *partTable) filtered(text string) {
	t.filter.value = text
	t.take()
}

// owner goes to the member that owns the partition under the cursor.
func (t *partTable) owner(m *Model, v *groupView) {
	part := t.chart.group.Partitions
	switch {
	case len(part) == 0:
	case !part[t.chart.cursor].Owned():
		word := "nobody owns that partition"
		if part[t.chart.cursor].Unknown {
			word = "whose that partition is is not known"
		}
		m.say(sorry, word)
	default:
		v.table = nil
		v.choose(part[t.chart.cursor].Owner)
	}
}

// toFullest goes to the partition where the most waits; of equal ones the first.
func (c *partMap) toFullest() {
	most := uint64(0)
	for p, part := range c.group.Partitions {
		if part.Count != nil && part.Count.Pending > most {
			most, c.cursor = part.Count.Pending, p
		}
	}
}
