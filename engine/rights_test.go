package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// readmeRights reads a user's permissions out of the configuration in the README.
func readmeRights(t testing.TB, user string) *server.Permissions {
	t.Helper()
	conf := regexp.MustCompile("(?s)```conf\n(.*?)```").FindSubmatch(must(os.ReadFile("../README.md")))
	if conf == nil {
		t.Fatal("the README has no configuration of a server")
	}
	path := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, conf[1], 0o600); err != nil {
		t.Fatal(err)
	}
	for _, u := range must(server.ProcessConfigFile(path)).Users {
		if u.Username == user {
			return u.Permissions
		}
	}
	t.Fatalf("the README has no user %s", user)
	return nil
}

// less is permissions without those that contain one of these texts.
func less(p *server.Permissions, texts ...string) *server.Permissions {
	without := func(s *server.SubjectPermission) *server.SubjectPermission {
		return &server.SubjectPermission{Allow: slices.DeleteFunc(slices.Clone(s.Allow), func(subject string) bool {
			return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(subject, text) })
		})}
	}
	return &server.Permissions{Publish: without(p.Publish), Subscribe: without(p.Subscribe)}
}

// restricted adds an admin, and as "user" one of the README's without some permissions.
func restricted(t testing.TB, user string, missing ...string) func(*server.Options) {
	p := less(readmeRights(t, user), missing...)
	return func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "pw"}, {Username: "user", Password: "pw", Permissions: p}}
	}
}

// oneLess is a server with an admin, a user "all" with all permissions of one of the
// README's, and for each permission a user named as it who lacks just that.
func oneLess(t testing.TB, user string) (s *server.Server, permissions []string) {
	all := readmeRights(t, user)
	permissions = slices.Concat(all.Publish.Allow, all.Subscribe.Allow)
	return natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "pw"}, {Username: "all", Password: "pw", Permissions: all}}
		for _, subject := range permissions {
			p := &server.Permissions{Publish: &server.SubjectPermission{}, Subscribe: &server.SubjectPermission{}}
			p.Publish.Allow = slices.DeleteFunc(slices.Clone(all.Publish.Allow), func(s string) bool { return s == subject })
			p.Subscribe.Allow = slices.DeleteFunc(slices.Clone(all.Subscribe.Allow), func(s string) bool { return s == subject })
			o.Users = append(o.Users, &server.User{Username: subject, Password: "pw", Permissions: p})
		}
	}), permissions
}

// names tells whether a text names a subject of that permission.
func names(text, permission string) bool {
	return slices.ContainsFunc(regexp.MustCompile(`\$[^" ;]+|_INBOX[^" ;]*`).FindAllString(text, -1), func(subject string) bool {
		return server.SubjectsCollide(subject, permission)
	})
}

