package model

import "slices"

// Unread tells whether nothing was ever read of the group's consumers, or whose they are.
// What is counted of them is not known then: a zero would be a lie.
func (g *Group) Unread() bool { return g.ReadAt.IsZero() || g.Undealt() }

// LagKnown tells whether it is known how much waits in the group, or that at least
// something does. It is not where there is no stream that it could wait in, or that is
// another group's, nor of partitions that no consumer counts until they were counted
// themselves.
func (g *Group) LagKnown() bool {
	switch s := g.Stream; {
	case g.Unread(), s.Known && !s.Exists, s.Offline != "", g.ConsumeStream() == "":
		return false
	case g.Key.Kind == KindElastic && s.Exists && !(&view{Group: g}).fed():
		return false
	}
	return g.uncounted == 0 || g.Lag() > 0
}

// LagAtLeast tells whether more may wait in the group than is known: in partitions that
// nobody counted.
func (g *Group) LagAtLeast() bool { return g.uncounted > 0 && g.LagKnown() }

// blind is in how many partitions it is not known how much waits. A work stream's facts tell
// of all of it, and so do those of a stream without messages.
func (g *Group) blind() (n int) {
	switch s := g.Stream; {
	case g.Key.Kind.told(), s.Exists && (g.Queued() || s.Messages == 0):
		return 0
	case g.Counts == nil || g.idle == 0:
		return g.idle
	}
	for _, p := range g.Partitions {
		if p.Count == nil && !g.taken(p) {
			n++
		}
	}
	return n
}

// unconsumed is how many partitions have an owner without a consumer, or none.
func (g *Group) unconsumed() int {
	n := len(g.Partitions)
	for _, m := range g.Members {
		if m.Consumer != nil {
			n -= len(m.Partitions)
		}
	}
	return n
}

// Printed is the group as it is printed in JSON: with null for what is not known.
func (g *Group) Printed() any {
	switch {
	case g.Unread():
		return struct {
			*Group
			Pending    *uint64  `json:"pending"`
			AckPending *uint64  `json:"ack_pending"`
			Out        *float64 `json:"out_per_s"`
			In         *float64 `json:"in_per_s"`
		}{Group: g}
	case !g.LagKnown():
		return struct {
			*Group
			Pending *uint64 `json:"pending"`
		}{Group: g}
	case g.LagAtLeast():
		return struct {
			*Group
			AtLeast bool `json:"pending_at_least"`
		}{g, true}
	}
	return g
}

// whole tells whether all that the group's JSON form has is known.
func (g *Group) whole() bool { return g.LagKnown() && g.uncounted == 0 }

// Printed is the snapshot as it is printed in JSON, with its groups as they are.
func (s *Snapshot) Printed() any {
	if !slices.ContainsFunc(s.Groups, func(g *Group) bool { return !g.whole() }) {
		return s
	}
	groups := make([]any, len(s.Groups))
	for i, g := range s.Groups {
		groups[i] = g.Printed()
	}
	return struct {
		*Snapshot
		Groups []any `json:"groups"`
	}{s, groups}
}
