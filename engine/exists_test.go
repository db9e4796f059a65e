package engine

import (
	"context"
	"errors"
	"testing"

	"pcgtop/engine/parti/standin"
	"pcgtop/internal/natstest"
)

// A group of a kind without configs is found by name, by an engine that runs and by one that
// does not; what is not there is said to be missing.
func TestExistsOfEveryKind(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	f, err := standin.Start(t.Context(), js, standin.Options{Stream: "JOBS", Workers: 2, Partitions: []standin.Partition{{Keys: []string{"eu"}, Weight: 1}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	e, err := Connect(t.Context(), Options{Server: s.ClientURL(), Lookup: noEnv})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Close)
	check := func() {
		t.Helper()
		if err := e.Exists(t.Context(), "parti", "worker"); err != nil {
			t.Error(err)
		}
		if err := e.Exists(t.Context(), "parti", "nobody"); !errors.Is(err, ErrNotFound) {
			t.Errorf("%v, want not found", err)
		}
	}
	check()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	check()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
