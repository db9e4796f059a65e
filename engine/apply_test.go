package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

func plan(t testing.TB, g *model.Group, action model.Action, members ...string) *model.Plan {
	t.Helper()
	p, err := model.NewPlan(g, model.Intent{Action: action, Members: members})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func event(s *model.Snapshot, parts ...string) bool {
	return slices.ContainsFunc(s.Events, func(e model.Event) bool {
		return e.Kind == model.EventAction && !slices.ContainsFunc(parts, func(p string) bool { return !strings.Contains(e.Text, p) })
	})
}

func TestApplyWritesAndShowsWhatIsObserved(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1", "m2")
	e := start(t, s.ClientURL())
	now := until(t, e, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })

	done, err := e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m3"))
	if err != nil || !strings.Contains(done, "add m3 to ORDERS/cg") {
		t.Fatalf("%q, %v", done, err)
	}
	now = until(t, e, "m3", func(s *model.Snapshot) bool {
		return s.Group(k).Member("m3") != nil && event(s, "add m3 to ORDERS/cg", "revision")
	})
	if _, err := e.Apply(t.Context(), plan(t, now.Group(k), model.ActionDrop, "m1")); err != nil {
		t.Fatal(err)
	}
	now = until(t, e, "m1 dropped", func(s *model.Snapshot) bool { return s.Group(k).Member("m1") == nil })

	remap, err := model.NewPlan(now.Group(k), model.Intent{Action: model.ActionRemap, Mappings: []model.Mapping{{Member: "m2", Partitions: []int{0, 1, 2, 3, 4, 5, 6}}, {Member: "m3", Partitions: []int{7}}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := e.Apply(t.Context(), remap); err != nil {
		t.Fatal(err)
	}
	now = until(t, e, "mapped", func(s *model.Snapshot) bool { return s.Group(k).Config.Mapped() })
	if _, err := e.Apply(t.Context(), plan(t, now.Group(k), model.ActionBalance)); err != nil {
		t.Fatal(err)
	}
	until(t, e, "balanced", func(s *model.Snapshot) bool { return !s.Group(k).Config.Mapped() })
	config := must(oracle.GetElasticConsumerGroupConfig(t.Context(), js, "ORDERS", "cg"))
	if slices.Sort(config.Members); !slices.Equal(config.Members, []string{"m2", "m3"}) || len(config.MemberMappings) != 0 {
		t.Errorf("stored: %+v", config)
	}
}

func TestConflictSaysWhatChanged(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1", "m2")
	e := start(t, s.ClientURL())
	now := until(t, e, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	p := plan(t, now.Group(k), model.ActionAdd, "m3")

	must(oracle.AddMembers(t.Context(), js, "ORDERS", "cg", []string{"m4"}))
	kv := must(js.KeyValue(t.Context(), "elastic-consumer-groups"))
	before := must(kv.Get(t.Context(), "ORDERS.cg"))
	_, err := e.Apply(t.Context(), p)
	if !errors.Is(err, ErrChanged) {
		t.Fatalf("%v", err)
	}
	if want := "the group changed at revision 3: +m4, 2-3 m1▸m2, 4-5 m2▸m4, 6 m2▸m1; nothing was written"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if after := must(kv.Get(t.Context(), "ORDERS.cg")); after.Revision() != before.Revision() {
		t.Error("something was written")
	}
	until(t, e, "the refusal as an event", func(s *model.Snapshot) bool { return event(s, "refused", "+m4") })
	if now := e.Current(); now.Group(k).Revision != before.Revision() {
		t.Errorf("revision %d is shown", now.Group(k).Revision)
	}

	must(kv.PutString(t.Context(), "ORDERS.cg", "{bad"))
	if _, err := e.Apply(t.Context(), p); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "unreadable config: bad JSON") {
		t.Errorf("%v", err)
	}
	if err := kv.Delete(t.Context(), "ORDERS.cg"); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Apply(t.Context(), p); !errors.Is(err, ErrChanged) || err.Error() != "the group changed: it was deleted; nothing was written" {
		t.Errorf("%v", err)
	}
}

func TestStepDown(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	instance(t, js, "m1")
	instance(t, js, "m1")
	e := start(t, s.ClientURL())
	until(t, e, "the consumer", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).Member("m1").Consumer != nil
	})
	pinned := func(not string) *model.Snapshot {
		t.Helper()
		must(js.Publish(t.Context(), "orders.1", nil))
		return until(t, e, "a pin", func(s *model.Snapshot) bool {
			c := s.Group(k).Member("m1").Consumer
			return c != nil && c.PinID != "" && c.PinID != not
		})
	}
	now := pinned("")
	old := plan(t, now.Group(k), model.ActionStepDown, "m1")
	done, err := e.Apply(t.Context(), old)
	if err != nil {
		t.Fatal(err)
	}
	t.Log(done)
	now = pinned(old.Pins[0].PinID)

	// The same plan once more is out of date: the pin is another's.
	if _, err := e.Apply(t.Context(), old); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "not pinned to") || !strings.Contains(err.Error(), "nothing was done") {
		t.Errorf("%v", err)
	}
	if info := must(must(js.Stream(t.Context(), "ORDERS-cg")).Consumer(t.Context(), "m1")).CachedInfo(); info.PriorityGroups[0].PinnedClientID != now.Group(k).Member("m1").Consumer.PinID {
		t.Error("the pin was taken although the plan was out of date")
	}
	// So is one made for another revision.
	present := plan(t, now.Group(k), model.ActionStepDown, "m1")
	must(oracle.AddMembers(t.Context(), js, "ORDERS", "cg", []string{"m2"}))
	if _, err := e.Apply(t.Context(), present); !errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), "+m2") {
		t.Errorf("%v", err)
	}
}

