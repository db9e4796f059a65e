package model

import (
	"slices"
	"time"
)

// drought is for how long a member has had messages and acknowledged none, over all of its
// consumers: a handler slower than the ack wait loses one after the other, and with each the
// judgement would begin anew. All times are the server's.
type drought struct {
	since   time.Time     // zero: there is none
	of      time.Time     // when the consumer was made that was seen last
	seen    time.Time     // the last answer about it
	ackWait time.Duration // its, and what waited by then
	lag     uint64
	anew    int // so many consumers were made anew meanwhile
}

// next continues the drought with an answer about the member's consumer, or the next one of
// it. lost is when the one before was seen to be gone, zero where it was not.
func (d drought) next(c *Consumer, lost time.Time, g *Group) drought {
	began := c.idleSince(time.Time{})
	if began.IsZero() {
		return drought{}
	}
	n := drought{since: began, of: c.Created, seen: c.TS, ackWait: c.AckWait, lag: c.Lag()}
	same := d.of.Equal(c.Created)
	acked := c.trail.ackMoved.After(d.since) || !same && c.AckFloor > 0
	if d.since.IsZero() || acked || !same && !d.goesOn(c, lost, g) {
		return n
	}
	if n.anew = d.anew; !same {
		n.anew++
	}
	if d.since.Before(n.since) {
		n.since = d.since
	}
	return n
}

// goesOn tells whether it is for sure that nothing was acknowledged between the last answer
// about one consumer and the next one, and that this was made for no other reason than that
// the first was gone. Who was started long after that begins anew.
func (d drought) goesOn(c *Consumer, lost time.Time, g *Group) bool {
	gone := lost
	if gone.IsZero() {
		gone = c.Created
	}
	dealt := slices.ContainsFunc(g.dealt, func(t time.Time) bool { return t.After(d.of) && !t.After(c.Created) })
	return !dealt && gone.Sub(d.seen) <= absentGrace && c.Created.Sub(gone) <= anewWithin
}

// slow tells whether somebody is there, who makes a consumer each time and does not get to
// acknowledge. Once is as likely to be an instance that was started again.
func (d drought) slow() bool { return d.anew > 1 }

// still is for how long a member has had messages and acknowledged none, where that is so
// long that it counts as stalled; else 0. One whose consumer is gone for a moment is as it was.
func (v *view) still(m *Member) time.Duration {
	c, d := m.Consumer, m.plight.drought
	if c == nil {
		if d.since.IsZero() || d.ackWait <= 0 || m.State != StateAbsent || v.lacksStream() || m.LostAt.Sub(d.since) < 2*d.ackWait {
			return 0
		}
		return v.stream.TS.Sub(d.since)
	}
	_, oldest := v.CountOf(m.Partitions)
	still := c.idleFor(oldest)
	if d.anew > 0 {
		still = max(still, c.TS.Sub(d.since))
	}
	if c.AckWait <= 0 || still < 2*c.AckWait || c.Paused || c.Offline != "" {
		return 0
	}
	return still
}

// lag is what waits for the member, as far as is known by its consumer or the last one.
func (m *Member) lag() uint64 {
	if m.Consumer == nil {
		return m.plight.drought.lag
	}
	return m.Consumer.Lag()
}

// firstWaits is for how long a member's first message has waited for sure, where its consumer
// does not tell because it is new and acknowledged nothing of what it was given; else 0. That
// is how a member looks at first sight whose handler is slower than the ack wait.
func (v *view) firstWaits(m *Member) time.Duration {
	c := m.Consumer
	if c.AckPending == 0 || c.AckFloor > 0 || c.AckWait <= 0 || !c.trail.ackMoved.IsZero() {
		return 0
	}
	_, since := v.CountOf(m.Partitions)
	if since.IsZero() {
		return 0
	}
	if v.Written.After(since) { // nobody could consume before that
		since = v.Written
	}
	dealt := slices.ContainsFunc(v.dealt, func(t time.Time) bool { return c.TS.Sub(t) <= dealtAnew })
	if waits := c.TS.Sub(since); !dealt && waits >= 2*c.AckWait {
		return waits
	}
	return 0
}

// Doubtful tells whether a member is at work on the first messages of a new consumer: how it
// fares is known only when it is known for how long these have waited.
func (g *Group) Doubtful() bool {
	return !g.Counted() && slices.ContainsFunc(g.consumed(), func(m *Member) bool {
		c := m.Consumer
		return c.AckPending > 0 && c.AckFloor == 0 && c.trail.ackMoved.IsZero()
	})
}
