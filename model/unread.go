package model

import "slices"

// Unread tells whether nothing was ever read of the group's consumers. What is counted of
// them is not known then: a zero would be a lie.
func (g *Group) Unread() bool { return g.ReadAt.IsZero() }

// Printed is the group as it is printed in JSON: with null for what is not known.
func (g *Group) Printed() any {
	if !g.Unread() {
		return g
	}
	return struct {
		*Group
		Pending    *uint64  `json:"pending"`
		AckPending *uint64  `json:"ack_pending"`
		Out        *float64 `json:"out_per_s"`
		In         *float64 `json:"in_per_s"`
	}{Group: g}
}

// Printed is the snapshot as it is printed in JSON, with its groups as they are.
func (s *Snapshot) Printed() any {
	if !slices.ContainsFunc(s.Groups, (*Group).Unread) {
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
