package model

import (
	"slices"
	"time"
)

// backlogTime is the time in which a backlog is meant to be worked off, when load is
// weighed: what waits in a partition counts like this much of arrival.
const backlogTime = time.Minute

// Weights estimates each partition's load from what was observed of the group, in
// messages per second: what arrives, and what waits spread over a minute. nil: nothing
// was measured.
//
// A hundredth of the mean is added to each, so that partitions in which nothing happens
// are dealt evenly too.
func Weights(g *Group) []float64 { return floored(measured(g)) }

// floored adds the hundredth.
func floored(w []float64) []float64 {
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

// Measure is [Weights] with rates taken over all the time between two looks at a group, not
// over the last second, and how many messages they are known by: those that came meanwhile
// and those that wait.
func Measure(before, after *Group) (weights []float64, messages float64) {
	g := *after
	g.Members = slices.Clone(after.Members)
	g.Partitions = slices.Clone(after.Partitions)
	for i, m := range g.Members {
		old := before.Member(m.Name)
		if m.Consumer == nil || old == nil || old.Consumer == nil || !old.Consumer.Created.Equal(m.Consumer.Created) {
			continue
		}
		span := m.Consumer.TS.Sub(old.Consumer.TS)
		if span < rateSpan {
			continue
		}
		now, c := *m, *m.Consumer
		c.In, c.RateSpan = rate(old.Consumer.arrived(), c.arrived(), span), span
		now.Consumer = &c
		g.Members[i] = &now
		messages += c.In * span.Seconds()
	}
	if before.Counted() && after.Counted() && len(before.Partitions) == len(after.Partitions) {
		for p := range g.Partitions {
			messages += g.restingSince(before, p)
		}
	}
	w := measured(&g)
	return floored(w), messages + float64(after.Lag())
}

// restingSince puts the rate of a partition that nobody takes from: what waits there more
// than before has come. It returns how many that are.
func (g *Group) restingSince(before *Group, p int) float64 {
	is, was := g.Partitions[p], before.Partitions[p]
	span := g.Counts.At.Sub(before.Counts.At)
	if is.Count == nil || was.Count == nil || span < rateSpan || g.taken(is) || before.taken(was) {
		return 0
	}
	c := *is.Count
	n := float64(beyond(c.Pending, was.Count.Pending))
	c.In, c.RateSpan, c.AtLeast = n/span.Seconds(), span, false
	g.Partitions[p].Count = &c
	return n
}

// taken tells whether the partition's owner has a consumer.
func (g *Group) taken(p Partition) bool {
	return p.Owned() && g.Members[p.Member].Consumer != nil
}

// standsOut is how much heavier than the next one a partition has to be, to be told from
// it by what was measured.
const standsOut = 1.25

// HeaviestOf is the heaviest partition, and whether it stands out from the next one.
func HeaviestOf(weights []float64) (partition int, clear bool) {
	next := 0.0
	for p, w := range weights {
		switch {
		case w > weights[partition]:
			partition, next = p, weights[partition]
		case p != partition:
			next = max(next, w)
		}
	}
	return partition, len(weights) > 0 && weights[partition] > standsOut*next
}

// byMember is what arrives per second and what waits, as far as the members tell.
func byMember(g *Group) (in, waits []float64) {
	in, waits = make([]float64, len(g.Partitions)), make([]float64, len(g.Partitions))
	var idle []int
	for _, p := range g.Partitions {
		if !g.taken(p) {
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
