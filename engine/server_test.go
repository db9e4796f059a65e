package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"pcgtop/model"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// The embedded servers' own goroutines end in their time after Shutdown.
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*Server).startGoRoutine.func1"),
		goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*ipQueue[...]).push"),
	)
}

// startServer runs a server with JetStream for as long as the test.
func startServer(t testing.TB, change ...func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	for _, f := range change {
		f(o)
	}
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server does not start")
	}
	t.Cleanup(func() { stopServer(s) })
	return s
}

func stopServer(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// client connects somebody else.
func client(t testing.TB, url string, opts ...nats.Option) (*nats.Conn, jetstream.JetStream) {
	t.Helper()
	nc, err := nats.Connect(url, append([]nats.Option{nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {})}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	return nc, js
}

// noEnv is an empty environment.
func noEnv(string) (string, bool) { return "", false }

// start connects and runs an engine for as long as the test.
func start(t testing.TB, url string, change ...func(*Options)) *Engine {
	t.Helper()
	o := Options{Server: url, Lookup: noEnv}
	for _, f := range change {
		f(&o)
	}
	e, err := Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		e.Close()
	})
	return e
}

// until waits for a snapshot that fits and returns it.
func until(t testing.TB, e *Engine, what string, fits func(*model.Snapshot) bool) *model.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	s, err := e.await(ctx, fits)
	if errors.Is(err, context.DeadlineExceeded) {
		now := e.Current()
		t.Fatalf("never: %s; link %v, buckets %v, %d groups, denied %q", what, now.Link.State, now.Buckets, len(now.Groups), now.Denied)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func live(s *model.Snapshot) bool { return s.Link.State == model.LinkLive }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
