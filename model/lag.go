package model

import "time"

// Lag is what a member has not acknowledged yet, all from one answer.
func (c *Consumer) Lag() uint64 {
	if c == nil {
		return 0
	}
	return c.Pending + c.AckPending
}

// Lag is what waits in the whole group: pending and not yet acknowledged, what lies in
// the stream for nobody, and for an elastic group what was not sourced from the origin
// yet.
func (g *Group) Lag() uint64 {
	lag := g.Pending + g.AckPending
	if g.Key.Kind != KindElastic {
		return lag + g.Strayed
	}
	if g.Stream.Exists {
		lag = max(lag, g.Stream.Messages)
	}
	return lag + g.Hop.Waiting()
}

// Waits is what of the lag was not delivered to anybody yet.
func (g *Group) Waits() uint64 { return beyond(g.Lag(), g.AckPending) }

// About tells whether the lag is put together from answers of different times, or from
// an upper bound.
func (g *Group) About() bool {
	return (g.Key.Kind == KindStatic || g.Queue) && g.Strayed > 0 || g.Hop != nil && g.Hop.About && g.Hop.Behind > 0
}

// Stray is how many messages of the stream are in no member's number, because nobody
// consumes their partition. It is put together from two answers, so it is an estimate,
// never below 0.
func (g *Group) Stray() uint64 {
	if g.Key.Kind != KindElastic {
		return g.Strayed
	}
	return beyond(g.Stream.Messages, g.Pending+g.AckPending)
}

// beyond is a - b, and 0 where that would be negative.
func beyond(a, b uint64) uint64 { return a - min(a, b) }

// drainCap bounds a time to drain: beyond it "never" says as much.
const drainCap = 1000 * time.Hour

// Drain is how long it takes until n messages are gone at the rates given; false when
// they do not shrink, or when that would take for ever.
func Drain(n uint64, in, out float64) (time.Duration, bool) {
	if n == 0 {
		return 0, true
	}
	if out <= in {
		return 0, false
	}
	seconds := float64(n) / (out - in)
	if seconds > drainCap.Seconds() {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// Drain is how long until the group's lag is gone at the present rates; false when it
// does not shrink, is not known whole, or the rates were not measured yet.
func (g *Group) Drain() (time.Duration, bool) {
	if g.RateSpan == 0 || g.uncounted > 0 {
		return 0, false
	}
	return Drain(g.Lag(), g.In, g.Out)
}
