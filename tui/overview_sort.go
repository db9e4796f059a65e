package tui

import (
	"pcgtop/keymap"
	"pcgtop/model"
)

// groupKey is what a group is sorted by: the worst, the most and the first letters come
// first. It is not known while nothing was read.
func groupKey(by keymap.ID) func(*model.Group) (sortKey, bool) {
	most := func(f func(*model.Group) float64) func(*model.Group) (sortKey, bool) {
		return func(g *model.Group) (sortKey, bool) { return sortKey{n: -f(g)}, !g.Unread() }
	}
	lag := func(f func(*model.Group) uint64) func(*model.Group) (sortKey, bool) {
		return func(g *model.Group) (sortKey, bool) { return sortKey{n: -float64(f(g))}, g.LagKnown() }
	}
	rated := func(f func(*model.Group) float64) func(*model.Group) (sortKey, bool) {
		return func(g *model.Group) (sortKey, bool) { return sortKey{n: -f(g)}, !g.Unread() && g.RateSpan > 0 }
	}
	switch by {
	case keymap.SortKind:
		return func(g *model.Group) (sortKey, bool) { return sortKey{text: string(g.Key.Kind)}, true }
	case keymap.SortName:
		return func(g *model.Group) (sortKey, bool) { // stream by stream, as [model.Key.Compare] has it
			return sortKey{text: g.Key.Stream + "\x00" + g.Key.Group}, true
		}
	case keymap.SortParts:
		return func(g *model.Group) (sortKey, bool) { return sortKey{n: -float64(len(g.Partitions))}, true }
	case keymap.SortMembers:
		return most(func(g *model.Group) float64 {
			pulling, configured := g.Pulling()
			return float64(configured-pulling) + float64(configured)/(1<<20)
		})
	case keymap.SortPinned:
		return most(func(g *model.Group) float64 {
			n := g.Instances()
			return float64(n.Pinned) + float64(n.Standby)/(1<<20)
		})
	case keymap.SortPending:
		return lag((*model.Group).Waits)
	case keymap.SortLag:
		return lag((*model.Group).Lag)
	case keymap.SortUnacked:
		return most(func(g *model.Group) float64 { return float64(g.AckPending) })
	case keymap.SortOut:
		return rated(func(g *model.Group) float64 { return g.Out })
	case keymap.SortIn:
		return rated(func(g *model.Group) float64 { return g.In })
	case keymap.SortTrend:
		return func(g *model.Group) (sortKey, bool) {
			return sortKey{n: -growth(g)}, g.LagKnown() && len(g.History) > 0
		}
	case keymap.SortWhy:
		return func(g *model.Group) (sortKey, bool) {
			if len(g.Findings) == 0 {
				return sortKey{}, false
			}
			f := g.Findings[0]
			return sortKey{n: float64(rank(f.Severity)), text: string(f.ID)}, true
		}
	}
	return func(g *model.Group) (sortKey, bool) { return sortKey{n: float64(g.Verdict.Rank())}, true }
}

// growth is by how much the lag grew over what is remembered of it.
func growth(g *model.Group) float64 {
	if len(g.History) == 0 {
		return 0
	}
	return float64(g.History[len(g.History)-1]) - float64(g.History[0])
}

// rank orders severities, the worst first.
func rank(s model.Severity) int {
	switch s {
	case model.Critical:
		return 0
	case model.Warning:
		return 1
	}
	return 2
}
