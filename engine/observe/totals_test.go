package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Of 1,024 partitions, how much waits in each is known every few seconds within 20
// requests a second, to the message; how old the oldest is, exactly where nobody
// consumes, and at most where somebody does.
func TestManyPartitionsInASmallBudget(t *testing.T) {
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	ctx := t.Context()
	k := manyPartitions(t, js, 1024, 10_000)
	must(must(js.KeyValue(ctx, BucketName(model.KindElastic))).PutString(ctx, "P.g",
		`{"max_members":1024,"partitioning_filters":[{"filter":"p.*","partitioning_wildcards":[1]}],"members":["m1","m2"]}`))
	var filters []string
	for p := range 512 {
		filters = append(filters, fmt.Sprintf("%d.p.*", p))
	}
	m1 := must(js.CreateConsumer(ctx, "P-g", jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: filters, MaxAckPending: -1}))
	gets := directGets(t, srv.ClientURL())
	_, r := opened(t, srv.ClientURL(), k, func(o *Options) { o.MaxRequests, o.Refresh = 20, time.Second })
	first, _ := r.until(t, "the first count", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 10_000 })
	asked := gets()
	if asked < 1000 || asked > 1024 {
		t.Errorf("%d direct gets for the oldest messages", asked)
	}
	// Half of what one member has is handled, and more is published.
	done := int64(0)
	for done < 2500 {
		for m := range must(m1.Fetch(500, jetstream.FetchMaxWait(5*time.Second))).Messages() {
			if err := m.Ack(); err != nil {
				t.Fatal(err)
			}
			done++
		}
	}
	for i := range 3000 {
		must(js.PublishAsync(fmt.Sprintf("p.k%d", i), nil))
	}
	<-js.PublishAsyncComplete()
	want := 10_000 - done + 3000
	now, took := r.until(t, "counted again", func(s *model.Snapshot) bool { return counts(s.Group(k)) == want && s.Group(k).Hop.Waiting() == 0 })
	g, before := now.Group(k), first.Group(k)
	t.Logf("counted again after %v, every %v; %d direct gets, then %d", took, g.Counts.Every, asked, gets()-asked)
	if took > 10*time.Second || g.Counts.Every > 5*time.Second {
		t.Errorf("counted after %v, every %v", took, g.Counts.Every)
	}
	if n := gets() - asked; n > 200 {
		t.Errorf("%d direct gets more, while the first ones were not paid for", n)
	}
	in, atMost := 0.0, 0
	for p := range g.Partitions {
		c, was := g.Partitions[p].Count, before.Partitions[p].Count
		switch {
		case p >= 512 && (c.AtMost || !c.Oldest.Equal(was.Oldest)):
			t.Fatalf("partition %d, which nobody consumes: %+v, before %+v", p, c, was)
		case p >= 512:
			in += c.In * c.RateSpan.Seconds()
		case c.Pending > 0 && c.Oldest.IsZero(), c.Pending == 0 && !c.Oldest.IsZero():
			t.Fatalf("partition %d: %+v", p, c)
		case c.AtMost:
			atMost++
		}
	}
	if in == 0 || atMost < 300 || g.Lag() != uint64(want) {
		t.Errorf("%v came where nobody consumes; %d partitions may hold younger ones; lag %d, want %d", in, atMost, g.Lag(), want)
	}
	if err := must(js.Stream(ctx, "P-g")).Purge(ctx); err != nil {
		t.Fatal(err)
	}
	r.until(t, "purged", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 0 && s.Group(k).Oldest().IsZero() })
}

