package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Sums agree with what was published, to the message, in every phase.
func TestSumsAgreeInEveryPhase(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := newStage(t, srv.ClientURL(), 60, "m1", "m2")
	_, r := opened(t, srv.ClientURL(), s.k)
	s.agrees(r, "nothing yet")

	s.publish(40)
	s.sourced(40)
	g := s.agrees(r, "published, nobody consumes")
	if g.Hop.Behind != 0 {
		now, _ := r.until(t, "all in partitions", func(snap *model.Snapshot) bool { return counts(snap.Group(s.k)) == 40 })
		g = now.Group(s.k)
	}
	for _, p := range g.Partitions {
		if p.Count.Pending == 0 || p.Count.Oldest.IsZero() || g.Counts.At.Sub(p.Count.Oldest) > time.Minute {
			t.Errorf("%+v: %+v", p, p.Count)
		}
	}

	m1 := s.consumer("m1", 0, 1)
	s.ack(m1, 5)
	s.agrees(r, "one member handles some, the other's partitions wait for nobody")

	must(s.js.PauseConsumer(t.Context(), "O-g", "m1", time.Now().Add(time.Hour)))
	s.publish(10)
	g = s.agrees(r, "paused")
	if m := g.Member("m1"); m.State != model.StatePaused || m.Consumer.Lag() == 0 {
		t.Errorf("%s, lag %d", m.State, m.Consumer.Lag())
	}
	must(s.js.ResumeConsumer(t.Context(), "O-g", "m1"))

	s.publish(40)
	g = s.agrees(r, "buffer full")
	r.until(t, "full", func(snap *model.Snapshot) bool {
		g = snap.Group(s.k)
		return g.Hop.State == model.HopFull && g.Stream.Messages == 60
	})
	if !hasFinding(g, "buffer-full") || g.Hop.Oldest.IsZero() {
		t.Errorf("%+v, hop %+v", g.Findings, g.Hop)
	}

	must(s.js.Publish(t.Context(), "other.1", nil)) // no business of the group's
	s.agrees(r, "what is filtered out does not count")

	m2 := s.consumer("m2", 2, 3)
	for s.acked < s.sent {
		for i, c := range []jetstream.Consumer{m1, m2} {
			info := must(c.Info(t.Context()))
			if n := int(info.NumPending); n > 0 && (i == 1 || n > 0) {
				s.ack(c, n)
			}
		}
	}
	g = s.agrees(r, "drained")
	if g.Lag() != 0 || g.Hop.State != model.HopEven {
		t.Errorf("lag %d, %+v", g.Lag(), g.Hop)
	}

	s.publish(20)
	s.agrees(r, "published again")
	if err := must(s.js.Stream(t.Context(), "O-g")).Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.acked = s.sent
	s.agrees(r, "purged")

	if err := s.js.DeleteStream(t.Context(), "O"); err != nil {
		t.Fatal(err)
	}
	r.until(t, "no origin", func(snap *model.Snapshot) bool { return hasFinding(snap.Group(s.k), "no-origin") })
	s.origin()
	s.publish(7)
	g = s.agrees(r, "the origin made anew")
	if !hasFinding(g, "origin-anew") {
		t.Errorf("%+v", g.Findings)
	}
}

// While messages are published, every count lies between what was sent before it and
// after it.
func TestCountsWhilePublishing(t *testing.T) {
	srv := natstest.Start(t)
	s := newStage(t, srv.ClientURL(), -1, "m1", "m2")
	_, r := opened(t, srv.ClientURL(), s.k)
	seen := map[time.Time]bool{}
	for s.sent < 20_000 && len(seen) < 10 {
		before := s.sent
		s.publish(20)
		g := r.now().Group(s.k)
		if g == nil || !g.Counted() || g.Hop == nil {
			continue
		}
		seen[g.Counts.At] = true
		if n := uint64(counts(g)); n > s.sent || g.Lag() > s.sent {
			t.Fatalf("counted %d, lag %d of %d sent (%d before)", n, g.Lag(), s.sent, before)
		}
	}
	s.agrees(r, "at the end")
	if len(seen) < 2 {
		t.Errorf("only %d counts were seen", len(seen))
	}
}

