package model

import (
	"slices"
	"strings"
)

// derive makes a group anew from its config and what is known of the stream that its
// members consume from. rivals are the groups on that stream, itself among them: names
// made of names joined by a dash can mean two things.
// origin is the stream that an elastic group's is fed from.
func derive(rules []Rule, prev *Group, stream, origin *Stream, rivals []*Group) *Group {
	g := *prev
	g.Stream, g.ReadAt, g.ReadError = stream.Facts, stream.Read, stream.Error
	g.Watch = stream.watch
	g.Members = members(prev, stream, rivals)
	if g.dealtAnew {
		g.Partitions, g.dealtAnew = partitions(g.deal), false
		g.keepCounts(prev.Partitions, stream.TS)
	} else if g.Counts != nil {
		g.Partitions = slices.Clone(g.Partitions)
		g.keepCounts(prev.Partitions, stream.TS)
	}
	g.Hop = g.hop(prev.Hop, origin.Facts, stream.TS)
	g.done += g.acknowledged(prev.Members)
	g.skips(prev.Members)
	g.total(stream)
	var worst Verdict
	g.Findings, worst = findings(rules, &g, stream, origin)
	g.diagnose(g.Findings)
	g.Verdict = verdict(&g, worst)
	g.quiet = g.still()
	return &g
}

func partitions(a Assignment) []Partition {
	ps := make([]Partition, len(a.Owner))
	for p, o := range a.Owner {
		ps[p] = Partition{Number: p, Member: o}
		if o >= 0 {
			ps[p].Owner = a.Members[o]
		}
	}
	return ps
}

func members(prev *Group, stream *Stream, rivals []*Group) []*Member {
	deal := prev.deal
	var parts [][]int
	if prev.dealtAnew {
		parts = deal.Shares()
	}
	var before map[string]*Member
	list := make([]*Member, 0, len(deal.Members))
	for i, name := range deal.Members {
		m := &Member{Name: name, Configured: true}
		var was *Member
		switch {
		case !prev.dealtAnew: // nobody came or went
			was = prev.Members[i]
			m.Partitions = was.Partitions
		case before == nil:
			before = byName(prev.Members)
			fallthrough
		default:
			was, m.Partitions = before[name], append([]int{}, parts[i]...)
		}
		m.attach(prev, was, stream, rivals)
		list = append(list, m)
	}
	return append(list, foreigners(prev, deal, stream, rivals)...)
}

func byName(members []*Member) map[string]*Member {
	named := make(map[string]*Member, len(members))
	for _, m := range members {
		named[m.Name] = m
	}
	return named
}

// attach finds the member's consumer and judges its state. before is the member as it
// was known, nil if it was not.
func (m *Member) attach(g *Group, before *Member, stream *Stream, rivals []*Group) {
	m.Consumer = stream.consumer(g.Key.ConsumerName(m.Name))
	if m.Consumer != nil {
		m.Elsewhere = claimant(g.Key, m, stream, rivals)
	} else if before != nil {
		m.LostAt = before.LostAt
		if before.Consumer != nil {
			m.LostAt = stream.TS
		}
	}
	m.recall(g, stream, g.Key.ConsumerName(m.Name))
	m.run(stream, g.Key.ConsumerName(m.Name))
	m.fare(g, before, stream.TS)
	m.State, m.Why = judge(m, g, stream)
}

// judge picks the member's state: the first that fits.
func judge(m *Member, g *Group, stream *Stream) (State, string) {
	c := m.Consumer
	switch {
	case !m.Configured:
		return StateForeign, m.Why
	case g.Key.CheckMember(m.Name) != nil:
		return StateCannotRun, g.Key.CheckMember(m.Name).Error()
	case m.Elsewhere != "":
		return StateElsewhere, "consumer belongs to another group: " + m.Elsewhere
	case len(m.Partitions) == 0:
		return StateNoPartition, "standby, no partition (" + Count(g.configured(), "member") + ", " + Count(g.Config.Partitions, "partition") + ")"
	case c != nil && c.Offline != "":
		return StateOffline, c.Offline
	case c == nil && stream.Read.IsZero():
		return StateUnknown, stream.Error
	case c == nil && m.LostAt.IsZero():
		return StateAbsent, "never seen"
	case c == nil:
		return StateAbsent, ""
	case c.Paused:
		return StatePaused, ""
	case !c.pulling() && c.Waiting == 0:
		return StateNoPull, ""
	case c.PinID == "":
		return StateWaiting, ""
	}
	return StatePinned, ""
}

