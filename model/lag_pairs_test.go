package model

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestLagOfTenThousandPairs: OBS-08, the stream's state read at one time and the
// consumer's info at another, in either order, with a purge between them or not. What the
// consumer told is its lag; the sum is neither below it nor beyond what was ever there.
func TestLagOfTenThousandPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	k := elastic("S", "g")
	base := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(2, "a")})
	for i := range 10_000 {
		early, late := rng.Uint64N(1<<20), uint64(0)
		late = early + rng.Uint64N(1<<20)
		done := rng.Uint64N(late + 1) // acknowledged by the second time
		purged := rng.IntN(3) == 0
		work, origin := facts("S"), StreamFacts{Exists: true, FirstSeq: 1, LastSeq: late, Messages: late}
		work.LastSeq, work.Messages, work.FirstSeq, work.Sources[0].Seq = early, early, 1, early
		c := consumer("a", "id", epoch().Add(time.Second), 0, 1)
		c.Delivered, c.AckFloor, c.Pending = late, done, late-done
		if purged {
			c.Pending = 0
		}
		read := []Observation{StreamRead{Name: "S", Facts: origin}, StreamRead{Name: "S-g", Facts: work}, ConsumersRead{Stream: "S-g", TS: c.TS, Consumers: []*Consumer{c}}}
		if i%2 == 1 {
			read[1], read[2] = read[2], read[1]
		}
		g := Reduce(base, epoch(), read...).Group(k)
		sane(t, g, 1<<22)
		if m := g.Member("a"); m.Consumer.Lag() != c.Pending {
			t.Fatalf("pair %d: the member's lag is %d, its consumer said %d", i, m.Consumer.Lag(), c.Pending)
		}
		if lag := g.Lag(); lag < c.Pending || lag > 2*late {
			t.Fatalf("pair %d: lag %d of %d and %d messages, %d done", i, lag, early, late, done)
		}
		if late > early && !g.About() {
			t.Fatalf("pair %d: put together from two times and not marked", i)
		}
	}
}
