package observe

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// The open group's stream is read at every refresh, other groups' with the list.
func TestOpenGroupsStreamIsFollowed(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	kv := bucketOf(t, js, model.KindElastic)
	for _, g := range []string{"open", "other"} {
		must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S-" + g, Subjects: []string{g + ".>"}, Storage: jetstream.MemoryStorage}))
		must(kv.PutString(t.Context(), "S."+g, goodConfig))
	}
	o, r := observe(t, connect(t, s.ClientURL()), Options{Health: time.Hour, Refresh: 50 * time.Millisecond, MaxRequests: 500})
	open, other := elastic("S", "open"), elastic("S", "other")
	o.Focus(&open, []model.Key{open, other})
	r.until(t, "both", func(s *model.Snapshot) bool { return live(s) && len(s.Groups) == 2 })
	must(js.Publish(t.Context(), "other.1", nil))
	must(js.Publish(t.Context(), "open.1", nil))
	now, _ := r.until(t, "the open one's message", func(s *model.Snapshot) bool { return s.Group(open).Stream.Messages == 1 })
	if now.Group(other).Stream.Messages != 0 {
		t.Error("the other one's stream was read, too")
	}
	o.ReadNow()
	r.until(t, "the other one's message, asked for", func(s *model.Snapshot) bool { return s.Group(other).Stream.Messages == 1 })
}

// A stream that is made, and deleted, under a group is seen at once.
func TestStreamsComeAndGo(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	kv := bucketOf(t, js, model.KindElastic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	_, r := observe(t, connect(t, s.ClientURL()), Options{Health: time.Hour, Refresh: time.Hour})
	k := elastic("S", "g")
	known := func(exists bool) func(*model.Snapshot) bool {
		return func(s *model.Snapshot) bool {
			g := s.Group(k)
			return live(s) && g != nil && g.Stream.Known && g.Stream.Exists == exists
		}
	}
	r.until(t, "no stream", known(false))
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S-g", Subjects: []string{"s.>"}}))
	_, took := r.until(t, "a stream", known(true))
	t.Logf("made: after %v", took)
	must(must(js.Stream(t.Context(), "S-g")).CreateConsumer(t.Context(), jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy}))
	_, took = r.until(t, "m1's consumer", func(s *model.Snapshot) bool { return s.Group(k).Member("m1").Consumer != nil })
	t.Logf("its consumer: after %v", took)
	if err := js.DeleteStream(t.Context(), "S-g"); err != nil {
		t.Fatal(err)
	}
	now, took := r.until(t, "the stream is gone", known(false))
	t.Logf("deleted: after %v", took)
	if now.Group(k).Member("m1").Consumer != nil {
		t.Error("its consumer is still shown")
	}
}

// Keys that no stream can belong to are groups without a stream, and cost nothing.
func TestKeysWithoutAPossibleStream(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	must(bucketOf(t, js, model.KindElastic).PutString(t.Context(), "S.a.b", goodConfig))
	must(bucketOf(t, js, model.KindStatic).PutString(t.Context(), "nodot", goodConfig))
	o, r := observe(t, connect(t, s.ClientURL()), Options{Health: time.Hour, Refresh: 20 * time.Millisecond})
	r.until(t, "both broken", func(s *model.Snapshot) bool {
		a, b := s.Group(elastic("S", "a.b")), s.Group(static("", "nodot"))
		return live(s) && a != nil && b != nil && a.Verdict == model.VerdictBroken && b.Verdict == model.VerdictBroken
	})
	before := o.api.made.Load()
	read := r.now().Group(static("", "nodot")).ReadAt
	r.until(t, "five more reads", func(s *model.Snapshot) bool {
		return s.Group(static("", "nodot")).ReadAt.Sub(read) > 100*time.Millisecond
	})
	if n := o.api.made.Load() - before; n > 0 {
		t.Errorf("%d requests for streams that cannot exist", n)
	}
}

// What is new in a long list is told in portions, each with a picture, the first time at once.
func TestManyStreamsAreToldInPortions(t *testing.T) {
	const streams = 3*portion + 7
	told := make(chan int, streams)
	l := deaf(func(seen ...model.Observation) { told <- len(seen) })
	list := func(messages uint64) (list []*streamInfo) {
		for n := range streams {
			k := elastic("S", fmt.Sprint(n))
			l.plan.learn(k, k.ConsumeStream())
			info := &streamInfo{}
			info.Config.Name, info.State.Messages = k.ConsumeStream(), messages
			list = append(list, info)
		}
		return list
	}
	l.tellStreams(t.Context(), list(1), nil, nil, time.Now())
	if n := len(told); n != 1 || <-told < streams {
		t.Errorf("the first list is told in %d parts", n)
	}
	l.streamsListed(true)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = l.flush(ctx, laterMost) }()
	go l.tellStreams(t.Context(), list(2), nil, nil, time.Now())
	for left := streams; left > 0; {
		n := <-told
		if left -= n; n > 2*portion+2 { // at most two of each stream, and a late picture takes the next portion, too
			t.Errorf("%d of the second list are told at once", n)
		}
	}
}
