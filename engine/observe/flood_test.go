package observe

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// OBS-10, the second run: 200,000 small messages at full speed, no limit. The backlog
// that hides in the sourcing is in the lag all the time: what was published and flushed
// before a read is never missing from it, and in the end it is all of it.
func TestBacklogOfAFlood(t *testing.T) {
	if testing.Short() {
		t.Skip("publishes 200,000 messages")
	}
	const messages = 200_000
	srv := natstest.Start(t)
	s := newStage(t, srv.ClientURL(), -1, "m1")
	_, r := opened(t, srv.ClientURL(), s.k, func(o *Options) { o.Refresh = 100 * time.Millisecond })
	r.until(t, "watched", func(snap *model.Snapshot) bool { return counts(snap.Group(s.k)) == 0 })
	start := time.Now()
	published := make(chan error, 1)
	go func() {
		for i := range messages {
			// Acknowledged: of more than 100,000 that wait at once the server drops some (streamDefaultMaxQueueMsgs).
			if _, err := s.js.PublishAsync(fmt.Sprintf("o.k%d", i%1000), []byte("x"), jetstream.WithStallWait(time.Minute)); err != nil {
				published <- err
				return
			}
		}
		<-s.js.PublishAsyncComplete()
		published <- nil
	}()
	var hidden uint64
	samples := map[time.Time]bool{}
	_, took := r.within(t, time.Minute, "all of it", func(snap *model.Snapshot) bool {
		g := snap.Group(s.k)
		if g.Lag() > messages {
			t.Fatalf("lag %d of %d messages, %+v", g.Lag(), messages, g.Hop)
		}
		samples[g.Clock()] = true
		hidden = max(hidden, g.Hop.Waiting())
		return g.Lag() == messages && g.Hop.State == model.HopEven && counts(g) == messages
	})
	if err := <-published; err != nil {
		t.Fatal(err)
	}
	t.Logf("all in partitions after %v (%.0f a second); at most %d waited at the origin; %d looks", took, messages/time.Since(start).Seconds(), hidden, len(samples))
	if hidden == 0 || len(samples) < 3 {
		t.Errorf("%d waited at the origin at most, in %d looks", hidden, len(samples))
	}
	g := r.now().Group(s.k)
	if n := g.Member("m1").Consumer; n != nil || g.Stray() != messages {
		t.Errorf("%v, stray %d", n, g.Stray())
	}
}

// OBS-10, the first run: 50 messages, room for 10 of them in the work stream, and members
// that take five a second. What waits is never told as less than it is, to the end.
func TestBacklogBehindAFullBuffer(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("50 messages at five a second")
	}
	const messages = 50
	srv := natstest.Start(t)
	s := newStage(t, srv.ClientURL(), 10, "m1")
	s.publish(messages)
	s.sourced(10)
	_, r := opened(t, srv.ClientURL(), s.k)
	r.until(t, "all of it, 40 at the origin", func(snap *model.Snapshot) bool {
		g := snap.Group(s.k)
		return g != nil && g.Lag() == messages && g.Hop.Waiting() == 40 && hasFinding(g, "buffer-full")
	})
	var acked atomic.Uint64
	m := must(orbit.ElasticConsume(t.Context(), s.js, "O", "g", "m1", func(msg jetstream.Msg) {
		time.Sleep(200 * time.Millisecond) // the work
		acked.Add(1)
		_ = msg.Ack()
	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, MaxAckPending: 1}))
	t.Cleanup(func() { m.Stop(); <-m.Done() })
	told := map[uint64]bool{}
	r.within(t, time.Minute, "nothing waits any more", func(snap *model.Snapshot) bool {
		g, least := snap.Group(s.k), messages-acked.Load() // more may have waited when it was looked at, not less
		if lag := g.Lag(); lag < least || lag > messages {
			t.Fatalf("lag %d while at least %d of %d wait, %+v", lag, least, messages, g.Hop)
		}
		told[g.Lag()] = true
		return g.Lag() == 0
	})
	if len(told) < 25 {
		t.Errorf("only %d different lags on the way", len(told))
	}
}