// claimant is the other group that the consumer belongs to, if it does: its name
// fits a member there and only there its partitions do.
func claimant(k Key, m *Member, stream *Stream, rivals []*Group) string {
	if k.Kind == KindElastic {
		if f := stream.Facts; f.Known && len(f.Sources) == 1 && f.Sources[0].Name != k.Stream {
			for _, r := range rivals {
				if r.Key.Stream == f.Sources[0].Name {
					return r.Key.String()
				}
			}
			return "a group of stream " + f.Sources[0].Name
		}
		return ""
	}
	held, ok := m.Consumer.partitions()
	if ok && slices.Equal(held, m.Partitions) {
		return ""
	}
	for _, r := range rivals {
		name, fits := strings.CutPrefix(m.Consumer.Name, r.Key.Group+"-")
		if !fits {
			continue
		}
		deal := r.deal
		if i, found := slices.BinarySearch(deal.Members, name); found && ok && slices.Equal(held, deal.Owned(i)) {
			return r.Key.String()
		}
	}
	return ""
}

// foreigners lists consumers that look like the group's but that nobody configured.
func foreigners(g *Group, deal Assignment, stream *Stream, rivals []*Group) []*Member {
	var list []*Member
	prefix := ""
	if g.Key.Kind == KindStatic {
		prefix = g.Key.Group + "-"
	}
	for _, c := range stream.startingWith(prefix) {
		name := c.Name[len(prefix):]
		if _, configured := slices.BinarySearch(deal.Members, name); configured {
			continue
		}
		if prefix != "" && (c.PriorityGroup == "" || betterFit(g.Key.Group, c.Name, rivals)) {
			continue
		}
		m := &Member{Name: name, Partitions: []int{}, Consumer: c}
		if held, ok := c.partitions(); ok {
			m.Why = "it consumes partitions " + Ranges(held)
		}
		m.run(stream, c.Name)
		m.State, m.Why = judge(m, g, stream)
		list = append(list, m)
	}
	return list
}

// betterFit tells whether another group has a stronger claim on a consumer's name: a
// member of that name, or a longer group name in front of it.
func betterFit(group, consumer string, rivals []*Group) bool {
	for _, r := range rivals {
		name, fits := strings.CutPrefix(consumer, r.Key.Group+"-")
		if fits && r.Key.Group != group && (len(r.Key.Group) > len(group) || contains(r.deal.Members, name)) {
			return true
		}
	}
	return false
}

// configured counts the members of the config.
func (g *Group) configured() int { return len(g.deal.Members) }

func contains(sorted []string, name string) bool {
	_, found := slices.BinarySearch(sorted, name)
	return found
}

// total sums the members up and keeps the lag's history.
func (g *Group) total(stream *Stream) {
	g.Pending, g.AckPending, g.Out, g.In, g.RateSpan = 0, 0, 0, 0, 0
	for _, m := range g.Members {
		if c := m.Consumer; c != nil && m.Configured && m.Elsewhere == "" {
			g.Pending += c.Pending
			g.AckPending += c.AckPending
			g.Out += c.Out
			g.In += c.In
			g.RateSpan = max(g.RateSpan, c.RateSpan)
		}
	}
	g.Strayed, g.idle = 0, g.unconsumed()
	g.uncounted = g.blind()
	if g.Key.Kind != KindElastic && g.Counts != nil {
		for _, p := range g.Partitions {
			if !g.taken(p) && p.Count != nil {
				g.Strayed += p.Count.Pending
			}
		}
	}
	if !g.Counted() {
		g.Strayed = max(g.Strayed, g.stray)
	}
	g.remember(stream.TS)
	g.Out, g.In = thousandths(g.Out), thousandths(g.In+g.idleIn()) // sums are not as round as what they are of
}

// acknowledged counts what members acknowledged since they were seen before.
func (g *Group) acknowledged(before []*Member) (n uint64) {
	var at map[string]int
	for i, m := range g.Members {
		if i >= len(before) || before[i].Name != m.Name { // as a rule nobody came or went
			if at == nil {
				at = make(map[string]int, len(before))
				for n, b := range before {
					at[b.Name] = n
				}
			}
			var known bool
			if i, known = at[m.Name]; !known {
				continue
			}
		}
		if m.Consumer == nil || before[i].Consumer == nil || !m.Configured || m.Elsewhere != "" {
			continue
		}
		old := before[i].Consumer
		if old.Created.Equal(m.Consumer.Created) {
			n += beyond(m.Consumer.AckFloor, old.AckFloor)
		} else {
			n += m.Consumer.AckFloor // it was made anew
		}
	}
	return n
}
