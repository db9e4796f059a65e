package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Sums agree, to the message, through what streams do to messages on their own and what
// people do to them: limits by subject, deletes, purges of a subject, rollups,
// duplicates.
func TestSumsAgreeWhateverIsDoneToTheOrigin(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	s := newStage(t, srv.ClientURL(), 20, "m1", "m2")
	ctx := t.Context()
	o, r := opened(t, srv.ClientURL(), s.k)
	update := func(change func(*jetstream.StreamConfig)) {
		c := jetstream.StreamConfig{Name: "O", Subjects: []string{"o.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}
		change(&c)
		must(s.js.UpdateStream(ctx, c))
	}
	update(func(*jetstream.StreamConfig) {}) // all of it is the group's
	origin := must(s.js.Stream(ctx, "O"))
	s.publish(50) // 20 of them fit
	s.sourced(20)
	s.agrees(r, "buffer full")
	r.until(t, "30 at the origin", func(snap *model.Snapshot) bool { return snap.Group(s.k).Hop.Behind == 30 })
	for seq := uint64(46); seq <= 50; seq++ { // the last ones, before they are sourced
		if err := origin.DeleteMsg(ctx, seq); err != nil {
			t.Fatal(err)
		}
	}
	s.sent -= 5
	s.agrees(r, "the last messages deleted at the origin")
	if err := origin.Purge(ctx, jetstream.WithPurgeSubject("o.k30")); err != nil {
		t.Fatal(err)
	}
	s.sent--
	s.agrees(r, "a subject purged at the origin")
	update(func(c *jetstream.StreamConfig) {
		c.MaxMsgsPerSubject = 1
		c.AllowRollup = true
		c.Duplicates = 100 * time.Millisecond
	})
	s.publish(45) // those of k20 to k44 take the place of what waits
	s.sent -= 24  // k30 was gone
	s.agrees(r, "one message a subject")
	must(s.js.PublishMsg(ctx, &nats.Msg{Subject: "o.k40", Header: nats.Header{"Nats-Rollup": {"sub"}}}))
	s.agrees(r, "rolled up")

	// As the work stream drains, the rest follows, and nobody says that it does not.
	m1, m2 := s.consumer("m1", 0, 1), s.consumer("m2", 2, 3)
	for s.acked < s.sent {
		for _, c := range []jetstream.Consumer{m1, m2} {
			if n := int(must(c.Info(ctx)).NumPending); n > 0 {
				s.ack(c, n)
			}
		}
	}
	s.agrees(r, "drained")
	r.until(t, "even", func(snap *model.Snapshot) bool { return snap.Group(s.k).Hop.State == model.HopEven })
	// A duplicate that the origin refuses is none, one that it takes is another message.
	double := func() *jetstream.PubAck {
		return must(s.js.PublishMsg(ctx, &nats.Msg{Subject: "o.dup", Header: nats.Header{"Nats-Msg-Id": {"same"}}}))
	}
	double()
	if !double().Duplicate {
		t.Error("the origin took a duplicate at once")
	}
	s.sent++
	s.sourced(1)
	s.agrees(r, "a duplicate")
	for double().Duplicate { // until the origin forgets
		time.Sleep(20 * time.Millisecond)
	}
	s.sent++
	s.sourced(2)
	s.agrees(r, "a duplicate that nobody remembers")
	// And of a group that is not open, and so not counted, nothing is said to wait.
	o.Focus(nil, nil)
	if err := origin.Purge(ctx, jetstream.WithPurgeSubject("o.dup")); err != nil {
		t.Fatal(err)
	}
	r.until(t, "read again", func(snap *model.Snapshot) bool { return snap.Group(s.k).Lag() == 2 && snap.Group(s.k).Hop.Behind == 0 })
}

// Groups that share a stream each tell their own numbers.
func TestSumsOfGroupsThatShareAStream(t *testing.T) {
	srv := natstest.Start(t)
	s := newStage(t, srv.ClientURL(), -1, "m1")
	ctx := t.Context()
	must(orbit.CreateElastic(ctx, s.js, "O", "h", 8, []orbit.PartitioningFilter{{Filter: "o.*", PartitioningWildcards: []int{1}}}, 10, -1))
	other := elastic("O", "h")
	must(s.js.CreateStream(ctx, jetstream.StreamConfig{Name: "ST", Subjects: []string{"st.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "st.*", Destination: "{{partition(4,1)}}.st.{{wildcard(1)}}"}}))
	for _, group := range []string{"a", "b"} {
		must(orbit.CreateStatic(ctx, s.js, "ST", group, 4, []string{"st.*"}, []string{"m1"}, nil))
		must(s.js.CreateConsumer(ctx, "ST", jetstream.ConsumerConfig{Durable: group + "-m1", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: []string{"0.st.*", "1.st.*", "2.st.*", "3.st.*"}}))
	}
	o, r := opened(t, srv.ClientURL(), s.k)
	s.publish(40)
	s.sourced(40)
	s.ack(s.consumer("m1", 0, 1, 2, 3), 40)
	for i := range 30 {
		must(s.js.Publish(ctx, fmt.Sprintf("st.k%d", i), nil))
	}
	s.ack(must(s.js.Consumer(ctx, "ST", "a-m1")), 12)
	for _, c := range []struct {
		k            model.Key
		counts, want uint64
	}{{s.k, 0, 0}, {other, 10, 40}, {static("ST", "a"), 18, 18}, {static("ST", "b"), 30, 30}} {
		o.Focus(&c.k, []model.Key{c.k})
		r.until(t, c.k.String(), func(snap *model.Snapshot) bool {
			g := snap.Group(c.k)
			return counts(g) == int64(c.counts) && g.Lag() == c.want
		})
	}
}

// A static group of a stream that stamps nothing counts what has a partition, and what
// has none is out of reach.
func TestSumsWithoutATransform(t *testing.T) {
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	ctx := t.Context()
	st := must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "ST", Subjects: []string{"0.s.*", "1.s.*", "2.s.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
	k := static("ST", "g")
	bucketOf(t, js, model.KindStatic)
	must(must(js.KeyValue(ctx, BucketName(model.KindStatic))).PutString(ctx, "ST.g", `{"max_members":2,"filters":["s.*"],"members":["m"]}`))
	for i := range 30 {
		must(js.Publish(ctx, fmt.Sprintf("%d.s.k", i%3), nil)) // 0, 1, and 2, which the group has not
	}
	if err := st.Purge(ctx, jetstream.WithPurgeSubject("0.s.k"), jetstream.WithPurgeKeep(4)); err != nil {
		t.Fatal(err)
	}
	_, r := opened(t, srv.ClientURL(), k)
	now, _ := r.until(t, "all counted", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 14 })
	if f := finding(now.Group(k), "stamp-differs"); f == nil || f.Severity != model.Critical {
		t.Errorf("%+v", now.Group(k).Findings)
	}
	if r := now.Group(k).Counts.Reach; r == nil || r.Stored != 24 || r.Beyond() != 10 {
		t.Errorf("%+v", r)
	}
}
