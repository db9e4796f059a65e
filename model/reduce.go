package model

import (
	"iter"
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
	touched map[Key]bool    // groups that changed
	moved   map[string]news // streams that were read, or changed
	fed     map[string]bool // streams of which it matters what they feed
}

// Reduce folds observations into a snapshot and returns the next one; prev, which may
// be nil, is not changed. It is pure: the same arguments give the same result. now is
// the local clock, used for freshness alone.
func Reduce(prev *Snapshot, now time.Time, observations ...Observation) *Snapshot {
	if prev == nil {
		prev = &Snapshot{Schema: Schema, Groups: []*Group{}, Events: []Event{}, Buckets: []Bucket{}, Link: Link{State: LinkStarting, Since: now}}
	}
	next := *prev
	r := &reduction{next: &next, now: now, touched: map[Key]bool{}, moved: map[string]news{}, fed: map[string]bool{}}
	for _, o := range observations {
		o.apply(r)
	}
	r.settle()
	next.Seq, next.Taken = prev.Seq+1, now
	return &next
}

// rivals are the groups of a kind whose members' consumers lie on the same stream, that
// of the key among them.
func (r *reduction) rivals(k Key) []*Group {
	var list []*Group
	for i := range r.groupsOn(k.ConsumeStream()) {
		if g := r.next.Groups[i]; g.Key.Kind == k.Kind {
			list = append(list, g)
		}
	}
	return list
}

// ofStream goes through the groups that are named after a stream, by their place.
func (r *reduction) ofStream(stream string) iter.Seq2[int, *Group] {
	return func(yield func(int, *Group) bool) {
		gs := r.next.Groups
		i, _ := slices.BinarySearchFunc(gs, stream, func(g *Group, s string) int { return strings.Compare(g.Key.Stream, s) })
		for ; i < len(gs) && gs[i].Key.Stream == stream; i++ {
			if !yield(i, gs[i]) {
				return
			}
		}
	}
}

// groupsOn finds the groups that consume from a stream, by their place: static ones of
// that stream, elastic ones for each way to read its name as <stream>-<group>, and told
// ones.
func (r *reduction) groupsOn(stream string) iter.Seq2[int, *Group] {
	return func(yield func(int, *Group) bool) {
		for i, g := range r.ofStream(stream) {
			if g.Key.Kind == KindStatic && !yield(i, g) {
				return
			}
		}
		for n := range len(stream) {
			if stream[n] != '-' {
				continue
			}
			i, ok := r.next.find(Key{Kind: KindElastic, Stream: stream[:n], Group: stream[n+1:]})
			if ok && !yield(i, r.next.Groups[i]) {
				return
			}
		}
		for i, g := range r.toldOn(stream) {
			if !yield(i, g) {
				return
			}
		}
	}
}

// touchGroup marks a group and those that its change can bear on.
func (r *reduction) touchGroup(k Key) { r.moved[k.ConsumeStream()] = newsOfAll; r.touched[k] = true }

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

// putStream replaces what is known of a stream.
func (r *reduction) putStream(s *Stream) { r.replaceStream(s, newsOfAll) }

// rereadStream replaces what is known of a stream by what was read of it.
func (r *reduction) rereadStream(s *Stream) {
	n := newsIn(r.stream(s.Name), s)
	r.fed[s.Name] = r.fed[s.Name] || n == newsOfAll // it may be there now, or gone
	r.replaceStream(s, n)
}

func (r *reduction) replaceStream(s *Stream, n news) {
	if !r.ownsS {
		r.next.streams, r.ownsS = slices.Clone(r.next.streams), true
	}
	if i, ok := r.findStream(s.Name); ok {
		r.next.streams[i] = s
	} else {
		r.next.streams = slices.Insert(r.next.streams, i, s)
	}
	r.moved[s.Name] = max(r.moved[s.Name], n)
}

// heard notes that the server told something; while the link is lost it cannot have.
func (r *reduction) heard() {
	if r.next.Link.State != LinkLost {
		r.next.Link.Heard = r.now
	}
}
