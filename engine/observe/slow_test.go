package observe

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// cut closes all connections that pass.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		_ = c.Close()
	}
	p.conns = nil
}

// slow lets everything wait before it passes, and now and then for longer, as a link does
// that loses packets.
func (p *proxy) slow(usual, lost time.Duration, every int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	p.delay = func() time.Duration { // the lock is held
		if n++; n%every == 0 {
			return lost
		}
		return usual
	}
}

// A slow link is not a lost one, and all comes over it.
func TestSlowLink(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a slow link")
	}
	s := natstest.Start(t)
	kv := bucketOf(t, jetStream(t, connect(t, s.ClientURL())), model.KindStatic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	p := newProxy(t, s.Addr().String())
	p.slow(50*time.Millisecond, 400*time.Millisecond, 8)
	_, r := observe(t, connect(t, "nats://"+p.Addr().String()), Options{})
	now, took := r.until(t, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(static("S", "g")) != nil })
	t.Logf("live after %v", took)
	if now.Server.RTT < 100*time.Millisecond {
		t.Errorf("the round trip is shown as %v", now.Server.RTT)
	}
	for _, key := range []string{"S.a", "S.b", "S.c", "S.d"} {
		must(kv.PutString(t.Context(), key, goodConfig))
		_, took := r.until(t, "a new group", func(s *model.Snapshot) bool { return s.Group(static("S", key[2:])) != nil })
		t.Logf("%s after %v", key, took)
		if took > 2*time.Second {
			t.Errorf("%s is shown only after %v", key, took)
		}
	}
	if slices.ContainsFunc(r.observations(), func(o model.Observation) bool { l, ok := o.(model.LinkSeen); return ok && l.State == model.LinkLost }) {
		t.Error("the slow link counted as lost")
	}
}

// TUI-13: a stream of which no answer comes says so in its own rows, long before the answer
// is given up, and takes it back when one comes; the others are as they were.
func TestAnAnswerThatIsLateIsTold(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for late answers")
	}
	t.Parallel()
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	kv := bucketOf(t, js, model.KindElastic)
	for _, g := range []string{"slow", "a"} {
		must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S-" + g, Subjects: []string{g + ".>"}, Storage: jetstream.MemoryStorage}))
		must(kv.PutString(t.Context(), "S."+g, goodConfig))
	}
	slowAPI(t, nc, "far.API", "CONSUMER.LIST.S-slow", 4*time.Second)
	_, r := observe(t, connect(t, s.ClientURL()), Options{APIPrefix: "far.API"})
	slow, quick := elastic("S", "slow"), elastic("S", "a")
	now, took := r.until(t, "no answer", func(s *model.Snapshot) bool { g := s.Group(slow); return g != nil && g.ReadError != "" })
	if text := now.Group(slow).ReadError; !strings.HasPrefix(text, "no answer for ") || !strings.HasSuffix(text, " to CONSUMER.LIST.S-slow") || took > 3*time.Second {
		t.Errorf("%q after %v", text, took)
	}
	r.until(t, "the answer", func(s *model.Snapshot) bool { return s.Group(slow).ReadError == "" && !s.Group(slow).ReadAt.IsZero() })
	if slices.ContainsFunc(r.observations(), func(o model.Observation) bool {
		read, ok := o.(model.ConsumersRead)
		return ok && read.Stream == quick.ConsumeStream() && read.Error != ""
	}) {
		t.Error("another stream was blamed")
	}
}

// A link that breaks as soon as it is back leaves nothing behind: neither subscriptions
// nor consumers.
func TestReconnectStorm(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	kv := bucketOf(t, js, model.KindStatic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	p := newProxy(t, s.Addr().String())
	nc := connect(t, "nats://"+p.Addr().String(), nats.Name("watcher"))
	_, r := observe(t, nc, Options{MaxRequests: 1000})
	r.until(t, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(static("S", "g")) != nil })
	before := nc.NumSubscriptions()
	for n := range 30 {
		if n%3 == 0 { // some breaks come before all was read again
			r.until(t, "live, so that the break is noticed", live)
		}
		was := nc.Stats().Reconnects
		p.cut()
		if n%3 == 0 {
			r.until(t, "noticed", func(s *model.Snapshot) bool { return !live(s) })
		}
		eventually(t, "connected again", func() bool { return nc.Stats().Reconnects > was && nc.IsConnected() })
		if n%3 > 0 {
			continue
		}
		r.until(t, "live again", live)
	}
	must(kv.PutString(t.Context(), "S.new", goodConfig))
	r.until(t, "what happened since", func(s *model.Snapshot) bool { return live(s) && s.Group(static("S", "new")) != nil })
	eventually(t, "no more subscriptions than before", func() bool { return nc.NumSubscriptions() == before })
	stream := must(js.Stream(t.Context(), "KV_static-consumer-groups"))
	eventually(t, "one watch of the bucket", func() bool { return must(stream.Info(t.Context())).State.Consumers <= 1 })
}

