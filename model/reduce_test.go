package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func epoch() time.Time { return time.Date(2026, 11, 29, 14, 0, 0, 0, time.UTC) }

func elastic(stream, group string) Key {
	return Key{Kind: KindElastic, Stream: stream, Group: group}
}

func static(stream, group string) Key { return Key{Kind: KindStatic, Stream: stream, Group: group} }

func config(n int, members ...string) *Config {
	return &Config{Partitions: n, Filters: []Filter{{Subject: "o.*", Wildcards: []int{1}}}, Members: members}
}

func facts(source string) StreamFacts {
	return StreamFacts{Exists: true, MaxMsgs: -1, MaxBytes: -1, Sources: []Source{{Name: source}}}
}

// consumer is a consumer that somebody pulls from, for the given partitions.
func consumer(name, pin string, at time.Time, partitions ...int) *Consumer {
	c := &Consumer{Name: name, Waiting: 2, PriorityGroup: "PCG", PinID: pin, TS: at, Created: epoch()}
	if pin != "" {
		c.PinnedAt = epoch()
	}
	for _, p := range partitions {
		c.Filters = append(c.Filters, fmt.Sprintf("%d.o.*", p))
	}
	return c
}

// On a server that is too old to pin, starting more instances helps nobody.
func TestServerWithoutPins(t *testing.T) {
	k, at := elastic("ORDERS", "cg"), epoch().Add(time.Minute)
	m1 := consumer("m1", "", at, 0)
	m1.Waiting, m1.PriorityGroup, m1.NoPins = 0, "", true
	g := Reduce(nil, at,
		ConfigSeen{Key: k, Revision: 3, Config: config(1, "m1")},
		StreamRead{Name: "ORDERS-cg", Facts: facts("ORDERS")},
		ConsumersRead{Stream: "ORDERS-cg", TS: at, Consumers: []*Consumer{m1}}).Group(k)
	if !slices.ContainsFunc(g.Findings, func(f Finding) bool {
		return f.ID == "no-pull" && strings.Contains(f.Text, "its server is older than 2.11") && strings.Contains(f.Hint, "run nats-server 2.11")
	}) {
		t.Errorf("%+v", g.Findings)
	}
}

// Without its work stream there is no clock to say for how long a member is gone.
func TestGoneWithTheWorkStream(t *testing.T) {
	k, at := elastic("ORDERS", "cg"), epoch().Add(time.Minute)
	s := Reduce(nil, at,
		ConfigSeen{Key: k, Revision: 3, Config: config(1, "m1")},
		StreamRead{Name: "ORDERS-cg", Facts: facts("ORDERS")},
		ConsumersRead{Stream: "ORDERS-cg", TS: at, Consumers: []*Consumer{consumer("m1", "id", at, 0)}})
	s = Reduce(s, at.Add(time.Second), ConsumerDeleted{Stream: "ORDERS-cg", Consumer: "m1", At: at.Add(time.Second)})
	s = Reduce(s, at.Add(time.Minute), StreamRead{Name: "ORDERS-cg", Facts: StreamFacts{Known: true}})
	for _, f := range s.Group(k).Findings {
		if f.ID == "absent" && !strings.HasPrefix(f.Text, "m1 gone: it owns") {
			t.Errorf("%q", f.Text)
		}
	}
}

func TestStates(t *testing.T) {
	k, at := elastic("ORDERS", "cg"), epoch().Add(time.Minute)
	paused, silent := consumer("m3", "", at, 3), consumer("m4", "", at, 4)
	paused.Paused, paused.PauseRemaining = true, 9*time.Second
	silent.Waiting = 0
	s := Reduce(nil, at,
		ConfigSeen{Key: k, Revision: 3, Config: config(6, "m1", "m2", "m3", "m4", "m5", "b.d")},
		StreamRead{Name: "ORDERS-cg", Facts: facts("ORDERS")},
		ConsumersRead{Stream: "ORDERS-cg", TS: at, Consumers: []*Consumer{consumer("m1", "id1", at, 1), consumer("m2", "", at, 2), paused, silent, consumer("stranger", "", at, 9)}})
	g := s.Group(k)
	want := map[string]State{"m1": StatePinned, "m2": StateWaiting, "m3": StatePaused, "m4": StateNoPull, "m5": StateAbsent, "b.d": StateCannotRun, "stranger": StateForeign}
	for name, state := range want {
		if m := g.Member(name); m == nil || m.State != state {
			t.Errorf("%s: %+v, want %s", name, m, state)
		}
	}
	for _, id := range []string{"absent", "unowned", "cannot-run", "paused", "no-pull", "foreign"} {
		if !slices.ContainsFunc(g.Findings, func(f Finding) bool { return f.ID == id }) {
			t.Errorf("no finding %s in %+v", id, g.Findings)
		}
	}
	if g.Verdict != VerdictDegraded {
		t.Errorf("verdict %s", g.Verdict)
	}
}

