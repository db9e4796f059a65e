package model

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// What a stream lost is remembered for some seconds, however that became known, where a
// told group consumes from it.
func TestGone(t *testing.T) {
	at := epoch()
	with := func(c *Consumer, created time.Time, filters ...string) *Consumer {
		next := *c
		next.Created, next.Filters = created, filters
		return &next
	}
	a, b, c := durable("a", 0, 0, at), durable("b", 0, 0, at), durable("c", 0, 0, at)
	s := told(nil, at, fleet(), work(at, a, b, c))
	listed := func() string {
		var list []string
		stream := (&reduction{next: s}).stream("WORK")
		for _, g := range stream.Gone() {
			list = append(list, fmt.Sprintf("%s%v %v", g.Consumer.Name, g.Consumer.Filters, g.At.Sub(at)))
		}
		return strings.Join(list, ", ")
	}
	if got := listed(); got != "" {
		t.Errorf("at first: %s", got)
	}
	s = Reduce(s, at, ConsumerDeleted{Stream: "WORK", Consumer: "a", At: at.Add(time.Second)})
	later := at.Add(2 * time.Second)
	s = Reduce(s, later, work(later, with(b, at.Add(1500*time.Millisecond), "x"), with(c, c.Created, "y")))
	if got, want := listed(), "a[] 1s, b[] 1.5s, c[] 2s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	later = at.Add(11*time.Second + time.Millisecond)
	s = Reduce(s, later, work(later, with(b, at.Add(1500*time.Millisecond), "x")))
	if got, want := listed(), "b[] 1.5s, c[] 2s, c[y] 11.001s"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s = Reduce(s, later, ConsumersRead{Stream: "WORK", Missing: true})
	if got := listed(); got != "" {
		t.Errorf("without a stream: %s", got)
	}
}

// A consumer that is made anew is one line among the events, not that its member left.
func TestMadeAnew(t *testing.T) {
	at := epoch()
	f := fleet()
	s := told(nil, at, f, work(at, durable("d0", 0, 0, at), durable("d1", 0, 0, at)), LinkSeen{State: LinkLive})
	f.told.Members[0].Consumer, f.told.Members[2].Consumer = "d1", "d0"
	f.told.Members[0].Name, f.told.Members[2].Name = "d1", "d0"
	f.told.Partitions[0].Owner, f.told.Partitions[1].Owner = "d0", "d1"
	s = told(s, at, f)
	seen := s.seen
	s = Reduce(s, at, ConsumerDeleted{Stream: "WORK", Consumer: "d0", At: at})
	f.told.Members[2].State = StateAnew
	s = told(s, at, f)
	s = Reduce(s, at, ConsumerCreated{Stream: "WORK", Consumer: "d0", At: at})
	f.told.Members[2].State = "live"
	s = told(s, at, f, work(at, durable("d0", 0, 0, at), durable("d1", 0, 0, at)))
	var lines []string
	for _, e := range s.EventsSince(seen) {
		lines = append(lines, strings.TrimSpace(e.Member+" "+e.Text))
	}
	if got := strings.Join(lines, "; "); got != "d0 consumer made anew" {
		t.Errorf("%s", got)
	}
}

// Somebody works on what was delivered a moment ago, though no pull waits: where nobody is
// pinned, too.
func TestBusyWithoutPin(t *testing.T) {
	at := epoch()
	for _, c := range []struct {
		group string
		since time.Duration
		busy  bool
	}{{"", time.Second, true}, {"", 6 * time.Second, false}, {"PCG", time.Second, false}} {
		one := durable("d", 3, 1, at)
		one.PriorityGroup, one.LastDelivered = c.group, at.Add(-c.since)
		if got := one.after(nil).Pulls(); got != c.busy {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
