package model

import (
	"fmt"
	"slices"
)

// Restore makes a snapshot that was read from its JSON form fit to be shown, its groups
// too. An error says what it holds that no snapshot can. It cannot be reduced further:
// what only [Reduce] needs is not in the form.
func (s *Snapshot) Restore() error {
	for i, g := range s.Groups {
		if g == nil {
			return fmt.Errorf("group %d is null", i)
		}
		if err := g.Restore(); err != nil {
			return fmt.Errorf("group %s: %w", g.Key, err)
		}
	}
	s.RestoreOrder()
	return nil
}

// RestoreOrder is [Snapshot.Restore] for a snapshot whose groups were restored each.
func (s *Snapshot) RestoreOrder() {
	slices.SortStableFunc(s.Groups, func(a, b *Group) int { return a.Key.Compare(b.Key) })
	// JSON keeps no invalid UTF-8, so that two names can have become one.
	s.Groups = slices.CompactFunc(s.Groups, func(a, b *Group) bool { return a.Key == b.Key })
	for _, e := range s.Events {
		s.seen = max(s.seen, e.Seq)
	}
}

// Restore is [Snapshot.Restore] for one group.
func (g *Group) Restore() error {
	if n := g.Config.Partitions; n < 0 || n > MaxPartitions || len(g.Partitions) > MaxPartitions {
		return fmt.Errorf("%d partitions; at most %d can be", max(n, len(g.Partitions)), MaxPartitions)
	}
	for i, m := range g.Members {
		if m == nil {
			return fmt.Errorf("member %d is null", i)
		}
		m.pinClock(g.TS)
		for _, p := range m.Partitions {
			if p < 0 || p >= len(g.Partitions) {
				return fmt.Errorf("member %q owns partition %d of %d", m.Name, p, len(g.Partitions))
			}
		}
	}
	for i, p := range g.Partitions {
		if p.Number != i || p.Member < -1 || p.Member >= len(g.Members) {
			return fmt.Errorf("partition %d is number %d, of member %d of %d", i, p.Number, p.Member, len(g.Members))
		}
		if g.Counts == nil {
			g.Partitions[i].Count = nil // nobody says when that was
		}
	}
	g.deal = g.Config.Assignment()
	g.idle = g.unconsumed()
	g.uncounted = g.blind()
	return nil
}
