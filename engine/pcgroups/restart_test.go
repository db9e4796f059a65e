package pcgroups

import (
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A restarted server costs the time it is away, whatever is stored in files.
func TestServerRestart(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.stream("ST", "st", 2)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
	f.elastic("g", 2, "m1")
	var got inbox
	var seen diary
	s := f.joinStatic("cg", "m1", got.handler("s"), oneByOne(2*time.Second))
	e := f.joinElastic("g", "m1", got.handler("e"), oneByOne(2*time.Second), WithObserver(seen.note))
	f.publishAll([]string{"st.a", "a.a"})
	eventually(t, 5*time.Second, "both consume", func() bool { return got.count() == 2 })
	f.restart()
	f.publishAll([]string{"st.b", "a.b"})
	eventually(t, 10*time.Second, "both consume again", func() bool { return got.has("st.b") && got.has("a.b") })
	// What was changed while the watch may be blind is followed.
	f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m2"}))
	eventually(t, 10*time.Second, "the change is followed", func() bool {
		info := f.info("A-g", "m1")
		return info != nil && len(filtersOf(info.Config)) == 1
	})
	for name, i := range map[string]Instance{"static": s, "elastic": e} {
		eventually(t, 5*time.Second, name+" counts it", func() bool {
			n, last := i.Recovered()
			return n > 0 && last != nil
		})
		eventually(t, 5*time.Second, name+" consumes", i.Consuming) // it may be changing consumers just then
		if err := i.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !seen.has(EventRecovered) {
		t.Errorf("observed %v", seen.kinds())
	}
}

// CON-02: a stream in memory is gone after a restart, and its members end and say so,
// also when it is made again a little later. They go on only if it is back at once.
func TestServerRestartLosesMemoryStreams(t *testing.T) {
	short(t)
	t.Parallel()
	for _, atOnce := range []bool{false, true} {
		f := newFixture(t)
		origins := func() {
			t.Helper()
			f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "ST", Subjects: []string{"st.*"}, Storage: jetstream.MemoryStorage}))
			f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "A", Subjects: []string{"a.*"}, Storage: jetstream.MemoryStorage}))
			f.must(CreateElastic(f.ctx, f.js, "A", "g", 2, []PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}}, 0, 0))
		}
		origins()
		f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
		f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m1"}))
		var got inbox
		// The members come back some time after the server.
		join := func() jetstream.JetStream {
			nc, err := nats.Connect(f.url, nats.MaxReconnects(-1), nats.CustomReconnectDelay(func(int) time.Duration { return time.Second }))
			f.must(nc, err)
			t.Cleanup(nc.Close)
			js, err := jetstream.New(nc)
			f.must(js, err)
			return js
		}
		s, err := StaticConsume(f.ctx, join(), "ST", "cg", "m1", got.handler(""), oneByOne(2*time.Second))
		f.must(s, err)
		t.Cleanup(s.Stop)
		e, err := ElasticConsume(f.ctx, join(), "A", "g", "m1", got.handler(""), oneByOne(2*time.Second))
		f.must(e, err)
		t.Cleanup(e.Stop)
		f.restart()
		if atOnce {
			origins()
			f.publish("a.x")
			if err := ended(t, 10*time.Second, s); !errors.Is(err, ErrConsumerGone) {
				t.Errorf("static: got %v", err)
			}
			eventually(t, 10*time.Second, "the elastic member goes on", func() bool { return got.has("a.x") })
			continue
		}
		for name, i := range map[string]ConsumerGroupConsumeContext{"static": s, "elastic": e} {
			if err := ended(t, 10*time.Second, i); !errors.Is(err, ErrStreamGone) || !errors.Is(i.(Instance).Err(), ErrStreamGone) {
				t.Errorf("%s: got %v", name, err)
			}
		}
		origins()
		f.publish("a.x")
		in, active, err := ElasticIsInMembershipAndActive(f.ctx, f.js, "A", "g", "m1")
		if !in || active || err != nil || got.count() != 0 {
			t.Errorf("after its end: in membership %v, active %v, %v", in, active, err)
		}
	}
}

