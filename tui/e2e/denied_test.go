package e2e

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// guarded is a server with a group of each kind on which a user may not publish to these
// subjects; without any, everything.
func guarded(t *testing.T, denied ...string) *account {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "admin", Password: "pw"},
			{Username: "user", Password: "pw", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Deny: denied},
				Subscribe: &server.SubjectPermission{Deny: []string{"$JS.EVENT.>"}},
			}},
		}
	})
	nc, err := nats.Connect(s.ClientURL(), nats.UserInfo("admin", "pw"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	a := &account{url: strings.Replace(s.ClientURL(), "nats://", "nats://user:pw@", 1)}
	if a.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	if _, err := a.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORD", Subjects: []string{"ord.*"}, AllowDirect: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.CreateElastic(t.Context(), a.js, "ORD", "g", 4, []orbit.PartitioningFilter{{Filter: "ord.*", PartitioningWildcards: []int{1}}}, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.CreateStatic(t.Context(), a.js, "ORD", "fixed", 4, nil, []string{"x"}, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestUnseenGroups: where configs may not be read, no command says that all is well or that
// there is no such group.
func TestUnseenGroups(t *testing.T) {
	t.Parallel()
	const elastic = "elastic groups are not known: not permitted: STREAM.INFO on KV_elastic-consumer-groups"
	all, one := guarded(t, "$JS.>"), guarded(t, "$JS.API.STREAM.INFO.KV_elastic-consumer-groups")
	for _, c := range []struct {
		at   *account
		args string
		code int
		says []string
	}{
		{all, "check", 3, []string{"UNKNOWN: static groups are not known: not permitted: ", "; " + elastic}},
		{all, "check ORD/g", 3, []string{"UNKNOWN: ORD/g: whether it exists cannot be told: ", elastic}},
		{all, "check ORD", 3, []string{"UNKNOWN: ", elastic}},
		{all, "check --for 1s --age 1h", 3, []string{"UNKNOWN: ", elastic}},
		{all, "report", 1, []string{"pcgtop: not everything could be read: static groups", elastic}},
		{all, "report ORD/g", 1, []string{"whether it exists cannot be told", elastic}},
		{all, "where ORD/g ord.1", 1, []string{"whether it exists cannot be told", elastic}},
		{one, "check --rule absent=ok", 3, []string{"UNKNOWN: 1 group, 1 ok; " + elastic, "ORD/fixed"}},
		{one, "check", 1, []string{"WARNING: 1 group, 1 warning; ", "; " + elastic, "ORD/fixed"}},
		{one, "check ORD/g", 3, []string{"whether it exists cannot be told"}},
		{one, "check ORD/fixed --rule absent=ok", 0, []string{"OK: 1 group, 1 ok\n"}},
		{one, "where ORD/g ord.1", 1, []string{"whether it exists cannot be told"}},
		{one, "report", 1, []string{"ORD/fixed", "pcgtop: not everything could be read: " + elastic}},
		{one, "report ORD/fixed", 0, []string{"ORD/fixed"}},
	} {
		out, errs, code := c.at.run(t, "", strings.Fields(c.args)...)
		for _, says := range c.says {
			if code != c.code || !strings.Contains(out+errs, says) {
				t.Errorf("pcgtop %s: exit %d, want %d with %q\n%s%s", c.args, code, c.code, says, out, errs)
			}
		}
		if strings.Contains(out+errs, "not found") || strings.Contains(out, "no groups") || strings.Contains(out+errs, "pw@") {
			t.Errorf("pcgtop %s:\n%s%s", c.args, out, errs)
		}
	}
	out, _, _ := one.run(t, "", "check", "-o", "json", "--rule", "absent=ok")
	var v struct {
		Status string
		Code   int
		Unseen []string
		Groups []struct{ Status string }
	}
	if err := json.Unmarshal([]byte(out), &v); err != nil || v.Status != "unknown" || v.Code != 3 || len(v.Unseen) != 1 || len(v.Groups) != 1 || v.Groups[0].Status != "ok" {
		t.Errorf("%v %s", err, out)
	}
}

// TestDeniedAdvisoriesAreOneLine: one permission covers them all, so it is named once.
func TestDeniedAdvisoriesAreOneLine(t *testing.T) {
	t.Parallel()
	a := guarded(t)
	for deadline := time.Now().Add(patience); ; { // the refusals come when they come
		out, _, _ := a.run(t, "", "report", "-n", "2", "--every", "100ms")
		lines := strings.Split(out, "\n")
		first := ""
		n := 0
		for _, line := range lines {
			if strings.Contains(line, "advisories") && (first == "" || line != first) {
				first = line
				n++
			}
		}
		if n == 1 && first == "not permitted: advisories: allow subscribe to $JS.EVENT.ADVISORY.>" {
			return
		}
		if n > 1 || time.Now().After(deadline) {
			t.Fatalf("%d different lines about advisories:\n%s", n, out)
		}
	}
}