// TestSurplusMember: a member without a partition is said to stand by, not to be absent.
func TestSurplusMember(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(2, "a", "b", "c")},
		ConsumersRead{Stream: "S-g", TS: epoch(), Consumers: []*Consumer{consumer("a", "", epoch(), 0), consumer("b", "", epoch(), 1)}})
	m := s.Group(k).Member("c")
	if m.State != StateNoPartition || m.Why != "standby, no partition (3 members, 2 partitions)" {
		t.Errorf("%s: %s", m.State, m.Why)
	}
	if v := s.Group(k).Verdict; v != VerdictIdle {
		t.Errorf("verdict %s: a spare member is nothing wrong", v)
	}
}

// TestRevisionNeverGoesBack delivers configs of one key in random order, with
// removals: the newest one always wins.
func TestRevisionNeverGoesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := elastic("S", "g")
		order := rapid.Permutation([]uint64{1, 2, 3, 4, 5, 6, 7, 8}).Draw(t, "order")
		gone := rapid.Uint64Range(7, 9).Draw(t, "removed at")
		var s *Snapshot
		var newest uint64
		for _, rev := range order {
			var o Observation = ConfigSeen{Key: k, Revision: rev, Config: config(int(rev), "m")}
			if rev == gone {
				o = ConfigGone{Key: k, Revision: rev}
			}
			before := newest
			s = Reduce(s, epoch(), o)
			if g := s.Group(k); g != nil {
				newest = g.Revision
				if newest < before || g.Config.Partitions != int(newest) {
					t.Fatalf("revision went from %d to %d", before, newest)
				}
			}
		}
		g := s.Group(k)
		if gone == 8 && g != nil {
			t.Fatalf("removed at revision 8, and still there at %d", g.Revision)
		}
		if gone != 8 && (g == nil || g.Revision != 8) {
			t.Fatalf("want revision 8, have %+v", g)
		}
	})
}

func TestUnreadableKeepsTheLastGoodConfig(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 3, Config: config(4, "m1")}, ConfigSeen{Key: elastic("S", "h"), Revision: 4, Config: config(2, "x")})
	s = Reduce(s, epoch(), ConfigSeen{Key: k, Revision: 5, Problem: "bad JSON"})
	g := s.Group(k)
	if g.Verdict != VerdictUnreadable || g.Config.Partitions != 4 || g.Revision != 3 || g.UnreadableRevision != 5 {
		t.Errorf("%+v", g)
	}
	if text := g.Findings[0].Text; text != "unreadable config: bad JSON, revision 5; showing revision 3, old" {
		t.Errorf("%q", text)
	}
	if s.Group(elastic("S", "h")).Unreadable != "" {
		t.Error("another group is touched")
	}
	if s = Reduce(s, epoch(), ConfigSeen{Key: k, Revision: 6, Config: config(4, "m2")}); s.Group(k).Unreadable != "" {
		t.Error("a good config does not mend it")
	}
}

// TestCollidingStaticNames: consumer a-b-c can be member c of a-b or b-c of a.
func TestCollidingStaticNames(t *testing.T) {
	ab, a := static("S", "a-b"), static("S", "a")
	s := Reduce(nil, epoch(),
		ConfigSeen{Key: ab, Revision: 1, Config: config(4, "c")},
		ConfigSeen{Key: a, Revision: 2, Config: config(4, "b-c", "z")},
		ConsumersRead{Stream: "S", TS: epoch(), Consumers: []*Consumer{consumer("a-b-c", "id", epoch(), 0, 1, 2, 3)}})
	if m := s.Group(a).Member("b-c"); m.State != StateElsewhere || !strings.Contains(m.Why, "consumer belongs to another group: S/a-b") {
		t.Errorf("a/b-c: %s %q", m.State, m.Why)
	}
	if m := s.Group(ab).Member("c"); m.State != StatePinned {
		t.Errorf("a-b/c: %s", m.State)
	}
	if n := len(s.Group(a).Members); n != 2 {
		t.Errorf("%d members of a: a consumer of a-b is taken for a foreign one", n)
	}
}

