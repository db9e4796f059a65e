package model

import (
	"slices"
	"time"
)

// WindowNeed is how long a group is watched before trends are judged: half a minute.
const WindowNeed = 30 * time.Second

// Window is how long a group has been watched, at most [WindowNeed].
type Window struct {
	Span     time.Duration `json:"span_ns"`
	Complete bool          `json:"complete"` // false: trends such as a growing lag cannot be told yet
}

// sample is one look at a group.
type sample struct {
	at     time.Time // server clock
	lag    uint64
	stray  uint64 // of it, what is known to wait where nobody consumes
	idle   int    // partitions that nobody consumed
	deal   uint64 // the config's revision
	done   uint64 // acknowledged since the group is watched
	behind uint64 // at the origin
	whole  bool   // the lag is of all partitions
}

// remember adds a sample, at most one each [HistoryStep], and forgets those that are older
// than the window needs.
func (g *Group) remember(at time.Time) {
	g.TS = at
	if at.Sub(g.historyAt) >= HistoryStep {
		g.historyAt = at
		g.chart()
		old := 0
		for old+1 < len(g.samples) && at.Sub(g.samples[old+1].at) >= WindowNeed {
			old++
		}
		g.samples = with(g.samples[old:], sample{at: at, lag: g.Lag(), stray: g.Stray(), idle: g.idle, deal: g.Revision, done: g.done, behind: g.Hop.Waiting(), whole: g.uncounted == 0})
	}
	g.Window = Window{}
	if len(g.samples) > 0 {
		g.Window.Span = max(0, at.Sub(g.samples[0].at))
	}
	if g.Window.Span >= WindowNeed {
		g.Window = Window{Span: WindowNeed, Complete: true}
	}
}

// chart adds the lag to the history. What is not known has no place there, and what was goes
// with the time. It begins anew where partitions that no consumer counts were counted, or are
// not any more: the step between the two would be none that the lag took.
func (g *Group) chart() {
	counted := g.idle > 0 && g.Key.Kind == KindStatic && g.Counted()
	if counted != g.charted {
		g.charted, g.History = counted, []uint64{}
	}
	switch {
	case g.LagKnown():
		g.History = bounded(g.History, g.Lag())
	case len(g.History) > 0:
		g.History = slices.Clone(g.History[1:])
	}
}

// Clock is the server's time at which the group was read last.
func (g *Group) Clock() time.Time { return g.TS }

func bounded(list []uint64, v uint64) []uint64 {
	return with(list[max(0, len(list)+1-HistoryLen):], v)
}

// with is a copy of a list with one more.
func with[T any](list []T, v T) []T {
	return append(append(make([]T, 0, len(list)+1), list...), v)
}

// acked is when any member last acknowledged anything, server clock.
func (g *Group) acked() time.Time {
	var at time.Time
	for _, m := range g.Members {
		if c := m.Consumer; c != nil && c.trail.ackMoved.After(at) {
			at = c.trail.ackMoved
		}
	}
	return at
}

// slack is how much the lag may rise by chance.
const slack = 20

// growth is how a group's lag changed over its window.
type growth struct {
	span  time.Duration
	lag   uint64 // how much it grew
	stray uint64 // of it, where nobody consumes
	done  uint64 // acknowledged meanwhile
}

// in is what arrived per second: what was acknowledged and what the lag grew by.
func (w growth) in() float64 { return float64(w.done+w.lag) / w.span.Seconds() }

// out is what was acknowledged per second.
func (w growth) out() float64 { return float64(w.done) / w.span.Seconds() }

// grown tells how the lag changed over the window, and whether it grew where members
// consume: whether the least of its last third is beyond the most of its first. Two moments
// alone would say little, for lag goes up and down.
func (g *Group) grown() (w growth, grows bool) {
	if !g.Window.Complete {
		return growth{}, false
	}
	end := g.samples[len(g.samples)-1]
	start, third := end.at.Add(-WindowNeed), WindowNeed/3
	begin := g.samples[0]
	var most, least uint64
	var first, last bool
	for _, s := range g.samples {
		consumed := beyond(s.lag, s.stray)
		switch {
		case !s.at.After(start):
			begin = s
		case s.at.Before(start.Add(third)):
			first, most = true, max(most, consumed)
		case s.at.After(end.at.Add(-third)):
			if !last || consumed < least {
				last, least = true, consumed
			}
		}
	}
	w = growth{span: end.at.Sub(begin.at), lag: beyond(end.lag, begin.lag), done: beyond(end.done, begin.done)}
	if end.whole != begin.whole { // what was counted in between is none that came
		w.lag = beyond(beyond(end.lag, end.stray), beyond(begin.lag, begin.stray))
	} else if end.deal == begin.deal { // else partitions came into it, or left, with all that waits there
		w.stray = min(w.lag, beyond(end.stray, begin.stray))
	}
	return w, first && last && w.span > 0 && beyond(least, most) > slack+uint64(max(0, g.In))
}

// idleIn is what arrives per second where nobody consumes. Consumers tell nothing of it: an
// elastic group's is how what waits there grew while the same partitions were without one,
// a static group's is known where partitions are counted.
func (g *Group) idleIn() float64 {
	if g.idle == 0 {
		return 0
	}
	in := 0.0
	if g.Key.Kind != KindElastic {
		for _, p := range g.Partitions {
			if p.Count != nil && !g.taken(p) {
				in += p.Count.In
			}
		}
		return in
	}
	if len(g.samples) == 0 {
		return 0
	}
	end := g.samples[len(g.samples)-1]
	begin := end
	for _, s := range slices.Backward(g.samples) {
		if s.idle != end.idle || s.deal != end.deal || end.at.Sub(s.at) > WindowNeed {
			break
		}
		begin = s
	}
	if span := end.at.Sub(begin.at); span >= rateSpan {
		in = float64(beyond(end.stray, begin.stray)) / span.Seconds()
	}
	return in
}

// lagging is the least that waited at the origin over the last third of the window, and
// whether it was watched for so long.
func (g *Group) lagging() (n uint64, whole bool) {
	if len(g.samples) == 0 {
		return 0, false
	}
	end := g.samples[len(g.samples)-1].at
	n = g.Hop.Waiting()
	for _, s := range g.samples {
		if s.at.After(end.Add(-WindowNeed / 3)) {
			n = min(n, s.behind)
		}
	}
	return n, g.Window.Span >= WindowNeed/3
}
