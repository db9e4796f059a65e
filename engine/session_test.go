package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Going over to another context makes another engine and leaves nothing of the one
// before; where it cannot connect, that one goes on.
func TestSessionSwitches(t *testing.T) {
	one, two := natstest.Start(t), natstest.Start(t)
	_, js := client(t, two.ClientURL())
	k := elasticGroup(t, js)
	root := contexts(t, "one", map[string]string{
		"one":  fmt.Sprintf(`{"url":%q}`, one.ClientURL()),
		"two":  fmt.Sprintf(`{"url":%q}`, two.ClientURL()),
		"dead": `{"url":"nats://joe:secret@127.0.0.1:1"}`,
	})
	o := Options{Lookup: env("XDG_CONFIG_HOME", root, "NATS_URL", one.ClientURL(), "NATS_USER", "nobody"), Server: one.ClientURL(), User: "u", Password: "p"}
	if names := must(Contexts(t.Context(), o)); !slices.Equal(names, []string{"dead", "one", "two"}) {
		t.Errorf("contexts %q", names)
	}

	ctx, cancel := context.WithCancel(t.Context())
	first := must(Connect(ctx, o.OnlyContext("one")))
	s := NewSession(ctx, first)
	until(t, first, "live", live)

	for _, name := range []string{"dead", "nobody"} {
		if _, err := s.Switch(ctx, o.OnlyContext(name)); err == nil || strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "\n") {
			t.Fatalf("%s: %v", name, err)
		}
	}
	seq := first.Current().Seq
	until(t, first, "another picture after a failure", func(n *model.Snapshot) bool { return n.Seq > seq && live(n) })

	second := must(s.Switch(ctx, o.OnlyContext("two")))
	until(t, second, "the other's group", func(n *model.Snapshot) bool { return live(n) && n.Group(k) != nil })
	if got := second.Current().Server.Context; got != "two" {
		t.Errorf("context %q", got)
	}
	if len(second.Current().Applied) != 0 {
		t.Error("what was done elsewhere can be undone here")
	}
	poll(t, "the first connection is closed", func() bool { return one.NumClients() == 0 })
	for range first.Snapshots() { // it is closed: this ends
	}
	select {
	case <-s.Ended():
		t.Error("being replaced is taken for an end")
	default:
	}
	cancel()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if _, err := s.Switch(t.Context(), o.OnlyContext("one")); err == nil {
		t.Error("a closed session went on")
	}
	poll(t, "no connection is left", func() bool { return one.NumClients() == 0 })
}

// An engine that ends by itself is told, with what it ended with.
func TestSessionEnds(t *testing.T) {
	e := must(Connect(t.Context(), Options{Server: natstest.Start(t).ClientURL(), Lookup: noEnv}))
	s := NewSession(t.Context(), e)
	until(t, e, "live", live)
	e.nc.Close()
	select {
	case <-s.Ended():
	case <-time.After(10 * time.Second):
		t.Fatal("nobody is told")
	}
	if err := s.Close(); err == nil {
		t.Error("nothing says why")
	}
}
