package observe

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// seeker is a kind that finds its groups in the list of streams, after a while.
type seeker struct {
	begun, on chan struct{} // the first list came; it goes on once this is closed
}

func (s seeker) Name() model.Kind { return "sought" }

func (s seeker) Tell(*model.Stream, time.Time) model.Told { return model.Told{} }

func (s seeker) Follow(ctx context.Context, a Account, ready func()) error {
	streams := a.Streams(ctx)
	select {
	case <-ctx.Done():
		return nil
	case list := <-streams:
		close(s.begun)
		<-s.on
		for _, one := range list {
			a.Emit(model.GroupTold{Key: model.Key{Kind: s.Name(), Stream: one.Name(), Group: "g"}, Teller: s})
		}
	}
	ready()
	<-ctx.Done()
	return nil
}

// The picture is not live before a kind that has to search for its groups has told them.
func TestSearchedBeforeLive(t *testing.T) {
	t.Parallel()
	srv := natstest.Start(t)
	nc := connect(t, srv.ClientURL())
	must(jetStream(t, nc).CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}}))
	k := seeker{make(chan struct{}), make(chan struct{})}
	opts := quick()
	opts.Kinds = append(Kinds(), k)
	_, r := observe(t, nc, opts)
	<-k.begun
	for end := time.Now().Add(300 * time.Millisecond); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if live(r.now()) {
			t.Fatal("it is live before all groups are told")
		}
	}
	close(k.on)
	s, _ := r.until(t, "live", live)
	if s.Group(model.Key{Kind: "sought", Stream: "S", Group: "g"}) == nil {
		t.Errorf("it is live without the group: %v", s.Groups)
	}
}

// Where the streams may not be listed, nobody waits for a kind that would search them.
func TestSearchRefused(t *testing.T) {
	t.Parallel()
	nc := connect(t, limited(t, "$JS.API.INFO").ClientURL(), asUser("limited"))
	k := seeker{make(chan struct{}), make(chan struct{})}
	opts := quick()
	opts.Kinds = append(Kinds(), k)
	_, r := observe(t, nc, opts)
	if _, took := r.until(t, "live", live); took > liveAfter {
		t.Errorf("live after %v", took)
	}
}

// Streams that did not answer are in the list by their names.
func TestSilentStreams(t *testing.T) {
	l := newListings()
	list := l.subscribe(t.Context())
	info := &streamInfo{}
	info.Config.Name = "A"
	l.publish([]*streamInfo{info}, []string{"B"}, time.Now())
	got := <-list
	if len(got) != 2 || got[0].Name() != "A" || !got[0].Answered() || got[1].Name() != "B" || got[1].Answered() {
		t.Errorf("%+v", got)
	}
}
