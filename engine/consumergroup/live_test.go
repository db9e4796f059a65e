package consumergroup

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"pcgtop/engine/demo"
	"pcgtop/engine/observe"
	"pcgtop/engine/pcgroups"
	"pcgtop/internal/natstest"
	"pcgtop/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func connect(t *testing.T, s *server.Server) jetstream.JetStream {
	t.Helper()
	nc := must(nats.Connect(s.ClientURL(), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})))
	t.Cleanup(nc.Close)
	return must(jetstream.New(nc))
}

// watch is what an observer makes of an account.
type watch struct {
	mu       sync.Mutex
	snapshot *model.Snapshot
	observer *observe.Observer
}

func (w *watch) now() *model.Snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.snapshot
}

// watchAll runs an observer of all kinds for as long as the test.
func watchAll(t *testing.T, js jetstream.JetStream) *watch {
	t.Helper()
	w := &watch{snapshot: model.Reduce(nil, time.Now())}
	w.observer = observe.New(js.Conn(), observe.Options{
		Kinds: append(observe.Kinds(), New()), Snapshot: w.now, MaxRequests: 1000, Health: 200 * time.Millisecond, Refresh: 200 * time.Millisecond,
	})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- w.observer.Run(ctx, func(o ...model.Observation) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.snapshot = model.Reduce(w.snapshot, time.Now(), o...)
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return w
}

// until waits for a snapshot that fits.
func (w *watch) until(t *testing.T, what string, fits func(*model.Snapshot) bool) *model.Snapshot {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		s := w.now()
		if fits(s) {
			return s
		}
		if time.Now().After(end) {
			var groups []string
			for _, g := range s.Groups {
				groups = append(groups, fmt.Sprintf("%s %s %s: %s, %s", g.Key.Kind, g.Key, g.Verdict, owners(g), found(g)))
			}
			t.Fatalf("never: %s; link %v\n%s", what, s.Link.State, strings.Join(groups, "\n"))
		}
	}
}

func live(s *model.Snapshot) bool { return s.Link.State == model.LinkLive }

// owned fits when a group's partitions are shared out so.
func owned(k model.Key, want string) func(*model.Snapshot) bool {
	return func(s *model.Snapshot) bool { g := s.Group(k); return g != nil && owners(g) == want }
}

func crates(t *testing.T, js jetstream.JetStream, c demo.CrateConfig) (*demo.CrateGroup, model.Key) {
	t.Helper()
	g := must(demo.NewCrateGroup(t.Context(), js, c))
	t.Cleanup(g.Stop)
	return g, model.Key{Kind: Name, Stream: c.Stream, Group: c.Prefix}
}

func join(t *testing.T, g *demo.CrateGroup, js jetstream.JetStream, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := g.Join(t.Context(), name, js); err != nil {
			t.Fatal(err)
		}
	}
}

// events are those of a group, as lines, the oldest first.
func events(s *model.Snapshot, k model.Key) string {
	var lines []string
	for _, e := range s.EventsSince(0) {
		if e.Key == k {
			lines = append(lines, strings.TrimSpace(e.Member+" "+e.Text))
		}
	}
	return strings.Join(lines, "; ")
}

