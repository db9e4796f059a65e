package model

import (
	"slices"
	"strings"
	"time"
)

// tombstone remembers the revision at which a config was removed.
type tombstone struct {
	key      Key
	revision uint64
}

const maxTombstones = 256

// reduction is one step from a snapshot to the next. Slices are cloned at the first
// change, groups and streams are replaced whole.
type reduction struct {
	next    *Snapshot
	now     time.Time
	ownsG   bool
	ownsS   bool
	touched map[Key]bool
}

// Reduce folds observations into a snapshot and returns the next one; prev, which may
// be nil, is not changed. It is pure: the same arguments give the same result. now is
// the local clock, used for freshness alone.
func Reduce(prev *Snapshot, now time.Time, observations ...Observation) *Snapshot {
	if prev == nil {
		prev = &Snapshot{Schema: Schema, Groups: []*Group{}, Events: []Event{}, Buckets: []Bucket{}, Link: Link{State: LinkStarting, Since: now}}
	}
	next := *prev
	r := &reduction{next: &next, now: now, touched: map[Key]bool{}}
	for _, o := range observations {
		o.apply(r)
	}
	r.settle()
	next.Seq, next.Taken = prev.Seq+1, now
	return &next
}

// settle derives every touched group anew.
func (r *reduction) settle() {
	if len(r.touched) == 0 {
		return
	}
	rules := Rules()
	rivals := map[string][]*Group{} // many groups may share a stream
	for k := range r.touched {
		i, ok := r.next.find(k)
		if !ok {
			continue
		}
		g := r.next.Groups[i]
		r.ownGroups()
		if g.teller != nil {
			r.next.Groups[i] = tell(rules, g, r.stream(g.Reads), r.now)
			r.toldEvents(g, r.next.Groups[i])
			continue
		}
		name := string(k.Kind) + k.ConsumeStream()
		if _, known := rivals[name]; !known {
			rivals[name] = r.rivals(k)
		}
		r.next.Groups[i] = derive(rules, g, r.stream(k.ConsumeStream()), r.stream(k.Stream), rivals[name])
	}
}

// rivals are the groups of a kind whose members' consumers lie on the same stream, that
// of the key among them.
func (r *reduction) rivals(k Key) []*Group {
	var list []*Group
	for _, g := range r.groupsOn(k.ConsumeStream()) {
		if g.Key.Kind == k.Kind {
			list = append(list, g)
		}
	}
	return list
}

// groupsOn finds the groups that consume from a stream: static ones of that stream,
// elastic ones for each way to read its name as <stream>-<group>, and told ones.
func (r *reduction) groupsOn(stream string) []*Group {
	var list []*Group
	gs := r.next.Groups
	i, _ := slices.BinarySearchFunc(gs, stream, func(g *Group, s string) int { return strings.Compare(g.Key.Stream, s) })
	for ; i < len(gs) && gs[i].Key.Stream == stream; i++ {
		if gs[i].Key.Kind == KindStatic {
			list = append(list, gs[i])
		}
	}
	for i := range len(stream) {
		if stream[i] == '-' {
			if g := r.next.Group(Key{Kind: KindElastic, Stream: stream[:i], Group: stream[i+1:]}); g != nil {
				list = append(list, g)
			}
		}
	}
	return append(list, r.toldOn(stream)...)
}

func (r *reduction) touchStream(name string) {
	for _, g := range r.groupsOn(name) {
		r.touched[g.Key] = true
	}
}

// touchFed marks the elastic groups that a stream is the origin of.
func (r *reduction) touchFed(origin string) {
	gs := r.next.Groups
	i, _ := slices.BinarySearchFunc(gs, origin, func(g *Group, s string) int { return strings.Compare(g.Key.Stream, s) })
	for ; i < len(gs) && gs[i].Key.Stream == origin; i++ {
		if gs[i].Key.Kind == KindElastic {
			r.touched[gs[i].Key] = true
		}
	}
}

// touchGroup marks a group and those that its change can bear on.
func (r *reduction) touchGroup(k Key) { r.touchStream(k.ConsumeStream()); r.touched[k] = true }

func (r *reduction) ownGroups() {
	if !r.ownsG {
		r.next.Groups, r.ownsG = slices.Clone(r.next.Groups), true
	}
}

// stream returns what is known of a stream; never nil.
func (r *reduction) stream(name string) *Stream {
	if i, ok := r.findStream(name); ok {
		return r.next.streams[i]
	}
	return &Stream{Name: name}
}

func (r *reduction) findStream(name string) (int, bool) {
	return slices.BinarySearchFunc(r.next.streams, name, func(s *Stream, n string) int { return strings.Compare(s.Name, n) })
}

func (r *reduction) putStream(s *Stream) {
	if !r.ownsS {
		r.next.streams, r.ownsS = slices.Clone(r.next.streams), true
	}
	if i, ok := r.findStream(s.Name); ok {
		r.next.streams[i] = s
	} else {
		r.next.streams = slices.Insert(r.next.streams, i, s)
	}
	r.touchStream(s.Name)
}

func (r *reduction) heard() { r.next.Link.Heard = r.now }
