package model

import (
	"maps"
	"reflect"
	"slices"
)

// news is how much the next answer about a stream changes for the groups there.
type news int

const (
	newsOfMessages news = 1 + iota // messages came and went
	newsOfTime                     // and its consumers were read again
	newsOfAll                      // anything
)

// newsIn compares two answers about a stream, that is what was read of it.
func newsIn(old, s *Stream) news {
	switch {
	case old.Error != s.Error, old.Read.IsZero() != s.Read.IsZero(), old.watch != nil, s.watch != nil,
		!slices.EqualFunc(old.Consumers, s.Consumers, func(a, b *Consumer) bool { return a.Name == b.Name }),
		!reflect.DeepEqual(old.Facts.standing(), s.Facts.standing()):
		return newsOfAll
	case old.Read.Equal(s.Read) && (old.Facts.Messages == 0) == (s.Facts.Messages == 0): // where there is none, none waits, be there consumers or not
		return newsOfMessages
	}
	return newsOfTime
}

// standing is the facts without what every message changes.
func (f StreamFacts) standing() StreamFacts {
	f.Messages, f.Bytes, f.FirstSeq, f.LastSeq = 0, 0, 0, 0
	f.Sources = slices.Clone(f.Sources)
	for i := range f.Sources {
		f.Sources[i].Lag, f.Sources[i].Seq, f.Sources[i].Active = 0, 0, 0
	}
	return f
}

// still tells whether nothing is known of the group that time alone could change: nobody
// runs it, nobody ever did, and nothing waits in it.
func (g *Group) still() bool {
	if g.Counts != nil || g.Hop != nil || g.Watch != nil || g.Lag() > 0 || g.Key.Kind == KindElastic && g.Stream.Exists {
		return false
	}
	return !slices.ContainsFunc(g.Members, func(m *Member) bool { return m.Consumer != nil || !m.LostAt.IsZero() || len(m.Pins) > 0 })
}

// settle derives anew every group that something bears on.
func (r *reduction) settle() {
	due := r.due()
	if len(due) == 0 {
		return
	}
	rules := Rules()
	rivals := map[string][]*Group{} // many groups may share a stream
	for _, i := range slices.Sorted(maps.Keys(due)) {
		n, g := due[i], r.next.Groups[i]
		r.ownGroups()
		if g.teller != nil {
			r.next.Groups[i] = tell(rules, g, r.stream(g.Reads), r.now)
			r.toldEvents(g, r.next.Groups[i])
			continue
		}
		name := g.Key.ConsumeStream()
		stream := r.stream(name)
		if n == newsOfTime && g.quiet && !stream.mayRun(g.Key) {
			r.next.Groups[i] = g.reread(stream)
			continue
		}
		of := string(g.Key.Kind) + name
		if _, known := rivals[of]; !known {
			rivals[of] = r.rivals(g.Key)
		}
		r.next.Groups[i] = derive(rules, g, stream, r.stream(g.Key.Stream), rivals[of])
	}
}

// due finds the groups that something bears on, by their place.
func (r *reduction) due() map[int]news {
	due := map[int]news{}
	for name, n := range r.moved {
		for i, g := range r.groupsOn(name) {
			if n == newsOfMessages && g.ReadError == "" && (g.quiet || g.Key.Kind == KindStatic) {
				continue // what its stream holds waits for nobody, or says nothing without the consumers: it is told with these, where they can be read
			}
			due[i] = max(due[i], n)
		}
	}
	for name, matters := range r.fed {
		if !matters {
			continue
		}
		for i, g := range r.ofStream(name) {
			if g.Key.Kind == KindElastic && g.Stream.Exists { // else there is nothing that it could feed
				due[i] = newsOfAll
			}
		}
	}
	for k := range r.touched {
		if i, ok := r.next.find(k); ok {
			due[i] = newsOfAll
		}
	}
	return due
}

// reread is a quiet group of which nothing but the time is new.
func (g *Group) reread(stream *Stream) *Group {
	next := *g
	next.Stream, next.ReadAt = stream.Facts, stream.Read
	next.uncounted = next.blind()
	next.remember(stream.TS)
	return &next
}

// mayRun tells whether a consumer there may be a member's.
func (s *Stream) mayRun(k Key) bool {
	if k.Kind == KindStatic {
		return len(s.startingWith(k.Group+"-")) > 0
	}
	return len(s.Consumers) > 0
}
