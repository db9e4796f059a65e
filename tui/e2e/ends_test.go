package e2e

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	tty "github.com/charmbracelet/x/term"

	"pcgtop/model"
	"pcgtop/tui"
)

// breaking runs the screens on a source that panics, in this process: the tests start
// themselves once more for it. It returns the exit code that main would.
func breaking(where string) int {
	s := &brokenSource{where: where, snapshots: make(chan *model.Snapshot, 1), shared: map[int]int{}}
	s.snapshots <- model.Reduce(nil, time.Now(), model.LinkSeen{State: model.LinkLive},
		model.ConfigSeen{Key: model.Key{Kind: model.KindElastic, Stream: "S", Group: "g"}, Revision: 1, Config: &model.Config{Partitions: 2}})
	err := tui.Run(context.Background(), tui.Options{Source: s, Mouse: true})
	if err != nil {
		fmt.Fprintln(os.Stderr, "pcgtop:", err)
		return 1
	}
	return 0
}

// brokenSource breaks the program, or lets somebody write to standard error: when it is
// first told what is looked at, which is within Update; while it is waited for, which is
// within a command; and in a goroutine that nobody recovers, when it is asked to read now.
type brokenSource struct {
	where     string
	snapshots chan *model.Snapshot
	shared    map[int]int
}

func (s *brokenSource) Snapshots() <-chan *model.Snapshot {
	if s.where == "start" {
		panic("oh no, in the start")
	}
	return s.snapshots
}

func (s *brokenSource) Focus(*model.Key, []model.Key) {
	if s.where == "update" {
		panic("oh no, in the update")
	}
}

func (s *brokenSource) ReadNow() {
	switch s.where {
	case "goroutine":
		go func() { panic("oh no, in the goroutine") }()
	case "fatal":
		go log.Fatal("oh no, a fatal log")
	case "runtime": // what recover does not get
		for range 2 {
			go func() {
				for m := s.shared; ; {
					m[0]++
				}
			}()
		}
	case "speaks":
		log.Print("a library logs\x1b[2J")
		println("the runtime says\x1b[2J")
	}
}

// breaks starts it in a terminal.
func breaks(t *testing.T, where string) *terminal {
	t.Helper()
	return start(t, 80, 24, exec.Command(os.Args[0]), "PCGTOP_BREAK="+where)
}

// TUI-01: a panic gives the terminal back as it was, says what happened and does not end
// as if all were well. So does what nobody can recover, a library that exits, and a kill.
func TestABrokenProgramGivesTheTerminalBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		where string
		code  int // the runtime's own is 2
		says  string
	}{
		{"update", 1, "oh no, in the update"},
		{"start", 1, "oh no, in the start"},
		{"goroutine", 2, "panic: oh no, in the goroutine"},
		{"runtime", 2, "[running]"},
		{"fatal", 1, "oh no, a fatal log"},
		{"killed", -1, ""},
	} {
		term := breaks(t, c.where)
		before := modes(t, term)
		if c.code != 1 || c.where == "fatal" {
			term.see("VERDICT", "S/g")
			before = modes(t, term)
			if c.where == "killed" { // with all that its group has
				_ = syscall.Kill(-term.cmd.Process.Pid, syscall.SIGKILL)
			}
			term.press("r")
		}
		if code := term.exit(patience); code != c.code {
			t.Errorf("%s: exit code %d, want %d", c.where, code, c.code)
		}
		<-term.done
		out := term.output()
		restored(t, out)
		if after := modes(t, term); c.code != 1 && after == before {
			t.Errorf("%s: the terminal is still raw", c.where)
		}
		last := max(strings.LastIndex(out, "\x1b[?1049l"), 0)
		if !strings.Contains(out[last:], c.says) || c.says != "" && c.where != "fatal" && !strings.Contains(out[last:], "goroutine") {
			t.Errorf("%s: it is not told once the screen is gone: %q", c.where, out[last:])
		}
	}
}

// TUI-02: with the mouse taken, too, the terminal is as before however the program ends,
// and after a suspension the whole screen is drawn again.
func TestEndsWithTheMouse(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	for name, end := range map[string]func(*terminal){
		"SIGTERM": func(term *terminal) { _ = term.cmd.Process.Signal(syscall.SIGTERM) },
		"SIGHUP":  func(term *terminal) { _ = term.cmd.Process.Signal(syscall.SIGHUP) },
		"q":       func(term *terminal) { term.press("q") },
	} {
		term := open(t, 80, 24, "demo", "--mouse")
		term.see("ORDERS/fulfillment", "3/3")
		before := modes(t, term)
		if !strings.Contains(term.output(), "\x1b[?1002h") {
			t.Errorf("%s: the mouse is not taken", name)
		}
		end(term)
		start := time.Now()
		term.exit(5 * time.Second)
		if took := time.Since(start); took > 1500*time.Millisecond {
			t.Errorf("%s: it took %s to end", name, took)
		}
		if after := modes(t, term); after == before {
			t.Errorf("%s: the terminal is still raw", name)
		}
		<-term.done
		restored(t, term.output())
	}
}

