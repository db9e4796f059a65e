package model

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func sprint(v any) string { return fmt.Sprint(v) }

// TestLagOfTwoTimes: stream state and consumer info read at different times, in either
// order, purged in between or not, never make a number that wraps or is negative, and
// never one beyond what either of them holds.
func TestLagOfTwoTimes(t *testing.T) {
	const most = 1 << 40
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string) uint64 { return rapid.Uint64Range(0, most).Draw(t, name) }
		kind := rapid.SampledFrom([]Kind{KindElastic, KindStatic}).Draw(t, "kind")
		k := Key{Kind: kind, Stream: "S", Group: "g"}
		at := epoch()
		s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(3, "a", "b")})
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.IntRange(0, 5000).Draw(t, "ms")) * time.Millisecond)
			if rapid.IntRange(0, 9).Draw(t, "jumps") == 0 { // as a clock that is set
				at = at.Add(time.Duration(rapid.IntRange(-7200, 7200).Draw(t, "by")) * time.Second)
			}
			var o Observation
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				f := facts("S")
				f.Messages, f.FirstSeq, f.LastSeq, f.Bytes = n("messages"), n("first"), n("last"), n("bytes")
				f.MaxMsgs = rapid.SampledFrom([]int64{-1, 0, 10}).Draw(t, "max")
				f.Sources[0].Seq, f.Sources[0].Lag = n("seq"), n("lag")
				f.Created = at.Add(-time.Duration(rapid.IntRange(0, 60).Draw(t, "age")) * time.Second)
				o = StreamRead{Name: k.ConsumeStream(), Facts: f}
			case 1:
				o = StreamRead{Name: "S", Facts: StreamFacts{Exists: rapid.Bool().Draw(t, "there"), Messages: n("origin's"), FirstSeq: n("first"), LastSeq: n("last"), Created: at.Add(-time.Minute)}}
			case 2:
				c := consumer(k.ConsumerName("a"), "id", at, 0, 1)
				c.Pending, c.AckPending, c.AckFloor, c.Delivered = n("pending"), n("unacked"), n("floor"), n("delivered")
				o = ConsumersRead{Stream: k.ConsumeStream(), TS: at, Consumers: []*Consumer{c}}
			default:
				c := PartitionsCounted{Key: k, Counts: Counts{At: at, Every: time.Second, Hop: &HopCount{Behind: n("hop")}, Reach: &Reach{Stored: n("stored"), Within: n("within")}}}
				for range 3 {
					c.Partitions = append(c.Partitions, Counted{Pending: n("waits"), Newer: n("newer"), HasNewer: rapid.Bool().Draw(t, "has")})
				}
				o = c
			}
			s = Reduce(s, at, o)
			sane(t, s.Group(k), 16*most)
		}
	})
}

type fataler interface{ Fatalf(string, ...any) }

// sane checks that no number of a group is beyond a bound, negative or not a number.
func sane(t fataler, g *Group, most uint64) {
	numbers := map[string]uint64{"lag": g.Lag(), "stray": g.Stray(), "behind": g.Hop.Waiting(), "pending": g.Pending, "unacked": g.AckPending}
	if g.Counts != nil && g.Counts.Reach != nil {
		numbers["beyond reach"] = g.Counts.Reach.Beyond()
	}
	for name, n := range numbers {
		if n > most {
			t.Fatalf("%s is %d", name, n)
		}
	}
	rates := []float64{g.In, g.Out}
	for _, p := range g.Partitions {
		if p.Count != nil {
			rates = append(rates, p.Count.In, p.Count.Out)
		}
	}
	for _, r := range rates {
		if r < 0 || math.IsNaN(r) || math.IsInf(r, 0) {
			t.Fatalf("a rate is %v", r)
		}
	}
	if d, ok := g.Drain(); ok && d < 0 {
		t.Fatalf("drained in %v", d)
	}
	if _, err := json.Marshal(g); err != nil {
		t.Fatalf("%v", err)
	}
	for _, f := range g.Findings {
		if strings.Contains(f.Text, "1844674407") {
			t.Fatalf("a finding wraps: %s", f.Text)
		}
	}
}

