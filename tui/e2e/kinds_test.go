package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/parti/standin"
)

// find opens the one group that a filter leaves.
func (term *terminal) find(filter, key string) {
	term.t.Helper()
	term.see("VERDICT")
	term.press("/")
	term.see("enter keep")
	term.send(filter)
	term.press(enter)
	term.see("1 of ", "/ filter")
	term.press(enter)
	term.see("▸ "+key, "MEMBERS")
}

// home goes back to the whole list of groups.
func (term *terminal) home() {
	term.t.Helper()
	term.press(esc)
	term.see("VERDICT", "esc clear filter")
	term.press(esc)
	term.gone(" shown")
}

// TestKindsOnScreen: groups of the other kinds are found and opened, and both things that
// can be done to Parti's are done by keys, to the end.
func TestKindsOnScreen(t *testing.T) {
	t.Parallel()
	a := serve(t, "--parti", "--consumergroup")
	ids, err := a.js.KeyValue(t.Context(), "billing-stableid")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ids.Put(t.Context(), "worker-8", nil); err != nil { // for the command, as worker-9 is for the key
		t.Fatal(err)
	}
	audit := filepath.Join(t.TempDir(), "audit")
	term := open(t, 120, 40, "-s", a.url, "--audit", audit)
	term.see("● live", "parti/prod", "billing/worker", "SHIPMENTS/ship", "ORDERS/fulfillment")

	term.find("stream:SHIPMENTS", "SHIPMENTS/ship")
	term.see("MEMBERS", "consumergroup ·", "PARTITIONS")
	term.press("y")
	term.see("┌ SHIPMENTS/ship: stream", "$JS.API.STREAM.INFO.SHIPMENTS")
	term.press(tab)
	term.see("consumer of packer-1", "$JS.API.CONSUMER.INFO.SHIPMENTS.packer-1")
	term.press(esc)
	term.gone("┌ SHIPMENTS")
	term.press("E")
	term.see("not with consumergroup groups")
	term.home()

	term.find("stream:parti", "parti/prod")
	term.see("inferred: ", "leader ")
	term.press("E")
	term.see("+eu.7:3:gpu adds")
	term.send("+eu.x y")
	term.see("has a blank")
	term.press("\x15") // clears the line
	term.send("+eu.77:3")
	term.see("13 partitions ▸ 14")
	term.press(enter)
	term.send("-us.5")
	term.see("13 partitions ▸ 13")
	term.press(enter)
	term.see("shows the plan")
	term.press(enter)
	term.see("parti-source/partitions", "+ eu.77, weight 3", "- us.5", `type "remove 1"`, "pcgtop parti source parti prod --add=eu.77:3 --remove=us.5 --apply")
	term.enters()
	term.see("type the words")
	term.send("remove 1")
	term.see("writes ]")
	term.enters()
	term.see("edit the source of parti/prod (+eu.77:3, -us.5)")
	term.press(enter) // the partitions
	term.waitFor("the leader to take it up", func(s string) bool { return strings.Contains(s, "eu.77") && !strings.Contains(s, "us.5") })
	term.press(esc)
	term.see("MEMBERS ═")
	term.home()

	term.find("stream:billing", "billing/worker")
	for end := time.Now().Add(time.Minute); !regexp.MustCompile(`worker-9 .* stale `).MatchString(term.text()); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) { // an id of format 1 counts for 30 s
			t.Fatalf("the id does not become stale:\n%s", term.text())
		}
	}
	term.press("G")
	term.see("worker-9 ·")
	term.press("D")
	term.see("billing-stableid/worker-9", "- worker-9", "[ Cancel ]", "pcgtop parti remove-id billing worker worker-9 --apply")
	term.confirm()
	term.see("remove the stable id worker-9 of billing/worker")
	term.gone("worker-9 ·")
	out, errs, code := a.run(t, "", "parti", "remove-id", "billing", "worker", "worker-8")
	if code != 0 || !strings.Contains(out, "billing-stableid/worker-8 at revision") || !strings.Contains(out, "- worker-8") {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if out, errs, code = a.run(t, "", "parti", "remove-id", "billing", "worker", "worker-8", "--apply", "-o", "json"); code != 0 || !strings.Contains(out, `"done":"remove the stable id worker-8 of billing/worker"`) {
		t.Errorf("%d %s %s", code, out, errs)
	}
	if keys, err := ids.Keys(t.Context()); err != nil || slices.Contains(keys, "worker-9") || slices.Contains(keys, "worker-8") || !slices.Contains(keys, "worker-0") {
		t.Errorf("%v %v", keys, err)
	}
	checkAudit(t, audit, "edit-source begun", "edit-source done", "remove-id begun", "remove-id done")
	raw, err := os.ReadFile(audit)
	if err != nil || !strings.Contains(string(raw), `"lines":["+ eu.77, weight 3","- us.5"]`) {
		t.Errorf("%v: %s", err, raw)
	}
}

