package pcgroups

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// What a program sees of its member, from joining to the end.
func TestObserveAMembersLife(t *testing.T) {
	f := newFixture(t)
	f.elastic("g", 2)
	var got inbox
	var seen diary
	var log journal
	i := f.joinElastic("g", "m1", got.handler(""), oneByOne(2*time.Second), WithObserver(seen.note), WithLogger(log.logger()), nil)
	if i.Consuming() || i.Pinned() || i.Err() != nil {
		t.Error("a member of nothing consumes")
	}
	soon, cancel := context.WithTimeout(f.ctx, 20*time.Millisecond)
	defer cancel()
	if err := i.WaitConsuming(soon, true); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if err := i.Wait(soon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m1"}))
	f.must(nil, i.WaitConsuming(f.ctx, true))
	f.publish("a.x")
	eventually(t, 5*time.Second, "pinned", i.Pinned)
	f.must(DeleteMembers(f.ctx, f.js, "A", "g", []string{"m1"}))
	f.must(nil, i.WaitConsuming(f.ctx, false))
	if i.Pinned() {
		t.Error("pinned without consuming")
	}
	f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m1"}))
	f.must(nil, i.WaitConsuming(f.ctx, true))
	f.must(nil, f.js.DeleteConsumer(f.ctx, "A-g", "m1"))
	eventually(t, 3*time.Second, "recovered", func() bool { n, _ := i.Recovered(); return n == 1 })
	if _, last := i.Recovered(); !errors.Is(last, ErrConsumerGone) {
		t.Errorf("recovered from %v", last)
	}
	f.must(nil, DeleteElastic(f.ctx, f.js, "A", "g"))
	f.must(nil, i.Wait(f.ctx))
	want := []EventKind{EventJoined, EventPinned, EventUnpinned, EventLeft, EventJoined, EventLeft, EventJoined, EventRecovered, EventLeft}
	if kinds := seen.kinds(); !slices.Equal(kinds, want) {
		t.Errorf("observed %v", seen.all)
	}
	if p := seen.all[0]; !slices.Equal(p.Partitions, []int{0, 1}) || p.Time.IsZero() || p.String() != "joined [0 1]" {
		t.Errorf("joined as %+v", p)
	}
	if pinned, unpinned := seen.all[1], seen.all[2]; pinned.Pin == "" || pinned.Pin != unpinned.Pin || unpinned.Err != nil {
		t.Errorf("%v, %v", pinned, unpinned)
	}
	if deleted, removed := seen.all[5], seen.all[8]; !errors.Is(deleted.Err, ErrConsumerGone) || removed.Err != nil {
		t.Errorf("%v, %v", deleted, removed)
	}
	for _, text := range []string{"msg=joined", "msg=\"handed over\"", "member=m1", "group=g", "msg=recovered"} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("no %s in the log:\n%s", text, log.String())
		}
	}
	if strings.Contains(log.String(), "level=WARN") || strings.Contains(log.String(), "level=ERROR") {
		t.Errorf("warned of:\n%s", log.String())
	}
}

// Acknowledgements that are not recorded are told when confirmed, and counted always.
func TestUnconfirmedAcksAreCounted(t *testing.T) {
	// Kept in progress, a member hears of its consumer's end while the handler works.
	for name, opts := range map[string][]Option{"confirmed": {WithConfirmedAcks(200 * time.Millisecond)}, "plain": {WithInProgress()}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.elastic("g", 2, "m1")
			in, out := make(chan struct{}), make(chan error, 10)
			i := f.joinElastic("g", "m1", func(msg jetstream.Msg) {
				in <- struct{}{}
				<-in
				out <- msg.Ack()
			}, oneByOne(2*time.Second), opts...)
			f.publish("a.x")
			<-in
			in <- struct{}{}
			if err := <-out; err != nil || i.Unconfirmed() != 0 {
				t.Errorf("%v, %d unconfirmed", err, i.Unconfirmed())
			}
			f.publish("a.y")
			<-in
			f.must(nil, f.js.DeleteConsumer(f.ctx, "A-g", "m1"))
			eventually(t, 5*time.Second, "it knows and has another one", func() bool { n, _ := i.Recovered(); return n == 1 || name == "confirmed" })
			in <- struct{}{}
			if err := <-out; (err != nil) != (name == "confirmed") {
				t.Errorf("acknowledging to nobody gave %v", err)
			}
			eventually(t, time.Second, "it is counted", func() bool { return i.Unconfirmed() == 1 })
			<-in // the message comes again
			in <- struct{}{}
			if err := <-out; err != nil || i.Unconfirmed() != 1 {
				t.Errorf("%v, %d unconfirmed", err, i.Unconfirmed())
			}
		})
	}
}

// A consumer that another instance made with other settings is used, and it is said.
func TestAdoptedSettingsAreWarnedOf(t *testing.T) {
	f := newFixture(t)
	f.elastic("g", 2, "m1")
	f.joinElastic("g", "m1", new(inbox).handler(""), oneByOne(3*time.Second))
	var log, quiet journal
	f.joinElastic("g", "m1", new(inbox).handler(""), many(5), WithLogger(log.logger()))
	f.joinElastic("g", "m1", new(inbox).handler(""), oneByOne(3*time.Second), WithLogger(quiet.logger()))
	for _, text := range []string{"level=WARN", "ack_wait=3s", "our_ack_wait=10s", "priority_timeout=3s", "max_ack_pending=1", "our_max_ack_pending=5"} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("no %s in the log:\n%s", text, log.String())
		}
	}
	if strings.Contains(quiet.String(), "WARN") {
		t.Error(quiet.String())
	}
}

// CON-07: a member whose join context has ended is as idle as before.
func TestIdleAfterTheJoinContextEnded(t *testing.T) {
	short(t)
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.elastic("g", 2, "m1")
	var got inbox
	ctx, cancel := context.WithCancel(f.ctx)
	s, err := StaticConsume(ctx, f.js, "ST", "cg", "m1", got.handler("s"), wait2s)
	f.must(s, err)
	defer s.Stop()
	e, err := ElasticConsume(ctx, f.js, "A", "g", "m1", got.handler("e"), wait2s)
	f.must(e, err)
	defer e.Stop()
	cancel()
	runtime.GC()
	before, from := cpuTime(), time.Now()
	time.Sleep(2 * time.Second) // what is measured
	if used := cpuTime() - before; used > time.Since(from)/10 {
		t.Errorf("idle members used %v of CPU in 2 s", used)
	}
	f.publishAll([]string{"st.a", "a.a"})
	eventually(t, 5*time.Second, "both consume", func() bool { return got.count("s") == 1 && got.count("e") == 1 })
}