// TestLive: a group is found beside others, and followed while its members come, share out
// anew, go, vanish and freeze, until its stream is gone.
func TestLive(t *testing.T) {
	t.Parallel()
	js := connect(t, natstest.Start(t))
	ctx := t.Context()
	g, key := crates(t, js, demo.CrateConfig{Stream: "SHIPMENTS", Prefix: "ship", Subject: "shipments.*", Partitions: 6})
	join(t, g, js, "a", "b")
	alike := jetstream.StreamConfig{Name: "ALIKE", Subjects: []string{"alike.*"}, Retention: jetstream.WorkQueuePolicy,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "alike.*", Destination: "x.{{partition(3,1)}}.{{wildcard(1)}}"}}
	must(js.CreateStream(ctx, alike))
	must(js.CreateConsumer(ctx, "ALIKE", jetstream.ConsumerConfig{Durable: "all", AckPolicy: jetstream.AckExplicitPolicy}))
	static := jetstream.StreamConfig{Name: "PAYMENTS", Subjects: []string{"payments.*"}, Retention: jetstream.WorkQueuePolicy,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "payments.*", Destination: "{{partition(3,1)}}.{{wildcard(1)}}"}}
	must(js.CreateStream(ctx, static))
	must(pcgroups.CreateStatic(ctx, js, "PAYMENTS", "g", 3, []string{">"}, []string{"m"}, nil))
	m := must(pcgroups.StaticConsume(ctx, js, "PAYMENTS", "g", "m", func(jetstream.Msg) {}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy}))
	t.Cleanup(func() { m.Stop(); <-m.Done() })

	w := watchAll(t, js)
	s := w.until(t, "live", live)
	if len(s.Groups) != 2 || s.Group(key) == nil {
		t.Fatalf("when it is live there are %v", s.Groups)
	}
	s = w.until(t, "two pull", func(s *model.Snapshot) bool { n, of := s.Group(key).Pulling(); return n == 2 && of == 2 })
	if got := owners(s.Group(key)); got != "0:a 1:a 2:a 3:b 4:b 5:b" {
		t.Error(got)
	}

	join(t, g, js, "c")
	s = w.until(t, "three pull", owned(key, "0:a 1:a 2:b 3:b 4:c 5:c"))
	if got := events(s, key); !strings.Contains(got, "c joined") || strings.Contains(got, "left") {
		t.Errorf("events: %s", got)
	}
	w.until(t, "nothing is wrong", func(s *model.Snapshot) bool { return found(s.Group(key)) == "" })

	if err := g.Leave(ctx, "b"); err != nil {
		t.Fatal(err)
	}
	w.until(t, "two share", owned(key, "0:a 1:a 2:a 3:c 4:c 5:c"))
	s = w.until(t, "b left", func(s *model.Snapshot) bool { return strings.Contains(events(s, key), "b left") })
	if got := events(s, key); strings.Contains(got, "a left") || strings.Contains(got, "c left") || !strings.Contains(got, "made anew") {
		t.Errorf("events: %s", got)
	}

	g.Freeze("a")
	w.until(t, "nobody pulls for a", func(s *model.Snapshot) bool { return s.Group(key).Member("a").State == model.StateNoPull })
	if err := g.Vanish(ctx, "c"); err != nil {
		t.Fatal(err)
	}
	s = w.until(t, "a rebalance", func(s *model.Snapshot) bool { return strings.Contains(found(s.Group(key)), "info rebalancing") })
	if got := s.Group(key).Verdict; got != model.VerdictDegraded { // nobody pulls for a
		t.Error(got)
	}
	for i := range 50 {
		must(js.Publish(ctx, fmt.Sprintf("shipments.p%d", i), nil))
	}
	s = w.until(t, "unowned partitions, and what waits", func(s *model.Snapshot) bool {
		g := s.Group(key)
		return strings.Contains(found(g), "warning unowned: 3 partitions unowned: 3-5") && g.Lag() == 50
	})
	if g := s.Group(key); g.Stray()+g.Member("a").Consumer.Lag() != 50 || g.Stray() == 0 {
		t.Errorf("%d of 50 are nobody's, a has %d", g.Stray(), g.Member("a").Consumer.Lag())
	}

	w.observer.Focus(&key, []model.Key{key})
	s = w.until(t, "every partition is counted", func(s *model.Snapshot) bool { return s.Group(key).Counted() })
	all := model.Transform{From: "shipments.*", To: "ship.{{partition(6,1)}}.x.{{wildcard(1)}}"}
	want := make([]uint64, 6)
	for i := range 50 {
		p, _ := all.Partition(fmt.Sprintf("shipments.p%d", i))
		want[p]++
	}
	for p, n := range want {
		if got := s.Group(key).Partitions[p].Count; got.Pending != n || n > 0 && got.Oldest.IsZero() {
			t.Errorf("partition %d: %+v, want %d", p, got, n)
		}
	}

	if err := g.Vanish(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	w.until(t, "no members, and it stays", func(s *model.Snapshot) bool {
		return strings.Contains(found(s.Group(key)), "no members: nobody consumes any partition, ~50 messages wait there")
	})
	if err := js.DeleteStream(ctx, "SHIPMENTS"); err != nil {
		t.Fatal(err)
	}
	w.until(t, "it is gone with its stream", func(s *model.Snapshot) bool { return s.Group(key) == nil })
}

