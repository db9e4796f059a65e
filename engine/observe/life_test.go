package observe

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// OBS-12: three facts about a member, apart.
func TestLivenessIsNotGuessed(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	ctx := t.Context()
	k := w.elastic("LIFE", "g", 2, "m1")
	never := w.elastic("NEVER", "g", 2, "m1", "m2")
	var members []orbit.ConsumerGroupConsumeContext
	for range 2 {
		members = append(members, must(orbit.ElasticConsume(ctx, w.js, "LIFE", "g", "m1", func(m jetstream.Msg) { _ = m.Ack() },
			jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second})))
	}
	w.everything()
	w.r.until(t, "two instances pull", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g != nil && g.Member("m1") != nil && g.Member("m1").State == model.StateWaiting
	})
	for _, m := range members {
		m.Stop()
		<-m.Done()
	}
	// (a) both stop: orbit.go deletes nothing, so the consumer stays for its threshold.
	f := w.finds(k, "no-pull", "nobody pulls")
	t.Logf("%s", f.Text)
	w.finds(k, "no-pull", "expires in ~")
	f = w.finds(k, "absent", "m1 gone for")
	if m := w.r.now().Group(k).Member("m1"); m.Consumer != nil || !m.Configured || m.LostAt.IsZero() {
		t.Errorf("%+v", m)
	}
	// (b) nobody of that name.
	if m := w.r.now().Group(k).Member("nobody"); m != nil {
		t.Errorf("%+v", m)
	}
	// (d) a group that never had a consumer is listed.
	if pulling, configured := w.r.now().Group(never).Pulling(); pulling != 0 || configured != 2 {
		t.Errorf("%d of %d", pulling, configured)
	}
	w.fine()
}

// OBS-12 (c): a member that pulls one message at a time and takes long over it does not
// flicker.
func TestSlowMemberDoesNotFlicker(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	ctx := t.Context()
	k := w.static("SLOW", "{{partition(2,1)}}.S.{{wildcard(1)}}", `{"max_members":2,"filters":["SLOW.*"],"members":["m1"]}`)
	release := make(chan struct{})
	m := must(orbit.StaticConsume(ctx, w.js, "SLOW", "g", "m1", func(m jetstream.Msg) {
		select {
		case <-time.After(1800 * time.Millisecond):
		case <-release:
		}
		_ = m.Ack()
	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, MaxAckPending: 1}))
	t.Cleanup(func() { m.Stop(); <-m.Done() })
	t.Cleanup(func() { close(release) })
	w.everything()
	w.publish("SLOW", 4)
	now, _ := w.r.until(t, "pinned", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g != nil && g.Member("m1") != nil && g.Member("m1").State == model.StatePinned
	})
	from := now.Group(k).Member("m1").Consumer.TS
	w.r.until(t, "20 samples of a busy member", func(s *model.Snapshot) bool {
		m := s.Group(k).Member("m1")
		if m.State != model.StatePinned {
			t.Fatalf("%s: waiting %d, unacked %d", m.State, m.Consumer.Waiting, m.Consumer.AckPending)
		}
		return m.Consumer.TS.Sub(from) > 4*time.Second
	})
	w.fine()
}

// After a rolling update under new names the names that never came are shown as never
// seen, with what they own and what waits there.
func TestRollingUpdateUnderNewNames(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	k := w.elastic("ROLL", "g", 6, "old-1", "old-2", "old-3")
	join := func(name string) orbit.ConsumerGroupConsumeContext {
		return must(orbit.ElasticConsume(ctx, w.js, "ROLL", "g", name, func(m jetstream.Msg) { _ = m.Ack() },
			jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second}))
	}
	var running []orbit.ConsumerGroupConsumeContext
	for _, name := range []string{"old-1", "old-2", "old-3"} {
		running = append(running, join(name))
	}
	w.everything()
	w.r.until(t, "the old ones pull", func(s *model.Snapshot) bool {
		g := s.Group(k)
		if g == nil {
			return false
		}
		n, _ := g.Pulling()
		return n == 3
	})
	must(orbit.AddMembers(ctx, w.js, "ROLL", "g", []string{"new-1", "new-2", "new-3"}))
	must(orbit.DeleteMembers(ctx, w.js, "ROLL", "g", []string{"old-1", "old-2", "old-3"}))
	for _, m := range running {
		m.Stop()
		<-m.Done()
	}
	one := join("new-1") // the others never come
	t.Cleanup(func() { one.Stop(); <-one.Done() })
	w.publish("ROLL", 60)
	w.o.Focus(&k, []model.Key{k})
	now, _ := w.r.until(t, "two names that never came", func(s *model.Snapshot) bool {
		g := s.Group(k)
		sum, _ := g.CountOf([]int{2, 3, 4, 5})
		return g.Counted() && g.Member("new-1").State == model.StatePinned && g.Lag() == sum && sum > 0 && finding(g, "absent") != nil
	})
	g := now.Group(k)
	for _, name := range []string{"new-2", "new-3"} {
		m := g.Member(name)
		n, _ := g.CountOf(m.Partitions)
		want := fmt.Sprintf("%s never seen: it owns 2 partitions (%s), %d messages wait there", name, model.Ranges(m.Partitions), n)
		found := false
		for _, f := range g.Findings {
			found = found || f.ID == "absent" && f.Member == name && f.Text == want
		}
		if !found || m.State != model.StateAbsent || m.Why != "never seen" || n == 0 {
			t.Errorf("%s: %s %q, want %q in %+v", name, m.State, m.Why, want, g.Findings)
		}
	}
	w.fine()
}

// CON-10: with an ack wait of a second the pin goes to and fro at every quiet moment.
func TestFlapping(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	ctx := t.Context()
	k := w.elastic("FLAP", "g", 2, "m1")
	for range 2 {
		m := must(orbit.ElasticConsume(ctx, w.js, "FLAP", "g", "m1", func(m jetstream.Msg) { _ = m.Ack() },
			jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Second}))
		t.Cleanup(func() { m.Stop(); <-m.Done() })
	}
	w.everything()
	var next time.Time
	w.r.until(t, "flapping", func(s *model.Snapshot) bool {
		if time.Now().After(next) { // a message after a quiet moment, again and again
			next = time.Now().Add(1500 * time.Millisecond)
			_ = w.js.Conn().Publish("FLAP.k", nil)
		}
		return hasFinding(s.Group(k), "flapping")
	})
	if f := finding(w.r.now().Group(k), "flapping"); !strings.Contains(f.Hint, "ack wait of 1s is below 2s") {
		t.Errorf("%+v", f)
	}
	w.fine()
}
