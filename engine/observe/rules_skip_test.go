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

// ENG-10: a consumer that somebody gave a partition in place never gets what waited there
// before. A busy neighbour, and the same group after its consumer was made anew, are well.
func TestPassedOver(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	k := given(inPlace)(w, "SKIP")
	left := int64(must(must(w.js.Stream(t.Context(), "SKIP-g")).Info(t.Context())).State.Msgs)
	c := must(w.js.Consumer(t.Context(), "SKIP-g", "m1"))
	if n := must(c.Info(t.Context())).NumPending; left == 0 || n != 0 {
		t.Fatalf("%d messages are left, and the server counts %d for the consumer", left, n)
	}
	w.open(k)
	f := w.finds(k, "passed-over", fmt.Sprintf("m1 passed over ~%d messages", left), "the first in partition 1 for")
	g := w.r.now().Group(k)
	if f.Severity != model.Warning || f.Member != "m1" || g.Verdict != model.VerdictDegraded || f.Brief != fmt.Sprintf("%d passed over: m1", left) {
		t.Errorf("%+v, %s", f, g.Verdict)
	}
	for i := range 5 { // what comes later is delivered, and is nothing of it
		must(w.js.Publish(t.Context(), fmt.Sprintf("SKIP.k%d", i), nil))
	}
	w.r.until(t, "5 more", func(s *model.Snapshot) bool { return counts(s.Group(k)) == left+5 && s.Group(k).Pending == 5 })
	w.take(c, 5, func(m jetstream.Msg) error { return m.DoubleAck(t.Context()) })
	w.finds(k, "passed-over", fmt.Sprintf("m1 passed over ~%d messages", left))

	anew(w, "SKIP") // as the hint says
	w.r.until(t, "nothing is passed over", func(s *model.Snapshot) bool { return !hasFinding(s.Group(k), "passed-over") })
	w.take(must(w.js.Consumer(t.Context(), "SKIP-g", "m1")), int(left), func(m jetstream.Msg) error { return m.DoubleAck(t.Context()) })
	w.r.until(t, "all is handled", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 0 })
	w.fine()
}

// What a consumer gave up after it was delivered as often as allowed lies there for good, too.
func TestPassedOverGivenUp(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	k := w.elastic("POISON", "g", 2, "m1")
	c := must(w.js.CreateConsumer(t.Context(), "POISON-g", jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Minute,
		MaxDeliver: 1, InactiveThreshold: time.Minute, FilterSubjects: []string{"0.POISON.*", "1.POISON.*"}}))
	w.publish("POISON", 3)
	w.sourced(k, 3)
	n := 0
	w.take(c, 3, func(m jetstream.Msg) error {
		if n++; n == 1 {
			return m.Nak()
		}
		return m.DoubleAck(t.Context())
	})
	w.take(c, 1, func(jetstream.Msg) error { return nil }) // so that the server tries
	w.open(k)
	w.finds(k, "passed-over", "m1 passed over ~1 message in its own")
	w.fine()
}

// While members of an open group come, go, are paused and remapped under load, while it is
// purged, and after, nothing is ever passed over.
func TestNothingIsPassedOver(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it takes as long as the finding does")
	}
	w := newWard(t)
	ctx, k := t.Context(), elastic("FINE", "g")
	w.open(k)
	pass := func(what string) { // longer than it takes to be found
		from := w.r.now().Group(k).Counts.At
		w.r.within(t, time.Minute, what, func(s *model.Snapshot) bool {
			c := s.Group(k).Counts
			return c != nil && c.At.Sub(from) > 11*time.Second
		})
	}
	pass("load")
	must(orbit.DeleteMembers(ctx, w.js, "FINE", "g", []string{"m2"}))
	must(orbit.AddMembers(ctx, w.js, "FINE", "g", []string{"m3"})) // whom nobody runs
	pass("an absent member")
	if err := must(w.js.Stream(ctx, "FINE-g")).Purge(ctx); err != nil {
		t.Fatal(err)
	}
	must(w.js.PauseConsumer(ctx, "FINE-g", "m1", time.Now().Add(12*time.Second)))
	pass("purged and paused")
	must(orbit.DeleteMembers(ctx, w.js, "FINE", "g", []string{"m3"}))
	must(orbit.AddMembers(ctx, w.js, "FINE", "g", []string{"m2"}))
	pass("all are back")
	snap := model.Reduce(nil, time.Now())
	for _, o := range w.r.observations() {
		snap = model.Reduce(snap, time.Now(), o)
		if f := finding(snap.Group(k), "passed-over"); f != nil {
			t.Fatal(f.Text)
		}
	}
}

// ENG-08: with mappings and several filters a member of orbit asks for each partition
// twice, and the server refuses it; the group says so.
func TestOrbitCannotStart(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	must(w.js.CreateStream(ctx, jetstream.StreamConfig{Name: "TWO", Subjects: []string{"a.*", "b.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
	maps := []orbit.MemberMapping{{Member: "m1", Partitions: []int{0, 1}}}
	must(orbit.CreateElastic(ctx, w.js, "TWO", "g", 2, []orbit.PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}, {Filter: "b.*", PartitioningWildcards: []int{1}}}, -1, -1))
	if err := orbit.SetMemberMappings(ctx, w.js, "TWO", "g", maps); err != nil {
		t.Fatal(err)
	}
	must(orbit.CreateStatic(ctx, w.js, "TWO", "s", 2, []string{"a.*", "b.*"}, nil, maps))
	settings := jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second}
	c, err := orbit.StaticConsume(ctx, w.js, "TWO", "s", "m1", func(jetstream.Msg) {}, settings)
	if err == nil {
		c.Stop()
	}
	if err == nil || !strings.Contains(err.Error(), "10138") {
		t.Errorf("static: %v", err)
	}
	c, err = orbit.ElasticConsume(ctx, w.js, "TWO", "g", "m1", func(jetstream.Msg) {}, settings)
	t.Logf("elastic: %v", err)
	if err == nil {
		c.Stop()
		<-c.Done()
	}
	w.everything()
	for _, k := range []model.Key{static("TWO", "s"), elastic("TWO", "g")} {
		if f := w.finds(k, "orbit-cannot-start", "10138", "2 times"); f.Severity != model.Info {
			t.Errorf("%+v", f)
		}
	}
	w.finds(elastic("TWO", "g"), "absent", "m1 never seen")
	w.fine()
}
