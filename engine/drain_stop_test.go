package engine

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

const hungAckWait = 20 * time.Second

// hung is a group of two members of which m1 holds a message until it is released.
type hung struct {
	js      jetstream.JetStream
	key     model.Key
	e       *Engine
	url     string
	calls   atomic.Int32
	release func()
}

func hang(t *testing.T, change ...func(*server.Options)) *hung {
	t.Helper()
	return hangOn(t, natstest.Start(t, change...))
}

// hangOn is hang on a server that runs already.
func hangOn(t *testing.T, s *server.Server) *hung {
	t.Helper()
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	h := &hung{js: js, url: s.ClientURL()}
	h.key = elasticGroup(t, js, "m1", "m2")
	held := make(chan struct{})
	h.release = sync.OnceFunc(func() { close(held) })
	t.Cleanup(h.release)
	for _, m := range []string{"m1", "m2"} {
		running := must(oracle.ElasticConsume(t.Context(), js, "ORDERS", "cg", m, func(msg jetstream.Msg) {
			h.calls.Add(1)
			if m == "m1" {
				<-held
			}
			_ = msg.Ack()
		}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: hungAckWait, MaxAckPending: 1}))
		t.Cleanup(running.Stop)
	}
	poll(t, "both consumers", func() bool { return h.info(t, "m1") != nil && h.info(t, "m2") != nil })
	for i := range 16 { // so that each has some
		must(js.Publish(t.Context(), "orders."+string(rune('a'+i)), nil))
	}
	poll(t, "m1 holds one", func() bool { return h.info(t, "m1").NumAckPending == 1 })
	poll(t, "m2 has handled its own", func() bool { i := h.info(t, "m2"); return i.NumPending == 0 && i.NumAckPending == 0 })
	return h
}

func (h *hung) info(t *testing.T, member string) *jetstream.ConsumerInfo {
	t.Helper()
	c, err := h.js.Consumer(t.Context(), "ORDERS-cg", member)
	if err != nil {
		return nil
	}
	return c.CachedInfo()
}

func (h *hung) stored(t *testing.T) uint64 {
	t.Helper()
	return must(must(h.js.KeyValue(t.Context(), "elastic-consumer-groups")).Get(t.Context(), "ORDERS.cg")).Revision()
}

func (h *hung) plan(t *testing.T, drain time.Duration) *model.Plan {
	t.Helper()
	now := until(t, h.e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(h.key) != nil })
	return plan(t, now.Group(h.key), model.ActionDrop, "m2").WithDrain(drain)
}

// taken waits until m1 has all partitions and goes on. One of orbit.go that was refused,
// since m2 was still there, tries again after the ack wait.
func (h *hung) taken(t *testing.T) {
	t.Helper()
	pollFor(t, hungAckWait+5*time.Second, "m1 has all partitions and is not paused", func() bool {
		i := h.info(t, "m1")
		return i != nil && !i.Paused && len(i.Config.FilterSubjects) == 8
	})
}

// untouched checks that nobody is paused and nothing was written.
func (h *hung) untouched(t *testing.T, revision uint64) {
	t.Helper()
	for _, m := range []string{"m1", "m2"} {
		if i := h.info(t, m); i == nil || i.Paused {
			t.Errorf("%s is paused, or gone: %+v", m, i)
		}
	}
	if now := h.stored(t); now != revision {
		t.Errorf("revision %d ▸ %d", revision, now)
	}
}

// Stopped at any step before the write, the pauses are taken back and nothing was
// written; stopped after it, the write stands and whoever is to go on goes on.
func TestDrainStoppedAtEachStep(t *testing.T) {
	for _, phase := range []model.Phase{model.PhasePausing, model.PhaseWaiting, model.PhaseWriting, model.PhaseWatching} {
		t.Run(string(phase), func(t *testing.T) {
			h := hang(t)
			h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "admin", "pw" })
			before := h.stored(t)
			p := h.plan(t, 8*time.Second)
			if phase == model.PhaseWriting || phase == model.PhaseWatching {
				h.release()
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			begin := time.Now()
			done, err := h.e.Handover(ctx, p, func(now model.Handover) {
				if now.Phase == phase {
					cancel()
				}
			})
			switch phase {
			case model.PhasePausing, model.PhaseWaiting:
				if err == nil || !strings.Contains(err.Error(), "nothing was written, and no member stays paused") {
					t.Errorf("%q, %v", done, err)
				}
				h.untouched(t, before)
				if took := time.Since(begin); took > 2*time.Second {
					t.Errorf("stopped after %s", took)
				}
			default:
				if err != nil || !strings.Contains(done, "drop m2") {
					t.Errorf("%q, %v", done, err)
				}
				h.taken(t)
			}
		})
	}
}

