package model

import (
	"fmt"
	"slices"
)

func (o ConfigSeen) apply(r *reduction) {
	r.heard()
	i, known := r.next.find(o.Key)
	if o.Revision <= r.revisionOf(o.Key) {
		return
	}
	g := &Group{Key: o.Key, Members: []*Member{}, Partitions: []Partition{}, History: []uint64{}, Findings: []Finding{}}
	if known {
		old := *r.next.Groups[i]
		g = &old
	}
	before := g.Config
	if o.Config != nil {
		o = o.within(r.next.inAll, before.Partitions)
	}
	if o.Config == nil {
		g.Unreadable, g.UnreadableRevision = o.Problem, o.Revision
	} else {
		g.Unreadable, g.UnreadableRevision = "", 0
		g.Config, g.Raw, g.Revision, g.Written = *o.Config, o.Raw, o.Revision, o.Written
		g.deal, g.dealtAnew = g.Config.Assignment(), true
		r.next.inAll += g.Config.Partitions - before.Partitions
		g.dealt = append(slices.Clone(g.dealt[max(0, len(g.dealt)-MaxPins):]), o.Written)
	}
	r.ownGroups()
	if known {
		r.next.Groups[i] = g
		r.event(Event{At: o.Written, Kind: EventConfig, Key: o.Key, Text: configText(before, g), Detail: owners(g)})
	} else {
		r.next.Groups = slices.Insert(r.next.Groups, i, g)
		if r.next.Link.State != LinkStarting {
			r.event(Event{At: o.Written, Kind: EventConfig, Key: o.Key, Text: "group created", Detail: owners(g)})
		}
	}
	r.touchGroup(o.Key)
}

// within is the config, or why it is not used where all groups have so many partitions, and
// this one had so many of them.
func (o ConfigSeen) within(all, had int) ConfigSeen {
	if n := o.Config.Partitions; n > manyPartitions && n > had && all-had+n > MaxInAll {
		o.Config, o.Problem = nil, fmt.Sprintf("too many partitions: with these %s all groups would have more than %s", Thousands(n), Thousands(MaxInAll))
	}
	return o
}

// countAll counts the partitions that configs ask for, after groups went.
func (r *reduction) countAll() {
	r.next.inAll = 0
	for _, g := range r.next.Groups {
		if !g.Key.Kind.told() {
			r.next.inAll += g.Config.Partitions
		}
	}
}

func configText(before Config, g *Group) string {
	if g.Unreadable != "" {
		return "unreadable config: " + g.Unreadable
	}
	return DescribeChange(&before, &g.Config)
}

// owners says who owns what now.
func owners(g *Group) string {
	if g.Unreadable != "" {
		return fmt.Sprintf("revision %d", g.UnreadableRevision)
	}
	text := fmt.Sprintf("revision %d", g.Revision)
	a := g.Config.Assignment()
	const most = 16
	for i, name := range a.Members[:min(most, len(a.Members))] {
		owned := Ranges(a.Owned(i))
		if owned == "" {
			owned = "none"
		}
		text += ", " + name + " " + owned
	}
	if n := len(a.Members) - most; n > 0 {
		text += ", and " + Count(n, "more member")
	}
	return text
}

// revisionOf is the newest revision seen of a key, removals included.
func (r *reduction) revisionOf(k Key) uint64 {
	if g := r.next.Group(k); g != nil {
		return g.Stored()
	}
	for _, t := range r.next.gone {
		if t.key == k {
			return t.revision
		}
	}
	return 0
}

func (o ConfigGone) apply(r *reduction) {
	r.heard()
	last := r.revisionOf(o.Key)
	if o.Revision > 0 && o.Revision < last {
		return
	}
	gone := append([]tombstone{{o.Key, max(o.Revision, last)}}, slices.DeleteFunc(slices.Clone(r.next.gone), func(t tombstone) bool { return t.key == o.Key })...)
	i, known := r.next.find(o.Key)
	r.next.gone = gone[:min(len(gone), maxTombstones)]
	if !known {
		return
	}
	r.touchGroup(o.Key)
	r.ownGroups()
	if !o.Key.Kind.told() {
		r.next.inAll -= r.next.Groups[i].Config.Partitions
	}
	r.next.Groups = slices.Delete(r.next.Groups, i, i+1)
	r.event(Event{At: o.At, Kind: EventConfig, Key: o.Key, Text: "group deleted"})
}

func (o BucketSeen) apply(r *reduction) {
	r.heard()
	old, known := r.next.Bucket(o.Kind)
	if o.Problem != "" {
		o.Exists, o.Reset = old.Exists, false
	}
	if known && old.Exists == o.Exists && old.Problem == o.Problem && !o.Reset {
		return
	}
	r.next.Buckets = slices.DeleteFunc(slices.Clone(r.next.Buckets), func(b Bucket) bool { return b.Kind == o.Kind })
	r.next.Buckets = append(r.next.Buckets, Bucket{Kind: o.Kind, Exists: o.Exists, Problem: o.Problem, Since: r.now})
	slices.SortFunc(r.next.Buckets, func(a, b Bucket) int { return Key{Kind: a.Kind}.Compare(Key{Kind: b.Kind}) })
	if known && old.Exists && (o.Reset || !o.Exists) {
		text := "the bucket of " + string(o.Kind) + " groups is gone"
		if o.Exists {
			text = "the bucket of " + string(o.Kind) + " groups was made anew"
		}
		r.event(Event{Kind: EventConfig, Text: text})
	}
	if o.Exists && !o.Reset || o.Problem != "" {
		return
	}
	for _, g := range r.next.Groups {
		if g.Key.Kind == o.Kind {
			r.moved[g.Key.ConsumeStream()] = newsOfAll // the groups of the other kind that stay
		}
	}
	ofKind := func(k Key) bool { return k.Kind == o.Kind }
	r.next.Groups = slices.DeleteFunc(slices.Clone(r.next.Groups), func(g *Group) bool { return ofKind(g.Key) })
	r.next.gone = slices.DeleteFunc(slices.Clone(r.next.gone), func(t tombstone) bool { return ofKind(t.key) })
	r.ownsG = true
	r.countAll()
}
