package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// peers makes a group of two members of orbit.go, of which p1 holds the first message it
// is given until it is released. A member whose new consumer was refused, since the other
// one had its partitions still, tries again after the ack wait and half a second.
func (a *account) peers(t *testing.T, ackWait time.Duration) (release func()) {
	t.Helper()
	ctx := t.Context()
	if _, err := orbit.CreateElastic(ctx, a.js, "ORDERS", "peers", 6, []orbit.PartitioningFilter{{Filter: "orders.*"}}, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.AddMembers(ctx, a.js, "ORDERS", "peers", []string{"p1", "p2"}); err != nil {
		t.Fatal(err)
	}
	held := make(chan struct{})
	release = sync.OnceFunc(func() { close(held) })
	for _, name := range []string{"p1", "p2"} {
		m, err := orbit.ElasticConsume(ctx, a.js, "ORDERS", "peers", name, func(msg jetstream.Msg) {
			if name == "p1" {
				<-held
			}
			_ = msg.Ack()
		}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Stop)
	}
	t.Cleanup(release)
	within(t, "p1 to hold a message", func() bool { i := a.consumer(t, "p1"); return i != nil && i.NumAckPending == 1 })
	within(t, "p2 to run", func() bool { return a.consumer(t, "p2") != nil })
	return release
}

// consumer is a member of peers as the server sees it; nil when it has none.
func (a *account) consumer(t *testing.T, member string) *jetstream.ConsumerInfo {
	t.Helper()
	c, err := a.js.Consumer(t.Context(), "ORDERS-peers", member)
	if err != nil {
		return nil
	}
	return c.CachedInfo()
}

func (a *account) paused(t *testing.T) bool {
	p1, p2 := a.consumer(t, "p1"), a.consumer(t, "p2")
	return p1 != nil && p2 != nil && p1.Paused && p2.Paused
}

func (a *account) running(t *testing.T) bool {
	p1, p2 := a.consumer(t, "p1"), a.consumer(t, "p2")
	return p1 != nil && p2 != nil && !p1.Paused && !p2.Paused
}

// TestKilledWhileDraining: whatever becomes of pcgtop in the middle of a handover, the
// members go on by the deadline and the config is whole.
func TestKilledWhileDraining(t *testing.T) {
	a := serve(t)
	a.peers(t, 30*time.Second)
	before := a.stored(t, "ORDERS.peers")
	const longest = 3 * time.Second
	for name, end := range map[string]func(*exec.Cmd){
		"SIGKILL": func(c *exec.Cmd) { _ = c.Process.Kill() },
		"SIGINT":  func(c *exec.Cmd) { _ = c.Process.Signal(syscall.SIGINT) },
	} {
		cmd := exec.Command(binary(), "-s", a.url, "elastic", "drop", "ORDERS", "peers", "p2", "--drain", "--longest", longest.String())
		cmd.Env = environment(t.TempDir())
		begin := time.Now()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		within(t, name+": both to be paused", func() bool { return a.paused(t) })
		end(cmd)
		_ = cmd.Wait()
		if name == "SIGKILL" && a.running(t) {
			t.Error("killed, it took the pauses back?")
		}
		within(t, name+": both to go on", func() bool { return a.running(t) })
		took := time.Since(begin)
		t.Logf("%s: going on after %s", name, took)
		if took > longest+2*time.Second || name == "SIGINT" && took > longest-500*time.Millisecond {
			t.Errorf("%s: members went on after %s", name, took)
		}
		if now := a.stored(t, "ORDERS.peers"); now != before {
			t.Errorf("%s: %s became %s", name, before, now)
		}
	}
}

// TestDrainOnScreen: Esc takes the pauses back and writes nothing; once the message is
// handled the handover goes through, with members of orbit.go, and reports.
func TestDrainOnScreen(t *testing.T) {
	t.Parallel()
	a := serve(t)
	release := a.peers(t, 12*time.Second)
	before := a.stored(t, "ORDERS.peers")
	term := a.openGroup(t, "ORDERS/peers")
	begin := func() {
		t.Helper()
		term.see("[ ] drain first")
		term.press("d")
		term.see("[x] drain first", "--drain")
		term.confirm()
	}
	term.press("m")
	term.see("Remap")
	term.press("/")
	term.press("0", "-", "1", enter)
	term.see("2 marked")
	term.press("B", enter)
	begin()
	term.see("paused", "1 unacknowledged, of", "esc stops and takes the pauses back")
	if !a.paused(t) {
		t.Error("the members are not paused")
	}
	term.press(esc)
	term.see("not done", "stopped: nothing was written")
	if !a.running(t) || a.stored(t, "ORDERS.peers") != before {
		t.Error("it was written, or somebody is still paused")
	}
	term.press("r")
	term.see("[x] drain first")
	release()
	term.confirm()
	term.see("6 of 6 partitions at their owner", "drained in", "[ Close ]")
	term.press(enter)
	term.gone("[ Close ]")
	term.see("mapped")
	within(t, "p2 to have its new partitions, unpaused", func() bool {
		i := a.consumer(t, "p2")
		return i != nil && !i.Paused && len(i.Config.FilterSubjects) == 5
	})
	term.press("u")
	term.see("undoes", "remap ORDERS/peers")
	term.confirm()
	term.see("undo on ORDERS/peers")
	term.waitFor("the config to be what it was", func(string) bool {
		now := a.stored(t, "ORDERS.peers") // orbit.go writes members in any order
		return now == before || now == strings.Replace(before, `["p2","p1"]`, `["p1","p2"]`, 1)
	})
	term.press("U")
	term.see("undone since")
	term.press(esc)
	term.gone("undone since")
	term.press("q")
	term.exit(5 * time.Second)
}

// TestFoundOnScreen: a group is made, gets members, is changed by somebody else, and is
// deleted, and every action is in the audit file.
func TestFoundOnScreen(t *testing.T) {
	t.Parallel()
	a := serve(t)
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	term := open(t, 120, 40, "-s", a.url, "--audit", file)
	term.see("ORDERS/fulfillment", "● live")
	term.press("n")
	term.see("New group")
	type_ := func(text string) {
		for _, r := range text {
			term.press(string(r))
		}
	}
	term.press("\x1b[A", "\x15") // up to the stream
	type_("ORDERS")
	term.press(tab)
	type_("fulfillment")
	term.see("elastic group ORDERS/fulfillment exists already")
	term.press("\x15")
	type_("x-new")
	term.press(tab, "\x15", "4", tab)
	type_("orders.*:2")
	term.see("no wildcard 2")
	term.press("\x7f", "1")
	term.see("ORDERS-x-new", "{{Partition(4,1)}}.orders.{{Wildcard(1)}}")
	term.press(enter)
	term.see("Create elastic group ORDERS/x-new", "pcgtop elastic create ORDERS x-new 4 --filter 'orders.*' --wildcards 1")
	term.confirm()
	term.see("create elastic group ORDERS/x-new with 4 partitions")
	if s := a.stored(t, "ORDERS.x-new"); s != `{"max_members":4,"partitioning_filters":[{"filter":"orders.*","partitioning_wildcards":[1]}]}` {
		t.Errorf("stored %s", s)
	}
	term.press("/")
	type_("x-new")
	term.press(enter, enter)
	term.see("ORDERS/x-new", "MEMBERS")

	term.press("a")
	type_("bad.name")
	term.see("unusable name")
	term.press("\x15")
	type_("m1 m2")
	term.press(enter)
	term.confirm()
	term.see("+m1, +m2")

	if _, err := orbit.AddMembers(t.Context(), a.js, "ORDERS", "x-new", []string{"other"}); err != nil {
		t.Fatal(err)
	}
	term.see("+other")
	term.press("u")
	term.see("was changed by somebody else since", "overwrite: +other")

	term.press("X")
	term.see("config ORDERS.x-new", "work stream ORDERS-x-new", "type x-new to delete it")
	type_("x-new")
	term.see("to delete it  x-new")
	term.enters()
	term.see("work stream ORDERS-x-new removed")
	term.press("q")
	term.exit(5 * time.Second)
	if _, err := a.kv.Get(t.Context(), "ORDERS.x-new"); err == nil {
		t.Error("the config is still there")
	}
	checkAudit(t, file, "create begun", "create done", "add begun", "add done", "delete begun", "delete done")
}
