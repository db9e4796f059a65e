package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/engine/pcgroups"
	"pcgtop/internal/natstest"
	"pcgtop/internal/pause"
	"pcgtop/model"
)

// forward watches that the group's revision never goes back on a screen. The function
// returned ends that and tells how many revisions were seen.
func forward(t *testing.T, name string, e *Engine, k model.Key) (stop func() int) {
	ctx, cancel := context.WithCancel(t.Context())
	seen := make(chan int, 1)
	go func() {
		last, n := uint64(0), 0
		for s := e.Current(); ; {
			if g := s.Group(k); g != nil && g.Revision != last {
				if g.Revision < last {
					t.Errorf("%s went back from revision %d to %d", name, last, g.Revision)
				}
				last = g.Revision
				n++
			}
			next, err := e.await(ctx, func(now *model.Snapshot) bool { return now.Seq > s.Seq })
			if err != nil {
				seen <- n
				return
			}
			s = next
		}
	}()
	return func() int { cancel(); return <-seen }
}

// directReads reads the config again and again, from whichever replica answers, and
// shows the engines every answer, old ones too. The function returned ends that and
// tells how many answers were older than one before them, and how many there were.
func directReads(t *testing.T, k model.Key, urls []string, engines ...*Engine) (stop func() (behind, all int64)) {
	ctx, cancel := context.WithCancel(t.Context())
	var newest atomic.Uint64
	var behind, all atomic.Int64
	var readers sync.WaitGroup
	for _, url := range urls {
		_, js := client(t, url)
		kv := must(js.KeyValue(t.Context(), "elastic-consumer-groups"))
		readers.Go(func() {
			for {
				entry, err := kv.Get(ctx, k.BucketKey())
				if err != nil {
					return
				}
				if all.Add(1); entry.Revision() < newest.Load() {
					behind.Add(1)
				}
				newest.Store(max(entry.Revision(), newest.Load()))
				config := must(pcgroups.DecodeConfig(k.Kind, entry.Value()))
				for _, e := range engines {
					e.see(model.ConfigSeen{Key: k, Revision: entry.Revision(), Config: &config})
				}
				_ = pause.For(ctx, time.Millisecond)
			}
		})
	}
	return func() (int64, int64) {
		cancel()
		readers.Wait()
		return behind.Load(), all.Load()
	}
}

