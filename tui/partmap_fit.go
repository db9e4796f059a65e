package tui

import (
	"strconv"

	"pcgtop/model"
)

// digits is how wide a partition number is.
func (c *partMap) digits() int { return len(strconv.Itoa(max(1, len(c.group.Partitions)-1))) }

// letterWidth is how wide a member's letter is.
func (c *partMap) letterWidth() int {
	return len(model.Letter(max(0, max(c.letters, len(c.group.Members))-1)))
}

// cellForm is what the cells carry: the partitions' names, where they have any, or their
// numbers, or neither.
type cellForm int

const (
	named cellForm = iota
	numbered
	packed
)

// mostName is how wide a name in a cell is at most.
const mostName = 20

// form is the first that takes at most so many lines of w.
func (c *partMap) form(w, lines int) cellForm {
	if c.names > 0 && c.edited == nil && c.linesOf(w, named) <= lines {
		return named
	}
	if c.linesOf(w, numbered) <= lines {
		return numbered
	}
	return packed
}

// linesOf is how many lines of w the cells take.
func (c *partMap) linesOf(w int, f cellForm) int {
	n := c.fit(w, f)
	return max(1, (c.count()+n-1)/n)
}

// cellWidth is one cell with the blank before it.
func (c *partMap) cellWidth(f cellForm) int {
	switch f {
	case packed:
		return c.letterWidth() + 1 + c.barWidth(f)
	case named:
		return min(c.names, mostName) + c.letterWidth() + 4 + c.barWidth(f)
	}
	return c.digits() + c.letterWidth() + 4 + c.barWidth(f)
}

// A bar has at least so many cells, and at most: a longer one says no more.
const (
	leastBar = 3
	mostBar  = 20
)

// barWidth is how wide the bar of what waits is at least: none until that is known, nor
// where owners are edited.
func (c *partMap) barWidth(f cellForm) int {
	switch {
	case c.edited != nil || !c.group.Counted():
		return 0
	case f == packed:
		return 1
	}
	return leastBar
}

// fit chooses how many cells go into a line of w: a number that people count by.
func (c *partMap) fit(w int, f cellForm) int {
	if f == packed {
		w -= c.digits() + 2
	}
	most := max(1, (w-1)/c.cellWidth(f))
	if c.count() <= most {
		return max(1, c.count())
	}
	best := 1
	for _, n := range []int{2, 4, 5, 8, 10, 16, 20, 32, 64} {
		if n <= most {
			best = n
		}
	}
	for n := most; n > best/2 && c.count() <= 64; n-- { // lines of equal length
		if c.count()%n == 0 {
			return n
		}
	}
	return best
}

func (c *partMap) count() int { return len(c.group.Partitions) }

// wants is how wide the map would like to be, at most w, when it may have h lines.
func (c *partMap) wants(w, h int) int {
	f := c.form(w, max(4, h*2/3))
	n := min(c.fit(w, f), max(1, c.count()))
	width := n*c.cellWidth(f) + 1
	if f == packed {
		width += c.digits() + 2
	}
	return max(width, min(w, 36))
}

// lines is how many lines the map takes at a width.
func (c *partMap) lines(w int) int { return c.linesOf(w, c.form(w, 16)) }

func (c *partMap) settle(w, h int) {
	c.cells = c.form(w, h)
	n := c.fit(w, c.cells)
	if c.bar = c.barWidth(c.cells); c.bar == leastBar {
		n = c.spread(w, h, n)
		c.bar = min(mostBar, leastBar+(w-1)/n-c.cellWidth(c.cells))
	}
	c.across = n
	c.top = scrolled(c.top, c.cursor/n, (c.count()+n-1)/n, h)
}

// spread is how many cells go into a line, at most n, when the bars are to be as long as w
// by h lines let them: fewer where there are lines left.
func (c *partMap) spread(w, h, n int) int {
	for few := 1; few < n; few++ {
		even := c.count()%few == 0 || few == 2 || few == 4 || few == 5 || few == 8 || few == 10
		if even && (c.count()+few-1)/few <= h && (w-1)/few <= c.cellWidth(c.cells)-leastBar+mostBar {
			return few
		}
	}
	return n
}