// TestLagIsFromOneAnswer: what a consumer tells is its lag whatever the stream's state
// said earlier, and what is made of two answers is marked.
func TestLagIsFromOneAnswer(t *testing.T) {
	k, st := elastic("S", "g"), static("T", "g")
	work := facts("S")
	work.Messages, work.LastSeq, work.Sources[0].Seq = 10, 100, 100
	c := consumer("a", "id", epoch(), 0, 1, 2)
	c.Delivered, c.AckFloor, c.Pending, c.AckPending = 130, 125, 4, 5
	d := consumer("g-a", "id", epoch(), 0, 1, 2)
	d.Delivered, d.AckFloor, d.Pending, d.AckPending = 130, 125, 4, 5
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(3, "a")}, ConfigSeen{Key: st, Revision: 2, Config: config(3, "a")},
		StreamRead{Name: "S", Facts: StreamFacts{Exists: true, LastSeq: 100, Messages: 100, FirstSeq: 1}},
		StreamRead{Name: "S-g", Facts: work}, StreamRead{Name: "T", Facts: StreamFacts{Exists: true, LastSeq: 100}},
		ConsumersRead{Stream: "S-g", TS: epoch(), Consumers: []*Consumer{c}}, ConsumersRead{Stream: "T", TS: epoch(), Consumers: []*Consumer{d}})
	if g := s.Group(st); g.Lag() != 9 || g.About() {
		t.Errorf("static: %d, about %v", g.Lag(), g.About())
	}
	if g := s.Group(k); g.Lag() != 10 || g.About() || g.Stray() != 1 {
		t.Errorf("elastic: %d, about %v", g.Lag(), g.About())
	}
	s = Reduce(s, epoch(), StreamRead{Name: "S", Facts: StreamFacts{Exists: true, LastSeq: 140, Messages: 140, FirstSeq: 1}})
	if g := s.Group(k); g.Lag() != 50 || !g.About() || g.Hop.Behind != 40 {
		t.Errorf("elastic: %d, about %v, %+v", g.Lag(), g.About(), g.Hop)
	}
	s = Reduce(s, epoch(), StreamRead{Name: "S", Facts: StreamFacts{Exists: true, LastSeq: 140, Messages: 0, FirstSeq: 141}})
	if g := s.Group(k); g.Lag() != 10 || g.Hop.State != HopEven {
		t.Errorf("the origin was purged, and %d wait: %+v", g.Lag(), g.Hop)
	}
}

// watched reads one healthy group every second for as long, with the small ups and downs
// of a group under load.
func watched(s *Snapshot, k Key, from time.Time, seconds int, change func(i int, c *Consumer, work *StreamFacts)) (*Snapshot, []*Group) {
	rng := rand.New(rand.NewPCG(1, 2))
	var seen []*Group
	var floor [2]uint64
	for i := range seconds {
		at := from.Add(time.Duration(i)*time.Second + time.Duration(rng.IntN(200))*time.Millisecond)
		var list []*Consumer
		work := facts(k.Stream)
		work.Created = epoch().Add(-time.Hour)
		for j, name := range []string{"a", "b"} {
			parts := []int{0, 1}
			if j == 1 {
				parts = []int{2, 3}
			}
			c := consumer(name, "id"+name, at, parts...)
			floor[j] += 90 + rng.Uint64N(20)
			c.AckWait, c.AckFloor, c.Pending, c.AckPending = 5*time.Second, floor[j], rng.Uint64N(12), rng.Uint64N(2)
			c.Waiting = 1 + rng.IntN(2)
			c.LastDelivered, c.LastAck, c.LastActive = at.Add(-2*time.Millisecond), at.Add(-time.Millisecond), at.Add(-time.Millisecond)
			if change != nil {
				change(i, c, &work)
			}
			work.Messages += c.Lag()
			list = append(list, c)
		}
		work.LastSeq = floor[0] + floor[1]
		work.Sources[0].Seq = work.LastSeq
		origin := StreamFacts{Exists: true, Messages: 1000, FirstSeq: 1, LastSeq: work.LastSeq + rng.Uint64N(30), Created: epoch().Add(-2 * time.Hour)}
		counts := PartitionsCounted{Key: k, Counts: Counts{At: at, Every: time.Second}}
		for range 4 {
			counts.Partitions = append(counts.Partitions, Counted{Pending: rng.Uint64N(6), Oldest: at.Add(-10 * time.Millisecond)})
		}
		s = Reduce(s, at, StreamRead{Name: k.Stream, Facts: origin}, StreamRead{Name: k.ConsumeStream(), Facts: work}, ConsumersRead{Stream: k.ConsumeStream(), TS: at, Consumers: list}, counts)
		seen = append(seen, s.Group(k))
	}
	return s, seen
}

