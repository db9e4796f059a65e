package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// A bucket that cannot be read does not make a report or a check wait for ever: they get
// what there is, and why there is no more.
func TestOnceWithoutABucket(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a bucket that cannot be read")
	}
	t.Parallel()
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	elasticGroup(t, js, "m1")
	const nobody = "nobody"
	if err := must(s.LookupAccount("$G")).AddMapping("$JS.API.STREAM.INFO.KV_elastic-consumer-groups", nobody); err != nil {
		t.Fatal(err)
	}
	e := start(t, s.ClientURL())
	ctx, cancel := context.WithTimeout(t.Context(), 2*unreadableMost+10*time.Second)
	defer cancel()
	now, err := e.Once(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if why := now.Unknown(model.KindElastic); !strings.Contains(why, "does not answer") {
		t.Errorf("it says %q", why)
	}
}

// A server that goes away in the middle does not make them wait for ever either.
func TestOnceWithoutTheServer(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a server that is away")
	}
	t.Parallel()
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	elasticGroup(t, js, "m1")
	e := start(t, s.ClientURL())
	until(t, e, "live", live)
	natstest.Stop(s)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := e.Once(ctx); !errors.Is(err, ErrNotConnected) {
		t.Errorf("%v", err)
	}
}