// A connection of which one direction is dead, as behind a gateway that has forgotten it,
// does not tell: it is noticed by pings, and given up for a new one.
func TestHalfOpenLink(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for pings to time out")
	}
	for name, up := range map[string]bool{"nothing arrives there": true, "nothing arrives here": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			kv := bucketOf(t, jetStream(t, connect(t, s.ClientURL())), model.KindStatic)
			must(kv.PutString(t.Context(), "S.g", goodConfig))
			p := newProxy(t, s.Addr().String())
			_, r := observe(t, connect(t, "nats://"+p.Addr().String()), Options{})
			r.until(t, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(static("S", "g")) != nil })
			p.swallow(up)
			_, took := r.until(t, "lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })
			t.Logf("noticed after %v", took)
			if took > 2*time.Second {
				t.Errorf("noticed after %v", took)
			}
			must(kv.PutString(t.Context(), "S.new", goodConfig))
			now, took := r.until(t, "live on another connection", func(s *model.Snapshot) bool { return live(s) && s.Group(static("S", "new")) != nil })
			t.Logf("live again after %v", took)
			if took > 8*time.Second {
				t.Errorf("live again after %v", took)
			}
			if !slices.ContainsFunc(now.Events, func(e model.Event) bool { return e.Text == "connection lost: no answer to a ping within 1.2s" }) {
				t.Errorf("why is not told: %+v", now.Events)
			}
		})
	}
}

// A link whose round trip takes seconds is slow, not dead: all comes over it, and of no
// stream it is said that nobody answers. One that becomes so slow is lost for no longer than
// a ping takes.
func TestVerySlowLink(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a very slow link")
	}
	t.Parallel()
	const oneWay = 700 * time.Millisecond // and as much again, where one chunk waits for the one before
	for name, first := range map[string]time.Duration{"from the start": oneWay, "later": 0} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := natstest.Start(t)
			kv := bucketOf(t, jetStream(t, connect(t, s.ClientURL())), model.KindStatic)
			must(jetStream(t, connect(t, s.ClientURL())).CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"a.*"}}))
			must(kv.PutString(t.Context(), "S.g", goodConfig))
			p := newProxy(t, s.Addr().String())
			p.slow(first, first, 1)
			_, r := observe(t, connect(t, "nats://"+p.Addr().String(), nats.Timeout(10*time.Second)), Options{})
			_, took := r.within(t, time.Minute, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(static("S", "g")) != nil })
			t.Logf("live after %v", took)
			if first == 0 {
				p.slow(oneWay, oneWay, 1)
				_, took = r.within(t, time.Minute, "lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })
				t.Logf("lost after %v", took)
			}
			must(kv.PutString(t.Context(), "S.new", goodConfig))
			now, took := r.within(t, time.Minute, "what came since", func(s *model.Snapshot) bool {
				return live(s) && s.Group(static("S", "new")) != nil && s.Server.RTT > 2*oneWay
			})
			t.Logf("all read over it after %v, round trip %v", took, now.Server.RTT)
			lost := 0
			for _, o := range r.observations() {
				switch o := o.(type) {
				case model.LinkSeen:
					if o.State == model.LinkLost {
						lost++
					}
				case model.ConsumersRead:
					if o.Error != "" {
						t.Errorf("of %s it says: %s", o.Stream, o.Error)
					}
				}
			}
			if want := map[bool]int{true: 0, false: 1}[first > 0]; lost > want {
				t.Errorf("it was lost %d times", lost)
			}
		})
	}
}
