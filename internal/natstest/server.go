// Package natstest starts real NATS servers with JetStream for tests, alone and as
// clusters, on the loopback interface.
package natstest

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// patience bounds every wait.
const patience = 20 * time.Second

// Start starts a server that stores in a folder of its own and ends with the test. Its
// options can be changed.
func Start(t testing.TB, change ...func(*server.Options)) *server.Server {
	t.Helper()
	return Run(t, options(t, change))
}

func options(t testing.TB, change []func(*server.Options)) *server.Options {
	o := &server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}
	for _, f := range change {
		f(o)
	}
	return o
}

// Run starts a server with these options, with what it stored if it ran before. It ends
// with the test.
func Run(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s := start(t, o)
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not start")
	}
	return s
}

func start(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(o.Clone())
	if err != nil {
		t.Fatalf("make a server: %v", err)
	}
	s.Start()
	t.Cleanup(func() { Stop(s) })
	return s
}

// Stop ends a server and waits until it has ended.
func Stop(s *server.Server) {
	s.Shutdown()
	s.WaitForShutdown()
}

// Soon tries until it can be done: what a young cluster was just told may have no leader
// yet, or not be known to every server.
func Soon[T any](t testing.TB, what string, try func() (T, error)) T {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		v, err := try()
		if err == nil {
			return v
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", what, err)
		}
	}
}
