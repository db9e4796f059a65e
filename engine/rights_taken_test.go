package engine

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// A permission that is taken away while it runs is named when it is needed next, and nothing
// else is; once it is given back, reading anew shows that.
func TestRightsTakenAway(t *testing.T) {
	t.Parallel()
	all := readmeRights(t, "viewer-with-instances")
	as := func(o *server.Options, p *server.Permissions) {
		o.Users = []*server.User{{Username: "admin", Password: "pw"}, {Username: "user", Password: "pw", Permissions: p}}
	}
	var o *server.Options
	s := natstest.Start(t, func(made *server.Options) { o = made; as(o, all) })
	o.Port = s.Addr().(*net.TCPAddr).Port
	gives := func(t *testing.T, p *server.Permissions) {
		t.Helper()
		now := o.Clone()
		as(now, p)
		if err := s.ReloadOptions(now); err != nil {
			t.Fatal(err)
		}
	}
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1", "m2")
	instance(t, js, "m1")
	e := start(t, s.ClientURL(), func(o *Options) { o.User, o.Password = "user", "pw" })
	e.Focus(&k, []model.Key{k})
	whole := func(s *model.Snapshot) bool {
		g := s.Group(k)
		return live(s) && len(s.Denied) == 0 && g != nil && g.Counts != nil && g.Counts.Error == "" && g.Watch != nil && g.Watch.NoPulls+g.Watch.NoConnections == "" && g.ReadError == ""
	}
	until(t, e, "everything", whole)
	for _, missing := range []string{
		"$JS.API.STREAM.LIST", "$JS.API.STREAM.INFO.*", "$JS.API.CONSUMER.LIST.*",
		"$JS.EVENT.ADVISORY.>", "$JS.API.CONSUMER.MSG.NEXT.*.*", "_INBOX.>",
	} {
		t.Run(missing, func(t *testing.T) {
			begin := time.Now()
			gives(t, less(all, missing))
			now := until(t, e, "it is named", func(s *model.Snapshot) bool { return len(s.Denied) > 0 })
			took := time.Since(begin)
			t.Logf("named after %v: %q", took, now.Denied)
			if slices.Contains(all.Subscribe.Allow, missing) && took > time.Second { // the server says so at once
				t.Errorf("named after %v", took)
			}
			if slices.ContainsFunc(now.Denied, func(d string) bool { return !names(d, missing) }) {
				t.Errorf("%q is not all about %s", now.Denied, missing)
			}
			if missing == "$JS.API.CONSUMER.MSG.NEXT.*.*" {
				until(t, e, "the group says so", func(s *model.Snapshot) bool { return names(s.Group(k).Watch.NoPulls, missing) })
			}
			gives(t, all)
			poll(t, "everything, read anew", func() bool { // what was refused before may yet be told
				e.ReadNow()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := e.await(ctx, whole)
				return err == nil
			})
		})
	}
}
