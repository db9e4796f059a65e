package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// account is `pcgtop demo --serve` running, and a connection to it.
type account struct {
	url string
	js  jetstream.JetStream
	kv  jetstream.KeyValue
}

// serve starts the demo's server and ends it with the test, as Ctrl-C would.
func serve(t *testing.T, more ...string) *account {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	cmd := exec.Command(binary(), append([]string{"demo", "--serve"}, more...)...)
	cmd.Env = environment(t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		if err := cmd.Wait(); err != nil {
			t.Errorf("demo --serve ended with %v", err)
		}
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no URL on the first line: %v", err)
	}
	a := &account{url: strings.TrimSpace(url)}
	nc, err := nats.Connect(a.url, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	if a.js, err = jetstream.New(nc); err != nil {
		t.Fatal(err)
	}
	if a.kv, err = a.js.KeyValue(t.Context(), "elastic-consumer-groups"); err != nil {
		t.Fatal(err)
	}
	return a
}

// stored is a config's bytes.
func (a *account) stored(t *testing.T, key string) string {
	t.Helper()
	e, err := a.kv.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(e.Value())
}

// arrivals measures how many messages a second came into a stream until the returned function
// is called: a demo on a busy machine publishes less than it would.
func (a *account) arrivals(t *testing.T, stream string) (perSecond func() float64) {
	t.Helper()
	last := func() float64 {
		s, err := a.js.Stream(t.Context(), stream)
		if err != nil {
			t.Fatal(err)
		}
		return float64(s.CachedInfo().State.LastSeq)
	}
	before, start := last(), time.Now()
	return func() float64 { return (last() - before) / time.Since(start).Seconds() }
}

// openGroup shows one group of the account in a terminal.
func (a *account) openGroup(t *testing.T, group string, more ...string) *terminal {
	t.Helper()
	term := open(t, 120, 40, append([]string{"-s", a.url, group}, more...)...)
	term.see("▸ "+group, "PARTITIONS", "MEMBERS", "● live") // sooner nothing is written
	return term
}

// TestBesideOrbit: members of orbit.go run on and follow while the group is changed
// from the screen, and of the stored bytes only the membership changes.
func TestBesideOrbit(t *testing.T) {
	t.Parallel()
	a := serve(t)
	ctx := t.Context()
	filters := []orbit.PartitioningFilter{{Filter: "orders.*"}} // null wildcards: rewriting them as [] ends every member
	if _, err := orbit.CreateElastic(ctx, a.js, "ORDERS", "peers", 6, filters, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.AddMembers(ctx, a.js, "ORDERS", "peers", []string{"p1", "p2"}); err != nil {
		t.Fatal(err)
	}
	var handled [4]atomic.Int64
	var members []orbit.ConsumerGroupConsumeContext
	for i := 1; i <= 3; i++ { // p3 waits until it is added
		m, err := orbit.ElasticConsume(ctx, a.js, "ORDERS", "peers", fmt.Sprintf("p%d", i), func(m jetstream.Msg) {
			handled[i].Add(1)
			_ = m.Ack()
		}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second, MaxAckPending: 1})
		if err != nil {
			t.Fatal(err)
		}
		members = append(members, m)
	}
	t.Cleanup(func() {
		for _, m := range members {
			m.Stop()
		}
	})
	rest := without(t, a.stored(t, "ORDERS.peers"))
	following := func(step string, members ...int) {
		t.Helper()
		var before [4]int64
		for i := range handled {
			before[i] = handled[i].Load()
		}
		within(t, step+": members follow", func() bool {
			return !slices.ContainsFunc(members, func(i int) bool { return handled[i].Load() <= before[i] })
		})
		if now := without(t, a.stored(t, "ORDERS.peers")); now != rest {
			t.Errorf("%s: more than the membership changed:\n%s\n%s", step, rest, now)
		}
	}
	following("start", 1, 2)

	term := a.openGroup(t, "ORDERS/peers")
	term.press("a", "p", "3", enter)
	term.see("pcgtop elastic add ORDERS peers p3")
	term.confirm()
	term.see("+p3")
	following("add", 1, 2, 3)

	term.press("m")
	term.see("Remap")
	term.press("C", right, "C", enter)
	term.see("pcgtop elastic create-mapping ORDERS peers")
	term.confirm()
	term.see("· mapped ·") // the group itself, not only its plan
	following("remap", 1, 2, 3)

	term.press("b")
	term.see("pcgtop elastic balance ORDERS peers")
	term.confirm()
	term.waitFor("the balanced group", func(s string) bool { return strings.Contains(s, "· balanced ·") })
	following("balance", 1, 2, 3)

	term.press("x")
	term.see("Drop")
	term.press(enter) // the selected member, p1, is marked already
	term.see("pcgtop elastic drop ORDERS peers p1")
	term.confirm()
	term.see("-p1")
	following("drop", 2, 3)

	for i, m := range members {
		select {
		case err := <-m.Done():
			t.Errorf("member p%d ended: %v", i+1, err)
		default:
		}
	}
	term.press("q")
	term.exit(5 * time.Second)
}

// without is a config's bytes with the membership taken out.
func without(t *testing.T, raw string) string {
	t.Helper()
	for _, field := range []string{"members", "member_mappings"} {
		var all map[string]json.RawMessage
		if err := json.Unmarshal([]byte(raw), &all); err != nil {
			t.Fatal(err)
		}
		if v, ok := all[field]; ok {
			raw = strings.Replace(raw, fmt.Sprintf(`,"%s":%s`, field, v), "", 1)
		}
	}
	return raw
}

func within(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s for: %s", patience, what)
		}
	}
}

// TestChangedMeanwhile: a group that changes between the key press and the confirming
// is not written, and the screen says what changed.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	a := serve(t)
	term := a.openGroup(t, "ORDERS/analytics")
	term.press("a", "a", "9", enter)
	term.see("pcgtop elastic add ORDERS analytics a9")
	if _, err := orbit.AddMembers(t.Context(), a.js, "ORDERS", "analytics", []string{"other"}); err != nil {
		t.Fatal(err)
	}
	term.see("changed meanwhile: ", "+other", "[ Cancel ]", "Plan anew")
	now := a.stored(t, "ORDERS.analytics")
	term.confirm() // the button that is there: it makes the plan anew
	term.gone("changed meanwhile")
	term.see("[ Cancel ]", "Add a9", "pcgtop elastic add ORDERS analytics a9", "a2▸other")
	if after := a.stored(t, "ORDERS.analytics"); after != now {
		t.Errorf("it was written: %s", after)
	}
	term.confirm()
	term.see("+a9")
	if after := a.stored(t, "ORDERS.analytics"); !strings.Contains(after, `"a9"`) || !strings.Contains(after, `"other"`) {
		t.Errorf("stored: %s", after)
	}
	term.press("q")
	term.exit(5 * time.Second)
}