// With a viewer's permissions nothing is missing; without any one of them that one is
// named, and nothing else is, within a second of being needed.
func TestViewerWithLess(t *testing.T) {
	t.Parallel()
	s, permissions := oneLess(t, "viewer-with-instances")
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1", "m2")
	for n := range 32 { // m2 does not run: something waits, and is counted by direct gets
		must(js.Publish(t.Context(), fmt.Sprint("orders.", n), nil))
	}
	must(js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "static-consumer-groups"}))
	instance(t, js, "m1")
	look := func(t *testing.T, user string) *Engine {
		e := start(t, s.ClientURL(), func(o *Options) { o.User, o.Password = user, "pw" })
		e.Focus(&k, []model.Key{k})
		return e
	}
	t.Run("all", func(t *testing.T) {
		e := look(t, "all")
		now := until(t, e, "everything", func(s *model.Snapshot) bool {
			g := s.Group(k)
			return live(s) && g != nil && g.Counts != nil && g.Watch != nil && len(g.Member("m1").Running) == 1 && g.Member("m1").Running[0].Conn != nil
		})
		for _, d := range e.Inspect(t.Context(), k, "") {
			if d.Problem != "" {
				t.Errorf("%s: %s", d.Title, d.Problem)
			}
		}
		if g := now.Group(k); len(now.Denied) > 0 || g.Counts.Error != "" || g.Watch.NoPulls+g.Watch.NoConnections != "" {
			t.Errorf("denied %q, %q, %+v", now.Denied, g.Counts.Error, g.Watch)
		}
	})
	for _, missing := range permissions {
		t.Run(missing, func(t *testing.T) {
			switch {
			case missing == "$JS.FC.>":
				t.Skip("the server asks for flow control only while very much is on its way: see TestDeniedFlowControl")
			case missing == "_INBOX.>":
				begin := time.Now()
				if _, err := Connect(t.Context(), Options{Server: s.ClientURL(), User: missing, Password: "pw", Lookup: noEnv}); !errors.Is(err, ErrDenied) || !names(err.Error(), missing) || time.Since(begin) > time.Second {
					t.Errorf("%v after %v", err, time.Since(begin))
				}
				return
			}
			e := look(t, missing)
			begin := time.Now()
			get := regexp.MustCompile(`(MSG|DIRECT).GET.KV_(static|elastic)-`).FindStringSubmatch(missing)
			if later := regexp.MustCompile(`\.GET\.|CONNZ|NEXT`); later.MatchString(missing) {
				until(t, e, "the open group, of which more is asked", func(s *model.Snapshot) bool { return s.Group(k) != nil && !s.Group(k).ReadAt.IsZero() })
				begin = time.Now()
			}
			switch k := (model.Key{Stream: "ORDERS", Group: "cg"}); {
			case get == nil:
			case get[1] == "MSG":
				k.Kind = model.Kind(get[2])
				_, _ = e.observer.Stored(t.Context(), k) // it is read otherwise
			default:
				k.Kind = model.Kind(get[2])
				if d := e.Inspect(t.Context(), k, "")[0]; !names(d.Problem, missing) {
					t.Errorf("instead of the config: %q", d.Problem)
				}
			}
			now := until(t, e, "it is named", func(s *model.Snapshot) bool { return len(s.Denied) > 0 })
			if took := time.Since(begin); took > time.Second {
				t.Errorf("named after %v", took)
			}
			for _, d := range now.Denied {
				if !names(d, missing) {
					t.Errorf("%q is not about %s", d, missing)
				}
			}
		})
	}
}

// What is refused before the engine runs, as when a group is looked up by its name, is
// named once it does.
func TestRefusedBeforeItRuns(t *testing.T) {
	s, _ := oneLess(t, "viewer")
	const missing = "$JS.API.STREAM.MSG.GET.KV_elastic-consumer-groups"
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1")
	e := must(Connect(t.Context(), Options{Server: s.ClientURL(), User: missing, Password: "pw", Lookup: noEnv}))
	t.Cleanup(e.Close)
	if _, err := e.observer.Stored(t.Context(), k); err != nil {
		t.Fatal(err) // it is read otherwise
	}
	if now := must(e.Once(t.Context())); !slices.ContainsFunc(now.Denied, func(d string) bool { return names(d, missing) }) {
		t.Errorf("denied: %q", now.Denied)
	}
}

