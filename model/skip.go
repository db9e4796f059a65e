package model

import (
	"slices"
	"time"
)

// skip is a message of a work stream that lies in a member's partitions although the
// member's consumer is past it. A work queue holds what was not acknowledged alone, so no
// consumer will ever deliver it: the partition came to the consumer by an update in
// place, or the consumer gave the message up. One message is followed and not a
// difference of two sums, since these are of different times: one that is handled leaves
// the stream, however busy that is. All times are the server's.
type skip struct {
	seq       uint64 // in the work stream; 0: there is none
	partition int
	stored    time.Time
	since     time.Time // the first answer that told so
	counted   time.Time // the latest count
	counts    int       // in which it lay there, while more lay in the partitions than the consumer counted
	n         uint64    // by so much, about, in the latest
}

// A skipped message was seen in so many counts, over so long: replicas that answer may be
// behind their leader.
const (
	skipCounts = 3
	skipAfter  = 10 * time.Second
)

func (s skip) sure() bool {
	return s.seq > 0 && s.counts >= skipCounts && s.counted.Sub(s.since) >= skipAfter
}

// skips follows for every member what its consumer skipped. Only of the open group is
// anything known.
func (g *Group) skips(before []*Member) {
	if g.Counts == nil || g.Key.Kind != KindElastic || !g.Stream.WorkQueue {
		return
	}
	was := make(map[string]skip, len(before))
	for _, m := range before {
		was[m.Name] = m.skipped()
	}
	for _, m := range g.consumed() {
		if m.Consumer.Offline == "" {
			m.skip = nil
			if s := g.followSkip(m, was[m.Name]); s.seq > 0 {
				m.skip = &s
			}
		}
	}
}

// skipped is what the member's consumer skipped; the zero value: nothing that is known.
func (m *Member) skipped() skip {
	if m.skip == nil {
		return skip{}
	}
	return *m.skip
}

// followSkip continues what was known of a member.
func (g *Group) followSkip(m *Member, s skip) skip {
	c := m.Consumer
	if !g.lies(s) || !c.past(s.seq, s.stored) {
		s = g.firstSkip(m)
	}
	if s.seq == 0 || !g.takesAlone(m, s.partition) {
		return skip{}
	}
	sum, _ := g.CountOf(m.Partitions)
	more := beyond(sum, c.Lag())
	if at := g.Counts.At; !at.After(s.counted) {
		s.n = min(s.n, more)
	} else {
		s.counted, s.n = at, more
		if more > 0 && at.After(s.since) && !g.Partitions[s.partition].Count.AtMost {
			s.counts++
		}
	}
	return s
}

// lies tells whether the message may still be there: it is the first of its partition, or
// that was not asked for.
func (g *Group) lies(s skip) bool {
	if s.seq == 0 || s.partition >= len(g.Partitions) {
		return false
	}
	c := g.Partitions[s.partition].Count
	return c != nil && c.Pending > 0 && (c.AtMost || c.First == s.seq)
}

// firstSkip finds the first message of a member's partitions that its consumer is past.
func (g *Group) firstSkip(m *Member) (s skip) {
	for _, p := range m.Partitions {
		c := g.Partitions[p].Count
		if c == nil || c.First == 0 || s.seq > 0 && s.seq < c.First || !m.Consumer.past(c.First, c.Oldest) {
			continue
		}
		s = skip{seq: c.First, partition: p, stored: c.Oldest, since: m.Consumer.TS}
	}
	return s
}

// past tells whether the consumer is done with a message: it lies at or below the ack
// floor, or the consumer counts none although that one had been stored.
func (c *Consumer) past(seq uint64, stored time.Time) bool {
	return c.AckFloorStream >= seq || c.Lag() == 0 && c.TS.Sub(stored) > time.Second
}

// takesAlone tells whether a partition is the member's, by the config and by the filters of
// all consumers: what others take from it this one need not count.
func (g *Group) takesAlone(m *Member, partition int) bool {
	if !slices.Contains(m.Partitions, partition) {
		return false
	}
	for _, other := range g.Members {
		if other.Consumer == nil {
			continue
		}
		held, ok := other.Consumer.partitions()
		if !ok || slices.Contains(held, partition) != (other == m) {
			return false
		}
	}
	return true
}
