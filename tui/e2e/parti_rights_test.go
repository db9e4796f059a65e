package e2e

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"pcgtop/engine/parti/standin"
)

// partiRights are what the README says that Parti takes beside a viewer's permissions: to
// watch a bucket, to act on what is in it, and to write to it.
func partiRights(t *testing.T) (watch, act, write []string) {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(raw), "\nWatching takes ")
	text, _, _ = strings.Cut(text, "\n\n")
	var all []string
	for _, m := range regexp.MustCompile("`(\\$[^`]*)`").FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	if len(all) != 4 || !strings.HasPrefix(all[3], "$KV.") {
		t.Fatalf("what the README lists was taken apart by other words: %q", all)
	}
	return all[:1], all[1:3], all[3:]
}

// of are rights on a bucket.
func of(bucket string, rights ...[]string) (subjects []string) {
	for _, r := range slices.Concat(rights...) {
		subjects = append(subjects, strings.ReplaceAll(r, "<bucket>", bucket))
	}
	return subjects
}

// TestPartiRights: what the README lists is enough to watch a deployment and for both things
// that can be done to it, and of what is missing of it that is named which is needed.
func TestPartiRights(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	watch, act, write := partiRights(t)
	may := documented(t)["viewer"]
	for _, b := range []string{"stableid", "election", "heartbeat", "assignment", "source"} {
		may.Publish.Allow = append(may.Publish.Allow, of("parti-"+b, watch)...)
	}
	for _, b := range []string{"stableid", "heartbeat", "source"} {
		may.Publish.Allow = append(may.Publish.Allow, of("parti-"+b, act)...)
	}
	may.Publish.Allow = append(may.Publish.Allow, of("parti-stableid", write)...)
	may.Publish.Allow = append(may.Publish.Allow, of("parti-source", write)...)
	const edit, remove = "parti source parti worker --set=eu.1:5 --apply", "parti remove-id parti worker worker-9 --apply"
	cases := []struct {
		denied []string
		args   string
		code   int
		says   string
	}{
		{of("parti-source", act[:1]), edit, 1, `not permitted: allow publish to $JS.API.STREAM.INFO.KV_parti-source; nothing was written`},
		{of("parti-source", act[1:]), edit, 1, `not permitted: allow publish to $JS.API.DIRECT.GET.KV_parti-source.$KV.parti-source.partitions; nothing was written`},
		{of("parti-source", write), edit, 1, `not permitted: allow publish to $KV.parti-source.partitions; nothing was written`},
		{of("parti-source", watch, act), edit, 1, "the partition source's bucket parti-source cannot be read: not permitted: "},
		{of("parti-stableid", act[:1]), remove, 1, `not permitted: allow publish to $JS.API.STREAM.INFO.KV_parti-stableid; nothing was written`},
		{of("parti-stableid", act[1:]), remove, 1, `not permitted: allow publish to $JS.API.DIRECT.GET.KV_parti-stableid.$KV.parti-stableid.worker-9; nothing was written`},
		{of("parti-stableid", write), remove, 1, `not permitted: allow publish to $KV.parti-stableid.worker-9; nothing was written`},
		{of("parti-stableid", watch, act), remove, 1, "the bucket of stable ids parti-stableid cannot be read: not permitted: "},
		{of("parti-heartbeat", act[:1]), remove, 1, `not permitted: allow publish to $JS.API.STREAM.INFO.KV_parti-heartbeat; nothing was written`},
		{of("parti-heartbeat", act[1:]), remove, 1, `not permitted: allow publish to $JS.API.DIRECT.GET.KV_parti-heartbeat.$KV.parti-heartbeat.heartbeat.worker-9; nothing was written`},
		{of("parti-heartbeat", watch, act), remove, 1, "the bucket of heartbeats parti-heartbeat cannot be read: not permitted: "},
		{of("parti-source", watch), "report", 0, "not permitted: CONSUMER.CREATE on KV_parti-source: allow publish to $JS.API.CONSUMER.CREATE.KV_parti-source.>"},
		{of("parti-assignment", watch, act), "parti info parti", 0, "the bucket parti-assignment cannot be read: not permitted: "},
		{of("parti-assignment", watch, act), "parti info parti", 0, " unknown  unknown "},
		{nil, edit, 0, "revision 1 ▸ 2"},
		{nil, remove, 0, "remove the stable id worker-9"},
	}
	users := []*server.User{{Username: "admin", Password: "pw"}}
	for i, c := range cases {
		users = append(users, &server.User{Username: fmt.Sprint("user", i), Password: "pw", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Allow: may.Publish.Allow, Deny: c.denied}, Subscribe: may.Subscribe}})
	}
	s, js := ownServerAs(t, "admin", &server.Options{StoreDir: t.TempDir(), Port: server.RANDOM_PORT, Users: users})
	f, err := standin.Start(t.Context(), js, standin.Options{Version: 1, Workers: 2, KeepIDs: true, Source: true, Stream: "JOBS",
		Partitions: []standin.Partition{{Keys: []string{"eu", "0"}}, {Keys: []string{"eu", "1"}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	if err := f.LeaveID(t.Context(), "worker-9"); err != nil {
		t.Fatal(err)
	}
	as := func(user string) *account {
		return &account{url: strings.Replace(s.ClientURL(), "nats://", "nats://"+user+":pw@", 1), js: js}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(2 * time.Second) { // an id of version 1 counts for 30 s
		out, _, _ := as("admin").run(t, "", "parti", "info", "parti")
		if strings.Contains(out, "stale") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the id does not become stale:\n%s", out)
		}
	}
	term := open(t, 120, 40, "-s", as("user2").url, "parti/worker") // who may do all but write the source
	term.see("● live", "▸ parti/worker", "version 1", "worker-9")
	if screen := term.text(); strings.Contains(screen, "not permitted") {
		t.Errorf("something is missing that nobody needs:\n%s", screen)
	}
	term.press("E")
	term.see("+eu.7:3:gpu adds")
	term.send("+eu.7")
	term.press(enter, enter)
	term.see("parti-source/partitions")
	term.confirm()
	term.see("not done: ", "$KV.parti-source.partitions")
	for i, c := range cases {
		out, errs, code := as(fmt.Sprint("user", i)).run(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(out+errs, c.says) {
			t.Errorf("without %q, %s: exit %d, want %d and %q\n%s%s", c.denied, c.args, code, c.code, c.says, out, errs)
		}
	}
}
