package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

// A handler may stop its own instance; its message is finished and acknowledged.
func TestStopFromInsideTheHandler(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]Option{"plain": nil, "in progress": {WithInProgress()}} {
		f := newFixture(t)
		f.elastic("g", 1, "m1")
		self := make(chan Instance, 1)
		calls := 0
		i := f.joinElastic("g", "m1", func(msg jetstream.Msg) {
			calls++
			(<-self).Stop()
			_ = msg.Ack()
		}, many(10), opts...)
		self <- i
		f.backlog(5)
		if err := ended(t, 3*time.Second, i); err != nil || calls != 1 {
			t.Errorf("%s: %v after %d calls", name, err, calls)
		}
		var rest inbox
		f.joinElastic("g", "m1", rest.handler(""), many(10))
		eventually(t, 3*time.Second, "the others come", func() bool { return rest.count() == 4 })
	}
}

// Whoever stops and drains at once, all of them return and agree.
func TestManyEndAnInstance(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 1, "m1")
	var got inbox
	i := f.joinElastic("g", "m1", got.handler(""), many(10))
	f.backlog(50)
	var all sync.WaitGroup
	ctx, cancel := context.WithTimeout(f.ctx, 5*time.Second)
	defer cancel()
	for n := range 20 {
		all.Go(func() {
			var err error
			switch n % 4 {
			case 0:
				i.Stop()
			case 1:
				_, err = i.Drain(ctx)
			case 2:
				err = i.Wait(ctx)
			case 3:
				err = i.WaitConsuming(ctx, false)
			}
			if err != nil {
				t.Errorf("%d: %v", n, err)
			}
		})
	}
	all.Wait()
	f.must(nil, ended(t, time.Second, i))
}

// A join whose context ends at any moment gives an error or an instance, and leaves
// nothing behind.
func TestJoinsGivenUpLeakNothing(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.must(CreateElastic(f.ctx, f.js, "ST", "cg", 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "ST", "cg", []string{"m1"}))
	join := func(within time.Duration) {
		ctx, cancel := context.WithTimeout(f.ctx, within)
		defer cancel()
		for _, consume := range []func() (ConsumerGroupConsumeContext, error){
			func() (ConsumerGroupConsumeContext, error) {
				return StaticConsume(ctx, f.js, "ST", "cg", "m1", func(jetstream.Msg) {}, wait2s)
			},
			func() (ConsumerGroupConsumeContext, error) {
				return ElasticConsume(ctx, f.js, "ST", "cg", "m1", func(jetstream.Msg) {}, wait2s)
			},
		} {
			m, err := consume()
			switch {
			case err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) && !errors.Is(err, nats.ErrTimeout):
				t.Errorf("after %v: %v", within, err)
			case (err == nil) != (m != nil):
				t.Errorf("after %v: %v, %v", within, m, err)
			case err == nil:
				m.Stop()
				f.must(nil, ended(t, 3*time.Second, m))
			}
		}
	}
	join(time.Second)
	before := goleak.IgnoreCurrent()
	subs := f.nc.NumSubscriptions()
	for n := range 40 {
		join(time.Duration(n) * 50 * time.Microsecond)
	}
	eventually(t, 3*time.Second, "subscriptions are gone", func() bool { return f.nc.NumSubscriptions() <= subs })
	eventually(t, 3*time.Second, "goroutines are gone", func() bool { return len(leaked(before)) == 0 })
	eventually(t, 3*time.Second, "watches are gone", func() bool {
		return len(f.consumers("KV_"+staticBucket)) == 0 && len(f.consumers("KV_"+elasticBucket)) == 0
	})
}

// What a member consumes from can go while it is drained.
func TestGoneWhileDraining(t *testing.T) {
	short(t)
	t.Parallel()
	for name, remove := range map[string]func(f *fixture) error{
		"stream":     func(f *fixture) error { return f.js.DeleteStream(f.ctx, "A-g") },
		"consumer":   func(f *fixture) error { return f.js.DeleteConsumer(f.ctx, "A-g", "m1") },
		"group":      func(f *fixture) error { return DeleteElastic(f.ctx, f.js, "A", "g") },
		"connection": nil,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.elastic("g", 1, "m1")
			nc, js := f.connect()
			var got ledger
			m, err := ElasticConsume(f.ctx, js, "A", "g", "m1", got.handler("m1", "i1", 20*time.Millisecond), many(50))
			f.must(m, err)
			f.backlog(50)
			eventually(t, 5*time.Second, "messages are buffered", func() bool { return len(got.since(time.Time{})) > 2 })
			ctx, cancel := context.WithTimeout(f.ctx, 3*time.Second)
			defer cancel()
			drained := make(chan error, 1)
			go func() {
				_, err := m.(Instance).Drain(ctx)
				drained <- err
			}()
			n := len(got.since(time.Time{}))
			eventually(t, 5*time.Second, "it drains", func() bool { return len(got.since(time.Time{})) > n+3 })
			if remove == nil {
				nc.Close()
			} else {
				f.must(nil, remove(f))
			}
			select {
			case err := <-drained:
				want := ErrConsumerGone
				if remove == nil {
					want = nats.ErrConnectionClosed
				}
				if !errors.Is(err, want) {
					t.Errorf("got %v", err)
				}
			case <-time.After(5 * time.Second):
				t.Error("it hangs")
			}
		})
	}
}

