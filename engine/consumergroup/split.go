package consumergroup

import (
	"time"

	"pcgtop/model"
)

// grace is how long a partition may be in no filter, and a consumer be gone or without a
// pull, before that means anything: members delete and create their consumers when they
// share out the partitions anew.
const grace = 5 * time.Second

// statePulling is a member for which somebody pulls.
const statePulling model.State = "pulling"

// loss is who had a partition last.
type loss struct {
	member string
	at     time.Time // server clock
}

// split is who has what, as the consumers' filters tell.
type split struct {
	shape   Shape
	stream  *model.Stream
	members []model.ToldMember
	owner   []string         // by partition; empty: it is in no filter
	twice   map[int][]string // who else has it
	here    map[string]bool  // names of members
	beyond  map[string]Filters
	lost    map[int]loss // of partitions in no filter
	created time.Time    // of the youngest consumer of a member, server clock
}

// splitOf reads the consumers of a stream, and those that went a moment ago.
func splitOf(shape Shape, stream *model.Stream) *split {
	s := &split{shape: shape, stream: stream, owner: make([]string, shape.Partitions), twice: map[int][]string{}, here: map[string]bool{}, beyond: map[string]Filters{}, lost: map[int]loss{}}
	for _, c := range stream.Consumers {
		f, member := shape.Filters(c)
		if !member {
			s.members = append(s.members, model.ToldMember{Name: c.Name, Foreign: true, State: model.StateForeign, Why: foreign(shape, c), Consumer: c.Name})
			continue
		}
		s.take(c, f)
	}
	for _, g := range stream.Gone() {
		if f, member := shape.Filters(g.Consumer); member {
			s.miss(g, f)
		}
	}
	return s
}

// take adds a member.
func (s *split) take(c *model.Consumer, f Filters) {
	m := model.ToldMember{Name: c.Name, Consumer: c.Name}
	m.State, m.Why = judge(c, f, s.stream.TS)
	m.Live = m.State == statePulling
	s.members, s.here[m.Name] = append(s.members, m), true
	if len(f.Beyond) > 0 {
		s.beyond[c.Name] = f
	}
	for _, p := range f.Held {
		if s.owner[p] == "" {
			s.owner[p] = c.Name
		} else {
			s.twice[p] = append(s.twice[p], c.Name)
		}
	}
	if c.Created.After(s.created) {
		s.created = c.Created
	}
}

// miss notes what a consumer had that went. Its member is there for as long as it may come
// again.
func (s *split) miss(g model.Gone, f Filters) {
	for _, p := range f.Held {
		if s.owner[p] == "" {
			s.lost[p] = loss{g.Consumer.Name, g.At}
		}
	}
	name := g.Consumer.Name
	if !s.here[name] && s.stream.Consumer(name) == nil && s.recent(g.At) {
		s.members, s.here[name] = append(s.members, model.ToldMember{Name: name, State: model.StateAnew, Why: "its consumer went a moment ago"}), true
	}
}

// recent tells whether something happened so short a time ago that it says nothing yet.
func (s *split) recent(at time.Time) bool { return s.stream.TS.Sub(at) < grace }

// judge is the state of a member that has a consumer.
func judge(c *model.Consumer, f Filters, now time.Time) (model.State, string) {
	switch {
	case c.Offline != "":
		return model.StateOffline, c.Offline
	case c.Paused:
		return model.StatePaused, ""
	case len(f.Held) == 0:
		return model.StateNoPartition, "its filters name no partition of the stream"
	case c.Pulls():
		return statePulling, ""
	case now.Sub(c.Created) < grace:
		return model.StateAnew, "its consumer was made a moment ago"
	}
	return model.StateNoPull, ""
}

// foreign says why a consumer is no member's.
func foreign(shape Shape, c *model.Consumer) string {
	switch {
	case c.Push:
		return "messages are pushed to it"
	case c.PriorityGroup != "":
		return "it has a priority group"
	case len(c.Filters) == 0:
		return "it has no filter"
	case len(c.Filters) == 1:
		return "its filter is " + c.Filters[0]
	}
	return "not all of its filters are " + shape.Prefix + ".<number>.>"
}

// unowned are the partitions in no filter: between two members, which may be on their way
// to the next, and for longer.
func (s *split) unowned() (between, nobodys []int) {
	// What went before the first look is not known: who was just made may be one of several.
	early := s.recent(s.stream.Since()) && s.recent(s.created)
	for p, owner := range s.owner {
		if owner != "" {
			continue
		}
		if l, had := s.lost[p]; had && s.recent(l.at) || early {
			between = append(between, p)
		} else {
			nobodys = append(nobodys, p)
		}
	}
	return between, nobodys
}

// stray is about how many messages of the stream no consumer counts: they and the counts
// are told by two answers.
func (s *split) stray() uint64 {
	left := s.stream.Facts.Messages
	for _, c := range s.stream.Consumers {
		left -= min(left, c.Lag())
	}
	return left
}
