package e2e

import (
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDemo is the whole job as a person does it: the demo up, a group opened, a
// member stepped down, members added and dropped, partitions remapped, and out.
func TestDemo(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	term := open(t, 120, 40, "demo", "--seed", "1")
	term.see("ORDERS/fulfillment", "ORDERS/analytics", "PAYMENTS/settlement", "TELEMETRY/rollup", "degraded")

	// The healthy one, found by its name.
	term.press("/")
	for _, r := range "fulfil" {
		term.press(string(r))
	}
	term.press(enter)
	term.see("1 of 4 shown")
	term.press(enter)
	term.see("PARTITIONS", "MEMBERS", "m1", "m2", "m3", "balanced")
	term.waitFor("three pinned members", func(s string) bool {
		return len(regexp.MustCompile(`[ABC] +m[123] +pinned `).FindAllString(s, -1)) == 3
	})

	term.press("s")
	term.see("Cancel", "pcgtop elastic step-down ORDERS fulfillment m1")
	term.press(enter) // Cancel has the focus: nothing happens
	term.gone("Cancel")
	term.press("s")
	term.see("Cancel")
	term.confirm()
	term.see("unpinned (admin)")

	term.press("a")
	term.see("Add")
	for _, r := range "m4" {
		term.press(string(r))
	}
	term.press(enter)
	term.see("Cancel", "pcgtop elastic add ORDERS fulfillment m4")
	term.confirm()
	term.see("+m4", "m4", "absent", "never seen")

	term.press("x")
	term.see("Drop")
	term.press(" ", down, down, down, " ", enter) // m1 is marked at first, as the selected one
	term.see("Cancel", "pcgtop elastic drop ORDERS fulfillment m4")
	term.confirm()
	term.see("-m4")

	term.press("m")
	term.see("Remap")
	term.press("B", right, "B", enter)
	term.see("Cancel", "pcgtop elastic create-mapping ORDERS fulfillment")
	term.confirm()
	term.see("mapped")

	term.press("q")
	if code := term.exit(5 * time.Second); code != 0 {
		t.Errorf("exit code %d", code)
	}
	<-term.done
	restored(t, term.output())
	if strings.Contains(term.output(), "\x1b[?1002h") {
		t.Error("the mouse was taken without --mouse")
	}
	term.leftNothing()
}

// restored checks that the terminal was given back: the alternate screen left, the
// cursor shown, pasting and the mouse as before.
func restored(t testing.TB, output string) {
	t.Helper()
	modes := map[string]string{"\x1b[?25l": "\x1b[?25h"}
	for _, n := range []string{"1049", "2004", "1000", "1002", "1003", "1006"} {
		modes["\x1b[?"+n+"h"] = "\x1b[?" + n + "l"
	}
	for on, off := range modes {
		if strings.LastIndex(output, on) > strings.LastIndex(output, off) {
			t.Errorf("%q was not undone", on)
		}
	}
}

// TestMovingNumbers: the demo shows numbers that change within three seconds.
func TestMovingNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	best := time.Hour
	for range 3 { // the machine may be busy with other tests
		start := time.Now()
		term := open(t, 120, 40, "demo")
		moving := func(s string) bool { // elastic  3/3  3 +3  LAG  OUT/S: measured, and not 0
			_, row, _ := strings.Cut(s, "ORDERS/fulfillment")
			f := strings.Fields(row)
			if len(f) < 6 {
				return false
			}
			out, err := strconv.Atoi(f[5])
			return err == nil && out > 0
		}
		term.waitFor("a rate", moving)
		best = min(best, time.Since(start))
		term.press("q")
		term.exit(5 * time.Second)
		if best < 3*time.Second {
			t.Logf("moving after %s", best)
			return
		}
	}
	t.Errorf("numbers moved after %s, want 3 s", best)
}

// TestEnds: however it is told to end, it is gone within a second and leaves nothing.
func TestEnds(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	for name, end := range map[string]func(*terminal){
		"SIGTERM":         func(term *terminal) { _ = term.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":          func(term *terminal) { _ = term.cmd.Process.Signal(syscall.SIGHUP) },
		"closed terminal": func(term *terminal) { term.pty.Close() },
		"ctrl+c":          func(term *terminal) { term.press("\x03") },
	} {
		t.Run(name, func(t *testing.T) {
			term := open(t, 80, 24, "demo")
			term.see("ORDERS/fulfillment", "3/3")
			end(term)
			start := time.Now()
			term.exit(5 * time.Second)
			if took := time.Since(start); took > 1500*time.Millisecond {
				t.Errorf("it took %s to end", took)
			}
			<-term.done
			if name != "closed terminal" {
				restored(t, term.output())
			}
			term.leftNothing()
		})
	}
}
