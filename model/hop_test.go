package model

import (
	"testing"
	"time"
)

// TestHop: how the way from the origin is judged from what streams tell.
func TestHop(t *testing.T) {
	k := elastic("S", "g")
	made := epoch().Add(-time.Hour)
	base := func() (work, origin StreamFacts) {
		work = facts("S")
		work.Created, work.LastSeq, work.Messages = made, 100, 10
		work.Sources[0].Seq = 100
		return work, StreamFacts{Exists: true, Created: made.Add(-time.Hour), FirstSeq: 1, LastSeq: 100, Messages: 100, Subjects: []string{"o.*"}}
	}
	for name, c := range map[string]struct {
		change func(work, origin *StreamFacts)
		state  HopState
		behind uint64
		find   string
	}{
		"even":               {func(_, _ *StreamFacts) {}, HopEven, 0, ""},
		"behind":             {func(_, o *StreamFacts) { o.LastSeq, o.Messages = 140, 140 }, HopBehind, 40, ""},
		"full":               {func(w, o *StreamFacts) { w.MaxMsgs, o.LastSeq, o.Messages = 10, 140, 140 }, HopFull, 40, "buffer-full"},
		"full of bytes":      {func(w, o *StreamFacts) { w.MaxBytes, w.Bytes, o.LastSeq, o.Messages = 1050, 1000, 140, 140 }, HopFull, 40, "buffer-full"},
		"nothing heard":      {func(w, o *StreamFacts) { w.Sources[0].Active, o.LastSeq, o.Messages = 20*time.Second, 140, 140 }, HopStopped, 40, "sourcing-stopped"},
		"origin gone":        {func(_, o *StreamFacts) { *o = StreamFacts{Known: true} }, HopBroken, 0, "no-origin"},
		"origin made anew":   {func(_, o *StreamFacts) { o.Created, o.LastSeq, o.Messages = epoch(), 7, 7 }, HopBroken, 7, "origin-anew"},
		"anew, nothing told": {func(w, o *StreamFacts) { w.Sources[0].Seq = 0; o.Created, o.LastSeq, o.Messages = epoch(), 7, 7 }, HopBehind, 7, "origin-anew"},
		"expired before":     {func(_, o *StreamFacts) { o.FirstSeq, o.LastSeq, o.Messages = 131, 140, 10 }, HopBehind, 10, ""},
		"purged":             {func(_, o *StreamFacts) { o.FirstSeq, o.LastSeq, o.Messages = 141, 140, 0 }, HopEven, 0, ""},
		"an older server":    {func(w, o *StreamFacts) { w.Sources[0].Seq, w.Sources[0].Lag, o.LastSeq = 0, 5, 140 }, HopBehind, 5, ""},
		"gone in between": {func(w, o *StreamFacts) {
			w.Sources[0].Lag, o.LastSeq, o.Messages = 3, 140, 110
		}, HopBehind, 3, ""},
		"gone in between, and full": {func(w, o *StreamFacts) {
			w.MaxMsgs, w.Sources[0].Lag, o.LastSeq, o.Messages = 10, 3, 140, 110
		}, HopFull, 4, "buffer-full"},
		"the last deleted": {func(_, o *StreamFacts) { o.LastSeq, o.Messages = 140, 100 }, HopEven, 0, ""},
		"filtered":         {func(w, o *StreamFacts) { w.Sources[0].Transforms, o.LastSeq, o.Messages = narrowly(), 140, 140 }, HopEven, 0, ""},
		"the stamp forgotten": {func(w, o *StreamFacts) {
			w.LastSeq, w.Messages, w.Sources[0].Seq, w.Sources[0].Transforms = 0, 0, 0, []Transform{{From: "o.*", To: "{{Partition(2,1)}}.o.{{Wildcard(1)}}"}}
			o.Known, o.Transforms = true, []Transform{{From: "o.*", To: "{{partition(8,1)}}.o.{{wildcard(1)}}"}}
		}, HopBroken, 0, "nothing-matches"},
		"stored before it was stamped": {func(w, o *StreamFacts) {
			w.Sources[0].Transforms = []Transform{{From: "o.*", To: "{{Partition(2,1)}}.o.{{Wildcard(1)}}"}}
			o.Known, o.Transforms = true, []Transform{{From: "o.*", To: "{{partition(8,1)}}.o.{{wildcard(1)}}"}}
		}, HopEven, 0, ""},
		"filtered, and behind": {func(w, o *StreamFacts) {
			w.Sources[0].Transforms, w.Sources[0].Lag, o.LastSeq, o.Messages = narrowly(), 3, 140, 140
		}, HopBehind, 3, ""},
	} {
		work, origin := base()
		c.change(&work, &origin)
		s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(2, "a")}, StreamRead{Name: "S", Facts: origin}, StreamRead{Name: "S-g", Facts: work},
			ConsumersRead{Stream: "S-g", TS: epoch(), Consumers: []*Consumer{consumer("a", "id", epoch(), 0, 1)}})
		g := s.Group(k)
		if g.Hop.State != c.state || g.Hop.Behind != c.behind {
			t.Errorf("%s: %+v, want %s, %d behind", name, g.Hop, c.state, c.behind)
		}
		for _, id := range []string{"buffer-full", "sourcing-stopped", "no-origin", "origin-anew", "nothing-matches", "sourcing-behind"} {
			if (has(g, id) != nil) != (id == c.find) {
				t.Errorf("%s: finding %s: %+v", name, id, g.Findings)
			}
		}
	}
}

