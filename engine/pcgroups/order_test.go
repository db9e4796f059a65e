package pcgroups

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Through changes, kills, stops and step-downs each key is first delivered in the
// order it was published in, and nothing is missing at the end.
func TestOrderThroughChangesKillsAndStepDowns(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 8, "m1", "m2", "m3")
	var got ledger
	type process struct {
		nc *nats.Conn
		m  ConsumerGroupConsumeContext
	}
	names := []string{"m1", "m2", "m3"}
	running := make(map[string][]process)
	n := 0
	start := func(name string) {
		t.Helper()
		nc, js := f.connect()
		n++
		m, err := ElasticConsume(f.ctx, js, "A", "g", name, got.handler(name, fmt.Sprintf("%s-%d", name, n), time.Millisecond), oneByOne(2*time.Second))
		f.must(m, err)
		t.Cleanup(m.Stop)
		running[name] = append(running[name], process{nc, m})
	}
	for _, name := range names {
		start(name)
		start(name)
	}
	l := f.startLoad("a", 16, 4*time.Millisecond)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 24 {
		name := names[random.IntN(3)]
		switch i % 4 {
		case 0:
			f.must(DeleteMembers(f.ctx, f.js, "A", "g", []string{name}))
			f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m1"})) // somebody is left
		case 1:
			f.must(AddMembers(f.ctx, f.js, "A", "g", names))
		case 2:
			if err := ElasticMemberStepDown(f.ctx, f.js, "A", "g", name); err != nil {
				t.Logf("step down %s: %v", name, err) // it has no consumer at the moment
			}
		case 3:
			gone := running[name][0]
			running[name] = running[name][1:]
			if i%8 == 3 {
				gone.nc.Close() // killed
			} else {
				gone.m.Stop()
			}
			start(name)
		}
		time.Sleep(time.Duration(50+random.IntN(200)) * time.Millisecond) // some load between changes
	}
	f.must(AddMembers(f.ctx, f.js, "A", "g", names))
	l.drained(t, 20*time.Second, &got)
	if v := got.judge(l.sent, time.Now()); v.disorder != 0 || v.missing != 0 {
		t.Errorf("%+v", v)
	}
}

// Handlers that are at work when the membership changes finish, and nothing comes
// twice: members wait for each other as long as a handler may take.
func TestPlannedChangesMakeNoDuplicates(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 6, "m1", "m2")
	var got ledger
	for _, name := range []string{"m1", "m2", "m3"} {
		for i := range 2 {
			c := oneByOne(2 * time.Second)
			c.MaxAckPending = 5 // so that what is buffered is handled within the ack wait, too
			f.joinElastic("g", name, got.handler(name, fmt.Sprintf("%s-%d", name, i), 60*time.Millisecond), c)
		}
	}
	l := f.startLoad("a", 12, 30*time.Millisecond)
	for i := range 12 {
		from := time.Now()
		if i%2 == 0 {
			f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m3"}))
		} else {
			f.must(DeleteMembers(f.ctx, f.js, "A", "g", []string{"m3"}))
		}
		eventually(t, 5*time.Second, "the change is followed", func() bool {
			for _, d := range got.since(from) {
				if (d.member == "m3") == (i%2 == 0) && partitionOf(fmt.Sprintf("k%d", d.key), 6) >= 4 {
					return true
				}
			}
			return false
		})
	}
	l.drained(t, 20*time.Second, &got)
	if v := got.judge(l.sent, time.Now()); v.duplicates+v.disorder+v.missing+v.concurrent != 0 {
		t.Errorf("%+v", v)
	}
}

// A slow handler that finishes within the ack wait is waited for.
func TestHandoverWaitsForTheHandler(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 2, "m1")
	calls := make(chan string, 10)
	work := func(name string) func(jetstream.Msg) {
		return func(msg jetstream.Msg) {
			calls <- name
			time.Sleep(1500 * time.Millisecond) // the work
			_ = msg.Ack()
		}
	}
	f.joinElastic("g", "m1", work("m1"), oneByOne(2*time.Second))
	f.joinElastic("g", "m1", work("m1"), oneByOne(2*time.Second))
	f.joinElastic("g", "m2", work("m2"), oneByOne(2*time.Second))
	f.publish("a.x")
	if who := <-calls; who != "m1" {
		t.Fatal(who)
	}
	f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m2"}))
	f.must(DeleteMembers(f.ctx, f.js, "A", "g", []string{"m1"}))
	eventually(t, 4*time.Second, "m2 has all", func() bool {
		info := f.info("A-g", "m2")
		return info != nil && len(filtersOf(info.Config)) == 2 && f.info("A-g", "m1") == nil
	})
	f.publish("a.y")
	if who := <-calls; who != "m2" {
		t.Error(who)
	}
	f.must(nil, waitAcked(f, "A-g", "m2"))
	if len(calls) != 0 {
		t.Errorf("something was handled twice, by %s", <-calls)
	}
}
