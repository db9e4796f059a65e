package model

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

// TestEveryGroupIsSettled: after any step every group is what deriving it anew would make
// of it, be it that nothing, the time alone, or all was new to it.
func TestEveryGroupIsSettled(t *testing.T) {
	for seed := range uint64(15) {
		r := rand.New(rand.NewPCG(seed, 8))
		s, now := Reduce(nil, epoch()), epoch()
		for step := range 60 {
			now = now.Add(time.Duration(r.IntN(4000)) * time.Millisecond)
			var seen []Observation
			for range 1 + r.IntN(3) {
				seen = append(seen, anything(r, now, uint64(step+1)))
			}
			s = Reduce(s, now, seen...)
			for _, g := range s.Groups {
				red := &reduction{next: s}
				again := derive(Rules(), g, red.stream(g.Key.ConsumeStream()), red.stream(g.Key.Stream), red.rivals(g.Key))
				if g.quiet || g.Key.Kind == KindStatic { // what its stream holds is as of when the consumers there were read
					again.Stream, g = again.Stream.standing(), copied(g)
					g.Stream = g.Stream.standing()
				}
				if !reflect.DeepEqual(again, g) {
					t.Fatalf("seed %d, step %d, after %+v:\n%s\nis not\n%s", seed, step, seen, spelled(g), spelled(again))
				}
			}
		}
	}
}

func copied(g *Group) *Group {
	c := *g
	return &c
}

// spelled is all of a group but what it points to.
func spelled(g *Group) string {
	text := fmt.Sprintf("%+v", *g)
	for _, m := range g.Members {
		text += fmt.Sprintf("\n  %+v", *m)
	}
	return text
}

// anything is an observation about one of a few groups whose names meet.
func anything(r *rand.Rand, now time.Time, revision uint64) Observation {
	streams := []string{"S", "S-a", "S-a-b", "T"}
	groups := []string{"a", "a-b", "b"}
	pick := func(list []string) string { return list[r.IntN(len(list))] }
	k := Key{Kind: KindElastic, Stream: pick(streams[:2]), Group: pick(groups)}
	if r.IntN(2) == 0 {
		k.Kind = KindStatic
	}
	stream := pick(streams)
	switch r.IntN(9) {
	case 0, 1:
		return ConfigSeen{Key: k, Revision: revision, Written: now, Config: &Config{Partitions: 1 + r.IntN(4), Members: []string{"m1", "b-m1", pick([]string{"m2", "x.y"})}}}
	case 2:
		if r.IntN(4) == 0 {
			return ConfigGone{Key: k, Revision: revision, At: now}
		}
		return ConfigSeen{Key: k, Revision: revision, Problem: "no object"}
	case 3:
		return PinSeen{Stream: stream, Consumer: pick([]string{"m1", "a-m1"}), PriorityGroup: "PCG", PinID: pick([]string{"", "id1", "id2"}), Reason: "admin", At: now}
	case 4:
		return ConsumersRead{Stream: stream, Missing: true, TS: now}
	case 5, 6:
		f := StreamFacts{Exists: r.IntN(5) > 0, MaxMsgs: 10, MaxBytes: -1}
		if f.Exists {
			f.Messages, f.LastSeq, f.Direct = uint64(r.IntN(12)), uint64(12+r.IntN(90)), r.IntN(8) == 0
			f.Sources = []Source{{Name: pick(streams[:2]), Seq: uint64(r.IntN(90)), Lag: uint64(r.IntN(3))}}
		}
		return StreamRead{Name: stream, Facts: f}
	}
	o := ConsumersRead{Stream: stream, TS: now}
	if r.IntN(9) == 0 {
		o.Error = "no answer"
	}
	for _, name := range []string{"m1", "a-m1", "a-b-m1", "m2", "b-m2"} {
		if r.IntN(6) == 0 {
			c := consumer(name, pick([]string{"", "id1"}), now, r.IntN(4))
			c.Pending = uint64(r.IntN(3))
			o.Consumers = append(o.Consumers, c)
		}
	}
	return o
}