// TestHealthyForTenMinutes: a group under load shows nothing above information, and is
// ok all the time.
func TestHealthyForTenMinutes(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Written: epoch().Add(-time.Hour), Config: config(4, "a", "b")})
	_, seen := watched(s, k, epoch(), 600, nil)
	for i, g := range seen {
		for _, f := range g.Findings {
			if f.Severity != Info {
				t.Fatalf("second %d: %+v", i, f)
			}
		}
		if g.Verdict != VerdictOK {
			t.Fatalf("second %d: %s", i, g.Verdict)
		}
		if len(g.History) > HistoryLen || len(g.samples) > HistoryLen {
			t.Fatalf("second %d: the history holds %d and %d", i, len(g.History), len(g.samples))
		}
	}
	last := seen[len(seen)-1]
	if !last.Window.Complete || last.Window.Span != WindowNeed || seen[3].Window.Complete {
		t.Errorf("windows %+v and %+v", seen[3].Window, last.Window)
	}
}

func has(g *Group, id string) *Finding {
	if i := slices.IndexFunc(g.Findings, func(f Finding) bool { return f.ID == id }); i >= 0 {
		return &g.Findings[i]
	}
	return nil
}

// TestBehind: a lag that grows while acks move is told once the window is complete, and
// not before; a single burst that drains is not.
func TestBehind(t *testing.T) {
	k := elastic("S", "g")
	start := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Written: epoch().Add(-time.Hour), Config: config(4, "a", "b")})
	_, seen := watched(start, k, epoch(), 60, func(i int, c *Consumer, _ *StreamFacts) { c.Pending += uint64(40 * i) })
	for i, g := range seen {
		if f := has(g, "behind"); f != nil && !g.Window.Complete {
			t.Fatalf("second %d: judged over %v", i, g.Window.Span)
		}
	}
	if g := seen[59]; g.Verdict != VerdictBehind || has(g, "behind") == nil {
		t.Errorf("%s %+v", g.Verdict, g.Findings)
	}
	if f := has(seen[59], "behind"); !strings.HasPrefix(f.Brief, "lag +") || strings.Contains(f.Text, "nobody") {
		t.Errorf("%+v", f)
	}
	// What nobody consumes grows, too, but no member is behind with it.
	_, seen = watched(start, k, epoch(), 60, func(i int, c *Consumer, work *StreamFacts) {
		if c.Name == "a" {
			work.Messages += uint64(80 * i)
		}
	})
	for i, g := range seen {
		if f := has(g, "behind"); f != nil || i > 0 && g.Lag() < uint64(80*i) {
			t.Fatalf("second %d: lag %d, %+v", i, g.Lag(), f)
		}
	}
	_, seen = watched(start, k, epoch(), 120, func(i int, c *Consumer, _ *StreamFacts) {
		if i >= 40 && i < 50 {
			c.Pending += uint64(50 * (50 - i))
		}
	})
	for i, g := range seen {
		if has(g, "behind") != nil {
			t.Fatalf("second %d: a burst that drains counts as behind: %+v", i, g.Findings)
		}
	}
}

