package model

import (
	"strings"
	"testing"
	"time"
)

// life is a group of two members that is read every second: b is well all the time, and a
// is what the story makes of it.
type life struct {
	t   *testing.T
	k   Key
	s   *Snapshot
	sec int
	n   uint64 // acknowledged by b
}

func newLife(t *testing.T) *life {
	k := elastic("S", "g")
	return &life{t: t, k: k, s: Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Written: epoch().Add(-time.Hour), Config: config(4, "a", "b")}, StreamRead{Name: "S-g", Facts: facts("S")})}
}

func (l *life) now() time.Time { return epoch().Add(time.Duration(l.sec) * time.Second) }

// healthy is a consumer at work, read now, that was made at a second.
func (l *life) healthy(name string, made int, acked uint64, partitions ...int) *Consumer {
	c := consumer(name, "id"+name, l.now(), partitions...)
	c.Created, c.AckWait, c.AckFloor, c.Pending = epoch().Add(time.Duration(made)*time.Second), 5*time.Second, acked, 3
	if acked > 0 {
		c.LastDelivered, c.LastAck, c.LastActive = l.now().Add(-2*time.Millisecond), l.now().Add(-time.Millisecond), l.now().Add(-time.Millisecond)
	}
	return c
}

// reads reads so many times, with a's consumer as it is by then; nil: there is none.
func (l *life) reads(seconds int, a func() *Consumer, check func(g *Group)) {
	l.t.Helper()
	for range seconds {
		l.sec++
		l.n += 100
		list := []*Consumer{l.healthy("b", -3600, l.n, 2, 3)}
		if c := a(); c != nil {
			list = append(list, c)
		}
		l.s = Reduce(l.s, l.now(), ConsumersRead{Stream: "S-g", TS: l.now(), Consumers: list})
		check(l.s.Group(l.k))
	}
}

// deleted is the server's word that a's consumer is gone, half a second after the last read.
func (l *life) deleted(check func(g *Group)) {
	at := l.now().Add(time.Second / 2)
	l.s = Reduce(l.s, at, ConsumerDeleted{Stream: "S-g", Consumer: "a", At: at})
	check(l.s.Group(l.k))
}

func (l *life) is(what string, want ...Verdict) func(*Group) {
	return func(g *Group) {
		l.t.Helper()
		for _, v := range want {
			if g.Verdict == v {
				return
			}
		}
		l.t.Errorf("%s, second %d: %s, want %s: %+v", what, l.sec, g.Verdict, want, g.Findings)
	}
}

// A member that died stays unwell when its consumer goes, too, and when somebody makes one
// anew, until it acknowledges something. The consumer of one that was well may go and come.
func TestUnwellStaysUnwell(t *testing.T) {
	l := newLife(t)
	made, acked := -3600, uint64(1)
	working := func() *Consumer { acked += 100; return l.healthy("a", made, acked, 0, 1) }
	l.reads(5, working, l.is("at work", VerdictOK))
	l.deleted(l.is("its consumer is made anew", VerdictOK))
	made, acked = l.sec+1, 0
	l.reads(5, working, l.is("made anew", VerdictOK))
	died := l.sec
	dead := func() *Consumer {
		c := l.healthy("a", made, acked, 0, 1)
		c.Waiting, c.LastDelivered = 0, epoch().Add(time.Duration(died)*time.Second)
		c.LastAck, c.LastActive, c.PinID = c.LastDelivered, c.LastDelivered, ""
		return c
	}
	l.reads(1, dead, func(*Group) {}) // it may have pulled a moment ago
	l.reads(3, dead, l.is("nobody pulls", VerdictDegraded))
	gone := l.is("its consumer is gone", VerdictDegraded)
	l.deleted(func(g *Group) {
		gone(g)
		if f := has(g, "absent"); f == nil || f.Severity != Warning {
			t.Errorf("%+v", f)
		}
	})
	l.reads(12, func() *Consumer { return nil }, gone)
	made = l.sec + 1
	begun := func() *Consumer { return l.healthy("a", made, 0, 0, 1) }
	l.reads(4, begun, func(g *Group) {
		l.is("it has a consumer, and acknowledged nothing", VerdictDegraded)(g)
		if f := has(g, "nothing-acked"); f == nil || f.Member != "a" || !strings.Contains(f.Text, "3 messages wait") {
			t.Errorf("second %d: %+v", l.sec, g.Findings)
		}
	})
	acked = 0
	l.reads(5, working, l.is("it acknowledges", VerdictOK))
}

