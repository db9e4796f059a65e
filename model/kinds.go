package model

import (
	"fmt"
	"slices"
)

// Founded are the kinds whose groups can be made from here, the usual one first.
func Founded() []Kind { return []Kind{KindElastic, KindStatic} }

// Fixed tells whether a group of the kind gets its members when it is made, for good, and
// takes its messages where they are. One that is not has a work stream of its own.
func (k Kind) Fixed() bool { return k == KindStatic }

// Kinds are those that groups can be of: those that can be made from here, and what else
// was found.
func (s *Snapshot) Kinds() []Kind {
	kinds := Founded()
	for _, g := range s.Groups {
		if !slices.Contains(kinds, g.Key.Kind) {
			kinds = append(kinds, g.Key.Kind)
		}
	}
	return kinds
}

// Described says how the group is configured, a few words each.
func (g *Group) Described() []string {
	revision := fmt.Sprintf("revision %d", g.Stored())
	switch {
	case g.Key.Kind.told():
		return g.Facts
	case g.Key.Kind.Fixed(), g.Undealt():
		return []string{revision}
	}
	return []string{g.Form(), revision}
}

// Undealt tells whether how many partitions it has, and whose they are, was never read.
func (g *Group) Undealt() bool { return g.Unreadable != "" && len(g.Partitions) == 0 }

// Form tells how its partitions are dealt.
func (g *Group) Form() string {
	if g.Config.Mapped() {
		return "mapped"
	}
	return "balanced"
}

// Work is the work stream of the group, where it has one.
func (g *Group) Work() (StreamFacts, bool) {
	return g.Stream, g.Stream.Exists && g.Key.Kind == KindElastic
}

// AtMost tells whether its partitions' counts are upper bounds: of what is acknowledged out
// of order some is counted.
func (g *Group) AtMost() bool { return g.Key.Kind.Fixed() }

// Named tells whether the group's partitions have names beside their numbers.
func (g *Group) Named() bool { return len(g.Partitions) > 0 && g.Partitions[0].Told().Name != "" }
