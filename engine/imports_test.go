package engine

import (
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
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// accounts is a server with the two accounts of the README, of which OPS imports the
// JetStream of APP, and one that has nothing.
func accounts(t *testing.T) *server.Server {
	t.Helper()
	block := regexp.MustCompile("(?s)```conf\n(accounts .*?)}\n```").FindSubmatch(must(os.ReadFile("../README.md")))
	if block == nil {
		t.Fatal("the README has no accounts")
	}
	path := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, append(block[1], "BARE { users: [{user: bare, password: pw}] }\n}\n"...), 0o600); err != nil {
		t.Fatal(err)
	}
	conf := must(server.ProcessConfigFile(path))
	return natstest.Start(t, func(o *server.Options) { o.Accounts, o.Users = conf.Accounts, conf.Users })
}

// Over the imports of another account the groups are watched, their instances are seen,
// and they are changed.
func TestOverImports(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for members")
	}
	s := accounts(t)
	_, js := client(t, s.ClientURL(), nats.UserInfo("app", "change me"))
	k := elasticGroup(t, js, "m1", "m2")
	instance(t, js, "m1")
	for n := range 32 {
		must(js.Publish(t.Context(), "orders."+string(rune('a'+n)), nil))
	}
	began := time.Now()
	e := start(t, s.ClientURL(), func(o *Options) { o.User, o.Password, o.JSAPIPrefix = "ops", "change me", ptr("JS.APP.API") })
	now := until(t, e, "the group", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).Member("m1").Consumer != nil
	})
	t.Logf("live after %v", time.Since(began).Round(time.Millisecond))
	if now.Server.API != "JS.APP.API" {
		t.Errorf("API %s", now.Server.API)
	}
	e.Focus(&k, []model.Key{k})
	now = until(t, e, "instances and counts", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g.Counts != nil && g.Watch != nil && len(g.Member("m1").Running) == 1
	})
	if g := now.Group(k); g.Counts.Error != "" || g.Watch.NoPulls != "" {
		t.Errorf("%q, %+v", g.Counts.Error, g.Watch)
	}
	// A config that changes elsewhere, and one of ours.
	must(oracle.AddMembers(t.Context(), js, "ORDERS", "cg", []string{"m3"}))
	now = until(t, e, "a change made elsewhere", func(s *model.Snapshot) bool { return s.Group(k).Member("m3") != nil })
	written := time.Now()
	must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m4")))
	if c := must(oracle.GetElasticConsumerGroupConfig(t.Context(), js, "ORDERS", "cg")); !slices.Contains(c.Members, "m4") {
		t.Errorf("stored: %v", c.Members)
	}
	until(t, e, "what was written", func(s *model.Snapshot) bool { return s.Group(k).Member("m4") != nil })
	pollFor(t, 15*time.Second, "a pin", func() bool { // members make their consumers anew when a group changes
		for n := range 16 {
			must(js.Publish(t.Context(), fmt.Sprint("orders.", n), nil))
		}
		now = e.Current()
		m := now.Group(k).Member("m1")
		return m.Consumer != nil && m.Consumer.PinID != "" && m.Consumer.Created.After(written)
	})
	must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionStepDown, "m1")))
	until(t, e, "the advisory of it", func(s *model.Snapshot) bool {
		return slices.ContainsFunc(s.Events, func(e model.Event) bool { return e.Kind == model.EventPin && e.Key == k })
	})
}

// An account without JetStream is told so, with what to do; so is a prefix where nobody
// answers.
func TestNoJetStream(t *testing.T) {
	s := accounts(t)
	bare := natstest.Start(t, func(o *server.Options) { o.JetStream = false })
	for _, c := range []struct {
		name, url, user, prefix, says string
	}{
		{"an account without it", s.ClientURL(), "bare", "", "JetStream is not enabled for this account: log in to another account, or, where another account's is imported, name it by --js-api-prefix or --js-domain"},
		{"the account that imports", s.ClientURL(), "ops", "", "JetStream is not enabled for this account"},
		{"a wrong prefix", s.ClientURL(), "ops", "JS.OTHER.API", "no JetStream answers at JS.OTHER.API: start the server with JetStream, or see --js-domain and --js-api-prefix"},
		{"a server without it", bare.ClientURL(), "", "", "no JetStream answers at $JS.API: start the server with JetStream"},
	} {
		begin := time.Now()
		o := Options{Server: c.url, User: c.user, Password: map[string]string{"ops": "change me", "bare": "pw"}[c.user], Lookup: noEnv}
		if c.prefix != "" {
			o.JSAPIPrefix = ptr(c.prefix)
		}
		_, err := Connect(t.Context(), o)
		if err == nil || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "\n") || time.Since(begin) > time.Second {
			t.Errorf("%s: %v after %v", c.name, err, time.Since(begin))
		}
	}
}