func TestCollidingWorkStreams(t *testing.T) {
	ours, theirs := elastic("A", "B-C"), elastic("A-B", "C")
	s := Reduce(nil, epoch(), ConfigSeen{Key: ours, Revision: 1, Config: config(2, "m")}, ConfigSeen{Key: theirs, Revision: 2, Config: config(2, "m")},
		StreamRead{Name: "A-B-C", Facts: facts("A")},
		ConsumersRead{Stream: "A-B-C", TS: epoch(), Consumers: []*Consumer{consumer("m", "id", epoch(), 0, 1)}})
	if g := s.Group(theirs); g.Verdict != VerdictBroken || g.Member("m").State != StateElsewhere || g.Member("m").Elsewhere != "A/B-C" {
		t.Errorf("%s %+v", g.Verdict, g.Member("m"))
	}
	if g := s.Group(ours); g.Verdict.InNeed() {
		t.Errorf("%s %+v", g.Verdict, g.Findings)
	}
}

// TestPins: an advisory shows at once, an answer that is older than it does not undo
// it, and no age comes from a zero time.
func TestPins(t *testing.T) {
	k, at := elastic("S", "g"), epoch().Add(time.Hour)
	s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(2, "m")}, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{consumer("m", "", at, 0, 1)}})
	if c := s.Group(k).Member("m").Consumer; c.PinID != "" || !c.PinnedAt.IsZero() {
		t.Fatalf("%+v", c)
	}
	s = Reduce(s, at, PinSeen{Stream: "S-g", Consumer: "m", PriorityGroup: "PCG", PinID: "abcdefgh", At: at.Add(time.Second)})
	if m := s.Group(k).Member("m"); m.State != StatePinned || m.Consumer.PinID != "abcdefgh" {
		t.Fatalf("%+v", m)
	}
	old := consumer("m", "", at.Add(500*time.Millisecond), 0, 1)
	s = Reduce(s, at, ConsumersRead{Stream: "S-g", TS: old.TS, Consumers: []*Consumer{old}})
	if m := s.Group(k).Member("m"); m.State != StatePinned {
		t.Errorf("an older answer undid the pin: %s", m.State)
	}
	s = Reduce(s, at, PinSeen{Stream: "S-g", Consumer: "m", Reason: "admin", At: at.Add(13 * time.Second)})
	if m := s.Group(k).Member("m"); m.State != StateWaiting || !m.Consumer.PinnedAt.IsZero() {
		t.Errorf("%+v", m)
	}
	if e := s.Events[0]; e.Text != "unpinned (admin) after 12s, was …cdefgh" || e.Member != "m" || e.Key != k {
		t.Errorf("%+v", e)
	}
}

func TestRates(t *testing.T) {
	k, at := elastic("S", "g"), epoch()
	read := func(s *Snapshot, after time.Duration, acked, pending uint64) *Snapshot {
		c := consumer("m", "id", at.Add(after), 0, 1)
		c.AckFloor, c.Pending = acked, pending
		return Reduce(s, at, ConsumersRead{Stream: "S-g", TS: c.TS, Consumers: []*Consumer{c}})
	}
	s := read(Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(2, "m")}), 0, 100, 10)
	s = read(s, 2*time.Second, 200, 40)
	if g := s.Group(k); g.Out != 50 || g.In != 65 || g.Lag() != 40 {
		t.Errorf("out %v in %v lag %d", g.Out, g.In, g.Lag())
	}
	s = read(s, 4*time.Second, 50, 0) // purged or made anew: never negative
	if g := s.Group(k); g.Out != 0 || g.In != 0 {
		t.Errorf("out %v in %v", g.Out, g.In)
	}
}

func TestBucketResetForgetsItsGroups(t *testing.T) {
	e, st := elastic("S", "g"), static("S", "g")
	s := Reduce(nil, epoch(), BucketSeen{Kind: KindElastic, Exists: true}, ConfigSeen{Key: e, Revision: 9, Config: config(2, "m")}, ConfigSeen{Key: st, Revision: 9, Config: config(2, "m")})
	s = Reduce(s, epoch(), BucketSeen{Kind: KindElastic})
	if s.Group(e) != nil || s.Group(st) == nil {
		t.Errorf("%+v", s.Groups)
	}
	s = Reduce(s, epoch(), BucketSeen{Kind: KindElastic, Exists: true, Reset: true}, ConfigSeen{Key: e, Revision: 1, Config: config(3, "m")})
	if g := s.Group(e); g == nil || g.Revision != 1 {
		t.Errorf("%+v: a new bucket counts from 1 again", g)
	}
}