// TestCheap: of streams that have not the shape nothing is asked, and of those that have it
// once, until their consumers change.
func TestCheap(t *testing.T) {
	t.Parallel()
	js := connect(t, natstest.Start(t))
	ctx := t.Context()
	_, key := crates(t, js, demo.CrateConfig{Stream: "FITS", Prefix: "ship", Subject: "shipments.*", Partitions: 6})
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "OTHER", Subjects: []string{"other.*"}, Retention: jetstream.WorkQueuePolicy}))
	for _, stream := range []string{"FITS", "OTHER"} {
		must(js.CreateConsumer(ctx, stream, jetstream.ConsumerConfig{Durable: "all", AckPolicy: jetstream.AckExplicitPolicy}))
	}
	asked := make(chan string, 100)
	sub := must(js.Conn().Subscribe("$JS.API.CONSUMER.LIST.*", func(m *nats.Msg) { asked <- m.Subject }))
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	lists := make(chan string, 1000)
	sub = must(js.Conn().Subscribe("$JS.API.STREAM.LIST", func(m *nats.Msg) { lists <- m.Subject }))
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	w := watchAll(t, js)
	w.until(t, "live", live)
	for range 4 { // it is looked at again and again
		<-lists
	}
	if got := <-asked; got != "$JS.API.CONSUMER.LIST.FITS" || len(asked) > 0 {
		t.Errorf("%s was asked, and %d more", got, len(asked))
	}
	if err := js.DeleteConsumer(ctx, "FITS", "all"); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{"0", "1"} {
		must(js.CreateConsumer(ctx, "FITS", jetstream.ConsumerConfig{Durable: "m" + p, FilterSubject: "ship." + p + ".>", AckPolicy: jetstream.AckExplicitPolicy}))
	}
	w.until(t, "its consumers changed", func(s *model.Snapshot) bool { return s.Group(key) != nil })
}

// TestAgain: a group is there after the connection was lost, also when all its members left
// meanwhile; one whose stream was made anew for something else is not.
func TestAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv := natstest.Start(t, func(o *server.Options) { o.StoreDir = dir })
	port := srv.Addr().(*net.TCPAddr).Port
	ctx := t.Context()
	js := connect(t, srv)
	left, kept := crates(t, js, demo.CrateConfig{Stream: "KEPT", Prefix: "k", Subject: "kept.*", Partitions: 2})
	other, gone := crates(t, js, demo.CrateConfig{Stream: "GONE", Prefix: "g", Subject: "gone.*", Partitions: 2})
	join(t, left, js, "a")
	join(t, other, js, "a")
	w := watchAll(t, connect(t, srv))
	w.until(t, "both", func(s *model.Snapshot) bool { return s.Group(kept) != nil && s.Group(gone) != nil && live(s) })
	left.Freeze("a")
	other.Freeze("a")
	js.Conn().Close()
	natstest.Stop(srv)
	w.until(t, "lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })

	aside := natstest.Start(t, func(o *server.Options) { o.StoreDir = dir }) // where nobody watches
	js = connect(t, aside)
	if err := errors.Join(js.DeleteConsumer(ctx, "KEPT", "a"), js.DeleteStream(ctx, "GONE")); err != nil {
		t.Fatal(err)
	}
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "GONE", Subjects: []string{"gone.*"}}))
	js.Conn().Close()
	natstest.Stop(aside)

	natstest.Start(t, func(o *server.Options) { o.StoreDir, o.Port = dir, port })
	w.until(t, "live again", live)
	w.until(t, "one is gone", func(s *model.Snapshot) bool { return s.Group(gone) == nil })
	s := w.until(t, "nobody is left", func(s *model.Snapshot) bool { return strings.Contains(found(s.Group(kept)), "no members") })
	if len(s.Groups) != 1 {
		t.Errorf("%v", s.Groups)
	}
}

// TestOtherPrefix: when the stream stamps behind another prefix its members are cut off,
// which is said until others come for the new one: then that is the group.
func TestOtherPrefix(t *testing.T) {
	t.Parallel()
	js := connect(t, natstest.Start(t))
	ctx := t.Context()
	g, before := crates(t, js, demo.CrateConfig{Stream: "S", Prefix: "old", Subject: "s.*", Partitions: 2})
	join(t, g, js, "a")
	w := watchAll(t, js)
	w.until(t, "the group", owned(before, "0:a 1:a"))
	config := must(js.Stream(ctx, "S")).CachedInfo().Config
	config.SubjectTransform.Destination = "new.{{partition(3,1)}}.{{wildcard(1)}}"
	must(js.UpdateStream(ctx, config))
	w.until(t, "the members are cut off", func(s *model.Snapshot) bool {
		return strings.Contains(found(s.Group(before)), "critical stamp-gone: the stream no longer stamps partitions behind old")
	})
	must(js.CreateConsumer(ctx, "S", jetstream.ConsumerConfig{Durable: "b", FilterSubjects: []string{"new.0.>", "new.2.>"}, AckPolicy: jetstream.AckExplicitPolicy}))
	after := model.Key{Kind: Name, Stream: "S", Group: "new"}
	s := w.until(t, "the other group", owned(after, "0:b 1:- 2:b"))
	if s.Group(before) != nil {
		t.Error("both are told")
	}
	if m := s.Group(after).Member("a"); m == nil || m.Configured || m.Why != "not all of its filters are new.<number>.>" {
		t.Errorf("%+v", m)
	}
}
