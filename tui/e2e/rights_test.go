package e2e

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// documented reads the permissions that the README lists, by user.
func documented(t *testing.T) map[string]*server.Permissions {
	t.Helper()
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	conf := regexp.MustCompile("(?s)```conf\n(authorization .*?)```").FindSubmatch(raw)
	if conf == nil {
		t.Fatal("the README lists no permissions")
	}
	path := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(path, conf[1], 0o600); err != nil {
		t.Fatal(err)
	}
	options, err := server.ProcessConfigFile(path)
	if err != nil {
		t.Fatal(err)
	}
	users := map[string]*server.Permissions{}
	for _, u := range options.Users {
		users[u.Username] = u.Permissions
	}
	return users
}

// lacking is permissions without one.
func lacking(all *server.Permissions, subject string) *server.Permissions {
	without := func(list []string) *server.SubjectPermission {
		return &server.SubjectPermission{Allow: slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == subject })}
	}
	return &server.Permissions{Publish: without(all.Publish.Allow), Subscribe: without(all.Subscribe.Allow)}
}

// office is a server with a user for each of the README's lists, one for each list that
// lacks one permission of it, named as LIST SUBJECT, and a group whose member m1 runs.
func office(t *testing.T) (login func(user string) string, lists map[string]*server.Permissions) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	lists = documented(t)
	users := []*server.User{{Username: "admin", Password: "pw"}}
	for name, all := range lists {
		users = append(users, &server.User{Username: name, Password: "pw", Permissions: all})
		for _, subject := range slices.Concat(all.Publish.Allow, all.Subscribe.Allow) {
			users = append(users, &server.User{Username: name + " " + subject, Password: "pw", Permissions: lacking(all, subject)})
		}
	}
	s := natstest.Start(t, func(o *server.Options) { o.ServerName, o.Users = "office", users })
	js := clientOf(t, s.ClientURL(), []nats.Option{nats.UserInfo("admin", "pw"), nats.Name("office-m1")})
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORD", Subjects: []string{"ord.*"}, AllowDirect: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.CreateStatic(t.Context(), js, "ORD", "fixed", 4, nil, []string{"x"}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.CreateElastic(t.Context(), js, "ORD", "g", 4, []orbit.PartitioningFilter{{Filter: "ord.*", PartitioningWildcards: []int{1}}}, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.AddMembers(t.Context(), js, "ORD", "g", []string{"m1", "m2"}); err != nil {
		t.Fatal(err)
	}
	for try := range tries { // to be deleted
		rigid, going := fmt.Sprint("rigid", try), fmt.Sprint("going", try)
		if _, err := orbit.CreateStatic(t.Context(), js, "ORD", rigid, 4, nil, []string{"x"}, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := js.CreateConsumer(t.Context(), "ORD", jetstream.ConsumerConfig{Durable: rigid + "-x", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: []string{"0.>", "1.>", "2.>", "3.>"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := orbit.CreateElastic(t.Context(), js, "ORD", going, 4, []orbit.PartitioningFilter{{Filter: "ord.*"}}, -1, -1); err != nil {
			t.Fatal(err)
		}
	}
	m, err := orbit.ElasticConsume(t.Context(), js, "ORD", "g", "m1", func(m jetstream.Msg) { _ = m.Ack() }, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Stop(); <-m.Done() })
	for n := range 32 { // m2 does not run: something waits, and is counted
		if _, err := js.Publish(t.Context(), fmt.Sprint("ord.", n), nil); err != nil {
			t.Fatal(err)
		}
	}
	return func(user string) string {
		u, err := url.Parse(s.ClientURL())
		if err != nil {
			t.Fatal(err)
		}
		u.User = url.UserPassword(user, "pw")
		return u.String()
	}, lists
}

// TestRightsOnTheScreen: with each of the README's lists nothing is missing that it is for,
// and what is not in it is said.
func TestRightsOnTheScreen(t *testing.T) {
	t.Parallel()
	login, _ := office(t)
	for _, c := range []struct {
		user string
		sees []string
	}{ // the operator last, who changes the group
		{"viewer", []string{"● live", "m2", "absent", "instances are only counted: not permitted, pulls of ORD-g: allow subscribe to $JS.API.CONSUMER.MSG.NEXT.ORD-g.*"}},
		{"viewer-with-instances", []string{"● live", "m2", "absent", "office-m1", "127.0.0.1:"}},
		{"operator", []string{"● live", "m2", "absent", "office-m1", "127.0.0.1:"}},
	} {
		user, sees := c.user, c.sees
		term := open(t, 200, 50, "-s", login(user), "ORD/g")
		screen := term.see(append(sees, "PARTITIONS", "16 wait in 4 partitions")...)
		if user != "viewer" && strings.Contains(screen, "not permitted") {
			t.Errorf("%s:\n%s", user, screen)
		}
		term.press("a")
		term.see("Add members to")
		term.types("m3")
		term.press(enter)
		term.see("pcgtop elastic add ORD g m3")
		term.confirm()
		if user == "operator" {
			term.see("+m3")
		} else {
			began := time.Now()
			term.see("$KV.elastic-consumer-groups.ORD.g")
			t.Logf("%s: a refused write is named after %v", user, time.Since(began).Round(time.Millisecond))
			term.see("not done: ")
		}
		term.press("\x03")
		term.exit(5 * time.Second)
	}
}

// tries is how often a right is looked for: a machine that is busy with other tests may be
// late, not again and again.
const tries = 3

// needed are the keys after which a permission is needed; of those without any it is when
// the group is opened. A try to delete may leave a group half deleted, so that there are
// some.
func needed(term *terminal, missing string, try int) (begin time.Time) {
	begin = time.Now() // what opening the group alone needs
	remove := func(group string) {
		term.press(esc)
		term.gone("▸ ORD/g")
		term.opens("ORD/" + group)
		term.see("▸ ORD/"+group, "● live")
		term.press("X")
		term.see("type " + group + " to delete it")
		term.types(group)
		term.see("to delete it  " + group)
		begin = term.enters()
	}
	add := func(more ...string) {
		term.press("a")
		term.see("Add members to")
		term.types("m3")
		term.press(enter)
		term.see("pcgtop elastic add ORD g m3")
		term.press(more...)
		begin = term.confirm()
	}
	switch missing {
	case "$JS.API.DIRECT.GET.KV_elastic-consumer-groups.>", "$JS.API.DIRECT.GET.KV_static-consumer-groups.>":
		term.see("● live")
		begin = time.Now()
		term.press("y")
		term.see("not read: not permitted: ")
	case "$KV.elastic-consumer-groups.>":
		add()
	case "$JS.API.CONSUMER.PAUSE.>":
		add("d")
	case "$JS.API.CONSUMER.INFO.>", "$JS.API.CONSUMER.UNPIN.>":
		term.waitFor("a pinned instance", regexp.MustCompile(`A +m1 +pinned`).MatchString)
		term.press("g", "s")
		term.see("Step down m1", "[ Cancel ]")
		begin = term.confirm()
	case "$JS.API.STREAM.CREATE.*":
		term.press(esc)
		term.gone("▸ ORD/g")
		term.press("n")
		term.see("New group")
		term.press("\x1b[A", "\x15") // up to the stream
		term.types("ORD")
		term.press(tab)
		term.types("made")
		term.press(tab, "\x15", "4", tab)
		term.types("ord.*:1")
		term.press(enter)
		term.see("Create elastic group ORD/made")
		begin = term.confirm()
	case "$KV.static-consumer-groups.>":
		remove("fixed")
	case "$JS.API.CONSUMER.DELETE.>":
		remove(fmt.Sprint("rigid", try))
	case "$JS.API.STREAM.DELETE.*":
		remove(fmt.Sprint("going", try))
	}
	return begin
}

// TestEveryMissingRight: each permission of the README's lists that is taken away is named
// on the screen within a second of when it is needed, with the subject to allow.
func TestEveryMissingRight(t *testing.T) {
	t.Parallel()
	login, lists := office(t)
	subjects := regexp.MustCompile(`\$[^" ]+`)
	const flow = "$JS.FC.>" // is asked for only while very much is on its way
	for list, all := range lists {
		for _, missing := range slices.Concat(all.Publish.Allow, all.Subscribe.Allow) {
			viewers := slices.Contains(lists["viewer-with-instances"].Publish.Allow, missing) || slices.Contains(lists["viewer-with-instances"].Subscribe.Allow, missing)
			if list == "operator" && viewers || missing == flow { // see the engine's tests
				continue
			}
			t.Run(list+" "+missing, func(t *testing.T) {
				if missing == "_INBOX.>" { // nothing can be shown then
					a := &account{url: login(list + " " + missing)}
					if _, errs, code := a.run(t, "", "report"); code != 1 || !strings.Contains(errs, "allow subscribe to _INBOX.>") {
						t.Errorf("exit %d: %s", code, errs)
					}
					return
				}
				group := "ORD/g"
				if strings.Contains(missing, ".GET.KV_static-") {
					group = "ORD/fixed"
				}
				named := func(try int) time.Duration {
					term := open(t, 120, 40, "-s", login(list+" "+missing), group)
					term.see(group)
					if list == "operator" { // who may write once everything was read
						term.see("● live", "m2 never seen")
					}
					began := needed(term, missing, try)
					term.waitFor("it is named", func(s string) bool {
						return slices.ContainsFunc(subjects.FindAllString(s, -1), func(subject string) bool {
							return server.SubjectsCollide(strings.TrimRight(subject, ".,;…"), missing)
						})
					})
					took := time.Since(began)
					if list == "operator" && !strings.Contains(missing, "CONSUMER.INFO") {
						term.see("RW refused", "not done: ") // before it has ended, ctrl+c ends that first
					}
					term.press("\x03")
					term.exit(patience)
					return took
				}
				took := named(0)
				for try := 1; try < tries && took > time.Second; try++ {
					took = min(took, named(try))
				}
				t.Logf("named after %v", took.Round(time.Millisecond))
				if took > time.Second {
					t.Errorf("named after %v", took)
				}
			})
		}
	}
}