// TestSnapshotsShare: what did not change is the same memory, and a snapshot in
// somebody's hands never changes.
func TestSnapshotsShare(t *testing.T) {
	var seen []Observation
	for i := range 50 {
		seen = append(seen, ConfigSeen{Key: elastic("S", fmt.Sprint(i)), Revision: uint64(i + 1), Config: config(4, "m")})
	}
	a := Reduce(nil, epoch(), seen...)
	keep := a.Group(elastic("S", "7"))
	revision := keep.Revision
	b := Reduce(a, epoch(), ConfigSeen{Key: elastic("S", "7"), Revision: 99, Config: config(5, "m", "n")}, ConfigGone{Key: elastic("S", "8"), Revision: 100})
	if keep.Revision != revision || len(a.Groups) != 50 || len(b.Groups) != 49 || a.Group(elastic("S", "8")) == nil {
		t.Fatal("the earlier snapshot changed")
	}
	for _, g := range b.Groups {
		if g.Key.Group != "7" && a.Group(g.Key) != g {
			t.Errorf("%s was copied though nothing changed", g.Key)
		}
	}
	if b.Seq != a.Seq+1 {
		t.Error("sequence")
	}
}

func TestEventsAreBounded(t *testing.T) {
	var s *Snapshot
	for i := range MaxEvents + 50 {
		s = Reduce(s, epoch(), EventSeen{Event{Kind: EventAction, Text: fmt.Sprint(i)}})
	}
	if len(s.Events) != MaxEvents || s.Events[0].Text != fmt.Sprint(MaxEvents+49) {
		t.Errorf("%d events, newest %q", len(s.Events), s.Events[0].Text)
	}
}

func TestIdle(t *testing.T) {
	k, at := elastic("S", "g"), epoch()
	c := consumer("m", "id", at, 0, 1)
	c.LastActive = at.Add(-2 * time.Second)
	s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(2, "m")}, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}})
	if v := s.Group(k).Verdict; v != VerdictOK {
		t.Errorf("%s, though a message was handled 2 s ago", v)
	}
	late := *c
	late.TS = at.Add(time.Minute)
	late.PullSeen = late.TS
	if v := Reduce(s, at, ConsumersRead{Stream: "S-g", TS: late.TS, Consumers: []*Consumer{&late}}).Group(k).Verdict; v != VerdictIdle {
		t.Errorf("%s after a quiet minute", v)
	}
}

// TestStrayUnpin: the server still tells the end of a pin of a consumer that was deleted
// and made again; the new one's pin cannot have timed out before its time.
func TestStrayUnpin(t *testing.T) {
	k, at := elastic("S", "g"), epoch()
	c := consumer("m", "new", at, 0, 1)
	c.AckWait, c.PinnedAt = 5*time.Second, at
	s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(2, "m")}, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}})
	stray := PinSeen{Stream: "S-g", Consumer: "m", Reason: "timeout", At: at.Add(3 * time.Second)}
	if s = Reduce(s, at, stray); s.Group(k).Member("m").State != StatePinned || len(s.Events) != 0 {
		t.Errorf("%s, events %+v", s.Group(k).Member("m").State, s.Events)
	}
	real := stray
	real.At = at.Add(6 * time.Second)
	if s = Reduce(s, at, real); s.Group(k).Member("m").State != StateWaiting || len(s.Events) != 1 {
		t.Errorf("%s, events %+v", s.Group(k).Member("m").State, s.Events)
	}
	if s = Reduce(s, at, real); len(s.Events) != 1 {
		t.Error("an unpin of nobody is told")
	}
}

func TestEventsInOrder(t *testing.T) {
	var s *Snapshot
	for _, sec := range []int{1, 3, 2, 5, 4} {
		s = Reduce(s, epoch(), EventSeen{Event{At: epoch().Add(time.Duration(sec) * time.Second), Text: fmt.Sprint(sec)}})
	}
	got := ""
	for _, e := range s.Events {
		got += e.Text
	}
	if got != "54321" {
		t.Error(got)
	}
}
