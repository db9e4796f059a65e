package model

import (
	"slices"
	"strings"
	"time"
)

// anewWithin is how long after it was deleted a consumer that is created counts as made
// anew. Members do that when the membership changes, one after the other.
const anewWithin = 10 * time.Second

func (o ConsumerCreated) apply(r *reduction) {
	r.heard()
	for key, name := range r.membersWith(o.Stream, o.Consumer) {
		r.event(r.created(Event{At: o.At, Kind: EventConsumer, Key: key, Member: name, Text: "consumer created"}))
	}
}

func (o ConsumerDeleted) apply(r *reduction) {
	r.heard()
	r.memberEvent(o.Stream, o.Consumer, Event{At: o.At, Kind: EventConsumer, Text: consumerDeleted})
	if s := r.stream(o.Stream); s.consumer(o.Consumer) != nil {
		next := s.with(o.Consumer, nil)
		if o.At.After(next.TS) {
			next.TS = o.At
		}
		if r.tellsOf(o.Stream) {
			next.lose(Gone{s.consumer(o.Consumer), o.At})
		}
		r.putStream(next)
	}
	if s := r.stream(o.Stream); s.paused(o.Consumer) {
		next := *s
		next.pauses = withoutPause(s.pauses, o.Consumer)
		r.putStream(&next)
		r.memberEvent(o.Stream, o.Consumer, Event{At: o.At, Kind: EventPause, Text: pauseGone})
	}
}

const (
	consumerDeleted = "consumer deleted"
	consumerAnew    = "consumer made anew"
	consumersAnew   = "consumers made anew: "
)

// created folds a consumer that was deleted a moment ago into one event, together with
// those of the group's other members of which the same is true: a change of the
// membership is one line, not two a member.
func (r *reduction) created(e Event) Event {
	recent := func(fits func(o Event) bool) int {
		return slices.IndexFunc(r.next.Events, func(o Event) bool {
			return o.Kind == e.Kind && o.Key == e.Key && e.At.Sub(o.At) <= anewWithin && fits(o)
		})
	}
	take := func(n int) (o Event) {
		o = r.next.Events[n]
		r.next.Events = slices.Delete(slices.Clone(r.next.Events), n, n+1)
		return o
	}
	n := recent(func(o Event) bool { return o.Member == e.Member })
	if n < 0 || r.next.Events[n].Text != consumerDeleted {
		return e
	}
	take(n)
	e.Text = consumerAnew
	n = recent(func(o Event) bool { return o.Text == consumerAnew || strings.HasPrefix(o.Text, consumersAnew) })
	if n < 0 {
		return e
	}
	names := []string{r.next.Events[n].Member}
	if list, several := strings.CutPrefix(r.next.Events[n].Text, consumersAnew); several {
		names = strings.Split(list, ", ")
	}
	if slices.Contains(names, e.Member) {
		return e // that was a change before
	}
	take(n)
	names = append(names, e.Member)
	slices.Sort(names)
	e.Member, e.Text = "", consumersAnew+strings.Join(names, ", ")
	return e
}
