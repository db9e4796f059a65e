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

// cellWidth is one cell with the blank before it.
func (c *partMap) cellWidth(packed bool) int {
	if packed {
		return c.letterWidth() + 1 + c.barWidth(packed)
	}
	return c.digits() + c.letterWidth() + 4 + c.barWidth(packed)
}

// A bar has at least so many cells, and at most: a longer one says no more.
const (
	leastBar = 3
	mostBar  = 20
)

// barWidth is how wide the bar of what waits is at least: none until that is known, nor
// where owners are edited.
func (c *partMap) barWidth(packed bool) int {
	switch {
	case c.edited != nil || !c.group.Counted():
		return 0
	case packed:
		return 1
	}
	return leastBar
}

// fit chooses how many cells go into a line of w: a number that people count by.
func (c *partMap) fit(w int, packed bool) int {
	if packed {
		w -= c.digits() + 2
	}
	most := max(1, (w-1)/c.cellWidth(packed))
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
	packed := c.packs(w, h)
	n := min(c.fit(w, packed), max(1, c.count()))
	width := n*c.cellWidth(packed) + 1
	if packed {
		width += c.digits() + 2
	}
	return max(width, min(w, 36))
}

// packs tells whether the map has to be packed to fit into w by h.
func (c *partMap) packs(w, h int) bool {
	n := c.fit(w, false)
	return (c.count()+n-1)/n > max(4, h*2/3)
}

// lines is how many lines the map takes at a width.
func (c *partMap) lines(w int) int {
	n := c.fit(w, false)
	if full := (c.count() + n - 1) / n; full <= 16 {
		return max(1, full)
	}
	n = c.fit(w, true)
	return (c.count() + n - 1) / n
}

func (c *partMap) settle(w, h int) {
	n := c.fit(w, false)
	c.packed = (c.count()+n-1)/n > h
	if c.packed {
		n = c.fit(w, true)
	}
	if c.bar = c.barWidth(c.packed); c.bar == leastBar {
		n = c.spread(w, h, n)
		c.bar = min(mostBar, leastBar+(w-1)/n-c.cellWidth(false))
	}
	c.across = n
	c.top = scrolled(c.top, c.cursor/n, (c.count()+n-1)/n, h)
}

// spread is how many cells go into a line, at most n, when the bars are to be as long as w
// by h lines let them: fewer where there are lines left.
func (c *partMap) spread(w, h, n int) int {
	for few := 1; few < n; few++ {
		even := c.count()%few == 0 || few == 2 || few == 4 || few == 5 || few == 8 || few == 10
		if even && (c.count()+few-1)/few <= h && (w-1)/few <= c.cellWidth(false)-leastBar+mostBar {
			return few
		}
	}
	return n
}
