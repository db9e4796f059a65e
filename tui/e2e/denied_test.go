package e2e

import (
	"encoding/json"
	"regexp"
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

// TestUnreadConsumers: where consumers may not be listed, no command and no screen shows a
// number of what nobody could count, or says of an instance that its consumer is not there.
func TestUnreadConsumers(t *testing.T) {
	t.Parallel()
	const why = "not permitted: CONSUMER.LIST on ORD"
	all, one := guarded(t, "$JS.API.CONSUMER.LIST.>"), guarded(t, "$JS.API.CONSUMER.LIST.ORD")
	for _, c := range []struct {
		at   *account
		args string
		code int
		says string // a pattern of what is printed
	}{
		{all, "report", 1, `ORD/fixed +static +4 +-/1 +- +- +- +- +- +- `},
		{all, "report", 1, `pcgtop: not everything could be read: ORD/fixed: not permitted: CONSUMER.LIST on ORD; 1 more group\n`},
		{all, "report ORD/fixed", 1, `A +x +unknown +0-3 +- +- +- +- +-\n(?s:.*)pcgtop: not everything could be read: ORD/fixed: ` + why},
		{all, "report -o json", 1, `"pending":null,"ack_pending":null,"out_per_s":null,"in_per_s":null`},
		{all, "static info ORD fixed -o json", 1, `"pending":null,"ack_pending":null,"out_per_s":null,"in_per_s":null`},
		{all, "static info ORD fixed", 1, `A +x +unknown +0-3 (?s:.*)pcgtop: not everything could be read: ORD/fixed: ` + why + `\n`},
		{all, "static minfo ORD fixed x -o json", 1, `"state":"unknown"(?s:.*)pcgtop: not everything could be read: ORD/fixed: ` + why + `\n`},
		{all, "where ORD/fixed 1.ord.x", 1, `^1\.ord\.x  partition 1  x \(unknown\)(?s:.*)pcgtop: not everything could be read: ORD/fixed: ` + why + `\n`},
		{all, "check --rule unowned=ok", 3, `unknown +ORD/fixed reading, lag -\n`},
		{all, "check --rule unowned=ok -o json", 3, `"lag":null`},
		{one, "report", 1, `ORD/g +elastic +4 +0/0 (?s:.*)pcgtop: not everything could be read: ORD/fixed: ` + why + `\n`},
		{one, "report ORD/g", 0, `ORD/g`},
		{one, "elastic info ORD g", 0, `ORD/g`},
	} {
		out, errs, code := c.at.run(t, "", strings.Fields(c.args)...)
		if code != c.code || !regexp.MustCompile(c.says).MatchString(out+errs) {
			t.Errorf("pcgtop %s: exit %d, want %d with %s\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
	}
	term := open(t, 120, 30, "-s", all.url)
	term.waitFor("no sums of what is not known", regexp.MustCompile(`2 groups, 2 not read +● live(?s:.*) 2 groups +(8 +)?-/1 +- +- +- +-`).MatchString)
	term.press("q")
	term.exit(patience)
	term = open(t, 120, 30, "-s", one.url)
	term.waitFor("sums of what is known", regexp.MustCompile(` 2 groups +(8 +)?0/0 +0 \+0 +0 `).MatchString)
	term.press("q")
	term.exit(patience)

	login, _ := office(t)
	term = open(t, 120, 40, "-s", login("viewer-with-instances $JS.API.CONSUMER.LIST.*"), "ORD/g")
	term.waitFor("who runs the member", regexp.MustCompile(`\? office-m1 +unknown `).MatchString)
	term.press("q")
	term.exit(patience)
}

// TestDeletionCutShort: what may not be deleted stays behind when the config is gone, and
// that, and how to finish, is said.
func TestDeletionCutShort(t *testing.T) {
	t.Parallel()
	a := guarded(t, "$JS.API.STREAM.DELETE.>")
	const stays = "; left behind: work stream ORD-g: once it may be deleted, delete the group once more to finish"
	for range 2 {
		if out, errs, code := a.run(t, "", "elastic", "delete", "ORD", "g", "--force"); code != 1 || !strings.Contains(errs, "$JS.API.STREAM.DELETE.ORD-g") || !strings.Contains(errs, stays) {
			t.Errorf("exit %d\n%s%s", code, out, errs)
		}
	}
	free := *a
	free.url = strings.Replace(a.url, "user:", "admin:", 1)
	if out, errs, code := free.run(t, "", "elastic", "delete", "ORD", "g", "--force"); code != 0 || !strings.Contains(out, "deleted: work stream ORD-g") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}
