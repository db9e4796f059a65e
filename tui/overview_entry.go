package tui

import (
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// entry is what the list of groups needs of one group. It is worked out when the group
// has changed, so that a picture costs what is new in it.
type entry struct {
	group   *model.Group
	shown   bool // the filter lets it through
	key     sortKey
	known   bool // the key is
	need    bool // it asks for somebody
	sign    int  // how wide its verdict is
	name    int  // and its name
	summand summand
}

// summand is what a group adds to the sums.
type summand struct {
	read                       bool // something was read of its consumers
	partitions                 int
	pulling, configured        int
	pinned, standby            int
	pending, lag, unacked      uint64
	out, in                    float64
	rated                      bool // the rates were measured
	history                    []uint64
	wideMembers, wideInstances int // how wide the cells are that are made of two numbers
}

func summandOf(g *model.Group) summand {
	s := summand{partitions: len(g.Partitions), read: !unread(g)}
	s.pulling, s.configured = g.Pulling()
	if !s.read {
		return s
	}
	s.pinned, s.standby = g.Instances()
	s.wideMembers, s.wideInstances = digits(s.pulling)+1+digits(s.configured), digits(s.pinned)+2+digits(s.standby)
	s.pending, s.lag, s.unacked = waiting(g), g.Lag(), g.AckPending
	s.out, s.in, s.rated = g.Out, g.In, g.RateSpan > 0
	s.history = g.History
	return s
}

// measure takes a group in, and tells whether it stays where it was in the order.
func (e *entry) measure(g *model.Group, want []term, key func(*model.Group) (sortKey, bool)) (stays bool) {
	was := *e
	e.group, e.shown, e.need, e.summand = g, matches(g, want), g.Verdict.InNeed(), summandOf(g)
	e.key, e.known = key(g)
	e.sign = len(g.Verdict) + 2
	if was.group == nil || was.group.Key != g.Key {
		e.name = glyph.Width(glyph.Clean(g.Key.String()))
	}
	return was.group != nil && was.shown == e.shown && was.known == e.known && was.key == e.key
}

// follow brings the entries up to date with the groups, which are ordered by key as the
// entries are. It tells whether the order of the rows still holds.
func (o *overview) follow(groups []*model.Group, anew bool) (holds bool) {
	want, key := terms(o.filter.text()), groupKey(o.order.by)
	holds = !anew
	before := o.entries
	if !sameKeys(before, groups) {
		holds = false
		o.entries = make([]*entry, 0, len(groups))
		for _, g := range groups {
			for len(before) > 0 && before[0].group.Key.Compare(g.Key) < 0 {
				before = before[1:]
			}
			e := &entry{}
			if len(before) > 0 && before[0].group.Key == g.Key {
				e = before[0]
			}
			o.entries = append(o.entries, e)
		}
	}
	for i, g := range groups {
		if e := o.entries[i]; anew || e.group != g {
			holds = e.measure(g, want, key) && holds
		}
	}
	return holds
}

func sameKeys(entries []*entry, groups []*model.Group) bool {
	if len(entries) != len(groups) {
		return false
	}
	for i, g := range groups {
		if old := entries[i].group; old != g && old.Key != g.Key {
			return false
		}
	}
	return true
}