// A message that nobody acknowledges holds the write up until the deadline is near, no
// longer, and the report says so.
func TestDrainDeadline(t *testing.T) {
	h := hang(t)
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "admin", "pw" })
	p := h.plan(t, time.Second)
	begin := time.Now()
	var last model.Handover
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done, err := h.e.Handover(ctx, p, func(now model.Handover) {
		written := now.Phase == model.PhaseWatching && last.Phase != now.Phase
		last = now
		if written {
			if took := time.Since(begin); took > 1500*time.Millisecond || took < 500*time.Millisecond {
				t.Errorf("written after %s", took)
			}
			h.release()
		}
	})
	if err != nil || last.Unacked != 1 || !strings.Contains(done, "with 1 unacknowledged, which are delivered again") {
		t.Errorf("%q, %v, %+v", done, err, last)
	}
}

// A pause by somebody else is neither changed nor ended.
func TestDrainLeavesOthersPausesAlone(t *testing.T) {
	h := hang(t)
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "admin", "pw" })
	theirs := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	must(h.js.PauseConsumer(t.Context(), "ORDERS-cg", "m2", theirs))
	before := h.stored(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := h.e.Handover(ctx, h.plan(t, 8*time.Second), func(now model.Handover) {
		if now.Phase == model.PhaseWaiting && h.info(t, "m1").Paused {
			must(h.js.PauseConsumer(t.Context(), "ORDERS-cg", "m1", theirs)) // and one that was ours becomes theirs
			cancel()
		}
	})
	if err == nil || h.stored(t) != before {
		t.Errorf("%v", err)
	}
	for _, m := range []string{"m1", "m2"} {
		if i := h.info(t, m); !i.Paused || !i.Config.PauseUntil.Equal(theirs) {
			t.Errorf("%s: paused %v until %v, theirs is %v", m, i.Paused, i.Config.PauseUntil, theirs)
		}
	}
}

// A plan that is out of date pauses nobody; one that becomes so writes nothing, says
// what changed and leaves nobody paused.
func TestDrainConflict(t *testing.T) {
	h := hang(t)
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "admin", "pw" })
	p := h.plan(t, 8*time.Second)
	h.release()
	changed := false
	_, err := h.e.Handover(t.Context(), p, func(now model.Handover) {
		if now.Phase == model.PhaseWriting && !changed {
			changed = true
			must(oracle.AddMembers(t.Context(), h.js, "ORDERS", "cg", []string{"m9"}))
		}
	})
	if !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "+m9") || !strings.Contains(err.Error(), "no member stays paused") {
		t.Errorf("%v", err)
	}
	// The change makes the consumers anew. When two of orbit.go's members get in each
	// other's way at that, one tries again only after its ack wait and half a second.
	pollFor(t, 25*time.Second, "nobody is paused", func() bool {
		a, b := h.info(t, "m1"), h.info(t, "m2")
		return a != nil && b != nil && !a.Paused && !b.Paused
	})
	_, err = h.e.Handover(t.Context(), p, func(now model.Handover) { t.Errorf("%+v", now) })
	if !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
}

// Without the permission to pause, nothing is written and the permission is named.
func TestDrainDenied(t *testing.T) {
	h := hang(t, restricted(t, "operator", "CONSUMER.PAUSE"))
	h.e = start(t, h.url, func(o *Options) { o.User, o.Password = "user", "pw" })
	before := h.stored(t)
	begin := time.Now()
	_, err := h.e.Apply(t.Context(), h.plan(t, 8*time.Second))
	if !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "CONSUMER.PAUSE") || time.Since(begin) > 2*time.Second {
		t.Errorf("%v after %s", err, time.Since(begin))
	}
	h.untouched(t, before)
}

// A member whose new consumer was refused tries again after its ack wait: it is waited
// for until then, and nobody is waited for less than the least.
func TestHandoverOutlastsAnAckWait(t *testing.T) {
	info := func(wait time.Duration) *jetstream.ConsumerInfo {
		return &jetstream.ConsumerInfo{Name: "m", Paused: true, Config: jetstream.ConsumerConfig{AckWait: wait}}
	}
	for wait, least := range map[time.Duration]time.Duration{time.Second: watchLeast, 30 * time.Second: 31 * time.Second} {
		h := &handover{plan: &model.Plan{}, ours: map[string]paused{}, pulls: map[string]int{}}
		if _, _, _, err := h.pause(t.Context(), map[string]*jetstream.ConsumerInfo{"a": info(time.Second), "b": info(wait)}); err != nil {
			t.Fatal(err)
		}
		if most := h.watchMost(); most < least {
			t.Errorf("members with an ack wait of %s are waited for %s", wait, most)
		}
	}
}