// fleet is a server with a small deployment of Parti, for what the demo does not show.
func fleet(t *testing.T, users ...*server.User) (*account, *standin.Fleet) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	admin := &server.User{Username: "admin", Password: "pw"}
	s, js := ownServerAs(t, "admin", &server.Options{StoreDir: t.TempDir(), Port: server.RANDOM_PORT, Users: append(users, admin)})
	list := []standin.Partition{{Keys: []string{"eu", "0"}, Weight: 1}, {Keys: []string{"eu", "1"}, Weight: 2}, {Keys: []string{"us", "0"}, Weight: 3}}
	f, err := standin.Start(t.Context(), js, standin.Options{Workers: 2, Partitions: list, Source: true, Stream: "JOBS"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	return &account{url: strings.Replace(s.ClientURL(), "nats://", "nats://admin:pw@", 1), js: js}, f
}

// TestPartiCommands runs every verb of `pcgtop parti`.
func TestPartiCommands(t *testing.T) {
	t.Parallel()
	a, f := fleet(t)
	source := func() []standin.Partition {
		t.Helper()
		list, err := f.ReadSource(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	for _, c := range []call{
		{args: "parti info parti worker", says: "MEMBER    HEARTBEAT  APPLIED  ALSO "},
		{args: "parti info parti worker", says: "OWNER     STATE   WEIGHT  PENDING"},
		{args: "parti info parti", says: "parti/worker"},
		{args: "parti info parti/worker", says: "MEMBER    HEARTBEAT  APPLIED  ALSO "},
		{args: "parti info parti nobody", code: 3, says: "not found"},
		{args: "parti info nosuch", code: 3, says: "parti group nosuch: not found; `pcgtop report` lists what there is; a deployment that is not found by itself is named with --parti PREFIX"},
		{args: "--parti nosuch parti info nosuch", code: 3, says: "parti group nosuch: not found; --parti nosuch finds nothing: this account has no bucket nosuch-stableid, "},
		{args: "--parti nosuch report", says: "\n--parti nosuch finds nothing: this account has no bucket nosuch-stableid, "},
		{args: "--parti nosuch report nosuch/worker", code: 3, says: "nosuch/worker: not found; --parti nosuch finds nothing"},
		{args: "--parti parti report", says: "parti/worker"},
		{args: "report --instances", says: "parti/worker"},
		{args: "report --instances parti/worker", says: "HEARTBEAT"},
		{args: "report --instances", says: "\ninstances of parti groups are not told apart: the server pins none of them\n"},
		{args: "check --no-standby crit", says: "OK: 1 group, 1 ok"},
		{args: "parti source parti worker", code: 2, says: "give --add, --set or --remove"},
		{args: "parti source parti worker --add=eu.7:3:gpu --set=eu.1:5", says: "3 partitions ▸ 4\n  + eu.7, weight 3, label gpu\n  eu.1: weight 2 ▸ 5\n"},
		{args: `parti source parti worker --add=eu.8:3:a\b`, says: `same as: pcgtop parti source parti worker '--add=eu.8:3:a\b' --apply`},
		{args: "parti source parti worker --add=eu.7 --remove=eu.7", code: 1, says: "eu.7 is named twice"},
		{args: "parti source parti worker --set=-eu.1:5", code: 2, says: "put keys that begin with a sign in double quotes"},
		{args: "parti source parti worker --add=eu.7:3:gpu --set=eu.1:5 --apply", says: "edit the source of parti/worker (+eu.7:3:gpu, eu.1:5): revision 1 ▸ 2"},
		{args: "parti source parti worker --add=eu.7:3", code: 1, says: "there is a partition eu.7 already"},
		{args: "parti source parti worker --remove=eu.7 --apply <<< yes", code: 1, says: "not confirmed: nothing was written"},
		{args: "parti source parti worker --remove=eu.7 --apply --read-only", code: 1, says: "read-only"},
		{args: "parti source parti worker --remove=eu.7 --apply <<< remove 1", says: "revision 2 ▸ 3"},
		{args: "parti source parti worker --remove=us.0 --apply --force -o json", says: `"target":"parti-source/partitions"`},
		{args: "parti remove-id parti worker worker-0", code: 1, says: "no stable id is stale"},
		{args: "parti remove-id parti worker worker-0 --apply", code: 1, says: "no stable id is stale"},
		{args: "parti source parti worker --set=zz:1", code: 1, says: "there is no partition zz in the source"},
	} {
		a.call(t, c)
	}
	if out, _, code := a.run(t, "", "--parti", "nosuch", "check"); code != 3 || !strings.HasPrefix(out, "UNKNOWN: 1 group, 1 ok; --parti nosuch finds nothing") {
		t.Errorf("check: exit %d %s", code, out)
	}
	if out, _, _ := a.run(t, "", "report", "--instances", "parti/worker"); !strings.HasSuffix(out, "\n\ninstances of parti groups are not told apart: the server pins none of them\n") {
		t.Errorf("instances of Parti alone:\n%s", out)
	}
	if out, _, _ := a.run(t, "", "--parti", "parti", "report"); strings.Contains(out, "finds nothing") {
		t.Errorf("it is there:\n%s", out)
	}
	term := open(t, 80, 24, "-s", a.url, "--parti", "nosuch")
	term.see("parti/worker", "--parti nosuch finds nothing: this account has no bucket", "nats kv ls")
	if list := source(); len(list) != 2 || list[1].Weight != 5 {
		t.Errorf("%+v", list)
	}
	out, _, _ := a.run(t, "", "report", "-o", "json", "parti/worker")
	var r struct {
		Groups []struct{ Actions []string }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil || len(r.Groups) != 1 || !slices.Contains(r.Groups[0].Actions, "edit-source") {
		t.Errorf("%v: %s", err, out)
	}
}

// TestNothingElseIsWritten: a viewer that may write a source, and nothing else, can do so: what
// the README lists is enough, and nothing more is needed.
func TestNothingElseIsWritten(t *testing.T) {
	t.Parallel()
	may := documented(t)["viewer"]
	for _, bucket := range []string{"stableid", "election", "heartbeat", "assignment", "handoff", "source"} {
		may.Publish.Allow = append(may.Publish.Allow, "$JS.API.CONSUMER.CREATE.KV_parti-"+bucket+".>")
	}
	may.Publish.Allow = append(may.Publish.Allow, "$JS.API.DIRECT.GET.KV_parti-source.>", "$KV.parti-source.>")
	a, f := fleet(t, &server.User{Username: "editor", Password: "pw", Permissions: may})
	a.url = strings.Replace(a.url, "admin:", "editor:", 1)
	out, errs, code := a.run(t, "", "parti", "source", "parti", "worker", "--add=eu.7:3", "--remove=us.0", "--apply", "--force")
	if code != 0 {
		t.Fatalf("%d %s %s", code, out, errs)
	}
	if list, err := f.ReadSource(t.Context()); err != nil || len(list) != 3 {
		t.Errorf("%+v %v", list, err)
	}
	b, _ := fleet(t, &server.User{Username: "viewer", Password: "pw", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{"$KV.>"}}}})
	b.url = strings.Replace(b.url, "admin:", "viewer:", 1)
	begin := time.Now()
	if _, errs, code = b.run(t, "", "parti", "source", "parti", "worker", "--add=eu.7:3", "--apply"); code != 1 || !strings.Contains(errs, `not permitted: allow publish to $KV.parti-source.partitions`) || !strings.Contains(errs, "nothing was written") {
		t.Errorf("%d after %s: %s", code, time.Since(begin), errs)
	}
}

// TestDeniedBuckets: what may not be read of a deployment is named, and the rest goes on.
func TestDeniedBuckets(t *testing.T) {
	t.Parallel()
	a, _ := fleet(t, &server.User{Username: "viewer", Password: "pw", Permissions: &server.Permissions{Publish: &server.SubjectPermission{Deny: []string{
		"$JS.API.CONSUMER.CREATE.KV_parti-heartbeat.>", "$JS.API.STREAM.INFO.KV_parti-heartbeat", "$JS.API.STREAM.MSG.GET.KV_parti-heartbeat", "$JS.API.DIRECT.GET.KV_parti-heartbeat.>", "$JS.API.CONSUMER.LIST.JOBS"}}}})
	if _, err := a.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORD", Subjects: []string{"ord.*"}}); err != nil {
		t.Fatal(err)
	}
	a.url = strings.Replace(a.url, "admin:", "viewer:", 1)
	term := open(t, 120, 40, "-s", a.url, "parti/worker")
	term.see("● live", "▸ parti/worker", "version 1", "worker-1")
	if screen := term.see("not permitted: ", "KV_parti-heartbeat", "unheard", "not to be told without heartbeats"); strings.Contains(screen, "nobody works") || strings.Contains(screen, "broken") {
		t.Errorf("what is not known is told:\n%s", screen)
	}
	term.press("E")
	term.see("+eu.7:3:gpu adds")
	term.send("+eu.7")
	term.press(enter, enter)
	term.see("parti-source/partitions")
	term.confirm()
	term.see("edit the source of parti/worker")
}