// Rates of a partition with a backlog are exact; of one that keeps up they are at least
// so much.
func TestPartitionRates(t *testing.T) {
	srv := natstest.Start(t)
	s := newStage(t, srv.ClientURL(), -1, "m1")
	s.publish(40)
	s.sourced(40)
	m1 := s.consumer("m1", 0, 1, 2, 3)
	_, r := opened(t, srv.ClientURL(), s.k, func(o *Options) { o.Refresh = time.Second })
	s.agrees(r, "the first count")
	s.ack(m1, 10)
	s.publish(30)
	now, _ := r.until(t, "rates", func(snap *model.Snapshot) bool {
		g := snap.Group(s.k)
		return counts(g) == 60 && g.Partitions[0].Count.RateSpan > 0 && g.Partitions[0].Count.In > 0
	})
	var in, out float64
	for _, p := range now.Group(s.k).Partitions {
		if p.Count.AtLeast {
			t.Errorf("%d holds old messages, and its rates are only at least so much", p.Number)
		}
		in += p.Count.In * p.Count.RateSpan.Seconds()
		out += p.Count.Out * p.Count.RateSpan.Seconds()
	}
	if in < 29.5 || in > 30.5 || out < 9.5 || out > 10.5 {
		t.Errorf("in %.1f, out %.1f, want 30 and 10", in, out)
	}
}

// The partition that a subject is placed in is the one the server puts it in.
func TestPlacesAreTheServers(t *testing.T) {
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	ctx := t.Context()
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "H", Subjects: []string{"a.*.*", "b.>", "c.*"}, Storage: jetstream.MemoryStorage}))
	must(orbit.CreateElastic(ctx, js, "H", "g", 7, []orbit.PartitioningFilter{
		{Filter: "a.*.*", PartitioningWildcards: []int{2, 1}}, {Filter: "b.>"}, {Filter: "c.*", PartitioningWildcards: []int{1}}}, -1, -1))
	var subjects []string
	for i := range 120 {
		subjects = append(subjects, fmt.Sprintf("a.k%d.zürich%d", i%11, i), fmt.Sprintf("b.x%d.y.%d", i, i%3), fmt.Sprintf("c.注文%d", i))
	}
	for _, s := range subjects {
		must(js.Publish(ctx, s, nil))
	}
	k := elastic("H", "g")
	_, r := opened(t, srv.ClientURL(), k)
	now, _ := r.until(t, "all counted", func(s *model.Snapshot) bool { return counts(s.Group(k)) == int64(len(subjects)) })
	stored := must(must(js.Stream(ctx, "H-g")).Info(ctx, jetstream.WithSubjectFilter(">"))).State.Subjects
	for _, s := range subjects {
		p, why := now.Group(k).Place(s)
		if _, there := stored[fmt.Sprintf("%d.%s", p.Partition, s)]; why != "" || !there {
			t.Fatalf("%s: partition %d, %q; the server puts it elsewhere", s, p.Partition, why)
		}
	}
}

// Of a static group that counts from the owner's ack floor, what was handled does not
// wait, and rates are exact even where it keeps up.
func TestStaticCountsFromTheAckFloor(t *testing.T) {
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	ctx := t.Context()
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "ST", Subjects: []string{"st.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "st.*", Destination: "{{partition(4,1)}}.st.{{wildcard(1)}}"}}))
	must(orbit.CreateStatic(ctx, js, "ST", "g", 4, []string{"st.*"}, []string{"m1", "m2"}, nil))
	publish := func(n int) {
		for i := range n {
			must(js.Publish(ctx, fmt.Sprintf("st.k%d", i), nil))
		}
	}
	consumer := func(name string, filters ...string) jetstream.Consumer {
		return must(js.CreateConsumer(ctx, "ST", jetstream.ConsumerConfig{Durable: name, AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: filters}))
	}
	publish(100)
	m1 := consumer("g-m1", "0.st.*", "1.st.*")
	k := static("ST", "g")
	_, r := opened(t, srv.ClientURL(), k, func(o *Options) { o.Refresh = 300 * time.Millisecond })
	now, _ := r.until(t, "all wait, m2's for nobody", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 100 && s.Group(k).Lag() == 100 })
	if g := now.Group(k); !g.About() || g.Member("m2").Consumer != nil {
		t.Errorf("about %v", g.About())
	}
	for {
		info := must(m1.Info(ctx))
		if info.NumPending == 0 {
			break
		}
		for m := range must(m1.Fetch(int(info.NumPending), jetstream.FetchMaxWait(5*time.Second))).Messages() {
			if err := m.DoubleAck(ctx); err != nil {
				t.Fatal(err)
			}
		}
	}
	handled := int64(must(m1.Info(ctx)).AckFloor.Consumer)
	now, _ = r.until(t, "what m1 handled waits no more", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 100-handled })
	for _, p := range now.Group(k).Partitions {
		if p.Number < 2 && p.Count.Pending != 0 || p.Count.AtLeast {
			t.Errorf("%+v: %+v", p, p.Count)
		}
	}
}