// Who stands by without work is well as soon as somebody pulls.
func TestWellWithoutMessages(t *testing.T) {
	l := newLife(t)
	l.reads(2, func() *Consumer { return nil }, l.is("never seen", VerdictDegraded))
	made := l.sec + 1
	l.reads(2, func() *Consumer {
		c := l.healthy("a", made, 0, 0, 1)
		c.Pending = 0
		return c
	}, l.is("nothing waits", VerdictOK))
}

// A count from before a member went does not say that nothing waits there since.
func TestNothingWaitsIsCountedSince(t *testing.T) {
	l := newLife(t)
	counted := func(at time.Time) string {
		l.s = Reduce(l.s, at, PartitionsCounted{Key: l.k, Counts: Counts{At: at, Every: time.Minute}, Partitions: make([]Counted, 4)})
		return has(l.s.Group(l.k), "absent").Text
	}
	l.reads(2, func() *Consumer { return l.healthy("a", -3600, 9, 0, 1) }, l.is("at work", VerdictOK))
	before := l.now()
	l.deleted(func(*Group) {})
	if text := counted(before); strings.Contains(text, "nothing waits") {
		t.Error(text)
	}
	if text := counted(before.Add(time.Second)); !strings.HasSuffix(text, ", nothing waits there") {
		t.Error(text)
	}
}

// A handler slower than the ack wait loses one consumer after the other. What is known of the
// member goes on with each of them: once it is stalled it stays so until something flows, and
// says why.
func TestSlowHandlerStaysStalled(t *testing.T) {
	l := newLife(t)
	made, pending := 0, uint64(0)
	// One message is handed out as the consumer is made; after two seconds nobody pulls.
	busy := func() *Consumer {
		c := l.healthy("a", made, 0, 0, 1)
		pending += 10
		c.Pending, c.AckPending, c.AckWait, c.LastDelivered = pending, 1, 3*time.Second, c.Created
		if l.sec-made > 2 {
			c.Waiting, c.PinID = 0, ""
		}
		return c
	}
	reached := 0
	check := func(g *Group) {
		switch f := has(g, "stalled"); {
		case reached == 0 && g.Verdict == VerdictStalled:
			reached = l.sec
		case reached > 0 && (f == nil || g.Verdict != VerdictStalled || f.Member != "a"):
			t.Fatalf("second %d, stalled since %d: %s, %+v", l.sec, reached, g.Verdict, g.Findings)
		case l.sec > 30 && !strings.HasPrefix(f.Text, "a stalled: its handler hangs, or is slower than the ack wait of 3s: "):
			t.Fatalf("second %d: %s", l.sec, f.Text)
		case l.sec > 30 && f.Brief != Thousands(l.s.Group(l.k).Member("a").lag())+" stalled, slow handler: a":
			t.Fatalf("second %d: %s", l.sec, f.Brief)
		}
	}
	for made = 1; made < 50; made = l.sec + 1 { // each lives for less than twice the ack wait
		l.reads(5, busy, check)
		l.deleted(check)
		l.reads(1, func() *Consumer { return nil }, check)
	}
	if reached == 0 || reached > 8 {
		t.Errorf("stalled at second %d", reached)
	}
	acked := uint64(0)
	l.reads(5, func() *Consumer { acked += 100; return l.healthy("a", made, acked, 0, 1) }, l.is("it acknowledges", VerdictDegraded, VerdictOK)) // its pins flapped
}

// What is not known for sure does not count: messages may have been acknowledged while nobody
// looked, or the membership changed.
func TestDroughtIsForSure(t *testing.T) {
	for name, c := range map[string]struct {
		unseen int // seconds in which nobody looked, before the consumer was made anew
		config uint64
	}{"nobody looked": {30, 0}, "the membership changed": {0, 2}} {
		l := newLife(t)
		made := 1
		stuck := func() *Consumer {
			c := l.healthy("a", made, 0, 0, 1)
			c.AckPending, c.LastDelivered = 1, c.Created
			return c
		}
		l.reads(8, stuck, l.is(name+": not for long enough", VerdictOK))
		l.sec += c.unseen
		if c.config > 0 {
			l.s = Reduce(l.s, l.now(), ConfigSeen{Key: l.k, Revision: c.config, Written: l.now(), Config: config(4, "a", "b", "c")})
		}
		made = l.sec + 1
		l.reads(8, stuck, func(g *Group) {
			if f := has(g, "stalled"); f != nil {
				t.Errorf("%s, second %d: %s", name, l.sec, f.Text)
			}
		})
	}
}

