package tui

import (
	"slices"

	"pcgtop/keymap"
	"pcgtop/tui/glyph"
)

// column is one column of a table, before it is known how much room there is.
type column struct {
	id    string    // its name in the configuration
	sort  keymap.ID // the action that sorts by it; empty: none
	title string
	want  int  // how wide it would like to be
	least int  // how narrow it may get; 0: as wide as it wants or not at all
	keep  int  // what goes first when there is no room: the smallest. 0: never
	right bool // numbers
	rest  bool // it takes what is left over
	cell  func(r *row, i, w int)
	sum   func(r *row, w int) // below the rows; nil: nothing
}

// table is columns that were fitted into a width. Cells are drawn for visible rows
// only.
type table struct {
	columns []column
	gap     int
}

// fitted drops and shrinks columns until they fit into width.
func fitted(columns []column, width int) table {
	t := table{gap: 2}
	if width < 60 {
		t.gap = 1
	}
	for _, c := range columns {
		if c.want == 0 && !c.rest {
			continue
		}
		if c.sort != "" { // its title has room for the sign of the order
			room := glyph.Width(c.title) + 1
			c.want = max(c.want, room)
			if c.least > 0 {
				c.least = max(c.least, room)
			}
		}
		t.columns = append(t.columns, c)
	}
	for t.minimum() > width {
		i := t.weakest()
		if i < 0 {
			break
		}
		t.columns = slices.Delete(t.columns, i, i+1)
	}
	t.share(width)
	return t
}

// minimum is the width below which something has to go.
func (t *table) minimum() int {
	sum := max(0, len(t.columns)-1) * t.gap
	for _, c := range t.columns {
		sum += c.low()
	}
	return sum
}

func (c column) low() int {
	if c.least > 0 {
		return min(c.least, max(c.want, 1))
	}
	return c.want
}

func (t *table) weakest() int {
	weakest := -1
	for i, c := range t.columns {
		if c.keep > 0 && (weakest < 0 || c.keep < t.columns[weakest].keep) {
			weakest = i
		}
	}
	return weakest
}

// share gives the columns that may shrink what is there, in order, and the rest to the
// one that takes it, than which none of them gets wider by that.
func (t *table) share(width int) {
	spare, wanted := width-t.minimum(), 0
	rest := slices.IndexFunc(t.columns, func(c column) bool { return c.rest })
	for i, c := range t.columns {
		if i != rest {
			wanted += c.want - c.low()
		}
	}
	for i := range t.columns {
		c := &t.columns[i]
		low := c.low()
		if i == rest {
			continue
		}
		wanted -= c.want - low
		grow := min(max(0, spare), c.want-low)
		if rest >= 0 {
			grow = min(grow, max(0, t.columns[rest].low()+spare-wanted-low)/2)
		}
		c.want = low + grow
		spare -= grow
	}
	if rest >= 0 {
		t.columns[rest].want = max(0, t.columns[rest].low()+spare)
	}
}

// upTo is how wide the first n columns are.
func (t *table) upTo(n int) int {
	w := 0
	for i, c := range t.columns[:min(n, len(t.columns))] {
		w += c.want
		if i > 0 {
			w += t.gap
		}
	}
	return w
}

// head draws the titles.
func (t *table) head(r *row, st style) *row {
	for i, c := range t.columns {
		if i > 0 {
			r.gap(t.gap)
		}
		if c.right {
			r.right(st, c.title, c.want)
		} else {
			r.left(st, c.title, c.want)
		}
	}
	return r
}

// heads draws the titles. The one that the rows are sorted by says so, and a click on
// one sorts by it.
func (t *table) heads(r *row, th *theme, o order, by func(*Model, keymap.ID)) *row {
	for i, c := range t.columns {
		if i > 0 {
			r.gap(t.gap)
		}
		one, title, st := th.row(), c.title, th.head
		if c.sort != "" && c.sort == o.by {
			st = th.accent
			title += o.mark()
		}
		if c.right {
			one.right(st, title, c.want)
		} else {
			one.left(st, title, c.want)
		}
		if id := c.sort; id != "" {
			one.on(clicks(func(m *Model) { by(m, id) }))
		}
		r.join(one)
	}
	return r
}

// shows tells whether a column that the rows can be sorted by is there.
func (t *table) shows(by keymap.ID) bool {
	return slices.ContainsFunc(t.columns, func(c column) bool { return c.sort == by })
}

// sums draws the line below the rows.
func (t *table) sums(r *row) *row {
	for i, c := range t.columns {
		if i > 0 {
			r.gap(t.gap)
		}
		end := r.width + c.want
		if c.sum != nil {
			c.sum(r, c.want)
		}
		r.gap(end - r.width)
	}
	return r
}

// draw draws the i-th row.
func (t *table) draw(r *row, i int) *row {
	for n, c := range t.columns {
		if n > 0 {
			r.gap(t.gap)
		}
		end := r.width + c.want
		c.cell(r, i, c.want)
		r.gap(end - r.width)
	}
	return r
}

// scrolled moves the first visible line as little as needed for sel to be visible in
// rows of n lines.
func scrolled(top, sel, n, rows int) int {
	if rows <= 0 {
		return 0
	}
	top = min(top, sel)
	top = max(top, sel-rows+1)
	return max(0, min(top, n-rows))
}
