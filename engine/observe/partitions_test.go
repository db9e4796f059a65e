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

// 1,024 partitions are counted at once, in under 100 ms; only the open group's are, and
// the budget holds on average.
func TestManyPartitions(t *testing.T) {
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	s := manyPartitions(t, js, 1024, 20000)
	best := time.Hour
	o, r := opened(t, srv.ClientURL(), s, func(o *Options) { o.MaxRequests = 200_000 })
	var last time.Time
	for range 40 { // the machine may be busy with other tests
		now, _ := r.until(t, "another count", func(snap *model.Snapshot) bool {
			g := snap.Group(s)
			return counts(g) == 20000 && g.Counts.At.After(last)
		})
		c := now.Group(s).Counts
		if last, best = c.At, min(best, c.Took); best < 100*time.Millisecond || raceEnabled() {
			break
		}
	}
	t.Logf("counted in %v", best)
	if best > 100*time.Millisecond && !raceEnabled() {
		t.Errorf("counting took %v", best)
	}
	before := o.nc.NumSubscriptions()
	for range 5 {
		now, _ := r.until(t, "another count", func(snap *model.Snapshot) bool { return snap.Group(s).Counts.At.After(last) })
		last = now.Group(s).Counts.At
	}
	eventually(t, "a count leaves no subscription behind", func() bool { return o.nc.NumSubscriptions() <= before })
	o.Focus(nil, []model.Key{s})
	n := 1
	for range 20 { // one count may be under way
		gets, read := directGets(t, srv.ClientURL()), r.now().Group(s).ReadAt
		r.until(t, "more reads", func(snap *model.Snapshot) bool { return snap.Group(s).ReadAt.Sub(read) > 300*time.Millisecond })
		if n = gets(); n == 0 {
			break
		}
	}
	if n > 0 {
		t.Errorf("%d direct gets for a group that is not open", n)
	}
}

// manyPartitions makes a work stream with messages spread over n partitions.
func manyPartitions(t testing.TB, js jetstream.JetStream, n, messages int) model.Key {
	t.Helper()
	k := elastic("P", "g")
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "P", Subjects: []string{"p.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
	must(orbit.CreateElastic(t.Context(), js, "P", "g", uint(n), []orbit.PartitioningFilter{{Filter: "p.*", PartitioningWildcards: []int{1}}}, -1, -1))
	for i := range messages {
		if err := js.Conn().Publish(fmt.Sprintf("p.k%d", i), nil); err != nil {
			t.Fatal(err)
		}
	}
	work := must(js.Stream(t.Context(), "P-g"))
	for deadline := time.Now().Add(20 * time.Second); must(work.Info(t.Context())).State.Msgs != uint64(messages); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the messages are never sourced")
		}
	}
	return k
}