// TestGrowthIsTold: what is said of a growing lag is what happened, and where nobody consumes
// it is that which is wrong.
func TestGrowthIsTold(t *testing.T) {
	k := elastic("S", "g")
	six := config(6, "a", "b", "c") // nobody runs c
	start := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Written: epoch().Add(-time.Hour), Config: six})
	run := func(members, nobody int) *Group {
		_, seen := watched(start, k, epoch(), 60, func(i int, c *Consumer, work *StreamFacts) {
			if c.Name == "a" {
				c.Pending += uint64(members * i)
				work.Messages += uint64(nobody * i)
			}
		})
		return seen[59]
	}
	numbers := func(text string) (lag uint64, span time.Duration, in, out float64, stray uint64) {
		t.Helper()
		m := regexp.MustCompile(`^lag grew by (\d+) in (\S+) to \d+: (\d+)/s in (\d+)/s out(?:; what nobody consumes grew by (\d+) in \S+)?$`).FindStringSubmatch(strings.ReplaceAll(text, ",", ""))
		if m == nil {
			t.Fatalf("%q", text)
		}
		fmt.Sscan(m[1], &lag)
		span, _ = time.ParseDuration(m[2])
		fmt.Sscan(m[3], &in)
		fmt.Sscan(m[4], &out)
		fmt.Sscan(m[5], &stray)
		return lag, span, in, out, stray
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 0.1*want {
			t.Errorf("%s: %v, want about %v", what, got, want)
		}
	}

	g := run(40, 30) // acknowledged are about 200 a second
	f := has(g, "behind")
	if f == nil {
		t.Fatalf("%s %+v", g.Verdict, g.Findings)
	}
	if first := g.Findings[0]; g.Verdict != VerdictBehind || first.ID != "absent" || first.Member != "c" {
		t.Errorf("faster handlers do not run c: %s %+v", g.Verdict, first)
	}
	lag, span, in, out, stray := numbers(f.Text)
	near("lag", float64(lag), 70*span.Seconds())
	near("stray", float64(stray), 30*span.Seconds())
	near("out", out, 200)
	near("in", in, 270)
	near("the column", g.In, 270)
	if span < 29*time.Second || span > 34*time.Second {
		t.Errorf("over %v", span)
	}

	g = run(0, 30)
	if has(g, "behind") != nil || g.Verdict != VerdictDegraded {
		t.Errorf("nothing is amiss but that nobody runs c: %s %+v", g.Verdict, g.Findings)
	}
	if f := g.Findings[0]; f.ID != "absent" || !strings.Contains(f.Text, "what nobody consumes grew by") {
		t.Errorf("%+v", f)
	}
	near("the column", g.In, 230)

	start = Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Written: epoch().Add(-time.Hour), Config: config(4, "a", "b")})
	g = run(40, 0)
	if _, _, in, out, stray := numbers(has(g, "behind").Text); stray != 0 || in-out < 35 || in-out > 45 {
		t.Errorf("%+v", g.Findings)
	}
	if f := g.Findings[0]; f.ID != "behind" {
		t.Errorf("everybody runs, and the lag grows: %+v", f)
	}
}

