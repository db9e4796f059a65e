package engine

import (
	"context"
	"errors"
	"io"
	"log"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"
	"go.uber.org/goleak"

	"pcgtop/model"
)

func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // the reference library prints
	// An embedded server does not wait for this one when it shuts down.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/nats-io/nats-server/v2/server.(*stream).trySetupSourceConsumer.func3"))
}

// poll waits for a condition that nobody announces.
func poll(t testing.TB, what string, holds func() bool) {
	t.Helper()
	pollFor(t, 10*time.Second, what, holds)
}

// pollFor is poll for what may take longer.
func pollFor(t testing.TB, atMost time.Duration, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(atMost); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
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

// elasticGroup makes stream ORDERS with an elastic group cg of these members.
func elasticGroup(t testing.TB, js jetstream.JetStream, members ...string) model.Key {
	t.Helper()
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*"}}))
	must(oracle.CreateElastic(t.Context(), js, "ORDERS", "cg", 8, []oracle.PartitioningFilter{{Filter: "orders.*", PartitioningWildcards: []int{1}}}, -1, -1))
	if len(members) > 0 {
		must(oracle.AddMembers(t.Context(), js, "ORDERS", "cg", members))
	}
	return model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}
}

// instance starts a process of a member, of the reference library.
func instance(t testing.TB, js jetstream.JetStream, member string) {
	t.Helper()
	running := must(oracle.ElasticConsume(t.Context(), js, "ORDERS", "cg", member, func(m jetstream.Msg) { _ = m.Ack() },
		jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second}))
	t.Cleanup(func() {
		running.Stop()
		select {
		case <-running.Done():
		case <-time.After(5 * time.Second):
			t.Error("an instance does not stop")
		}
	})
}