// At first sight a consumer that is new and acknowledged nothing says little; for how long the
// messages have waited does.
func TestNothingAckedAtFirstSight(t *testing.T) {
	for name, c := range map[string]struct {
		waits, written time.Duration // ago
		acked          uint64
		found          bool
	}{
		"old messages":           {time.Minute, time.Hour, 0, true},
		"it acknowledged":        {time.Minute, time.Hour, 4, false},
		"new messages":           {4 * time.Second, time.Hour, 0, false},
		"a new group":            {time.Minute, 15 * time.Second, 0, true},
		"a group of this second": {time.Minute, 5 * time.Second, 0, false},
	} {
		l := newLife(t)
		l.s = Reduce(nil, epoch(), ConfigSeen{Key: l.k, Revision: 1, Written: epoch().Add(-c.written), Config: config(4, "a", "b")}, StreamRead{Name: "S-g", Facts: facts("S")})
		l.reads(1, func() *Consumer {
			one := l.healthy("a", -1, c.acked, 0, 1)
			one.AckPending = 1
			return one
		}, func(g *Group) {
			if g.Doubtful() != (c.acked == 0) {
				t.Errorf("%s: doubtful: %v", name, g.Doubtful())
			}
		})
		at := l.now()
		l.s = Reduce(l.s, at, PartitionsCounted{Key: l.k, Counts: Counts{At: at, Every: time.Second}, Partitions: []Counted{{Pending: 4, Oldest: at.Add(-c.waits)}, {}, {}, {}}})
		f := has(l.s.Group(l.k), "nothing-acked")
		if (f != nil) != c.found || l.s.Group(l.k).Doubtful() {
			t.Errorf("%s: %+v", name, l.s.Group(l.k).Findings)
		}
		if f != nil && (f.Text != "a has acknowledged nothing since its consumer was made 2s ago: 4 messages wait, the first for 1m0s" && c.written > time.Minute || l.s.Group(l.k).Verdict != VerdictDegraded) {
			t.Errorf("%s: %s", name, f.Text)
		}
	}
}

// Where instances are known to be there, it is said to look at these, not to start one; and
// what ails a member whose instances do not acknowledge goes in front.
func TestAdviceKnowsWhoIsThere(t *testing.T) {
	l := newLife(t)
	frozen := func(unacked uint64) func() *Consumer {
		return func() *Consumer {
			c := l.healthy("a", -3600, 9, 0, 1)
			c.Waiting, c.PinID, c.AckPending = 0, "", unacked
			c.LastDelivered, c.LastAck, c.LastActive = epoch(), epoch(), epoch()
			return c
		}
	}
	hints := func(id, want string) {
		t.Helper()
		if f := has(l.s.Group(l.k), id); f == nil || !strings.HasPrefix(f.Hint, want) {
			t.Errorf("%s: %+v, want %s", id, l.s.Group(l.k).Findings, want)
		}
	}
	l.reads(4, frozen(0), func(*Group) {})
	hints("no-pull", "start an instance of a")
	l.reads(10, frozen(1), func(*Group) {})
	for _, id := range []string{"no-pull", "stuck-unacked", "stalled"} {
		hints(id, "see whether its instance hangs, or its handler is slower than the ack wait; if none runs, start one")
	}
	there := InstancesSeen{Stream: "S-g", Watch: &Watch{Since: epoch()}, Consumers: map[string][]Instance{"a": {
		{ID: "i1", Seen: epoch(), LastPull: epoch(), Expires: time.Second, Silent: true, Asked: true, Conn: &Connection{Name: "api-1", Address: "10.1.4.7:4040"}},
		{ID: "i2", Seen: epoch(), LastPull: epoch(), Expires: time.Second, Silent: true, Asked: true, Conn: &Connection{Name: "api-2", Address: "10.1.4.8:4040"}},
		{ID: "i3", Seen: epoch(), LastPull: epoch(), Expires: time.Second, Silent: true, Left: true},
	}}}
	l.s = Reduce(l.s, l.now(), there)
	look := "look at api-1 10.1.4.7:4040 and api-2 10.1.4.8:4040: connected, and not pulling"
	for _, id := range []string{"no-pull", "stuck-unacked", "stalled"} {
		hints(id, look)
	}
	for id, want := range map[string]string{
		"stalled":       "a stalled: its handler hangs, or is slower than the ack wait of 5s: 4 wait and nothing was acknowledged for ",
		"stuck-unacked": "a stuck: its handler hangs, or is slower than the ack wait of 5s: 1 unacked for ",
	} {
		if f := has(l.s.Group(l.k), id); !strings.HasPrefix(f.Text, want) {
			t.Errorf("%s: %s", id, f.Text)
		}
	}
	l.deleted(func(*Group) { hints("absent", look); hints("stalled", look) })
}