// TUI-02: resumed after a suspension, by its own key or by a signal, and again, the whole
// screen is drawn again, and the mouse is taken again.
func TestResume(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	term := open(t, 80, 24, "demo", "--mouse")
	term.see("ORDERS/fulfillment", "3/3")
	raw := modes(t, term)
	for name, stop := range map[string]func() error{
		"by its key":  func() error { term.press("\x1a"); return nil },
		"by a signal": func() error { return term.cmd.Process.Signal(syscall.SIGTSTP) },
	} {
		from := term.written()
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		term.waitFor(name+": the shell's screen", func(string) bool { return strings.Contains(term.output()[from:], "\x1b[?1049l") })
		term.waitFor(name+": to be stopped", func(string) bool { return strings.HasPrefix(term.status("State"), "T") })
		restored(t, term.output())
		before := term.written()
		if err := term.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		term.waitFor(name+": the screen anew", func(string) bool {
			again := term.output()[before:]
			return strings.Contains(again, "\x1b[?1049h") && strings.Contains(again, "\x1b[?1002h") && strings.Contains(again, "VERDICT")
		})
		term.see("ORDERS/fulfillment", "3/3")
		if now := modes(t, term); now != raw {
			t.Errorf("%s: the terminal is not as it was: %s, not %s", name, now, raw)
		}
	}
	term.press("q")
	term.exit(patience)
}

// modes is how the terminal treats what is typed.
func modes(t *testing.T, term *terminal) string {
	t.Helper()
	s, err := tty.GetState(term.pty.Fd())
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v", *s)
}

// Clicks reach the program as the terminal sends them: a row, once more to open it, a
// step down by buttons alone.
func TestMouseInATerminal(t *testing.T) {
	t.Parallel()
	term := open(t, 120, 40, "demo", "--mouse")
	click := func(text string) {
		t.Helper()
		x, y := -1, -1
		term.waitFor(text, func(s string) bool {
			for i, line := range strings.Split(s, "\n") {
				if at := strings.Index(line, text); at >= 0 {
					x, y = len([]rune(line[:at])), i
					return true
				}
			}
			return false
		})
		term.press(fmt.Sprintf("\x1b[<0;%d;%dM\x1b[<0;%d;%dm", x+1, y+1, x+1, y+1))
	}
	term.see("ORDERS/fulfillment", "3/3", "! degraded", "● live") // the rows have found their places
	click("ORDERS/fulfillment")
	term.waitFor("the row to be selected", func(s string) bool {
		for _, line := range strings.Split(s, "\n") {
			if strings.HasPrefix(line, "▌") && strings.Contains(line, "ORDERS/fulfillment") {
				return true
			}
		}
		return false
	})
	click("ORDERS/fulfillment")
	term.see("▸MEMBERS", "pinned")
	click("step down")
	term.see("Cancel", "pcgtop elastic step-down ORDERS fulfillment m1")
	time.Sleep(300 * time.Millisecond) // sooner it counts as not read
	click("  Step down m1  ")
	term.see("unpinned (admin)")
	term.press("q")
	term.exit(patience)
}

// TUI-12: what is written to standard error does not paint over the screen, whoever
// writes it: it is said as a message, and written out when the screen is gone.
func TestStandardErrorIsKeptOffTheScreen(t *testing.T) {
	t.Parallel()
	other := func(term *terminal) { // by the number of the file, as a library in C would
		stderr, err := os.OpenFile(fmt.Sprintf("/proc/%d/fd/2", term.cmd.Process.Pid), os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer stderr.Close()
		fmt.Fprint(stderr, "a library complains\x1b[2J\x1b[31m\n\n\n")
	}
	for name, c := range map[string]struct {
		term *terminal
		says func(*terminal)
		want []string
	}{
		"file 2":                 {open(t, 80, 24, "demo"), other, []string{"a library complains"}},
		"logger and the runtime": {breaks(t, "speaks"), func(term *terminal) { term.press("r") }, []string{"a library logs", "the runtime says"}},
	} {
		if name == "file 2" && runtime.GOOS != "linux" {
			continue // it opens the standard error of another process
		}
		c.term.see("VERDICT")
		c.says(c.term)
		c.term.waitFor("one of the messages", func(s string) bool { // the one that came last
			return strings.Contains(s, `\x1b[2J`) && strings.Contains(s, "VERDICT")
		})
		c.term.press("q")
		c.term.exit(patience)
		<-c.term.done
		out := c.term.output()
		if regexp.MustCompile(`(complains|logs|says)\x1b\[2J`).MatchString(out) {
			t.Errorf("%s: it reached the terminal as it was", name)
		}
		after := out[strings.LastIndex(out, "\x1b[?1049l"):]
		for _, want := range c.want {
			if strings.Count(after, want) != 1 || strings.Contains(after, "\x1b[2J") {
				t.Errorf("%s: it is not written out safely afterwards, once: %q", name, after)
			}
		}
	}
}

// CLI-04: no terminal, one that cannot, one without colours, and one of a single cell.
func TestOddTerminals(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	for _, env := range [][]string{{"TERM=dumb"}, {"TERM="}} {
		term := openWith(t, 80, 24, env, "demo")
		if code := term.exit(patience); code != 2 {
			t.Errorf("%v: exit code %d", env, code)
		}
		<-term.done
		if out := term.output(); strings.Contains(out, "\x1b") || !strings.Contains(out, "pcgtop report") {
			t.Errorf("%v: %q", env, out)
		}
	}
	term := open(t, 1, 1, "demo")
	term.waitFor("anything", func(string) bool { return term.written() > 0 })
	term.resize(20, 3)
	term.see("40x12 needed")
	term.resize(80, 24)
	term.see("ORDERS/fulfillment")
	term.resize(1, 1)
	term.press("q")
	if code := term.exit(patience); code != 0 {
		t.Errorf("1x1: exit code %d", code)
	}
	// A server that is not there: said before the screen is taken.
	term = open(t, 80, 24, "-s", "nats://127.0.0.1:1", "--timeout", "200ms")
	if code := term.exit(patience); code != 1 {
		t.Errorf("no server: exit code %d", code)
	}
	<-term.done
	if out := term.output(); strings.Contains(out, "\x1b") || strings.Count(strings.TrimSpace(out), "\n") > 0 {
		t.Errorf("no server: %q", out)
	}
}
