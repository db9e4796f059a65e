package observe

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"pcgtop/model"
)

func TestMain(m *testing.M) {
	// A server that was stopped while it tried to source again still waits for an answer.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*stream).trySetupSourceConsumer.func3"))
}

// connect connects in silence: handlers that nats.go has by default print.
func connect(t testing.TB, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	opts = append([]nats.Option{
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
		nats.MaxReconnects(-1), nats.ReconnectWait(20 * time.Millisecond), nats.ReconnectJitter(0, 0),
	}, opts...)
	nc, err := nats.Connect(url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

func jetStream(t testing.TB, nc *nats.Conn) jetstream.JetStream {
	t.Helper()
	return must(jetstream.New(nc))
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// recorder reduces what an observer emits.
type recorder struct {
	mu       sync.Mutex
	snapshot *model.Snapshot
	all      []model.Observation
	seen     chan struct{} // closed, and replaced, at each observation
}

func newRecorder() *recorder {
	return &recorder{snapshot: model.Reduce(nil, time.Now()), seen: make(chan struct{})}
}

func (r *recorder) emit(observations ...model.Observation) {
	if len(observations) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, observations...)
	r.snapshot = model.Reduce(r.snapshot, time.Now(), observations...)
	close(r.seen)
	r.seen = make(chan struct{})
}

func (r *recorder) now() *model.Snapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.snapshot
}

// until waits for a snapshot that fits, and returns it and how long that took.
func (r *recorder) until(t testing.TB, what string, fits func(*model.Snapshot) bool) (*model.Snapshot, time.Duration) {
	t.Helper()
	return r.within(t, 20*time.Second, what, fits)
}

// within is until with a time of its own.
func (r *recorder) within(t testing.TB, most time.Duration, what string, fits func(*model.Snapshot) bool) (*model.Snapshot, time.Duration) {
	t.Helper()
	start := time.Now()
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	for {
		r.mu.Lock()
		s, next := r.snapshot, r.seen
		r.mu.Unlock()
		if fits(s) {
			return s, time.Since(start)
		}
		select {
		case <-deadline.C:
			var groups []string
			for _, g := range s.Groups {
				groups = append(groups, fmt.Sprintf("%s r%d %q %q", g.Key, g.Revision, g.Unreadable, g.ReadError))
			}
			t.Fatalf("never: %s; link %v, buckets %v, groups %q, denied %q", what, s.Link.State, s.Buckets, groups, s.Denied)
		case <-next:
		}
	}
}

// observe runs an observer for as long as the test.
func observe(t testing.TB, nc *nats.Conn, opts Options) (*Observer, *recorder) {
	t.Helper()
	r := newRecorder()
	opts.Snapshot = r.now
	o := New(nc, opts)
	runWith(t, o, r.emit)
	return o, r
}

// quick makes health checks frequent, and requests not scarce.
func quick() Options { return Options{Health: 200 * time.Millisecond, MaxRequests: 1000} }

func live(s *model.Snapshot) bool { return s.Link.State == model.LinkLive }

func static(stream, group string) model.Key {
	return model.Key{Kind: model.KindStatic, Stream: stream, Group: group}
}

func elastic(stream, group string) model.Key {
	return model.Key{Kind: model.KindElastic, Stream: stream, Group: group}
}

// bucketOf makes a config bucket.
func bucketOf(t testing.TB, js jetstream.JetStream, kind model.Kind, change ...func(*jetstream.KeyValueConfig)) jetstream.KeyValue {
	t.Helper()
	c := jetstream.KeyValueConfig{Bucket: BucketName(kind)}
	for _, f := range change {
		f(&c)
	}
	return must(js.CreateKeyValue(t.Context(), c))
}

const goodConfig = `{"max_members":4,"filters":["a.*"],"members":["m1","m2"]}`

// runObserver runs an observer made by the test.
func runObserver(t testing.TB, o *Observer) *recorder {
	t.Helper()
	r := newRecorder()
	runWith(t, o, r.emit)
	return r
}

func runWith(t testing.TB, o *Observer, emit func(...model.Observation)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.Run(ctx, emit) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// serial calls emit from one goroutine at a time.
func serial(emit func(...model.Observation)) func(...model.Observation) {
	var mu sync.Mutex
	return func(observations ...model.Observation) {
		mu.Lock()
		defer mu.Unlock()
		emit(observations...)
	}
}

// observations are all that were emitted so far.
func (r *recorder) observations() []model.Observation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.all[:len(r.all):len(r.all)]
}
