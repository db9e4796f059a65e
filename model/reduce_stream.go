package model

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

func (o ConsumersRead) apply(r *reduction) {
	r.heard()
	old := r.stream(o.Stream)
	s := *old
	s.Error = o.Error
	if o.Error != "" {
		r.rereadStream(&s)
		return
	}
	s.Read = r.now
	if o.Missing {
		s.Consumers, s.Facts, s.gone, s.since, s.pauses = nil, StreamFacts{Known: true}, nil, time.Time{}, nil
		r.rereadStream(&s)
		return
	}
	s.TS = o.TS
	if s.Facts.Known && !s.Facts.Exists {
		s.Facts = StreamFacts{} // it is there again, its facts were not read yet
	}
	s.Consumers = slices.SortedFunc(slices.Values(o.Consumers), func(a, b *Consumer) int { return strings.Compare(a.Name, b.Name) })
	for i, c := range s.Consumers {
		s.Consumers[i] = c.after(old.consumer(c.Name))
	}
	if s.since.IsZero() {
		s.since = s.TS
	}
	if r.tellsOf(s.Name) {
		s.lose(s.went(old.Consumers)...)
	}
	r.pausesRead(&s)
	r.rereadStream(s.pinsRead())
}

// rateSpan is the least time between two answers that rates are computed from.
const rateSpan = 900 * time.Millisecond

// after completes a consumer just read by what was known of it before.
func (c *Consumer) after(old *Consumer) *Consumer {
	n := *c
	n.hold(old)
	if n.Waiting > 0 || n.busy() {
		n.PullSeen = n.TS
	}
	if old == nil || !old.Created.Equal(n.Created) {
		n.rateAt, n.rateAcked, n.rateArrived = n.TS, n.AckFloor, n.arrived()
		n.follow(nil)
		return &n
	}
	n.follow(old)
	if n.PullSeen.IsZero() {
		n.PullSeen = old.PullSeen
	}
	n.PinChanged = old.PinChanged
	if old.PinChanged.After(n.TS) { // an advisory overtook this answer
		n.PinID, n.PinnedAt = old.PinID, old.PinnedAt
	} else if old.PinID != n.PinID {
		n.PinChanged = n.TS
	}
	n.Out, n.In, n.RateSpan, n.rateAt, n.rateAcked, n.rateArrived = old.Out, old.In, old.RateSpan, old.rateAt, old.rateAcked, old.rateArrived
	if span := n.TS.Sub(n.rateAt); span >= rateSpan {
		n.RateSpan = span.Round(time.Millisecond)
		n.Out, n.In = rate(n.rateAcked, n.AckFloor, span), rate(n.rateArrived, n.arrived(), span)
		n.rateAt, n.rateAcked, n.rateArrived = n.TS, n.AckFloor, n.arrived()
	}
	return &n
}

func rate(before, after uint64, span time.Duration) float64 {
	if after < before {
		return 0 // a purge takes away what had arrived
	}
	return perSecond(after-before, span)
}

// perSecond is a rate to a thousandth; more digits would say nothing and fill
// recordings.
func perSecond(n uint64, span time.Duration) float64 {
	return thousandths(float64(n) / span.Seconds())
}

func thousandths(v float64) float64 { return math.Round(v*1000) / 1000 }

func (o StreamRead) apply(r *reduction) {
	r.heard()
	s := *r.stream(o.Name)
	was := s.Facts
	s.Facts = o.Facts
	s.Facts.Known = true
	if o.Facts.Leaderless && len(o.Facts.Down) == 0 { // only a leader knows who is down: the last one did
		s.Facts.Replicas, s.Facts.Down = was.Replicas, was.Down
	}
	if !o.Facts.Exists {
		s.Consumers = nil
	}
	r.rereadStream(&s)
	r.fed[o.Name] = true
}

// ShortID shortens a pin id from the left: ids of one server begin alike.
func ShortID(id string) string {
	const keep = 6
	if len(id) <= keep {
		return id
	}
	return "…" + id[len(id)-keep:]
}

