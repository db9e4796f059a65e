package model

import "time"

// backlogTime is the time in which a backlog is meant to be worked off, when load is
// weighed: what waits in a partition counts like this much of arrival.
const backlogTime = time.Minute

// Weights estimates each partition's load from what was observed of the group, in
// messages per second: what arrives, and what waits spread over a minute. nil: nothing
// was measured.
//
// A hundredth of the mean is added to each, so that partitions in which nothing happens
// are dealt evenly too.
func Weights(g *Group) []float64 {
	w := measured(g)
	total := sum(w)
	if total <= 0 {
		return nil
	}
	for p := range w {
		w[p] += total / float64(len(w)) / 100
	}
	return w
}

// measured takes the loads from the counts of the partitions, where the group was
// counted, else from the members.
func measured(g *Group) []float64 {
	if !g.Counted() {
		return byMember(g)
	}
	w := make([]float64, len(g.Partitions))
	for p := range w {
		if c := g.Partitions[p].Count; c != nil {
			w[p] = c.In + float64(c.Pending)/backlogTime.Seconds()
		}
	}
	return w
}

// byMember takes the loads from the members, each spread evenly over its partitions.
// What waits where nobody consumes is spread over those partitions.
func byMember(g *Group) []float64 {
	w := make([]float64, len(g.Partitions))
	var idle []int
	for _, p := range g.Partitions {
		if !p.Owned() || g.Members[p.Member].Consumer == nil {
			idle = append(idle, p.Number)
		}
	}
	for _, p := range idle {
		w[p] = float64(g.Stray()) / float64(len(idle)) / backlogTime.Seconds()
	}
	for _, m := range g.Members {
		if m.Consumer == nil || !m.Configured || m.Elsewhere != "" {
			continue
		}
		load := m.Consumer.In + float64(m.Consumer.Pending+m.Consumer.AckPending)/backlogTime.Seconds()
		for _, p := range m.Partitions {
			if p < len(w) {
				w[p] = load / float64(len(m.Partitions))
			}
		}
	}
	return w
}
