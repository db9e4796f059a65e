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

// measured takes what waits from the counts of the partitions, where the group was
// counted, and what arrives too, where those tell; all else from the members, each
// spread evenly over its partitions. What waits where nobody consumes is spread over
// those partitions.
func measured(g *Group) []float64 {
	in, waits := byMember(g)
	if g.Counted() {
		for p := range in {
			c := g.Partitions[p].Count
			if c == nil {
				continue
			}
			waits[p] = float64(c.Pending)
			if c.RateSpan > 0 && !c.AtLeast {
				in[p] = c.In
			}
		}
	}
	for p := range in {
		in[p] += waits[p] / backlogTime.Seconds()
	}
	return in
}

// byMember is what arrives per second and what waits, as far as the members tell.
func byMember(g *Group) (in, waits []float64) {
	in, waits = make([]float64, len(g.Partitions)), make([]float64, len(g.Partitions))
	var idle []int
	for _, p := range g.Partitions {
		if !p.Owned() || g.Members[p.Member].Consumer == nil {
			idle = append(idle, p.Number)
		}
	}
	for _, p := range idle {
		waits[p] = float64(g.Stray()) / float64(len(idle))
	}
	for _, m := range g.Members {
		c := m.Consumer
		if c == nil || !m.Configured || m.Elsewhere != "" {
			continue
		}
		for _, p := range m.Partitions {
			if n := float64(len(m.Partitions)); p < len(in) {
				in[p], waits[p] = c.In/n, float64(c.Lag())/n
			}
		}
	}
	return in, waits
}
