package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

func many(pending int) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 10 * time.Second, MaxAckPending: pending}
}

// backlog publishes n messages of one key, numbered.
func (f *fixture) backlog(n int) {
	f.t.Helper()
	for i := range n {
		f.must(f.js.Publish(f.ctx, "a.k0", fmt.Append(nil, i+1)))
	}
}

// CON-08: what an instance has buffered when it goes does not delay the next one.
func TestLeftoversReachTheNextInstanceAtOnce(t *testing.T) {
	short(t)
	t.Parallel()
	for _, c := range []struct {
		name  string
		leave func(f *fixture, i Instance) (left int, err error)
		left  bool
		err   error
	}{
		{"stopped", func(f *fixture, i Instance) (int, error) { i.Stop(); return 1, i.Wait(f.ctx) }, true, nil},
		{"drained", func(f *fixture, i Instance) (int, error) { return i.Drain(f.ctx) }, false, nil},
		{"drained in part", func(f *fixture, i Instance) (int, error) {
			ctx, cancel := context.WithTimeout(f.ctx, 100*time.Millisecond)
			defer cancel()
			return i.Drain(ctx)
		}, true, context.DeadlineExceeded},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.elastic("g", 1, "m1")
			var first, second ledger
			i1 := f.joinElastic("g", "m1", first.handler("m1", "i1", 50*time.Millisecond), many(50))
			const sent = 200
			f.backlog(sent)
			eventually(t, 5*time.Second, "messages are buffered", func() bool {
				return len(first.since(time.Time{})) >= 5 && f.info("A-g", "m1").NumAckPending >= 45
			})
			left, err := c.leave(f, i1)
			if (left > 0) != c.left || !errors.Is(err, c.err) {
				t.Errorf("%d left, %v", left, err)
			}
			handled := len(first.since(time.Time{}))
			if c.name == "drained" && handled < 50 {
				t.Errorf("only %d were handled", handled)
			}
			i2 := f.joinElastic("g", "m1", second.handler("m1", "i2", 0), many(50))
			eventually(t, time.Second, "the next instance has all the others", func() bool {
				return len(first.since(time.Time{}))+len(second.since(time.Time{})) == sent
			})
			if n := len(first.since(time.Time{})); n != handled {
				t.Errorf("%d more were handled after the end", n-handled)
			}
			first.all = append(first.all, second.all...)
			if v := first.judge([]int{sent}, time.Now()); v.duplicates+v.disorder+v.missing != 0 {
				t.Errorf("%+v", v)
			}
			if !i2.Consuming() {
				t.Error("the next instance does not consume")
			}
		})
	}
}

// A handler that does not come back cannot hold up a program that ends.
func TestDrainGivesUpOnAHandler(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 1, "m1")
	release := make(chan struct{})
	template := many(50)
	template.AckWait = 2 * time.Second
	var calls atomic.Int32
	i := f.joinElastic("g", "m1", func(msg jetstream.Msg) {
		calls.Add(1)
		<-release
		_ = msg.Ack()
	}, template)
	f.backlog(10)
	eventually(t, 5*time.Second, "the handler hangs and messages are buffered", func() bool { return calls.Load() == 1 && f.info("A-g", "m1").NumAckPending == 10 })
	ctx, cancel := context.WithTimeout(f.ctx, 100*time.Millisecond)
	defer cancel()
	left, err := i.Drain(ctx)
	if left != 10 || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%d left, %v", left, err)
	}
	if i.Err() != nil || i.Consuming() {
		t.Errorf("it ended with %v, consuming %v", i.Err(), i.Consuming())
	}
	close(release)
	var rest inbox
	f.joinElastic("g", "m1", rest.handler(""), template)
	// The pin was not given up under the handler; what it had buffered went back.
	eventually(t, 15*time.Second, "the others come", func() bool { return rest.count() == 9 })
	if n := calls.Load(); n != 1 {
		t.Errorf("the handler was called %d times", n)
	}
}

// A member that does not consume, or not any more, is drained at once.
func TestDrainWithoutConsuming(t *testing.T) {
	f := newFixture(t)
	f.elastic("g", 1)
	i := f.joinElastic("g", "m1", new(inbox).handler(""), many(1))
	for range 2 {
		if left, err := i.Drain(f.ctx); left != 0 || err != nil {
			t.Errorf("%d left, %v", left, err)
		}
	}
	if err := i.Wait(f.ctx); err != nil {
		t.Error(err)
	}
	if err := i.WaitConsuming(f.ctx, true); !errors.Is(err, ErrEnded) {
		t.Errorf("waiting for what will not happen: %v", err)
	}
	if err := i.WaitConsuming(f.ctx, false); err != nil {
		t.Error(err)
	}
}
