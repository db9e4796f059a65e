package model

import "slices"

// Retell judges a group anew by what a recording holds of it; before is the same from the
// picture before, nil for none. What no recording holds stays unknown to the rules.
func Retell(before, g *Group) *Group {
	next := *g
	next.Members = slices.Clone(g.Members)
	for i, m := range g.Members {
		if m.Consumer == nil {
			continue
		}
		member, consumer := *m, *m.Consumer
		var old *Consumer
		if before != nil && before.Member(m.Name) != nil {
			old = before.Member(m.Name).Consumer
		}
		consumer.follow(old)
		member.Consumer = &consumer
		next.Members[i] = &member
	}
	if before != nil {
		next.samples, next.historyAt = before.samples, before.historyAt
		next.done = before.done + next.acknowledged(before.Members)
	}
	stream := &Stream{Facts: g.Stream, Read: g.ReadAt, TS: g.TS, Error: g.ReadError}
	next.total(stream)
	next.Findings, _ = findings(rules(), &next, stream, &Stream{})
	return &next
}