// A hot partition is named by what waits where somebody consumes: what piles up for nobody
// would hide it.
func TestAHotPartitionBesideOnesThatNobodyRuns(t *testing.T) {
	k := elastic("S", "g")
	found := func(counts ...uint64) string {
		counted := PartitionsCounted{Key: k, Counts: Counts{At: epoch(), Every: time.Second}}
		for _, n := range counts {
			counted.Partitions = append(counted.Partitions, Counted{Pending: n})
		}
		s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(6, "a", "b", "c")}, StreamRead{Name: "S-g", Facts: facts("S")},
			ConsumersRead{Stream: "S-g", TS: epoch(), Consumers: []*Consumer{consumer("a", "X", epoch(), 0, 1), consumer("b", "Y", epoch(), 2, 3)}})
		if f := has(Reduce(s, epoch(), counted).Group(k), "whale"); f != nil {
			return f.Text
		}
		return ""
	}
	for want, counts := range map[string][]uint64{
		"partition 1 (a) holds 67 % of what waits where somebody consumes: 200 of 300 messages": {20, 200, 40, 40, 900, 900},
		"partition 1 (a) holds 83 % of the lag: 1,000 of 1,200 messages":                        {50, 1000, 50, 50, 25, 25},
		"partition 4 (c) holds 91 % of the lag: 2,000 of 2,204 messages":                        {1, 1, 1, 1, 2000, 200},
		"": {20, 60, 5, 5, 900, 900}, // that is not much
	} {
		if got := found(counts...); got != want {
			t.Errorf("%d: %q, want %q", counts, got, want)
		}
	}
}

// TestStalled: lag without acks for twice the ack wait, judged from when the lag was
// there for sure.
func TestStalled(t *testing.T) {
	k := elastic("S", "g")
	start := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Written: epoch().Add(-time.Hour), Config: config(4, "a", "b")})
	var stood time.Time
	_, seen := watched(start, k, epoch(), 60, func(i int, c *Consumer, _ *StreamFacts) {
		if i < 20 || c.Name != "a" {
			return
		}
		if i == 20 {
			stood = c.TS
		}
		c.AckFloor, c.LastAck, c.LastDelivered, c.Pending = 2000, stood, stood, 500+uint64(i)
	})
	for i, g := range seen {
		f := has(g, "stalled")
		if want := i >= 31; want != (f != nil) && i != 30 {
			t.Fatalf("second %d: %+v", i, g.Findings)
		}
		if f != nil && (f.Member != "a" || g.Verdict != VerdictStalled || f.Severity != Critical) {
			t.Fatalf("second %d: %s %+v", i, g.Verdict, f)
		}
	}
	// A group that was idle for an hour and has just got a message does not stall.
	quiet := consumer("a", "id", epoch(), 0, 1)
	quiet.AckWait, quiet.LastAck, quiet.LastDelivered, quiet.Created = 5*time.Second, epoch().Add(-time.Hour), epoch().Add(-time.Hour), epoch().Add(-2*time.Hour)
	fresh := *quiet
	fresh.TS, fresh.Pending = epoch().Add(time.Second), 1
	s := Reduce(start, epoch(), ConsumersRead{Stream: "S-g", TS: epoch(), Consumers: []*Consumer{quiet}})
	s = Reduce(s, epoch(), ConsumersRead{Stream: "S-g", TS: fresh.TS, Consumers: []*Consumer{&fresh}})
	if f := has(s.Group(k), "stalled"); f != nil {
		t.Errorf("%+v", f)
	}
	// Seen for the first time, it stalls only if its messages are known to be that old.
	s = Reduce(start, epoch(), ConsumersRead{Stream: "S-g", TS: fresh.TS, Consumers: []*Consumer{&fresh}})
	if f := has(s.Group(k), "stalled"); f != nil {
		t.Errorf("%+v", f)
	}
	counted := PartitionsCounted{Key: k, Counts: Counts{At: fresh.TS, Every: time.Second}, Partitions: []Counted{{Pending: 1, Oldest: fresh.TS.Add(-time.Minute)}, {}, {}, {}}}
	if f := has(Reduce(s, epoch(), counted).Group(k), "stalled"); f == nil {
		t.Error("its message waits for a minute, and it does not count as stalled")
	}
	// What may have been handled since proves nothing.
	counted.Partitions[0].AtMost = true
	if g := Reduce(s, epoch(), counted).Group(k); has(g, "stalled") != nil || !g.Oldest().IsZero() {
		t.Errorf("its message may be another one by now: %+v", g.Findings)
	}
}