// Without any one of the permissions that an operator has beside a viewer's, what needs it
// ends within a second and names it.
func TestOperatorWithLess(t *testing.T) {
	s, permissions := oneLess(t, "operator")
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1")
	instance(t, js, "m1")
	must(oracle.CreateStatic(t.Context(), js, "ORDERS", "fixed", 4, []string{"orders.*"}, []string{"m1"}, nil))
	must(js.CreateOrUpdateConsumer(t.Context(), "ORDERS", jetstream.ConsumerConfig{Durable: "fixed-m1", AckPolicy: jetstream.AckExplicitPolicy}))
	fixed := model.Key{Kind: model.KindStatic, Stream: "ORDERS", Group: "fixed"}
	must(js.Publish(t.Context(), "orders.1", nil))
	poll(t, "m1 is pinned", func() bool {
		info, err := js.Consumer(t.Context(), "ORDERS-cg", "m1")
		return err == nil && len(info.CachedInfo().PriorityGroups) > 0 && info.CachedInfo().PriorityGroups[0].PinnedClientID != ""
	})

	change := func(action model.Action, drain bool) func(*testing.T, *Engine, *model.Snapshot) error {
		return func(t *testing.T, e *Engine, now *model.Snapshot) error {
			member := map[model.Action]string{model.ActionAdd: "m2", model.ActionStepDown: "m1"}[action]
			p := plan(t, now.Group(k), action, member)
			if drain {
				p = p.WithDrain(model.DefaultDrain)
			}
			_, err := e.Apply(t.Context(), p)
			return err
		}
	}
	create := func(k model.Key, c model.Config) func(*testing.T, *Engine, *model.Snapshot) error {
		return func(t *testing.T, e *Engine, _ *model.Snapshot) error {
			_, err := e.Apply(t.Context(), must(e.PlanCreation(t.Context(), k, c)))
			return err
		}
	}
	remove := func(k model.Key) func(*testing.T, *Engine, *model.Snapshot) error {
		return func(t *testing.T, e *Engine, _ *model.Snapshot) error {
			_, err := e.Apply(t.Context(), must(e.PlanDeletion(t.Context(), k)))
			return err
		}
	}
	filters := []model.Filter{{Subject: "orders.*"}}
	needs := map[string]func(*testing.T, *Engine, *model.Snapshot) error{
		"$KV.elastic-consumer-groups.>":                   change(model.ActionAdd, false),
		"$JS.API.DIRECT.GET.KV_elastic-consumer-groups.>": change(model.ActionAdd, false),
		"$JS.API.CONSUMER.INFO.>":                         change(model.ActionStepDown, false),
		"$JS.API.CONSUMER.UNPIN.>":                        change(model.ActionStepDown, false),
		"$JS.API.CONSUMER.PAUSE.>":                        change(model.ActionAdd, true),
		"$JS.API.STREAM.CREATE.*":                         create(elasticKey("ORDERS", "new"), model.Config{Partitions: 2, Filters: filters}),
		"$KV.static-consumer-groups.>":                    create(model.Key{Kind: model.KindStatic, Stream: "ORDERS", Group: "new"}, model.Config{Partitions: 2, Filters: filters, Members: []string{"m1"}}),
		"$JS.API.CONSUMER.DELETE.>":                       remove(fixed),
		"$JS.API.STREAM.DELETE.*":                         remove(k), // takes the config away before the stream: the last
	}
	viewer := readmeRights(t, "viewer-with-instances")
	slices.SortStableFunc(permissions, func(a, b string) int { return strings.Index(a, ".STREAM.DELETE") - strings.Index(b, ".STREAM.DELETE") })
	for _, missing := range permissions {
		need := needs[missing]
		if need == nil {
			if !slices.Contains(viewer.Publish.Allow, missing) && !slices.Contains(viewer.Subscribe.Allow, missing) {
				t.Errorf("what is %s for?", missing)
			}
			continue
		}
		t.Run(missing, func(t *testing.T) {
			e := must(Connect(t.Context(), Options{Server: s.ClientURL(), User: missing, Password: "pw", Lookup: noEnv}))
			t.Cleanup(e.Close)
			now := must(e.Once(t.Context()))
			begin := time.Now()
			err := need(t, e, now)
			if took := time.Since(begin); !errors.Is(err, ErrDenied) || !names(err.Error(), missing) || took > time.Second {
				t.Errorf("%v after %v", err, took)
			}
			// What was written is told: the config of a group goes before the rest of it.
			said := "nothing was written"
			switch missing {
			case "$JS.API.CONSUMER.DELETE.>":
				said = "config ORDERS.fixed went, the rest stays: remove its consumers by nats consumer rm ORDERS fixed-MEMBER"
			case "$JS.API.STREAM.DELETE.*":
				said = "config ORDERS.cg went, the rest stays; once it can be deleted, finish by pcgtop elastic delete ORDERS cg"
			}
			if !strings.Contains(err.Error(), said) {
				t.Errorf("%v, want %q", err, said)
			}
		})
	}
}

// Somebody who may not ask for a stream does not wait to hear that it is not there.
func TestExistsDenied(t *testing.T) {
	s, _ := oneLess(t, "viewer")
	const missing = "$JS.API.STREAM.INFO.*"
	e := must(Connect(t.Context(), Options{Server: s.ClientURL(), User: missing, Password: "pw", Lookup: noEnv}))
	t.Cleanup(e.Close)
	begin := time.Now()
	if err := e.Exists(t.Context(), "ORDERS", ""); err != nil || time.Since(begin) > time.Second {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
}