// OBS-16: on a bucket with three replicas, a read right after a write may be answered by
// one that is behind. What is shown never goes back, an edit is made for the revision
// that our own write returned, and a refused one says what changed and shows that at
// once.
func TestReplicatedBucket(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	urls := map[string]string{}
	for _, s := range natstest.Cluster(t).All {
		urls[s.Name()] = s.ClientURL()
	}
	_, js := client(t, urls["nats-1"])
	k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*"}, Replicas: 3}))
	natstest.Soon(t, "make the group", func() (*oracle.ElasticConsumerGroupConfig, error) {
		return oracle.CreateElastic(t.Context(), js, "ORDERS", "cg", 8, []oracle.PartitioningFilter{{Filter: "orders.*"}}, -1, -1)
	})
	natstest.Soon(t, "add its member", func() ([]string, error) {
		return oracle.AddMembers(t.Context(), js, "ORDERS", "cg", []string{"m1"})
	})
	info := must(must(js.Stream(t.Context(), "KV_elastic-consumer-groups")).Info(t.Context()))
	if info.Config.Replicas != 3 {
		t.Fatalf("the bucket has %d replicas", info.Config.Replicas)
	}
	delete(urls, info.Cluster.Leader) // whoever is connected there is answered by the leader
	var followers []string
	for _, url := range urls {
		followers = append(followers, url)
	}
	a, b := start(t, followers[0]), start(t, followers[1])
	has := func(e *Engine) {
		until(t, e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	}
	has(a)
	has(b)
	stopA, stopB := forward(t, "the writer's screen", a, k), forward(t, "the reader's screen", b, k)

	first := must(b.observer.Stored(t.Context(), k))
	stopReads := directReads(t, k, followers, a, b)

	const rounds = 200
	revision := a.Current().Group(k).Revision
	for i := range rounds {
		action := model.ActionAdd
		if i%2 == 1 {
			action = model.ActionDrop
		}
		now := until(t, a, "our own write", func(s *model.Snapshot) bool { return s.Group(k).Revision >= revision })
		if _, err := a.Apply(t.Context(), plan(t, now.Group(k), action, "m2")); err != nil {
			t.Fatalf("round %d: nobody else writes, and yet: %v", i, err)
		}
		stored := must(b.observer.Stored(t.Context(), k))
		if revision++; stored.Revision != revision {
			t.Fatalf("round %d: read revision %d from the leader, %d was written", i, stored.Revision, revision)
		}
	}
	behind, all := stopReads()
	t.Logf("%d of %d direct reads were behind", behind, all)
	for _, e := range []*Engine{a, b} { // and one that is as far behind as can be
		before := e.Current().Seq
		e.see(first)
		until(t, e, "a snapshot after that", func(s *model.Snapshot) bool { return s.Seq > before })
	}

	// A plan for what is no longer stored, made on the other screen.
	until(t, b, "the last write", func(s *model.Snapshot) bool { return s.Group(k).Revision == revision })
	old := plan(t, b.Current().Group(k), model.ActionAdd, "m7")
	must(a.Apply(t.Context(), plan(t, a.Current().Group(k), model.ActionAdd, "m8")))
	if _, err := b.Apply(t.Context(), old); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), fmt.Sprintf("at revision %d: +m8", revision+1)) {
		t.Errorf("%v", err)
	}
	now := until(t, b, "what changed", func(s *model.Snapshot) bool { return s.Group(k).Revision == revision+1 })
	must(b.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m7")))
	if c := must(b.observer.Stored(t.Context(), k)).Config; c == nil || len(c.Members) != 3 { // of the leader: others may be behind
		t.Errorf("a member is missing: %+v", c)
	}
	if n, m := stopA(), stopB(); n < rounds/2 || m < rounds/4 {
		t.Errorf("%d and %d revisions were on the screens, of %d written", n, m, rounds)
	}
}

// The same on one server, with a replica that is behind for certain: it answers a direct
// get with the revision before. The leader knows better, so it is asked again until it has
// caught up, and then it is written.
func TestReplicaBehind(t *testing.T) {
	s := natstest.Start(t)
	nc, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	kv := must(js.KeyValue(t.Context(), "elastic-consumer-groups"))
	before := must(kv.Get(t.Context(), k.BucketKey()))
	must(oracle.AddMembers(t.Context(), js, "ORDERS", "cg", []string{"m2"}))
	e := start(t, s.ClientURL())
	now := until(t, e, "both members", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && len(s.Group(k).Config.Members) == 2
	})
	p := plan(t, now.Group(k), model.ActionAdd, "m3")

	after := must(kv.Get(t.Context(), k.BucketKey()))
	const get = "$JS.API.DIRECT.GET.KV_elastic-consumer-groups."
	account := must(s.LookupAccount("$G"))
	if err := account.AddMapping(get+">", "behind.>"); err != nil {
		t.Fatal(err)
	}
	var asked atomic.Int32
	must(nc.Subscribe("behind.>", func(m *nats.Msg) {
		entry := before
		if asked.Add(1) > 3 {
			entry = after
		}
		reply := nats.NewMsg(m.Reply)
		reply.Header = nats.Header{"Nats-Stream": {"KV_elastic-consumer-groups"}, "Nats-Subject": {"$KV.elastic-consumer-groups." + k.BucketKey()},
			"Nats-Sequence": {fmt.Sprint(entry.Revision())}, "Nats-Time-Stamp": {entry.Created().Format(time.RFC3339Nano)}}
		reply.Data = entry.Value()
		_ = m.RespondMsg(reply)
	}))
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	if done, err := e.Apply(t.Context(), p); err != nil || asked.Load() != 4 {
		t.Fatalf("%q, %v, asked %d times", done, err, asked.Load())
	}
	account.RemoveMapping(get + ">")
	if c := must(oracle.GetElasticConsumerGroupConfig(t.Context(), js, "ORDERS", "cg")); len(c.Members) != 3 {
		t.Errorf("%v", c.Members)
	}
}