// A lost connection is absorbed, with the pin if it comes back in time; one that is
// closed for good ends the member.
func TestConnectionLoss(t *testing.T) {
	f := newFixture(t)
	f.elastic("g", 2, "m1")
	nc, js := f.connect()
	var got inbox
	m, err := ElasticConsume(f.ctx, js, "A", "g", "m1", got.handler(""), oneByOne(2*time.Second))
	f.must(m, err)
	i := m.(Instance)
	f.publish("a.a")
	eventually(t, 5*time.Second, "it consumes", func() bool { return got.count() == 1 })
	f.must(nil, nc.ForceReconnect())
	f.publish("a.b")
	eventually(t, 5*time.Second, "it goes on", func() bool { return got.count() == 2 })
	eventually(t, 5*time.Second, "it counts it", func() bool {
		n, last := i.Recovered()
		return n == 1 && errors.Is(last, nats.ErrDisconnected)
	})
	nc.Close()
	if err := ended(t, 3*time.Second, i); !errors.Is(err, nats.ErrConnectionClosed) {
		t.Errorf("got %v", err)
	}
}

// CON-02: a static member whose durable was deleted does what its program has chosen.
func TestDurableGone(t *testing.T) {
	for _, c := range []struct {
		name   string
		policy DurableGone
		want   []string // that come after the durable was deleted
		not    []string
	}{
		{"resume", DurableGoneResume, []string{"st.c", "st.d"}, []string{"st.a", "st.b"}},
		{"new", DurableGoneNew, []string{"st.d"}, []string{"st.a", "st.b", "st.c"}},
		{"all", DurableGoneAll, []string{"st.a", "st.b", "st.c", "st.d"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.stream("ST", "st", 2)
			f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 2, nil, []string{"m1"}, nil))
			var before, after inbox
			var seen diary
			deleted := make(chan struct{})
			first, then := before.handler(""), after.handler("")
			i := f.joinStatic("cg", "m1", func(msg jetstream.Msg) {
				select {
				case <-deleted:
					then(msg)
				default:
					first(msg)
				}
			}, many(10), WithDurableGone(c.policy), WithObserver(seen.note))
			f.publishAll([]string{"st.a", "st.b"})
			eventually(t, 5*time.Second, "two are handled", func() bool { return before.count() == 2 })
			f.must(nil, waitAcked(f, "ST", "cg-m1"))
			// What is published while there is no consumer tells the policies apart. There
			// is time: the instance first makes sure that the group was not removed.
			close(deleted)
			f.must(nil, f.js.DeleteConsumer(f.ctx, "ST", "cg-m1"))
			f.publish("st.c")
			eventually(t, 5*time.Second, "it is made again", func() bool { return seen.count(EventJoined) == 2 && i.Consuming() })
			f.publish("st.d")
			eventually(t, 5*time.Second, "it goes on", func() bool { return len(missing(&after, c.want)) == 0 })
			for _, s := range c.not {
				if after.has(s) {
					t.Errorf("%s came again", s)
				}
			}
			if n, last := i.Recovered(); n != 1 || !errors.Is(last, ErrConsumerGone) {
				t.Errorf("recovered %d, %v", n, last)
			}
		})
	}
}

// A durable is resumed at the oldest message that is not known to be done.
func TestResumeSkipsNothingUnacknowledged(t *testing.T) {
	f := newFixture(t)
	f.stream("ST", "st", 1)
	f.must(CreateStatic(f.ctx, f.js, "ST", "cg", 1, nil, []string{"m1"}, nil))
	var got inbox
	acking := got.handler("")
	i := f.joinStatic("cg", "m1", func(msg jetstream.Msg) {
		if msg.Subject() == "st.held" && !got.has("st.held") {
			got.mu.Lock()
			got.got["unacked"] = append(got.got["unacked"], msg.Subject())
			got.mu.Unlock()
			return
		}
		acking(msg)
	}, many(10), WithDurableGone(DurableGoneResume))
	f.publishAll([]string{"st.a", "st.held", "st.b"})
	eventually(t, 5*time.Second, "all three are handled", func() bool { return got.count() == 3 })
	f.must(nil, f.js.DeleteConsumer(f.ctx, "ST", "cg-m1"))
	eventually(t, 5*time.Second, "the unacknowledged one and all after it come again", func() bool { return got.count() == 5 })
	if n := len(got.got[""]); n != 4 || got.got[""][2] != "st.held" {
		t.Errorf("got %v", got.got)
	}
	i.Stop()
	f.must(nil, i.Wait(f.ctx))
}
