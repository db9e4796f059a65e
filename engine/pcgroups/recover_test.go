package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
	"go.uber.org/goleak"
)

// CON-07: the join's context covers joining only.
func TestJoinContextCoversJoiningOnly(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	ctx, cancel := context.WithCancel(f.ctx)
	s, err := StaticConsume(ctx, f.js, "ST", "cg", "m1", got.handler("s"), wait2s)
	f.must(s, err)
	e, err := ElasticConsume(ctx, f.js, "ST", "cg", "m1", got.handler("e"), wait2s)
	f.must(e, err)
	cancel()
	f.publish("st.a")
	eventually(t, 5*time.Second, "both still consume", func() bool { return got.count("s") == 1 && got.count("e") == 1 })
	f.must(nil, DeleteStatic(f.ctx, f.js, "ST", "cg"))
	f.must(nil, DeleteElastic(f.ctx, f.js, "ST", "cg"))
	for _, m := range []ConsumerGroupConsumeContext{s, e} {
		if err := ended(t, 3*time.Second, m); err != nil {
			t.Errorf("got %v", err)
		}
	}
}

// CON-02: a consumer or stream that goes is noticed.
func TestConsumerVanishes(t *testing.T) {
	short(t)
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	s, err := StaticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("s"), wait2s)
	f.must(s, err)
	e, err := ElasticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("e"), wait2s)
	f.must(e, err)
	f.must(nil, f.js.DeleteConsumer(f.ctx, "ST-cg", "m1"))
	f.publish("st.a")
	eventually(t, 3*time.Second, "the elastic member makes it again", func() bool { return got.count("e") == 1 })
	f.must(nil, f.js.DeleteConsumer(f.ctx, "ST", "cg-m1"))
	if err := ended(t, 5*time.Second, s); !errors.Is(err, ErrConsumerGone) || !strings.Contains(err.Error(), "cg-m1") {
		t.Errorf("static: got %v", err)
	}
	if in, active, err := ElasticIsInMembershipAndActive(f.ctx, f.js, "ST", "cg", "m1"); !in || !active || err != nil {
		t.Errorf("made again: in membership %v, active %v, %v", in, active, err)
	}
	f.must(nil, f.js.DeleteStream(f.ctx, "ST-cg"))
	if err := ended(t, 5*time.Second, e); !errors.Is(err, ErrStreamGone) {
		t.Errorf("elastic: got %v", err)
	}
}

// A handler that panics, or ends its goroutine, ends the member, and its message comes
// again.
func TestHandlerPanicEndsTheMember(t *testing.T) {
	short(t)
	t.Parallel()
	for what, c := range map[string]struct {
		handler func(jetstream.Msg)
		value   any
		opts    []Option
	}{
		"panic":              {func(jetstream.Msg) { panic("oh no") }, "oh no", nil},
		"panic, in progress": {func(jetstream.Msg) { panic("oh no") }, "oh no", []Option{WithInProgress()}},
		"goexit":             {func(jetstream.Msg) { runtime.Goexit() }, "the handler ended its goroutine", nil},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			panics(t, c.handler, c.value, c.opts)
		})
	}
}

func panics(t *testing.T, handler func(jetstream.Msg), value any, opts []Option) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 1, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1"}))
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", handler, wait2s, opts...)
	f.must(m, err)
	f.publish("a.x")
	err = ended(t, 5*time.Second, m)
	var panicked *PanicError
	if !errors.As(err, &panicked) || !errors.Is(err, ErrHandlerPanic) || panicked.Value != value || len(panicked.Stack) == 0 {
		t.Errorf("got %v", err)
	}
	var got inbox
	again, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", got.handler(""), wait2s)
	f.must(again, err)
	defer again.Stop()
	eventually(t, 8*time.Second, "the message comes again", func() bool { return got.count() == 1 })
}

// Instances of one member coordinate, whichever library they run.
func TestInstancesOfOneMember(t *testing.T) {
	short(t)
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 4, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", "B", []string{"m1"}))
	var got inbox
	_, js2 := f.connect()
	_, js3 := f.connect()
	one, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", got.handler("one"), wait2s)
	f.must(one, err)
	defer one.Stop()
	two, err := orbit.ElasticConsume(f.ctx, js2, "A", "B", "m1", got.handler("two"), wait2s)
	f.must(two, err)
	defer two.Stop()
	three, err := ElasticConsume(f.ctx, js3, "A", "B", "m1", got.handler("three"), wait2s)
	f.must(three, err)
	defer three.Stop()
	f.publish("a.first")
	eventually(t, 5*time.Second, "one is pinned, all three pull", func() bool {
		return got.count() == 1 && f.info("A-B", "m1").NumWaiting == 3
	})
	published := 1
	for round, change := range [][]string{{"m2"}, {"m0", "m3"}, nil} {
		if change != nil {
			f.must(AddMembers(f.ctx, f.js, "A", "B", change))
		} else {
			f.must(DeleteMembers(f.ctx, f.js, "A", "B", []string{"m0", "m2", "m3"}))
		}
		want, err := GetElasticConsumerGroupConfig(f.ctx, f.js, "A", "B")
		f.must(want, err)
		eventually(t, 10*time.Second, fmt.Sprintf("round %d: all follow", round), func() bool {
			info := f.info("A-B", "m1")
			return info != nil && sameFilters(filtersOf(info.Config), ElasticGetPartitionFilters(*want, "m1")) && info.NumWaiting == 3
		})
		for i := range 10 {
			f.publish(fmt.Sprintf("a.r%d.%d", round, i))
		}
		published += 10
	}
	eventually(t, 10*time.Second, "everything is consumed in the end", func() bool {
		work, err := f.js.Stream(f.ctx, "A-B")
		return err == nil && work.CachedInfo().State.Msgs == 0 && got.count() >= published
	})
	if !running(one) || !running(three) {
		t.Error("one of ours has ended")
	}
}

