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
	lag    uint64    // without what nobody consumes: that grows however quick the members are
	behind uint64    // at the origin
	acked  time.Time
}

// remember adds a sample, at most one each [HistoryStep], and forgets old ones: as many
// are kept as there are in the history.
func (g *Group) remember(at time.Time) {
	g.TS = at
	if at.Sub(g.historyAt) >= HistoryStep {
		g.historyAt = at
		g.History = bounded(g.History, g.Lag())
		g.samples = bounded(g.samples, sample{at: at, lag: g.consumedLag(), behind: g.Hop.Waiting(), acked: g.acked()})
	}
	g.Window = Window{}
	if len(g.samples) > 0 {
		g.Window.Span = max(0, at.Sub(g.samples[0].at))
	}
	if g.Window.Span >= WindowNeed {
		g.Window = Window{Span: WindowNeed, Complete: true}
	}
}

// Clock is the server's time at which the group was read last.
func (g *Group) Clock() time.Time { return g.TS }

func bounded[T any](list []T, v T) []T {
	list = append(slices.Clone(list), v)
	return list[max(0, len(list)-HistoryLen):]
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

// grown tells by how much the lag rose over the window: the least of its last third
// over the most of its first. Two moments alone would say little: lag goes up and down.
func (g *Group) grown() (n uint64, grows bool) {
	if !g.Window.Complete {
		return 0, false
	}
	end := g.samples[len(g.samples)-1].at
	start, third := end.Add(-WindowNeed), WindowNeed/3
	var most, least uint64
	var first, last bool
	for _, s := range g.samples {
		switch {
		case s.at.Before(start):
		case s.at.Before(start.Add(third)):
			first, most = true, max(most, s.lag)
		case s.at.After(end.Add(-third)):
			if !last || s.lag < least {
				last, least = true, s.lag
			}
		}
	}
	n = beyond(least, most)
	return n, first && last && n > slack+uint64(max(0, g.In))
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
