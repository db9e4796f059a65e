package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// TestInstancesOnTheScreen is what an operator does who wants to know which process is
// pinned, and to have another one take over.
func TestInstancesOnTheScreen(t *testing.T) {
	t.Parallel()
	a := serve(t)
	logged := t.TempDir() + "/events.jsonl"
	term := a.openGroup(t, "ORDERS/fulfillment", "--log-events", logged)
	holder := regexp.MustCompile(`● (fulfil-m1-[ab]) +pinned`)
	screen := term.waitFor("every instance by its role", func(s string) bool {
		return holder.MatchString(s) && strings.Count(s, "● fulfil-m") == 3 && strings.Count(s, "○ fulfil-m") == 3
	})
	was := holder.FindStringSubmatch(screen)[1]
	other := map[string]string{"fulfil-m1-a": "fulfil-m1-b", "fulfil-m1-b": "fulfil-m1-a"}[was]

	term.press(down)
	term.see("● " + was + " · instance of m1 · pinned")
	term.press("s")
	term.see("loses it "+was+" 127.0.0.1:", other+" 127.0.0.1:", "takes over")
	term.confirm()
	term.see("step down m1 of ORDERS/fulfillment: unpinned")
	term.press("r")
	term.waitFor("who got it and how long it took", func(s string) bool {
		return regexp.MustCompile(`…\w{6}(:| is) ` + other + `, [0-9.]+ m?s after the step-down of ` + was).MatchString(s)
	})
	term.waitFor("the other one marked", func(s string) bool {
		m := holder.FindStringSubmatch(s)
		return m != nil && m[1] == other && strings.Contains(s, "○ "+was)
	})

	term.press("e")
	term.see("EVENTS of ORDERS/fulfillment", "unpinned (admin)")
	term.press("/", "a", "d", "m", "i", "n", enter)
	term.see("1 of ")
	term.press("c")
	term.see("copied: ")
	var copied []string
	term.waitFor("a copy through the terminal", func(string) bool {
		copied = regexp.MustCompile(`\x1b\]52;c;([A-Za-z0-9+/=]+)`).FindStringSubmatch(term.output())
		return copied != nil
	})
	if text, err := base64.StdEncoding.DecodeString(copied[1]); err != nil || !strings.Contains(string(text), "pin ORDERS/fulfillment m1 unpinned (admin) after") {
		t.Errorf("copied %q, %v", text, err)
	}
	term.press(esc)
	term.gone("/ admin")
	term.press(tab)
	term.see("EVENTS of all groups")
	term.press(tab, enter)
	term.see("PARTITIONS", "MEMBERS")
	term.press("q")
	term.exit(5 * time.Second)

	lines, err := os.ReadFile(logged)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(logged)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	if !strings.Contains(string(lines), `"kind":"action"`) || !strings.Contains(string(lines), "after the step-down of "+was) {
		t.Errorf("logged: %s", lines)
	}
}