// Another ack wait is no reason to fight: the consumer that is there is used.
func TestInstancesWithOtherAckWait(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	for _, ackWait := range []time.Duration{2 * time.Second, 3 * time.Second} {
		c := jetstream.ConsumerConfig{AckWait: ackWait}
		s, err := StaticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("s"), c)
		f.must(s, err)
		defer s.Stop()
		e, err := ElasticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("e"), c)
		f.must(e, err)
		defer e.Stop()
	}
	for stream, consumer := range map[string]string{"ST": "cg-m1", "ST-cg": "m1"} {
		eventually(t, 5*time.Second, consumer+": both pull", func() bool {
			info := f.info(stream, consumer)
			return info != nil && info.NumWaiting == 2 && info.Config.AckWait == 2*time.Second
		})
	}
	f.publish("st.a")
	eventually(t, 5*time.Second, "the message comes", func() bool { return got.count("s") == 1 && got.count("e") == 1 })
}

// Nothing stays behind: no goroutine, no subscription, no consumer on the bucket.
func TestNothingLeaks(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	var got inbox
	cycle := func() {
		for _, name := range []string{"m1", "stranger", "a b"} {
			s, err := StaticConsume(f.ctx, f.js, "ST", "cg", name, got.handler("s"), wait2s)
			if (err == nil) != (name == "m1") {
				t.Fatalf("%s: %v", name, err)
			}
			e, err2 := ElasticConsume(f.ctx, f.js, "ST", "cg", name, got.handler("e"), wait2s)
			if (err2 == nil) != (name != "a b") {
				t.Fatalf("%s: %v", name, err2)
			}
			if err == nil {
				s.Stop()
				s.Stop()
				f.must(nil, ended(t, 3*time.Second, s))
			}
			if err2 == nil {
				left, err := e.(Instance).Drain(f.ctx)
				f.must(left, err)
				f.must(nil, ended(t, 3*time.Second, e))
			}
			kept, err := ElasticConsume(f.ctx, f.js, "ST", "cg", "m1", got.handler("e"), wait2s, WithInProgress())
			f.must(kept, err)
			kept.Stop()
			f.must(nil, ended(t, 3*time.Second, kept))
		}
	}
	cycle() // connections start goroutines of their own when first used so
	subs := f.nc.NumSubscriptions()
	before := goleak.IgnoreCurrent()
	for range 5 {
		cycle()
	}
	eventually(t, 3*time.Second, "subscriptions are gone", func() bool { return f.nc.NumSubscriptions() <= subs })
	eventually(t, 3*time.Second, "watches are gone", func() bool {
		return len(f.consumers("KV_"+staticBucket)) == 0 && len(f.consumers("KV_"+elasticBucket)) == 0
	})
	eventually(t, 3*time.Second, "goroutines are gone", func() bool { return len(leaked(before)) == 0 })
}

// leaked lists the goroutines that are new, but for the server's own.
func leaked(before goleak.Option) (stacks []string) {
	err := goleak.Find(before)
	if err == nil {
		return nil
	}
	for _, stack := range strings.Split(err.Error(), "Goroutine ")[1:] {
		if !strings.Contains(stack, "nats-server/v2") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// Done tells once, then stays closed.
func TestDoneIsClosedAfterItsValue(t *testing.T) {
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 1, nil, 0, 0))
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", new(inbox).handler(""), wait2s)
	f.must(m, err)
	if m.(*ElasticConsumerGroupConsumerInstance).Config.MaxMembers != 1 {
		t.Error("the instance does not show its config")
	}
	m.Stop()
	f.must(nil, ended(t, time.Second, m))
	if _, open := <-m.Done(); open {
		t.Error("Done yields twice")
	}
}

// A key that goes without a trace, as by expiry, is a removal too.
func TestKeyGoesWithoutATrace(t *testing.T) {
	short(t)
	f := newFixture(t)
	f.stream("A", "a", 0)
	f.must(CreateElastic(f.ctx, f.js, "A", "B", 1, nil, 0, 0))
	m, err := ElasticConsume(f.ctx, f.js, "A", "B", "m1", new(inbox).handler(""), wait2s)
	f.must(m, err)
	bucket, err := f.js.Stream(f.ctx, "KV_"+elasticBucket)
	f.must(bucket, err)
	f.must(nil, bucket.Purge(f.ctx, jetstream.WithPurgeSubject("$KV."+elasticBucket+".A.B")))
	if err := ended(t, 5*time.Second, m); err != nil {
		t.Errorf("got %v", err)
	}
}