// directGets counts the direct gets of work streams from now on.
func directGets(t testing.TB, url string) (since func() int) {
	t.Helper()
	nc := connect(t, url)
	sub := must(nc.SubscribeSync("$JS.API.DIRECT.GET.P-g"))
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return func() int {
		if err := nc.Flush(); err != nil {
			t.Fatal(err)
		}
		n, _, err := sub.Pending()
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
}

// The budget pays for a burst afterwards, half of it at a time.
func TestCountsKeepToTheBudget(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	ctx := t.Context()
	k := static("P-g", "s") // of a static group only direct gets tell what waits
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "P-g", Subjects: []string{"p.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "p.*", Destination: "{{partition(64,1)}}.p.{{wildcard(1)}}"}}))
	must(orbit.CreateStatic(ctx, js, "P-g", "s", 64, []string{"p.*"}, []string{"m"}, nil))
	for i := range 200 {
		must(js.Publish(ctx, fmt.Sprintf("p.k%d", i), nil))
	}
	gets := directGets(t, srv.ClientURL())
	start := time.Now()
	_, r := opened(t, srv.ClientURL(), k, func(o *Options) { o.MaxRequests = 80 })
	now, _ := r.until(t, "two counts and a half", func(s *model.Snapshot) bool { return gets() > 4*64 && counts(s.Group(k)) == 200 })
	took := time.Since(start)
	t.Logf("%d direct gets in %v, next in %v", gets(), took, now.Group(k).Counts.Every)
	if most := 64 + 80*took.Seconds(); float64(gets()) > 2*most {
		t.Errorf("%d direct gets in %v", gets(), took)
	}
	if every := now.Group(k).Counts.Every; every < 2*time.Second {
		t.Errorf("counted every %v: 128 requests of 80 a second", every)
	}
}

// A stream without direct gets says so, and is not asked.
func TestNoDirectGets(t *testing.T) {
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	k := static("ST", "g")
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ST", Subjects: []string{"st.*"}}))
	must(orbit.CreateStatic(t.Context(), js, "ST", "g", 2, []string{"st.*"}, []string{"m"}, nil))
	_, r := opened(t, srv.ClientURL(), k)
	r.until(t, "no direct gets", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g != nil && g.Counts != nil && g.Counts.Error == "no direct gets (allow_direct)"
	})
}

// A refused direct get is named within a second, and only the counts are missing.
func TestDeniedDirectGets(t *testing.T) {
	srv := limited(t, "$JS.API.INFO", "$JS.API.STREAM.INFO.>", "$JS.API.STREAM.LIST", "$JS.API.CONSUMER.LIST.>",
		"$JS.API.CONSUMER.CREATE.KV_static-consumer-groups.>", "$JS.API.CONSUMER.CREATE.KV_elastic-consumer-groups.>", "$JS.FC.>")
	js := jetStream(t, connect(t, srv.ClientURL(), asUser("admin")))
	k := manyPartitions(t, js, 4, 10)
	bucketOf(t, js, model.KindStatic)
	r := newRecorder()
	opts := quick()
	opts.Snapshot = r.now
	o := New(connect(t, srv.ClientURL(), asUser("limited")), opts)
	o.Focus(&k, []model.Key{k})
	runWith(t, o, r.emit)
	now, took := r.until(t, "the refusal", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g != nil && g.Counts != nil && g.Counts.Error != ""
	})
	if g := now.Group(k); g.Counts.Error != "not permitted: DIRECT.GET on P-g" || took > 2*time.Second || g.Lag() != 10 {
		t.Errorf("%q after %v, lag %d", g.Counts.Error, took, g.Lag())
	}
	r.until(t, "advice", func(s *model.Snapshot) bool {
		return deniedWith(s, "DIRECT.GET on P-g: allow publish to $JS.API.DIRECT.GET.P-g")
	})
}

// Bursts are paid for afterwards, while half of what comes in stays for others.
func TestBudgetLends(t *testing.T) {
	b := newBudget(1000)
	b.borrow(500)
	left, repaid := b.owed()
	if left < 900*time.Millisecond || left > time.Second || repaid > 50 {
		t.Errorf("%v left, %v repaid", left, repaid)
	}
	start := time.Now()
	for range 1250 { // a full bucket, and 250 more: half of what comes in meanwhile
		if err := b.take(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took < 300*time.Millisecond || took > 2*time.Second {
		t.Errorf("others waited for %v", took)
	}
	for left > 0 {
		time.Sleep(time.Millisecond)
		left, repaid = b.owed()
	}
	if repaid < 499.9 || repaid > 500.1 {
		t.Errorf("%v repaid", repaid)
	}
}

// BenchmarkCountPartitions is one count of 1,024 partitions of a stream of 20,000
// messages.
func BenchmarkCountPartitions(b *testing.B) {
	srv := natstest.Start(b)
	k := manyPartitions(b, jetStream(b, connect(b, srv.ClientURL())), 1024, 20000)
	o, r := opened(b, srv.ClientURL(), k, func(o *Options) { o.Refresh = time.Hour })
	now, _ := r.until(b, "counted", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 20000 })
	l := newLink(o, r.emit)
	for b.Loop() {
		if _, _, err := l.countPartitions(b.Context(), now.Group(k), counted{}); err != nil {
			b.Fatal(err)
		}
	}
}