func narrowly() []Transform {
	return []Transform{{From: "other.*", To: "{{partition(2,1)}}.other.{{wildcard(1)}}"}}
}

// TestSourcingStops: messages wait at the origin and none comes for a while; and a
// backlog there that goes down is no trouble.
func TestSourcingStops(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(2, "a")})
	read := func(after time.Duration, seq, last uint64) *Group {
		at := epoch().Add(after)
		work := facts("S")
		work.Sources[0].Seq = seq
		s = Reduce(s, at, StreamRead{Name: "S", Facts: StreamFacts{Exists: true, FirstSeq: 1, LastSeq: last, Messages: last}}, StreamRead{Name: "S-g", Facts: work},
			ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{consumer("a", "id", at, 0, 1)}})
		return s.Group(k)
	}
	for i := range 10 {
		if g := read(time.Duration(i)*3*time.Second, uint64(100+i*400), 4200); has(g, "sourcing-stopped") != nil {
			t.Fatalf("it comes: %+v", g.Findings)
		}
	}
	g := read(30*time.Second, 3700, 4200)
	if f := has(g, "sourcing-behind"); f == nil || f.Severity != Warning {
		t.Errorf("%+v", g.Findings)
	}
	g = read(46*time.Second, 3700, 4300)
	if f := has(g, "sourcing-stopped"); f == nil || g.Hop.State != HopStopped || g.Verdict != VerdictDegraded {
		t.Errorf("%+v %+v", g.Hop, g.Findings)
	}
	for i := range 6 {
		g = read(50*time.Second+time.Duration(i)*3*time.Second, 4300, 4300)
	}
	if has(g, "sourcing-behind") != nil || has(g, "sourcing-stopped") != nil {
		t.Errorf("%+v", g.Findings)
	}
}

// TestArriving: what left the origin and is not in the work stream yet, by the server's own
// answer, still waits; unless it does not arrive, or the streams are others.
func TestArriving(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(2, "a")})
	after := time.Duration(0)
	read := func(first, seq, stored, messages uint64) *Group {
		after += time.Second
		at := epoch().Add(after)
		work := facts("S")
		work.Sources[0].Seq, work.LastSeq, work.Messages = seq, stored, messages
		s = Reduce(s, at, StreamRead{Name: "S", Facts: StreamFacts{Known: true, Exists: true, FirstSeq: first, LastSeq: 150, Messages: 151 - first}}, StreamRead{Name: "S-g", Facts: work},
			ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{consumer("a", "id", at, 0, 1)}})
		return s.Group(k)
	}
	for _, c := range []struct {
		what                         string
		first, seq, stored, messages uint64
		behind                       uint64
	}{
		{"begun at 101", 1, 110, 10, 10, 40},
		{"two on their way", 1, 120, 18, 8, 32},
		{"they are there", 1, 120, 20, 10, 30},
		{"the last is on its way", 1, 150, 49, 0, 1},
		{"still", 1, 150, 49, 0, 1},
		{"still", 1, 150, 49, 0, 1},
		{"it was left out", 1, 150, 49, 0, 0},
		{"and stays so", 1, 150, 49, 0, 0},
		{"purged on the way", 140, 150, 45, 0, 0},
	} {
		if g := read(c.first, c.seq, c.stored, c.messages); g.Hop.Behind != c.behind || g.Lag() != c.messages+c.behind {
			t.Errorf("%s: %d behind, lag %d, want %d, %d", c.what, g.Hop.Behind, g.Lag(), c.behind, c.messages+c.behind)
		}
	}
}

// TestSourcingIsGivenTime: what waits at the origin when the streams are first read, which
// is before the server's time is known, has not waited for ever.
func TestSourcingIsGivenTime(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(2, "a")})
	work := facts("S")
	work.Sources[0].Seq = 100
	s = Reduce(s, epoch(), StreamRead{Name: "S", Facts: StreamFacts{Exists: true, FirstSeq: 1, LastSeq: 140, Messages: 140}}, StreamRead{Name: "S-g", Facts: work})
	s = Reduce(s, epoch(), ConsumersRead{Stream: "S-g", TS: epoch(), Consumers: []*Consumer{consumer("a", "id", epoch(), 0, 1)}})
	if g := s.Group(k); g.Hop.State != HopBehind || g.Hop.Behind != 40 || has(g, "sourcing-stopped") != nil {
		t.Errorf("%+v %+v", g.Hop, g.Findings)
	}
	at := epoch().Add(stoppedAfter)
	s = Reduce(s, at, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{consumer("a", "id", at, 0, 1)}})
	if g := s.Group(k); g.Hop.State != HopStopped {
		t.Errorf("%+v", g.Hop)
	}
}