// Connections that break while partitions move cost neither messages nor order.
func TestReconnectsDuringHandovers(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	names := []string{"m1", "m2"}
	f.elastic("g", 6, names...)
	var got ledger
	var conns []*nats.Conn
	var all []Instance
	for _, name := range names {
		for i := range 2 {
			nc, js := f.connect()
			m, err := ElasticConsume(f.ctx, js, "A", "g", name, got.handler(name, fmt.Sprint(name, i), time.Millisecond), oneByOne(2*time.Second))
			f.must(m, err)
			t.Cleanup(m.Stop)
			conns, all = append(conns, nc), append(all, m.(Instance))
		}
	}
	l := f.startLoad("a", 12, 5*time.Millisecond)
	random := rand.New(rand.NewPCG(5, 6))
	for i := range 20 {
		if i%2 == 0 {
			f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "g", []MemberMapping{{"m1", []int{0}}, {"m2", []int{1, 2, 3, 4, 5}}}))
		} else {
			f.must(nil, SetMemberMappings(f.ctx, f.js, "A", "g", []MemberMapping{{"m1", []int{0, 1, 2, 3, 4}}, {"m2", []int{5}}}))
		}
		time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond) // into the handover
		f.must(nil, conns[random.IntN(len(conns))].ForceReconnect())
		time.Sleep(time.Duration(random.IntN(200)) * time.Millisecond)
	}
	l.drained(t, 20*time.Second, &got)
	if v := got.judge(l.sent, time.Now()); v.disorder != 0 || v.missing != 0 {
		t.Errorf("%+v", v)
	} else {
		t.Logf("%+v", v)
	}
	for n, i := range all {
		if err := i.Err(); err != nil {
			t.Errorf("instance %d: %v", n, err)
		}
	}
}

// A consumer's template may say what it likes: the member consumes, or is refused.
func TestStrangeTemplates(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]jetstream.ConsumerConfig{
		"small batches": {MaxRequestBatch: 1},
		"short pulls":   {MaxRequestExpires: time.Second},
		"small pulls":   {MaxRequestMaxBytes: 10},
		"one pull":      {MaxWaiting: 1},
		"delivers once": {MaxDeliver: 1},
		"push":          {DeliverSubject: "x", DeliverGroup: "y", IdleHeartbeat: time.Second, FlowControl: true},
		"named":         {Name: "other", Durable: "other", FilterSubject: "x"},
		"other policy":  {PriorityPolicy: jetstream.PriorityPolicyOverflow, PriorityGroups: []string{"a", "b"}, PinnedTTL: time.Hour},
		"back-off":      {BackOff: []time.Duration{time.Second, 2 * time.Second}, MaxDeliver: 5},
		"no limit":      {MaxAckPending: -1},
		"in memory":     {MemoryStorage: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.elastic("g", 2, "m1")
			c.AckPolicy, c.AckWait = jetstream.AckExplicitPolicy, 4*time.Second
			var got inbox
			i := f.joinElastic("g", "m1", got.handler(""), c)
			f.backlog(20)
			eventually(t, 3*time.Second, "all come", func() bool { return got.count() == 20 })
			if !i.Consuming() {
				t.Error("it does not consume")
			}
		})
	}
	f := newFixture(t)
	f.elastic("g", 2, "m1")
	c := oneByOne(2 * time.Second)
	c.MaxRequestExpires = 100 * time.Millisecond
	_, err := ElasticConsume(f.ctx, f.js, "A", "g", "m1", func(jetstream.Msg) {}, c)
	wantText(t, "shorter than any pull", err, "max request expires 100ms: must be at least 1s, as long as the shortest pull")
}
