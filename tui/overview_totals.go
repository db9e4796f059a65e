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
func (s *totals) add(g *model.Group) {
	s.groups++
	n := len(g.Partitions)
	s.partitions += n
	s.parts = max(s.parts, digits(n))
	pulling, configured := g.Pulling()
	s.configured += configured
	if unread(g) {
		return
	}
	pinned, standby := g.Instances()
	s.pulling += pulling
	s.pinned, s.standby = s.pinned+pinned, s.standby+standby
	s.members = max(s.members, digits(pulling)+1+digits(configured))
	s.instances = max(s.instances, digits(pinned)+2+digits(standby))
	s.pending += waiting(g)
	s.lag += g.Lag()
	s.unacked += g.AckPending
	if g.RateSpan > 0 {
		s.out, s.in, s.rated = s.out+g.Out, s.in+g.In, true
	}
	s.trend(g.History)
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

func digits(n int) int { return len(strconv.Itoa(n)) }
