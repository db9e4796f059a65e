package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// opened runs an observer that has one group open.
func opened(t testing.TB, url string, k model.Key, change ...func(*Options)) (*Observer, *recorder) {
	t.Helper()
	r := newRecorder()
	opts := quick()
	opts.Refresh = 50 * time.Millisecond
	opts.Group = func(k model.Key) *model.Group { return r.now().Group(k) }
	for _, f := range change {
		f(&opts)
	}
	o := New(connect(t, url), opts)
	o.Focus(&k, []model.Key{k})
	runWith(t, o, r.emit)
	return o, r
}

// stage is an origin with an elastic group of four partitions by the one token.
type stage struct {
	t     testing.TB
	js    jetstream.JetStream
	k     model.Key
	sent  uint64
	acked uint64
}

func newStage(t testing.TB, url string, maxMsgs int64, members ...string) *stage {
	t.Helper()
	s := &stage{t: t, js: jetStream(t, connect(t, url)), k: elastic("O", "g")}
	s.origin()
	must(orbit.CreateElastic(t.Context(), s.js, "O", "g", 4, []orbit.PartitioningFilter{{Filter: "o.*", PartitioningWildcards: []int{1}}}, maxMsgs, -1))
	if len(members) > 0 {
		must(orbit.AddMembers(t.Context(), s.js, "O", "g", members))
	}
	return s
}

func (s *stage) origin() {
	must(s.js.CreateStream(s.t.Context(), jetstream.StreamConfig{Name: "O", Subjects: []string{"o.*", "other.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
}

// publish publishes n messages of keys k0, k1, ….
func (s *stage) publish(n int) {
	s.t.Helper()
	for i := range n {
		must(s.js.Publish(s.t.Context(), fmt.Sprintf("o.k%d", i), []byte("x")))
	}
	s.sent += uint64(n)
}

// consumer makes a member's consumer as every library does.
func (s *stage) consumer(member string, partitions ...int) jetstream.Consumer {
	s.t.Helper()
	c := jetstream.ConsumerConfig{Name: member, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, InactiveThreshold: time.Minute}
	for _, p := range partitions {
		c.FilterSubjects = append(c.FilterSubjects, fmt.Sprintf("%d.o.*", p))
	}
	return must(s.js.CreateOrUpdateConsumer(s.t.Context(), "O-g", c))
}

// sourced waits until the work stream holds n messages.
func (s *stage) sourced(n uint64) {
	s.t.Helper()
	work := must(s.js.Stream(s.t.Context(), "O-g"))
	for deadline := time.Now().Add(10 * time.Second); must(work.Info(s.t.Context())).State.Msgs != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("the work stream never holds %d messages", n)
		}
	}
}

// ack handles n messages of a member.
func (s *stage) ack(c jetstream.Consumer, n int) {
	s.t.Helper()
	for n > 0 {
		batch := must(c.Fetch(n, jetstream.FetchMaxWait(5*time.Second)))
		for m := range batch.Messages() {
			if err := m.DoubleAck(s.t.Context()); err != nil {
				s.t.Fatal(err)
			}
			n--
			s.acked++
		}
		if err := batch.Error(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// counts sums the partitions of a group up; -1 while they are not counted.
func counts(g *model.Group) int64 {
	if g == nil || !g.Counted() {
		return -1
	}
	var n uint64
	for _, p := range g.Partitions {
		n += p.Count.Pending
	}
	return int64(n)
}

// agrees waits until the sums are what was published and not acknowledged, to the
// message.
func (s *stage) agrees(r *recorder, phase string) *model.Group {
	s.t.Helper()
	want := s.sent - s.acked
	now, took := r.until(s.t, phase, func(snap *model.Snapshot) bool {
		g := snap.Group(s.k)
		return g != nil && counts(g) >= 0 && g.Hop != nil && uint64(counts(g))+g.Hop.Behind == want && g.Lag() == want
	})
	g := now.Group(s.k)
	s.t.Logf("%s: %d, of them %d at the origin, after %v", phase, want, g.Hop.Behind, took)
	return g
}

// Sums agree with what was published, to the message, in every phase.
func TestSumsAgreeInEveryPhase(t *testing.T) {
	srv := startServer(t)
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
	srv := startServer(t)
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

func hasFinding(g *model.Group, id string) bool { return finding(g, id) != nil }

func finding(g *model.Group, id string) *model.Finding {
	if g == nil {
		return nil
	}
	for _, f := range g.Findings {
		if f.ID == id {
			return &f
		}
	}
	return nil
}

// Rates of a partition with a backlog are exact; of one that keeps up they are at least
// so much.
func TestPartitionRates(t *testing.T) {
	srv := startServer(t)
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

// 1,024 partitions are counted at once, in under 100 ms; only the open group's are, and
// the budget holds on average.
func TestManyPartitions(t *testing.T) {
	srv := startServer(t)
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
	srv := startServer(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	k := manyPartitions(t, js, 64, 200)
	gets := directGets(t, srv.ClientURL())
	start := time.Now()
	_, r := opened(t, srv.ClientURL(), k, func(o *Options) { o.MaxRequests = 40 })
	now, _ := r.until(t, "three counts", func(s *model.Snapshot) bool { return gets() >= 3*64 && counts(s.Group(k)) == 200 })
	took := time.Since(start)
	t.Logf("%d direct gets in %v, next in %v", gets(), took, now.Group(k).Counts.Every)
	if most := 64 + 40*took.Seconds(); float64(gets()) > 2*most {
		t.Errorf("%d direct gets in %v", gets(), took)
	}
	if every := now.Group(k).Counts.Every; every < 2*time.Second {
		t.Errorf("counted every %v: 64 requests of 40 a second", every)
	}
}

// A stream without direct gets says so, and is not asked.
func TestNoDirectGets(t *testing.T) {
	srv := startServer(t)
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
	opts.Group = func(k model.Key) *model.Group { return r.now().Group(k) }
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

// The partition that a subject is placed in is the one the server puts it in.
func TestPlacesAreTheServers(t *testing.T) {
	srv := startServer(t)
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
	srv := startServer(t)
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
	srv := startServer(b)
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
