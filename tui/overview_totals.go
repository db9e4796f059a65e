package tui

import (
	"strconv"

	"pcgtop/model"
)

// totals are the sums over the rows that are shown, and how wide the widest of each
// column is.
type totals struct {
	groups, partitions        int
	pulling, configured       int
	pinned, standby           int
	pending, lag, unacked     uint64
	out, in                   float64
	rated                     bool // some rate was measured
	history                   []uint64
	parts, members, instances int // widths
}

// add counts a group in.
func (s *totals) add(g *summand) {
	s.groups++
	s.partitions += g.partitions
	s.parts = max(s.parts, digits(g.partitions))
	s.configured += g.configured
	if !g.read {
		return
	}
	s.pulling += g.pulling
	s.pinned, s.standby = s.pinned+g.pinned, s.standby+g.standby
	s.members, s.instances = max(s.members, g.wideMembers), max(s.instances, g.wideInstances)
	s.pending += g.pending
	s.lag += g.lag
	s.unacked += g.unacked
	if g.rated {
		s.out, s.in, s.rated = s.out+g.out, s.in+g.in, true
	}
	s.trend(g.history)
}

// trend adds a history up: the newest values belong together.
func (s *totals) trend(h []uint64) {
	if missing := len(h) - len(s.history); missing > 0 {
		s.history = append(make([]uint64, missing, model.HistoryLen), s.history...)
	}
	for i, v := range h {
		s.history[len(s.history)-len(h)+i] += v
	}
}

// end makes room for the sums.
func (s *totals) end() {
	s.parts = max(s.parts, digits(s.partitions))
	s.members = max(s.members, digits(s.pulling)+1+digits(s.configured))
	s.instances = max(s.instances, digits(s.pinned)+2+digits(s.standby))
}

// digits is how many cells a number takes.
func digits(n int) int {
	if n >= 0 && n < 10 {
		return 1 // most of those that are asked about, thousands of them a picture
	}
	return len(strconv.Itoa(n))
}
