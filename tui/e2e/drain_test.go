package e2e

import (
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestScreensEndWhileDraining: however the screens end in the middle of a drained
// handover, the config is whole and nobody stays paused: at once where they can still take
// the pauses back, by the deadline where they are killed.
func TestScreensEndWhileDraining(t *testing.T) {
	a := serve(t)
	a.peers(t, 30*time.Second)
	before := a.stored(t, "ORDERS.peers")
	const longest = 10 * time.Second // what the screens ask for
	for _, c := range []struct {
		name string
		end  func(*terminal)
		most time.Duration // from then until the members go on
	}{
		{"ctrl+c, twice", func(term *terminal) { term.press("\x03", "\x03") }, time.Second},
		{"SIGTERM", func(term *terminal) { _ = term.cmd.Process.Signal(syscall.SIGTERM) }, time.Second},
		{"SIGHUP", func(term *terminal) { _ = term.cmd.Process.Signal(syscall.SIGHUP) }, time.Second},
		{"closed terminal", func(term *terminal) { term.pty.Close() }, time.Second},
		{"SIGKILL", func(term *terminal) { _ = term.cmd.Process.Kill() }, longest + time.Second},
	} {
		term := a.openGroup(t, "ORDERS/peers")
		term.press("x")
		term.see("Drop")
		term.press(enter) // p1, the selected member, is marked already
		term.see("pcgtop elastic drop ORDERS peers p1", "[ ] drain first")
		term.press("d")
		term.see("[x] drain first")
		begin := time.Now()
		term.confirm()
		term.see("paused", "1 unacknowledged, of ", "esc stops and takes the pauses back")
		if !a.paused(t) {
			t.Fatalf("%s: the members are not paused", c.name)
		}
		c.end(term)
		ended := time.Now()
		if c.name == "SIGKILL" {
			term.exit(patience)
			if a.running(t) {
				t.Error("killed, it took the pauses back?")
			}
			within(t, "both to go on by themselves", func() bool { return a.running(t) })
			if took := time.Since(begin); took < longest {
				t.Errorf("the pauses ended after %s, before their deadline", took)
			}
		} else {
			term.exit(patience)
			if took := time.Since(ended); took > 2*time.Second {
				t.Errorf("%s: it took %s to end", c.name, took)
			}
			if !a.running(t) {
				t.Errorf("%s: it ended and left members paused", c.name)
			}
		}
		took := time.Since(ended)
		t.Logf("%s: members go on %s later", c.name, took.Round(time.Millisecond))
		if took > c.most+time.Second {
			t.Errorf("%s: members went on after %s", c.name, took)
		}
		if now := a.stored(t, "ORDERS.peers"); now != before {
			t.Errorf("%s: %s became %s", c.name, before, now)
		}
	}
	// And the group can still be changed from the screen.
	term := a.openGroup(t, "ORDERS/peers")
	term.press("a", "p", "9", enter)
	term.see("pcgtop elastic add ORDERS peers p9")
	term.confirm()
	term.see("+p9")
	if now := a.stored(t, "ORDERS.peers"); !strings.Contains(now, `"p9"`) {
		t.Errorf("stored %s", now)
	}
	term.press("q")
	term.exit(5 * time.Second)
}