// Of partitions in which nothing waits, or from which nobody takes, the list of subjects
// tells all: they are not asked for. What waits elsewhere is known as exactly as if each
// partition were.
func TestNothingIsAskedInVain(t *testing.T) {
	srv := natstest.Start(t)
	js := jetStream(t, connect(t, srv.ClientURL()))
	ctx := t.Context()
	k := manyPartitions(t, js, 12, 0)
	must(must(js.KeyValue(ctx, BucketName(model.KindElastic))).PutString(ctx, "P.g",
		`{"max_members":12,"partitioning_filters":[{"filter":"p.*","partitioning_wildcards":[1]}],"members":["m1","m2"]}`))
	filters := []string{}
	for p := range 6 {
		filters = append(filters, fmt.Sprintf("%d.p.*", p))
	}
	must(js.CreateConsumer(ctx, "P-g", jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: filters}))
	gets := directGets(t, srv.ClientURL())
	_, r := opened(t, srv.ClientURL(), k, func(o *Options) { o.MaxRequests = 1000 })
	again := func(n int) *model.Group {
		t.Helper()
		var g *model.Group
		for range n {
			before := time.Time{}
			if g != nil {
				before = g.Counts.At
			}
			now, _ := r.until(t, "another count", func(s *model.Snapshot) bool { return counts(s.Group(k)) >= 0 && s.Group(k).Counts.At.After(before) })
			g = now.Group(k)
		}
		return g
	}
	again(3)
	if n := gets(); n > 0 {
		t.Errorf("%d direct gets of partitions in which nothing waits", n)
	}
	for i := range 60 {
		must(js.Publish(ctx, fmt.Sprintf("p.k%d", i), nil))
	}
	r.until(t, "what came", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 60 })
	again(3) // each was asked for by now
	before := gets()
	g := again(3)
	asked := gets() - before
	if asked < 6 || asked > 3*2*6 {
		t.Errorf("%d direct gets in two or three counts of 6 partitions from which somebody takes", asked)
	}
	for _, p := range g.Partitions {
		if c := p.Count; c.Pending > 0 && (c.AtMost || c.Oldest.IsZero() || c.AtLeast) {
			t.Errorf("partition %d is not exact: %+v", p.Number, c)
		}
	}
}

// With a group open the list of streams, of which all others are not on the screen, is asked
// for half as often: the group's own are asked for themselves.
func TestStreamsAreListedLessOftenWithAGroupOpen(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 6 s")
	}
	srv := natstest.Start(t)
	k := manyPartitions(t, jetStream(t, connect(t, srv.ClientURL())), 4, 10)
	nc := connect(t, srv.ClientURL())
	lists, reads := must(nc.SubscribeSync("$JS.API.STREAM.LIST")), must(nc.SubscribeSync("$JS.API.CONSUMER.LIST.P-g"))
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	opened(t, srv.ClientURL(), k, func(o *Options) { o.Refresh, o.Health = 500*time.Millisecond, time.Minute })
	for range 12 {
		must(reads.NextMsg(20 * time.Second))
	}
	if n, _, err := lists.Pending(); err != nil || n < 2 || n > 4 {
		t.Errorf("%d lists of streams in 12 reads of the open group's, %v", n, err)
	}
}

// What totals tell of a partition from one look to the next.
func TestTotalsTell(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	old := at.Add(-time.Minute)
	k := elastic("S", "g")
	c := &model.Consumer{Name: "a", TS: at, Filters: []string{"1.s.*"}}
	s := model.Reduce(nil, at, model.ConfigSeen{Key: k, Revision: 1, Config: &model.Config{Partitions: 4, Filters: []model.Filter{{Subject: "s.*", Wildcards: []int{1}}}, Members: []string{"a", "b"}}},
		model.StreamRead{Name: "S-g", Facts: model.StreamFacts{Exists: true}}, model.ConsumersRead{Stream: "S-g", TS: at, Consumers: []*model.Consumer{c}})
	info := &streamInfo{TS: at.Add(2 * time.Second)}
	info.State.FirstSeq, info.State.LastSeq = 10, 99
	known := look{at: at, seq: 50, pending: 5, first: 20, oldest: old}
	for name, c := range map[string]struct {
		p       int
		look    look
		pending uint64
		want    model.Counted
	}{
		"nobody consumes, more came":     {0, known, 8, model.Counted{Pending: 8, Oldest: old, First: 20, Newer: 3, HasNewer: true, Before: &model.Before{At: at, Pending: 5}}},
		"somebody consumes":              {1, known, 5, model.Counted{Pending: 5, Oldest: old, AtMost: true, Kept: true}},
		"some are gone all the same":     {0, known, 4, model.Counted{Pending: 4, Oldest: old, AtMost: true, Kept: true}},
		"the first was purged":           {0, look{at: at, seq: 50, pending: 5, first: 9, oldest: old}, 5, model.Counted{Pending: 5, Oldest: old, AtMost: true, Kept: true}},
		"it was empty, and is no longer": {0, look{at: at, seq: 50}, 2, model.Counted{Pending: 2, Oldest: at, AtMost: true, Kept: true}},
		"it is empty now":                {1, known, 0, model.Counted{Before: &model.Before{At: at, Pending: 5}}},
	} {
		looks := make([]look, 4)
		looks[c.p] = c.look
		pending := make([]uint64, 4)
		pending[c.p] = c.pending
		loosen(looks, s.Group(k), &totals{info: info, pending: pending})
		if got := looks[c.p].told(c.pending, info); !same(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func same(a, b model.Counted) bool {
	if (a.Before == nil) != (b.Before == nil) || a.Before != nil && *a.Before != *b.Before {
		return false
	}
	a.Before, b.Before = nil, nil
	return a == b
}