// TestReportInstances: the same without a terminal, and without addresses on request.
func TestReportInstances(t *testing.T) {
	t.Parallel()
	a := serve(t)
	out, errs, code := a.run(t, "", "report", "--instances", "ORDERS/fulfillment")
	for _, want := range []string{"INSTANCE", "fulfil-m1-a", "fulfil-m1-b", "pinned", "standby", "127.0.0.1:", "go " + nats.Version, "pcgtop-demo"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Fatalf("exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	out, errs, code = a.run(t, "", "report", "--instances", "--hide-addresses", "-o", "json")
	var s struct {
		Groups []struct {
			Key     struct{ Group string }
			Members []struct {
				Name      string
				Instances []struct {
					Role       string
					Connection struct{ Name string }
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &s); err != nil || code != 0 {
		t.Fatalf("exit %d, %v: %s%s", code, err, out, errs)
	}
	if strings.Contains(out, "127.0.0.1") || strings.Contains(out, `"address"`) {
		t.Errorf("an address in %s", out)
	}
	pinned, standby := 0, 0
	for _, g := range s.Groups {
		for _, m := range g.Members {
			for _, i := range m.Instances {
				switch i.Role {
				case "pinned":
					pinned++
				case "standby":
					standby++
				}
				if !strings.Contains(i.Connection.Name, "-"+m.Name+"-") {
					t.Errorf("%s of %s: %q", m.Name, g.Key.Group, i.Connection.Name)
				}
			}
		}
	}
	if pinned != 9 || standby != 6 {
		t.Errorf("%d pinned, %d stand by", pinned, standby)
	}
	term := a.openGroup(t, "ORDERS/fulfillment", "--hide-addresses")
	term.see("● fulfil-m1-")
	term.press(down)
	term.see("· instance of m1 ·")
	if s := term.text(); strings.Contains(s, "127.0.0.1") {
		t.Errorf("an address on the screen:\n%s", s)
	}
	term.press("q")
	term.exit(5 * time.Second)
}

// quiet is stream QUIET with a group whose traffic is the test's alone.
type quiet struct {
	t *testing.T
	a *account
}

func (q quiet) group(name string, member string) {
	q.t.Helper()
	ctx := q.t.Context()
	if _, err := orbit.CreateElastic(ctx, q.a.js, "QUIET", name, 2, []orbit.PartitioningFilter{{Filter: name + ".*", PartitioningWildcards: []int{1}}}, -1, -1); err != nil {
		q.t.Fatal(err)
	}
	if _, err := orbit.AddMembers(ctx, q.a.js, "QUIET", name, []string{member}); err != nil {
		q.t.Fatal(err)
	}
}

// join starts an instance on a connection of its own name; the returned function stops it.
func (q quiet) join(group, member, name string, ackWait, work time.Duration) (stop func()) {
	q.t.Helper()
	nc, err := nats.Connect(q.a.url, nats.Name(name), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		q.t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		q.t.Fatal(err)
	}
	m, err := orbit.ElasticConsume(q.t.Context(), js, "QUIET", group, member, func(m jetstream.Msg) {
		time.Sleep(work)
		_ = m.Ack()
	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: 1})
	if err != nil {
		q.t.Fatal(err)
	}
	stopped := false
	stop = func() {
		if !stopped {
			stopped = true
			m.Stop()
			<-m.Done()
			nc.Close()
		}
	}
	q.t.Cleanup(stop)
	return stop
}

func (q quiet) publish(subject string) {
	q.t.Helper()
	if _, err := q.a.js.Publish(q.t.Context(), subject, []byte("x")); err != nil {
		q.t.Fatal(err)
	}
}

// TestPinsInTheField replays what people have reported, and looks at the screen.
func TestPinsInTheField(t *testing.T) {
	t.Parallel()
	log.SetOutput(io.Discard) // the reference library prints
	q := quiet{t, serve(t)}
	if _, err := q.a.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "QUIET", Subjects: []string{"*.*"}, Storage: jetstream.MemoryStorage}); err == nil {
		t.Fatal("the subjects overlap with the demo's, yet the stream was made")
	}
	if _, err := q.a.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "QUIET", Subjects: []string{"con4.*", "con5.*", "short.*", "enough.*"}, Storage: jetstream.MemoryStorage}); err != nil {
		t.Fatal(err)
	}
	for _, g := range []string{"con4", "con5", "short", "enough"} {
		q.group(g, "m1")
	}
	one := q.join("con4", "m1", "i1", 2*time.Second, 0)
	two := q.join("con4", "m1", "i2", 2*time.Second, 0)
	for _, name := range []string{"slow-1", "slow-2"} {
		q.join("con5", "m1", name, 2*time.Second, 5*time.Second)
	}
	for _, name := range []string{"a", "b"} {
		q.join("short", "m1", "short-"+name, time.Second, 0)
		q.join("enough", "m1", "enough-"+name, 3*time.Second, 0)
	}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() { // a message every 1.5 s: one CON-10 replay with each ack_wait
		defer close(stopped)
		tick := time.NewTicker(1500 * time.Millisecond)
		defer tick.Stop()
		for n := 0; ; n++ {
			for _, g := range []string{"short", "enough"} {
				_ = q.a.js.Conn().Publish(fmt.Sprintf("%s.%d", g, n), nil)
			}
			select {
			case <-stop:
				return
			case <-tick.C:
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-stopped })
	short := q.a.openGroup(t, "QUIET/short")   // watched all the while
	enough := q.a.openGroup(t, "QUIET/enough") // as is this one

	// CON-05: a handler slower than ack_wait loses the pin in the middle of a message.
	term := q.a.openGroup(t, "QUIET/con5")
	term.see("○ slow-1", "○ slow-2")
	q.publish("con5.x")
	term.see("in 10 min: a handler slower than its ack wait", "pin lost by timeout after 2", "slow-1", "slow-2")
	if s := term.text(); strings.Contains(s, "instance gone") {
		t.Errorf("a busy instance counts as gone:\n%s", s)
	}
	term.press("q")
	term.exit(5 * time.Second)

	// CON-04: after an unpin nobody is pinned until the next message.
	term = q.a.openGroup(t, "QUIET/con4")
	term.see("waiting", "no pin yet: waits for the next message")
	q.publish("con4.x")
	screen := term.waitFor("one pinned", regexp.MustCompile(`● i[12] +pinned`).MatchString)
	was := regexp.MustCompile(`● (i[12]) +pinned`).FindStringSubmatch(screen)[1]
	if err := orbit.ElasticMemberStepDown(t.Context(), q.a.js, "QUIET", "con4", "m1"); err != nil {
		t.Fatal(err)
	}
	term.see("waiting", "no pin yet: waits for the next message", "unpinned (admin)", "was "+was)
	term.waitFor("nobody is marked", func(s string) bool { return !strings.Contains(s, "● i") })
	q.publish("con4.x")
	term.waitFor("somebody pinned, and how long nobody was", func(s string) bool {
		return regexp.MustCompile(`● i[12] +pinned`).MatchString(s) && strings.Contains(s, "after the step-down of "+was)
	})
	// One alone gets a new pin, and is named.
	two()
	term.gone("○ i2")
	before := term.text()
	if err := orbit.ElasticMemberStepDown(t.Context(), q.a.js, "QUIET", "con4", "m1"); err != nil && strings.Contains(before, "● i") {
		t.Logf("step down: %v", err) // it was pinned to the one that left
	}
	q.publish("con4.x")
	term.waitFor("the one that is left", regexp.MustCompile(`● i1 +pinned`).MatchString)

	// OBS-12: nobody pulls any more, first with a consumer, then without.
	one()
	term.see("no waiting pull, its consumer expires in ~")
	term.see("absent", "gone for")
	term.gone("○ i1")
	term.gone("● i1")
	term.press("q")
	term.exit(5 * time.Second)

	// CON-10: with an ack_wait under 2 s the pin moves at every quiet moment.
	short.see("flapping", "its ack wait of 1s is below 2s: join with a longer one")
	short.press("q")
	short.exit(5 * time.Second)
	enough.waitFor("one steady pin", func(s string) bool { return strings.Contains(s, "● enough-") && !strings.Contains(s, "flapping") })
	if s := enough.text(); strings.Count(s, "pinned …") > 1 || strings.Contains(s, "pin lost") {
		t.Errorf("the pin moved:\n%s", s)
	}
	enough.press("q")
	enough.exit(5 * time.Second)
}