func TestReadOnlyRefusesEveryWrite(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1", "m2")
	for name, c := range map[string]struct {
		change func(*Options)
		by     string
	}{
		"option":      {func(o *Options) { o.ReadOnly = true }, "--read-only"},
		"environment": {func(o *Options) { o.Lookup = env("PCGTOP_READ_ONLY", "1") }, "PCGTOP_READ_ONLY"},
		"a file":      {func(o *Options) { o.ReadOnly, o.ReadOnlyBy = true, "config.yaml:9" }, "config.yaml:9"},
	} {
		t.Run(name, func(t *testing.T) {
			e := start(t, s.ClientURL(), c.change)
			now := until(t, e, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
			if !now.ReadOnly || !e.ReadOnly() {
				t.Error("it does not say that it is read-only")
			}
			for _, p := range []*model.Plan{
				plan(t, now.Group(k), model.ActionAdd, "m3"), plan(t, now.Group(k), model.ActionDrop, "m1"),
				{Intent: model.Intent{Action: model.ActionStepDown}, Key: k}, {Intent: model.Intent{Action: "unheard of"}, Key: k},
			} {
				if _, err := e.Apply(t.Context(), p); !errors.Is(err, ErrReadOnly) || !strings.Contains(err.Error(), c.by) || e.ReadOnlyBy() != c.by {
					t.Errorf("%s: %v, by %s", p.Intent.Action, err, e.ReadOnlyBy())
				}
			}
			config := must(oracle.GetElasticConsumerGroupConfig(t.Context(), js, "ORDERS", "cg"))
			if slices.Sort(config.Members); !slices.Equal(config.Members, []string{"m1", "m2"}) {
				t.Errorf("written: %v", config.Members)
			}
		})
	}
}

func TestNothingIsWrittenWhileNotLive(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	e := start(t, s.ClientURL())
	now := until(t, e, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	p := plan(t, now.Group(k), model.ActionAdd, "m2")
	natstest.Stop(s)
	until(t, e, "lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })
	begin := time.Now()
	if _, err := e.Apply(t.Context(), p); !errors.Is(err, ErrNotLive) || !strings.Contains(err.Error(), "lost") {
		t.Errorf("%v", err)
	}
	if time.Since(begin) > 100*time.Millisecond {
		t.Errorf("refused only after %v", time.Since(begin))
	}
}

// A write that the account may not make is refused at once and by name, not after a
// timeout.
func TestDeniedWrite(t *testing.T) {
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "admin", Password: "pw"},
			{Username: "viewer", Password: "pw", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$KV.>", "$JS.API.CONSUMER.UNPIN.>"}}}},
		}
	})
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1")
	instance(t, js, "m1")
	e := start(t, s.ClientURL(), func(o *Options) { o.User, o.Password = "viewer", "pw" })
	until(t, e, "the consumer", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).Member("m1").Consumer != nil
	})
	must(js.Publish(t.Context(), "orders.1", nil))
	now := until(t, e, "pinned", func(s *model.Snapshot) bool { return s.Group(k).Member("m1").Consumer.PinID != "" })
	for _, p := range []*model.Plan{plan(t, now.Group(k), model.ActionAdd, "m2"), plan(t, now.Group(k), model.ActionStepDown, "m1")} {
		begin := time.Now()
		_, err := e.Apply(t.Context(), p)
		if !errors.Is(err, ErrDenied) || time.Since(begin) > time.Second {
			t.Errorf("%s: %v after %v", p.Intent.Action, err, time.Since(begin))
		}
		t.Log(err)
	}
}
