package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// An operator with just the documented permissions sees everything, and every action
// works, from the screens and from a command, which does not watch.
func TestDocumentedPermissions(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, restricted(t, "operator"))
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1")
	instance(t, js, "m1")
	login := func(o *Options) { o.User, o.Password = "user", "pw" }
	e := start(t, s.ClientURL(), login)
	until(t, e, "the consumer", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).Member("m1").Consumer != nil
	})
	must(js.Publish(t.Context(), "orders.1", nil))
	now := until(t, e, "pinned", func(s *model.Snapshot) bool { return s.Group(k).Member("m1").Consumer.PinID != "" })
	if len(now.Denied) != 0 {
		t.Errorf("denied: %q", now.Denied)
	}
	must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionStepDown, "m1")))
	must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m2")))

	command := must(Connect(t.Context(), Options{Server: s.ClientURL(), User: "user", Password: "pw", Lookup: noEnv}))
	t.Cleanup(command.Close)
	once := must(command.Once(t.Context()))
	must(command.Apply(t.Context(), plan(t, once.Group(k), model.ActionDrop, "m2")))
}

// A command that may not do what it tries, or not read what it would change, ends at once
// too, and names it.
func TestDeniedCommand(t *testing.T) {
	for missing, named := range map[string]string{"nothing": "$KV.elastic-consumer-groups.", "DIRECT.GET.KV": "$JS.API.DIRECT.GET.KV_elastic-consumer-groups."} {
		t.Run(named, func(t *testing.T) { deniedCommand(t, missing, named) })
	}
}

func deniedCommand(t *testing.T, missing, named string) {
	s := natstest.Start(t, restricted(t, "viewer", missing))
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1")
	e := must(Connect(t.Context(), Options{Server: s.ClientURL(), User: "user", Password: "pw", Lookup: noEnv}))
	t.Cleanup(e.Close)
	once := must(e.Once(t.Context()))
	begin := time.Now()
	_, err := e.Apply(t.Context(), plan(t, once.Group(k), model.ActionAdd, "m2"))
	if !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), named) || time.Since(begin) > time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// A bucket that may not be read leaves its groups unknown, which is not none.
func TestDeniedBucket(t *testing.T) {
	s := natstest.Start(t, restricted(t, "viewer", "CONSUMER.CREATE", ".GET."))
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	elasticGroup(t, js, "m1")
	e := must(Connect(t.Context(), Options{Server: s.ClientURL(), User: "user", Password: "pw", Lookup: noEnv}))
	t.Cleanup(e.Close)
	once := must(e.Once(t.Context()))
	if why := once.Unknown(model.KindElastic); !strings.Contains(why, "not permitted") || !strings.Contains(why, "elastic-consumer-groups") {
		t.Errorf("why the groups are not known: %q", why)
	}
	begin := time.Now()
	err := e.Guard(t.Context(), func(ctx context.Context) error {
		_, err := oracle.AddMembers(ctx, e.JetStream(), "ORDERS", "cg", []string{"m2"})
		return err
	})
	if !errors.Is(err, ErrDenied) || time.Since(begin) > time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}

// Without an inbox nothing can be known: that is said at once.
func TestDeniedInbox(t *testing.T) {
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "user", Password: "pw", Permissions: &server.Permissions{Subscribe: &server.SubjectPermission{Deny: []string{">"}}}}}
	})
	begin := time.Now()
	_, err := Connect(t.Context(), Options{Server: s.ClientURL(), User: "user", Password: "pw", Lookup: noEnv})
	if !errors.Is(err, ErrDenied) || !strings.Contains(err.Error(), "allow subscribe to _INBOX.>") || time.Since(begin) > time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}