// TestWhatIsStillIsShared: messages that come and go in a stream of many groups change
// nothing of those that nobody runs but how new they are.
func TestWhatIsStillIsShared(t *testing.T) {
	f := StreamFacts{Exists: true, MaxMsgs: -1, MaxBytes: -1}
	var seen []Observation
	for i := range 3 {
		seen = append(seen, ConfigSeen{Key: static("S", fmt.Sprint("g", i)), Revision: 1, Config: config(4, "m1", "m2")})
	}
	read := func(at time.Time, n uint64) []Observation {
		f.Messages, f.LastSeq = n, n
		return []Observation{StreamRead{Name: "S", Facts: f}, ConsumersRead{Stream: "S", TS: at, Consumers: []*Consumer{consumer("g1-m1", "", at, 0, 1)}}}
	}
	s := Reduce(nil, epoch(), append(seen, read(epoch(), 1)...)...)
	later := epoch().Add(time.Minute)
	next := Reduce(s, later, read(later, 7)...)
	for i, g := range next.Groups {
		if g.ReadAt != later || g.Stream.Messages != 7 || g.TS != later {
			t.Errorf("%s is as of %v, with %d messages", g.Key, g.ReadAt, g.Stream.Messages)
		}
		if shared := &g.Members[0] == &s.Groups[i].Members[0]; shared != (i != 1) {
			t.Errorf("%s: members shared: %v", g.Key, shared)
		}
	}
}

// TestMessagesAloneChangeNothing: how much a stream holds is told with its consumers to the
// static groups there, whoever runs them; where it is a group's own it counts at once.
func TestMessagesAloneChangeNothing(t *testing.T) {
	facts := func(messages uint64) StreamRead {
		return StreamRead{Name: "S", Facts: StreamFacts{Exists: true, MaxMsgs: -1, MaxBytes: -1, Messages: messages, LastSeq: messages}}
	}
	work := func(messages uint64) StreamRead {
		f := StreamFacts{Exists: true, MaxMsgs: -1, MaxBytes: -1, Messages: messages, LastSeq: messages, Sources: []Source{{Name: "S", Seq: messages}}}
		return StreamRead{Name: "S-e", Facts: f}
	}
	s := Reduce(nil, epoch(),
		ConfigSeen{Key: static("S", "g"), Revision: 1, Config: config(4, "m1")}, ConfigSeen{Key: elastic("S", "e"), Revision: 1, Config: config(4, "m1")},
		facts(3), work(3),
		ConsumersRead{Stream: "S", TS: epoch(), Consumers: []*Consumer{consumer("g-m1", "", epoch(), 0, 1)}}, ConsumersRead{Stream: "S-e", TS: epoch()})
	next := Reduce(s, epoch().Add(time.Second), facts(9), work(9))
	if s.Group(static("S", "g")) != next.Group(static("S", "g")) {
		t.Error("a static group is another for messages that came to its stream")
	}
	if lag := next.Group(elastic("S", "e")).Lag(); lag != 9 {
		t.Errorf("of an elastic group with 9 messages in its stream %d wait", lag)
	}
}

// TestMessagesCountWhereConsumersAreNotRead: then nothing else will tell of them.
func TestMessagesCountWhereConsumersAreNotRead(t *testing.T) {
	facts := func(messages uint64) StreamRead {
		return StreamRead{Name: "S", Facts: StreamFacts{Known: true, Exists: true, MaxMsgs: 10, MaxBytes: -1, Messages: messages, LastSeq: messages}}
	}
	s := Reduce(nil, epoch(),
		ConfigSeen{Key: static("S", "g"), Revision: 1, Config: config(4, "m1")}, facts(3),
		ConsumersRead{Stream: "S", Error: "not permitted"})
	s = Reduce(s, epoch().Add(time.Second), facts(9), ConsumersRead{Stream: "S", Error: "not permitted"})
	if fill, _ := s.Group(static("S", "g")).Stream.Fill(); fill != 0.9 {
		t.Errorf("the stream is full to %v, want 0.9", fill)
	}
}
