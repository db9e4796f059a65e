package engine

import (
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// After the link was lost another server answers at the same address, with a group of the
// same name at the same revision. That is told, and no plan made for the one before is
// written to it.
func TestAnotherServerAfterReconnect(t *testing.T) {
	dir := t.TempDir()
	named := func(name string) func(*server.Options) {
		return func(o *server.Options) { o.ServerName = name }
	}
	other := natstest.Start(t, named("other"), func(o *server.Options) { o.StoreDir = dir })
	_, js := client(t, other.ClientURL())
	elasticGroup(t, js, "x1")
	natstest.Stop(other)

	right := natstest.Start(t, named("right"))
	_, js = client(t, right.ClientURL())
	k := elasticGroup(t, js, "m1")
	e := start(t, right.ClientURL())
	now := until(t, e, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	p := plan(t, now.Group(k), model.ActionAdd, "m2")
	drained := plan(t, now.Group(k), model.ActionAdd, "m2").WithDrain(model.DefaultDrain)
	port := right.Addr().(*net.TCPAddr).Port
	natstest.Stop(right)
	until(t, e, "lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })

	other = natstest.Start(t, named("other"), func(o *server.Options) { o.StoreDir, o.Port = dir, port })
	now = until(t, e, "the other's group", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && slices.Equal(s.Group(k).Config.Members, []string{"x1"})
	})
	if now.Group(k).Revision != p.Revision {
		t.Fatalf("the other's group is at revision %d, the plan was made at %d", now.Group(k).Revision, p.Revision)
	}
	if !slices.ContainsFunc(now.Events, func(e model.Event) bool {
		return e.Text == "another server answers: other now, right before: is it the right one?"
	}) || now.Server.Moved() == "" {
		t.Errorf("events: %+v", now.Events)
	}
	for _, p := range []*model.Plan{p, drained} {
		if _, err := e.Apply(t.Context(), p); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "another server") || !strings.Contains(err.Error(), "nothing was written") {
			t.Errorf("%v", err)
		}
	}
	_, js = client(t, other.ClientURL())
	if c := must(oracle.GetElasticConsumerGroupConfig(t.Context(), js, "ORDERS", "cg")); !slices.Equal(c.Members, []string{"x1"}) {
		t.Errorf("written: %v", c.Members)
	}
}
