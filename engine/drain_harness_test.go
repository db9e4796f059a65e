package engine

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/engine/pcgroups"
	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// library makes members: the reference's or ours.
type library struct {
	name string
	join func(ctx context.Context, js jetstream.JetStream, stream, group, member string, handler func(jetstream.Msg), c jetstream.ConsumerConfig) (stopper, error)
}

type stopper interface{ Stop() }

func libraries() []library {
	return []library{
		{"orbit.go", func(ctx context.Context, js jetstream.JetStream, stream, group, member string, h func(jetstream.Msg), c jetstream.ConsumerConfig) (stopper, error) {
			return oracle.ElasticConsume(ctx, js, stream, group, member, h, c)
		}},
		{"ours", func(ctx context.Context, js jetstream.JetStream, stream, group, member string, h func(jetstream.Msg), c jetstream.ConsumerConfig) (stopper, error) {
			return pcgroups.ElasticConsume(ctx, js, stream, group, member, h, c)
		}},
	}
}

// handled is one message at a handler.
type handled struct {
	key, n     int
	process    string
	start, end time.Time
}

// shop is a group at work: members with instances, each on a connection of its own, and
// somebody who publishes numbered messages of many keys.
type shop struct {
	t    testing.TB
	url  string
	js   jetstream.JetStream
	key  model.Key
	mu   sync.Mutex
	all  []handled
	sent []int
	stop chan struct{}
	done chan struct{}
}

const shopAckWait = 2 * time.Second

// openShop runs a group of these members with two instances each.
func openShop(t testing.TB, lib library, partitions uint, work time.Duration, members ...string) *shop {
	t.Helper()
	srv := natstest.Start(t)
	_, js := client(t, srv.ClientURL())
	s := &shop{t: t, url: srv.ClientURL(), js: js, key: model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}}
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*"}}))
	must(oracle.CreateElastic(t.Context(), js, "ORDERS", "cg", partitions, []oracle.PartitioningFilter{{Filter: "orders.*", PartitioningWildcards: []int{1}}}, -1, -1))
	must(oracle.AddMembers(t.Context(), js, "ORDERS", "cg", members))
	for _, m := range members {
		for i := range 2 {
			s.employ(lib, m, fmt.Sprintf("%s-%d", m, i), work)
		}
	}
	return s
}

// employ starts an instance.
func (s *shop) employ(lib library, member, process string, work time.Duration) {
	s.t.Helper()
	_, js := client(s.t, s.url)
	m, err := lib.join(s.t.Context(), js, "ORDERS", "cg", member, func(msg jetstream.Msg) {
		h := handled{process: process, start: time.Now()}
		if _, err := fmt.Sscanf(msg.Subject(), "orders.k%d", &h.key); err != nil {
			panic(err)
		}
		if _, err := fmt.Sscan(string(msg.Data()), &h.n); err != nil {
			panic(err)
		}
		time.Sleep(work)
		h.end = time.Now()
		_ = msg.Ack()
		s.mu.Lock()
		defer s.mu.Unlock()
		s.all = append(s.all, h)
	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: shopAckWait, MaxAckPending: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(m.Stop)
}

// trade publishes messages of the keys, one after another, until close.
func (s *shop) trade(keys int, every time.Duration) {
	s.sent, s.stop, s.done = make([]int, keys), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(s.done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-s.stop:
				return
			case <-tick.C:
			}
			key := i * 37 % keys
			if _, err := s.js.Publish(context.Background(), fmt.Sprintf("orders.k%d", key), fmt.Append(nil, s.sent[key]+1)); err != nil {
				return
			}
			s.sent[key]++
		}
	}()
	s.t.Cleanup(s.close)
}

func (s *shop) close() {
	select {
	case <-s.stop:
	default:
		close(s.stop)
	}
	<-s.done
}

func (s *shop) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.all)
}

// balance is what a run comes to.
type balance struct {
	sent, lost, twice, disorder int
	overlaps                    int // moments of two processes on one key
}

// settled waits until all that was sent is handled, and counts.
func (s *shop) settled() balance {
	s.t.Helper()
	s.close()
	deadline := time.Now().Add(40 * time.Second)
	for s.judge().lost > 0 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	return s.judge()
}

func (s *shop) judge() balance {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b balance
	byKey := make([][]handled, len(s.sent))
	for _, h := range s.all {
		byKey[h.key] = append(byKey[h.key], h)
	}
	for key, list := range byKey {
		seen, newest := map[int]bool{}, 0
		for i, h := range list {
			for _, o := range list[:i] {
				if o.process != h.process && o.start.Before(h.end) && h.start.Before(o.end) {
					b.overlaps++
				}
			}
			switch {
			case seen[h.n]:
				b.twice++
			case h.n < newest:
				b.disorder++
			}
			seen[h.n] = true
			newest = max(newest, h.n)
		}
		b.sent += s.sent[key]
		b.lost += s.sent[key] - len(seen)
	}
	return b
}
