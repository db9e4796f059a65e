package model

import (
	"slices"
	"testing"
	"time"
)

// Nobody leads a stream: that is told whoever is known to be down, and who that was is not
// forgotten, as only a leader knows. An answer of its leader ends it.
func TestLeaderlessStream(t *testing.T) {
	k, at := elastic("ORDERS", "cg"), epoch().Add(time.Minute)
	led := facts("ORDERS")
	led.Leader, led.Replicas, led.Down = "n1", 3, []string{"n2", "n3"}
	nobody := facts("ORDERS")
	nobody.Leaderless = true
	well := facts("ORDERS")
	well.Leader, well.Replicas = "n1", 3
	s := Reduce(nil, at,
		ConfigSeen{Key: k, Revision: 3, Config: config(1, "m1")},
		StreamRead{Name: "ORDERS-cg", Facts: led},
		ConsumersRead{Stream: "ORDERS-cg", TS: at, Consumers: []*Consumer{consumer("m1", "P", at, 0)}})
	for _, step := range []struct {
		o    Observation
		text string // of the finding; empty: none
	}{
		{StreamRead{Name: "ORDERS-cg", Facts: nobody}, "no quorum: 2 of the 3 servers of stream ORDERS-cg are down (n2, n3): nothing is stored or delivered"},
		{ConsumersRead{Stream: "ORDERS-cg", Error: "no answer"}, "no quorum: 2 of the 3 servers of stream ORDERS-cg are down (n2, n3): nothing is stored or delivered"},
		{StreamRead{Name: "ORDERS-cg", Facts: well}, ""},
		{StreamRead{Name: "ORDERS-cg", Facts: nobody}, "no leader for stream ORDERS-cg: too few of its servers are up, or they are about to elect one: nothing is stored or delivered"},
		{StreamRead{Name: "ORDERS-cg", Facts: well}, ""},
	} {
		s = Reduce(s, at, step.o)
		g := s.Group(k)
		i := slices.IndexFunc(g.Findings, func(f Finding) bool { return f.ID == "no-quorum" })
		switch {
		case step.text == "" && (i >= 0 || g.Verdict == VerdictOffline):
			t.Errorf("led again: %s, %+v", g.Verdict, g.Findings)
		case step.text != "" && (i < 0 || g.Findings[i].Text != step.text || g.Verdict != VerdictOffline):
			t.Errorf("want %q: %s, %+v", step.text, g.Verdict, g.Findings)
		}
	}
}

// A consumer that lost its quorum is told of as one for which nobody answers, until it has
// a leader or is read.
func TestConsumerLostItsQuorum(t *testing.T) {
	k, at := elastic("ORDERS", "cg"), epoch().Add(time.Minute)
	read := ConsumersRead{Stream: "ORDERS-cg", TS: at, Consumers: []*Consumer{consumer("m1", "P", at, 0)}}
	s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 3, Config: config(1, "m1")}, StreamRead{Name: "ORDERS-cg", Facts: facts("ORDERS")}, read)
	happened := func(kind EventKind, after time.Duration) Observation {
		return ConsumerHappened{Stream: "ORDERS-cg", Consumer: "m1", Kind: kind, At: at.Add(after)}
	}
	for n, step := range []struct {
		o    Observation
		lost bool
	}{
		{happened(EventQuorum, -time.Second), false}, // it was read since
		{happened(EventQuorum, time.Second), true},
		{happened(EventLeader, 2*time.Second), false},
		{happened(EventQuorum, 3*time.Second), true},
		{read, false},
	} {
		s = Reduce(s, at, step.o)
		g := s.Group(k)
		if slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.ID == "no-answer" }) != step.lost || (g.Verdict == VerdictDegraded) != step.lost {
			t.Errorf("step %d: %s, %+v", n, g.Verdict, g.Findings)
		}
	}
}
