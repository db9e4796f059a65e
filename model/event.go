package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Event is one thing that happened.
type Event struct {
	Seq    uint64    `json:"seq"`  // counts up from 1 as long as the program runs
	At     time.Time `json:"at"`   // server clock where the server told, else local
	Kind   EventKind `json:"kind"` // what sort of thing
	Key    Key       `json:"key"`  // empty for what concerns no group
	Member string    `json:"member,omitempty"`
	Text   string    `json:"text"`
	Detail string    `json:"detail,omitempty"` // more, where a line does not say it all
	Times  int       `json:"times,omitempty"`  // how often it happened in a row; 0 is once

	about string // what it tells more of than an event before did, whose place it takes; empty: nothing
}

// Concerns tells whether the event has to do with a group: what became of the link has with
// all of them.
func (e Event) Concerns(k Key) bool {
	return e.Key == k || e.Kind == EventLink && e.Key == Key{}
}

// EventKind sorts events.
type EventKind string

const (
	EventConfig   EventKind = "config"   // a group made, changed, deleted
	EventPin      EventKind = "pin"      // an instance got or lost the pin
	EventConsumer EventKind = "consumer" // created, deleted
	EventStream   EventKind = "stream"   // created, changed, deleted
	EventPause    EventKind = "pause"    // a consumer paused or resumed
	EventLeader   EventKind = "leader"   // another server leads a stream or consumer
	EventQuorum   EventKind = "quorum"   // a stream or consumer lost its quorum
	EventDeliver  EventKind = "deliver"  // a message was delivered as often as allowed
	EventInstance EventKind = "instance" // an instance of the open group came or went
	EventLink     EventKind = "link"     // the connection lost, and back
	EventAction   EventKind = "action"   // what was done from here
)

// MaxEvents bounds how many events a snapshot carries.
const MaxEvents = 500

// again is how long the same thing happening again counts up instead of filling the
// list.
const again = time.Minute

// event puts an event into the list, by its time: advisories can overtake each other.
func (r *reduction) event(e Event) {
	if e.At.IsZero() {
		e.At = r.now
	}
	old := r.next.Events
	at := 0
	for at < len(old) && old[at].At.After(e.At) {
		at++
	}
	newer, older := old[:at], old[at:]
	if len(older) > 0 && e.Kind == EventDeliver && older[0].same(e) && e.At.Sub(older[0].At) < again {
		e.Times = max(1, older[0].Times) + 1
		older = older[1:]
	}
	if e.about != "" {
		newer, older = e.without(newer), e.without(older)
	}
	r.next.seen++
	e.Seq = r.next.seen
	events := make([]Event, 0, len(old)+1)
	events = append(append(append(events, newer...), e), older...)
	r.next.Events = events[:min(len(events), MaxEvents)]
}

// without is a list without the event whose place this one takes.
func (e Event) without(list []Event) []Event {
	n := slices.IndexFunc(list, func(o Event) bool { return o.about == e.about && e.same(o) })
	if n < 0 {
		return list
	}
	return slices.Delete(slices.Clone(list), n, n+1)
}

func (e Event) same(o Event) bool {
	return e.Kind == o.Kind && e.Key == o.Key && e.Member == o.Member
}

// Line is the event in one line of plain text, with its time in full.
func (e Event) Line() string {
	parts := []string{e.At.UTC().Format(time.RFC3339Nano), string(e.Kind)}
	for _, s := range []string{e.Key.String(), e.Member, e.Text, e.repeats()} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if e.Detail != "" {
		parts = append(parts, "("+e.Detail+")")
	}
	return strings.Join(parts, " ")
}

func (e Event) repeats() string {
	if e.Times < 2 {
		return ""
	}
	return fmt.Sprintf("×%d", e.Times)
}

// Said is the text with how often it happened.
func (e Event) Said() string { return strings.TrimSpace(e.Text + " " + e.repeats()) }

// EventsSince lists the events that came after the one with that number, in the order in
// which they came.
func (s *Snapshot) EventsSince(seq uint64) []Event {
	var list []Event
	if s.seen == seq {
		return nil
	}
	for _, e := range s.Events {
		if e.Seq > seq {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(a, b Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}

// memberEvent records an event for each group that has a member with the consumer.
func (r *reduction) memberEvent(stream, consumer string, e Event) {
	for key, name := range r.membersWith(stream, consumer) {
		e.Key, e.Member = key, name
		r.event(e)
	}
}

// membersWith goes through the members that have the consumer, by group and name.
func (r *reduction) membersWith(stream, consumer string) iter.Seq2[Key, string] {
	return func(yield func(Key, string) bool) {
		for _, g := range r.groupsOn(stream) {
			name := consumer
			if g.Key.Kind.told() {
				n := slices.IndexFunc(g.Members, func(m *Member) bool {
					return m.Consumer != nil && m.Consumer.Name == consumer || m.Consumer == nil && m.State == StateAnew && m.Name == consumer
				})
				if n < 0 {
					continue
				}
				name = g.Members[n].Name
			}
			if g.Key.Kind == KindStatic {
				var fits bool
				if name, fits = strings.CutPrefix(consumer, g.Key.Group+"-"); !fits {
					continue
				}
			}
			if m := g.Member(name); m != nil && m.Elsewhere == "" && !yield(g.Key, name) {
				return
			}
		}
	}
}

// StreamHappened is an advisory about a stream that groups consume from or are fed by.
type StreamHappened struct {
	Stream string
	Kind   EventKind
	Text   string    // what happened to the stream: created
	At     time.Time // server clock
}

func (o StreamHappened) apply(r *reduction) {
	r.heard()
	say := func(g *Group, what string) {
		r.event(Event{At: o.At, Kind: o.Kind, Key: g.Key, Text: what + " " + o.Stream + " " + o.Text})
	}
	for _, g := range r.ofStream(o.Stream) {
		if g.Key.Kind == KindElastic {
			say(g, "origin")
		}
	}
	for _, g := range r.groupsOn(o.Stream) {
		if g.Key.Kind == KindElastic {
			say(g, "work stream")
		} else {
			say(g, "stream")
		}
	}
}

// ConsumerHappened is an advisory about a consumer. That it lost its quorum holds until
// it has a leader again, or is read.
type ConsumerHappened struct {
	Stream, Consumer string
	Kind             EventKind
	Text             string
	At               time.Time // server clock
}

func (o ConsumerHappened) apply(r *reduction) {
	r.heard()
	r.memberEvent(o.Stream, o.Consumer, Event{At: o.At, Kind: o.Kind, Text: o.Text})
	if o.Kind != EventQuorum && o.Kind != EventLeader {
		return
	}
	s, lost := r.stream(o.Stream), o.Kind == EventQuorum
	if c := s.consumer(o.Consumer); c != nil && c.Unheard != lost && !c.TS.After(o.At) {
		n := *c
		n.Unheard = lost
		r.putStream(s.with(o.Consumer, &n))
	}
}
