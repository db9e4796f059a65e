package parti

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"pcgtop/engine/observe"
	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve runs a server with JetStream for as long as the test, and connects to it.
func serve(t testing.TB) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	nc := connect(t, s.ClientURL())
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return nc, js
}

func connect(t testing.TB, url string) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// play starts a deployment for as long as the test.
func play(t testing.TB, js jetstream.JetStream, o standin.Options) *standin.Fleet {
	t.Helper()
	f, err := standin.Start(t.Context(), js, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	return f
}

// keys are so many partitions of two keys each.
func keys(n int) []standin.Partition {
	list := make([]standin.Partition, n)
	for i := range list {
		list[i] = standin.Partition{Keys: []string{"eu", fmt.Sprint(i)}, Weight: int64(1 + i%3)}
	}
	return list
}

// watch is what an observer sees.
type watch struct {
	nc       *nats.Conn
	mu       sync.Mutex
	snapshot *model.Snapshot
	history  []*model.Snapshot
	seen     chan struct{} // closed, and replaced, at each snapshot
}

// observed runs an observer for as long as the test.
func observed(t testing.TB, nc *nats.Conn, kind *Kind) *watch {
	t.Helper()
	return observedWith(t, nc, kind, observe.Options{Health: time.Second})
}

// observedWith is the same with more options.
func observedWith(t testing.TB, nc *nats.Conn, kind *Kind, opts observe.Options) *watch {
	t.Helper()
	w := &watch{nc: nc, snapshot: model.Reduce(nil, time.Now()), seen: make(chan struct{})}
	opts.Kinds = append(observe.Kinds(), kind)
	o := observe.New(nc, opts)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx, w.emit) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return w
}

func (w *watch) emit(observations ...model.Observation) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.snapshot = model.Reduce(w.snapshot, time.Now(), observations...)
	w.history = append(w.history, w.snapshot)
	close(w.seen)
	w.seen = make(chan struct{})
}

func (w *watch) live() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.snapshot.Link.State == model.LinkLive
}

// until waits for a snapshot in which the group is as wanted, and tells how long that took.
func (w *watch) until(t testing.TB, k model.Key, what string, fits func(*model.Group) bool) (*model.Group, time.Duration) {
	t.Helper()
	start := time.Now()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		w.mu.Lock()
		s, next := w.snapshot, w.seen
		w.mu.Unlock()
		if g := s.Group(k); g != nil && fits(g) {
			return g, time.Since(start)
		}
		select {
		case <-deadline.C:
			t.Fatalf("never: %s; there are %s", what, describeAll(s))
		case <-next:
		}
	}
}

// group is a group as it is seen now; nil: there is none.
func (w *watch) group(k model.Key) *model.Group {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.snapshot.Group(k)
}

// reconnect loses the connection and waits until everything was read again.
func (w *watch) reconnect(t testing.TB) {
	t.Helper()
	w.mu.Lock()
	before := len(w.history)
	w.mu.Unlock()
	if err := w.nc.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	lost := func(s *model.Snapshot) bool { return s.Link.State != model.LinkLive }
	w.eventually(t, "lost, and live again", func(s *model.Snapshot) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return !lost(s) && slices.ContainsFunc(w.history[before:], lost)
	})
}

// eventually waits for a snapshot that fits.
func (w *watch) eventually(t testing.TB, what string, fits func(*model.Snapshot) bool) {
	t.Helper()
	deadline := time.NewTimer(20 * time.Second)
	defer deadline.Stop()
	for {
		w.mu.Lock()
		s, next := w.snapshot, w.seen
		w.mu.Unlock()
		if fits(s) {
			return
		}
		select {
		case <-deadline.C:
			t.Fatalf("never: %q; %+v; there are %s", what, s.NotFound, describeAll(s))
		case <-next:
		}
	}
}

func describeAll(s *model.Snapshot) string {
	var b strings.Builder
	for _, g := range s.Groups {
		fmt.Fprintf(&b, "\n%s %s: %q reads %q", g.Key.Kind, g.Key, g.Facts, g.Reads)
		for _, m := range g.Members {
			fmt.Fprintf(&b, "\n  %s %s (%s) %q %d partitions", m.Name, m.State, m.Why, m.Facts, len(m.Partitions))
		}
		for _, f := range g.Findings {
			fmt.Fprintf(&b, "\n  %s %s: %s", f.Severity, f.ID, f.Text)
		}
		for _, p := range g.Partitions[:min(8, len(g.Partitions))] {
			fmt.Fprintf(&b, "\n  %s of %s: %s", p.ID(), p.Owner, p.Told().Note)
		}
	}
	return b.String()
}

// says tells whether one of the texts holds another.
func says(list []string, text string) bool {
	for _, s := range list {
		if strings.Contains(s, text) {
			return true
		}
	}
	return false
}

// found is the finding of that rule; nil: none.
func found(g *model.Group, id string) *model.Finding {
	for i := range g.Findings {
		if g.Findings[i].ID == id {
			return &g.Findings[i]
		}
	}
	return nil
}

// note is what is said of a partition.
func note(g *model.Group, name string) string {
	for _, p := range g.Partitions {
		if p.ID() == name {
			return p.Told().Note
		}
	}
	return ""
}

func group(stream, name string) model.Key {
	return model.Key{Kind: Name, Stream: stream, Group: name}
}

func bucketConfig(name string) jetstream.KeyValueConfig {
	return jetstream.KeyValueConfig{Bucket: name}
}
