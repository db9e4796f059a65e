package observe

import (
	"context"
	"fmt"
	"slices"
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

// manyStreams are of elastic groups that are learned.
func manyStreams(l *link, streams int, messages uint64) (list []*streamInfo) {
	for n := range streams {
		k := elastic("S", fmt.Sprint(n))
		l.plan.learn(k, k.ConsumeStream())
		info := &streamInfo{}
		info.Config.Name, info.State.Messages = k.ConsumeStream(), messages
		list = append(list, info)
	}
	return list
}

// What is new in a long list is told in portions, each with a picture, the first time at once.
func TestManyStreamsAreToldInPortions(t *testing.T) {
	const streams = 3*portion + 7
	told := make(chan int, streams)
	l := deaf(func(seen ...model.Observation) { told <- len(seen) })
	l.streamsListed(false) // whether or not one could not be read before
	l.tellStreams(t.Context(), manyStreams(l, streams, 1), nil, nil, time.Now())
	if n := len(told); n != 1 || <-told < streams {
		t.Errorf("the first list is told in %d parts", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = l.flush(ctx, laterMost) }()
	go l.tellStreams(t.Context(), manyStreams(l, streams, 2), nil, nil, time.Now())
	for left := streams; left > 0; {
		n := <-told
		if left -= n; n > 2*portion+2 { // at most two of each stream, and a late picture takes the next portion, too
			t.Errorf("%d of the second list are told at once", n)
		}
	}
}

// A stream that came, went, or lost its leader waits for no portion of those that only moved.
func TestWhatTurnedIsToldFirst(t *testing.T) {
	const streams = 3*portion + 7
	var told []model.Observation
	l := deaf(func(seen ...model.Observation) { told = append(told, seen...) })
	came := manyStreams(l, streams, 1)[streams-1]
	l.tellStreams(t.Context(), manyStreams(l, streams-1, 1), nil, nil, time.Now())
	told = nil
	list := manyStreams(l, streams-1, 2)
	went, lost := list[streams-2], list[streams-3]
	lost.Cluster = &replicas{}
	lost.Cluster.Replicas = append(lost.Cluster.Replicas, struct {
		Name    string        `json:"name"`
		Offline bool          `json:"offline"`
		Active  time.Duration `json:"active"`
	}{Name: "n2"})
	ended, end := context.WithCancel(t.Context())
	end() // one portion is told, and none is waited for
	l.tellStreams(ended, append(list[:streams-2:streams-2], came), nil, nil, time.Now())
	if len(told) > 0 {
		t.Error("it is told with a picture of its own")
	}
	l.emit()
	is := map[string]string{}
	for _, seen := range told {
		if r, ok := seen.(model.StreamRead); ok {
			is[r.Name] = fmt.Sprintf("exists %t, leaderless %t", r.Facts.Exists, r.Facts.Leaderless)
		}
	}
	if len(is) < portion/2 || len(is) > 2*portion {
		t.Errorf("%d streams are told of at once", len(is))
	}
	for info, want := range map[*streamInfo]string{came: "exists true, leaderless false", went: "exists false, leaderless false", lost: "exists true, leaderless true"} {
		if is := is[info.Config.Name]; is != want {
			t.Errorf("%s: %q, want %q", info.Config.Name, is, want)
		}
	}
}

// A list that takes long to tell says nothing of a stream that was read since it was begun.
func TestAListIsNoNewsOfWhatWasReadSince(t *testing.T) {
	var told []model.Observation
	l := deaf(func(seen ...model.Observation) { told = append(told, seen...) })
	list := manyStreams(l, 1, 1)
	l.tellStreams(t.Context(), list, nil, nil, time.Now())
	begun := time.Now()
	l.told.note(list[0].Config.Name, model.StreamFacts{Known: true})
	told = nil
	l.tellStreams(t.Context(), manyStreams(l, 1, 2), nil, nil, begun)
	if slices.ContainsFunc(told, func(o model.Observation) bool {
		r, ok := o.(model.StreamRead)
		return ok && r.Name == list[0].Config.Name
	}) {
		t.Errorf("a stream that was deleted since is there again: %+v", told)
	}
	l.tellStreams(t.Context(), list, nil, nil, time.Now())
	if !l.told.exists(list[0].Config.Name) {
		t.Error("the next list tells nothing of it")
	}
}
