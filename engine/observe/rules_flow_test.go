package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// OBS-07: the only message is delivered, and its client is gone.
func TestStuckUnacked(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	k := w.elastic("STUCK", "g", 2, "m1")
	c := w.consumer("STUCK-g", "m1", "STUCK.*", time.Second, 0, 1)
	w.everything()
	w.publish("STUCK", 1)
	fetched := must(c.Fetch(1, jetstream.FetchMaxWait(5*time.Second)))
	for range fetched.Messages() { // and nothing is done about it
	}
	f := w.finds(k, "stuck-unacked", "m1 stuck: 1 unacked for", "> ack wait 1s, no waiting pull")
	g := w.r.now().Group(k)
	if g.Lag() != 1 || !g.Verdict.InNeed() || f.Severity != model.Warning {
		t.Errorf("lag %d, %s, %+v", g.Lag(), g.Verdict, f)
	}
	w.finds(k, "stalled", "m1 stalled: 1 wait and nothing was acknowledged for", "1 unacked")
	if v := w.r.now().Group(k).Verdict; v != model.VerdictStalled {
		t.Errorf("%s", v)
	}
	w.fine()
}

// Messages that are delivered again, pins that are not given, no standby, one partition
// that holds it all.
func TestRulesOfFlow(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	again := w.elastic("AGAIN", "g", 2, "m1")
	c := w.consumer("AGAIN-g", "m1", "AGAIN.*", 5*time.Second, 0, 1)
	w.publish("AGAIN", 1)
	for i := range 2 {
		for m := range must(c.Fetch(1, jetstream.FetchMaxWait(5*time.Second))).Messages() {
			if i == 0 {
				_ = m.Nak()
			}
		}
	}
	pins := w.elastic("PINS", "g", 2, "m1")
	p := must(w.js.CreateConsumer(ctx, "PINS-g", jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 1, FilterSubjects: []string{"0.PINS.*", "1.PINS.*"}}))
	w.publish("PINS", 5)
	pulls := must(p.Consume(func(jetstream.Msg) {}, jetstream.PullExpiry(5*time.Second)))
	t.Cleanup(pulls.Stop)
	hot := w.elastic("HOT", "g", 8, "m1")
	for range 200 {
		must(w.js.Publish(ctx, "HOT.same", nil))
	}
	w.publish("HOT", 20)
	w.everything()
	if f := w.finds(again, "redelivering", "1 message delivered more than once"); f.Member != "m1" {
		t.Errorf("%+v", f)
	}
	w.finds(pins, "not-pinned", "m1: nobody is pinned and 4 wait")
	w.finds(pins, "no-standby", "no standby for m1")
	w.look(hot)
	w.finds(hot, "whale", "of the lag: 20", "of 220 messages")
	w.fine()
}

// OBS-10: a backlog that hides at the origin. OBS-11: partitions that nobody owns.
func TestBacklogsThatHide(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	must(w.js.CreateStream(ctx, jetstream.StreamConfig{Name: "FULL", Subjects: []string{"FULL.*"}, AllowDirect: true}))
	must(orbit.CreateElastic(ctx, w.js, "FULL", "g", 4, []orbit.PartitioningFilter{{Filter: "FULL.*", PartitioningWildcards: []int{1}}}, 10, -1))
	w.publish("FULL", 50)
	full := elastic("FULL", "g")
	half := w.elastic("HALF", "g", 4, "m1", "m2")
	w.consumer("HALF-g", "m1", "HALF.*", 5*time.Second, 0, 1)
	sent := map[int]bool{}
	for i := 0; len(sent) < 4; i++ {
		subject := fmt.Sprintf("HALF.k%d", i)
		p, _ := (model.Transform{From: "HALF.*", To: "{{partition(4,1)}}.x"}).Partition(subject)
		if !sent[p] {
			sent[p] = true
			must(w.js.Publish(ctx, subject, nil))
		}
	}
	gaps := w.static("GAPS", "{{partition(4,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"member_mappings":[{"member":"m1","partitions":[0,1,2]}]}`)
	for p := range 4 {
		for i := 0; ; i++ {
			subject := fmt.Sprintf("GAPS.k%d", i)
			if got, _ := (model.Transform{From: "GAPS.*", To: "{{partition(4,1)}}.x"}).Partition(subject); got == p {
				must(w.js.Publish(ctx, subject, nil))
				break
			}
		}
	}
	must(w.js.CreateConsumer(ctx, "GAPS", jetstream.ConsumerConfig{Durable: "g-m1", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: []string{"0.>", "1.>", "2.>"}}))
	w.everything()
	w.finds(full, "buffer-full", "buffer full 10/10, 40 waiting at origin, sourcing paused")
	if g := w.r.now().Group(full); g.Lag() != 50 {
		t.Errorf("lag %d", g.Lag())
	}
	w.look(half)
	now, _ := w.r.until(t, "a message in each partition", func(s *model.Snapshot) bool { return counts(s.Group(half)) == 4 && s.Group(half).Pending > 0 })
	g := now.Group(half)
	if g.Lag() != 4 || g.Pending != 2 || g.Stray() != 2 || len(g.Partitions) != 4 {
		t.Errorf("lag %d, pending %d, stray %d", g.Lag(), g.Pending, g.Stray())
	}
	w.finds(half, "absent", "m2 never seen: it owns 2 partitions (2-3), 2 messages wait there")
	w.look(gaps)
	w.finds(gaps, "unowned", "1 partition unowned: 3, 1 message waits there")
	now, _ = w.r.until(t, "all four", func(s *model.Snapshot) bool { return s.Group(gaps).Lag() == 4 })
	if g := now.Group(gaps); !g.About() || g.Pending != 3 {
		t.Errorf("about %v, pending %d", g.About(), g.Pending)
	}
	w.fine()
}