func (o LinkSeen) apply(r *reduction) {
	if r.next.Link.State == o.State {
		return
	}
	was := r.next.Link
	if o.State == LinkLost && !o.Heard.IsZero() { // else that no answer came would count, too
		was.Heard = o.Heard
	}
	r.next.Link = Link{State: o.State, Since: r.now, Heard: was.Heard, away: o.State == LinkLost || o.State == LinkRereading && was.away}
	switch {
	case o.State == LinkLost:
		text := "connection lost"
		if o.Why != "" {
			text += ": " + o.Why
		}
		r.event(Event{Kind: EventLink, Text: text})
	case o.State == LinkLive && was.away:
		r.event(Event{Kind: EventLink, Text: "connection back, everything read again"})
	case o.State == LinkLive && was.State != LinkStarting:
		r.event(Event{Kind: EventLink, Text: "everything read again"})
	}
}

func (o ServerSeen) apply(r *reduction) {
	r.heard()
	was := r.next.Server
	r.next.Server = o.Server
	if r.next.home.Name == "" {
		r.next.home = o.Server
	}
	if home := r.next.home; home.Cluster != o.Server.Cluster && home.Name != o.Server.Name || home.stranger(o.Server) {
		r.next.Server.First = home.where()
	}
	switch {
	case was.Name == "" || was.Name == o.Server.Name:
	case was.stranger(o.Server):
		r.event(Event{Kind: EventLink, Text: fmt.Sprintf("another server answers: %s now, %s before: is it the right one?", o.Server.Name, was.Name)})
	case was.Cluster != o.Server.Cluster:
		r.event(Event{Kind: EventLink, Text: fmt.Sprintf("another cluster answers: %s now, %s before: is it the right one?", o.Server.where(), was.where())})
	default:
		r.event(Event{Kind: EventLink, Text: fmt.Sprintf("another server answers: %s now, %s before", o.Server.Name, was.Name)})
	}
}

// stranger tells whether the other is another server than this one, and has nothing to do
// with it: both are in no cluster, and have names of their own. Behind an API prefix
// JetStream is elsewhere, and who answers may not matter.
func (s Server) stranger(o Server) bool {
	alone := s.Cluster == "" && o.Cluster == "" && (o.API == "" || o.API == "$JS.API")
	return alone && s.Name != o.Name && s.named() && o.named()
}

// named tells whether somebody gave the server its name. Else it is called by its id, a
// public nkey that is another one after each start (nats-server, NewServer).
func (s Server) named() bool {
	const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	id := len(s.Name) == 56 && s.Name[0] == 'N' && strings.Trim(s.Name, base32) == ""
	return s.Name != "" && !id
}

// Moved says that another cluster answers than at first, or a server that has nothing to do
// with that one; empty when none does.
func (s Server) Moved() string {
	if s.First == "" {
		return ""
	}
	if first, alone := strings.CutSuffix(s.First, inNone); alone && s.Cluster == "" {
		return "another server answers: " + s.Name + ", at first it was " + first
	}
	return "another cluster answers: " + s.where() + ", at first it was " + s.First
}

const inNone = " in no cluster"

// where is the server's name, and its cluster's.
func (s Server) where() string {
	if s.Cluster == "" {
		return s.Name + inNone
	}
	return s.Name + " in " + s.Cluster
}

func (o RequestsSeen) apply(r *reduction) { r.next.Requests = o.Requests }
func (o EventSeen) apply(r *reduction)    { r.event(o.Event) }

func (o DeniedSeen) apply(r *reduction) {
	switch {
	case o.Clear:
		r.next.Denied = nil
	case !slices.Contains(r.next.Denied, o.What):
		r.next.Denied = append(slices.Clone(r.next.Denied), o.What)
		if len(r.next.Denied) <= deniedEvents {
			r.event(Event{Kind: EventLink, Text: "not permitted: " + o.What, about: "denied " + o.What})
		}
	}
}

// deniedEvents is how many operations that may not be done are events, too, which a screen
// has room for in full: of thousands of streams there are as many, which leave room for no
// other event.
const deniedEvents = 50

func (o NotFoundSeen) apply(r *reduction) {
	r.next.NotFound = slices.DeleteFunc(slices.Clone(r.next.NotFound), func(m NotFound) bool { return m.Kind == o.Kind })
	if o.Text != "" {
		r.next.NotFound = append(r.next.NotFound, NotFound(o))
	}
}
