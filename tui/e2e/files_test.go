//go:build unix

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pcgtop/model/recording"
)

// Files that keep others waiting, or take nothing more, are one clear line.
func TestFilesThatAreNone(t *testing.T) {
	t.Parallel()
	a := serve(t)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"report", "--replay", pipe}, 1, "no recording that can be read: it is no file"},
		{[]string{"config", "--config", pipe}, 2, "is a pipe; give a file"},
		{[]string{"record", pipe, "--force", "--for", "1s"}, 1, "recording: open " + pipe},
		{[]string{"report", "--audit", pipe}, 1, "audit file: open " + pipe},
		{[]string{"report", "--log-events", pipe}, 1, "event log: open " + pipe},
	} {
		_, stderr, code := a.run(t, "", c.args...)
		if code != c.code || !strings.Contains(stderr, c.says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: exit %d, %q", c.args, code, stderr)
		}
	}
}

// Events that cannot be written are said on the screen, when it is left, and by the exit
// code.
func TestEventsThatAreNotWritten(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("there is no /dev/full")
	}
	a := serve(t)
	term := open(t, 120, 40, "-s", a.url, "--log-events", "/dev/full")
	term.see("ORDERS/fulfillment")
	if _, stderr, code := a.run(t, "", "elastic", "add", "ORDERS", "fulfillment", "m9"); code != 0 {
		t.Fatal(stderr)
	}
	term.see("events are no longer written: event log: write /dev/full: no space left on device")
	term.press("q")
	if code := term.exit(patience); code != 1 {
		t.Errorf("exit %d", code)
	}
	if out := term.output(); !strings.Contains(out[strings.LastIndex(out, "\x1b[?1049l"):], "pcgtop: events are no longer written") {
		t.Error("it is not said when the screen is left")
	}
}

// A recording on standard output is one that can be replayed, and nothing else is there.
func TestARecordingOnStandardOutput(t *testing.T) {
	t.Parallel()
	a := serve(t)
	out, stderr, code := a.run(t, "", "record", "-", "ORDERS/fulfillment", "--for", "2s")
	if code != 0 || !strings.Contains(stderr, "pictures in 2s") || strings.Count(stderr, "\n") != 1 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	name := filepath.Join(t.TempDir(), "r.jsonl")
	if err := os.WriteFile(name, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if shown, stderr, code := a.run(t, "", "report", "--replay", name, "ORDERS"); code != 0 || stderr != "" || !strings.Contains(shown, "ORDERS/fulfillment") {
		t.Errorf("exit %d: %s%s", code, shown, stderr)
	}
	term := open(t, 80, 24, "-s", a.url, "record", "-")
	code = term.exit(patience)
	const says = "standard output is a terminal"
	for deadline := time.Now().Add(patience); !strings.Contains(term.output(), says) && time.Now().Before(deadline); time.Sleep(time.Millisecond) {
	} // what it printed may be read after it has ended
	if code != 2 || !strings.Contains(term.output(), says) {
		t.Errorf("on a terminal: exit %d: %q", code, term.output())
	}
	for _, long := range []string{"--for=0s", "--for=-3s"} {
		file := filepath.Join(t.TempDir(), "none.jsonl")
		_, stderr, code := a.run(t, "", "record", file, long)
		if _, err := os.Stat(file); code != 2 || err == nil || !strings.Contains(stderr, "give a time above 0s") || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %v: %s", long, code, err, stderr)
		}
	}
}

// The first picture of a recording is whole: nothing in it looks deleted.
func TestARecordingBeginsWhole(t *testing.T) {
	t.Parallel()
	a := serve(t)
	name := filepath.Join(t.TempDir(), "r.jsonl")
	if _, stderr, code := a.run(t, "", "record", name, "ORDERS/fulfillment", "--for", "2s"); code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	r, err := recording.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := r.Snapshot(0)
	if err != nil || len(s.Groups) < 4 || s.Link.State != "live" {
		t.Fatalf("%v, %d groups, link %s", err, len(s.Groups), s.Link.State)
	}
	if out, stderr, code := a.run(t, "", "report", "--replay", name, "--at", "0%"); code != 0 || !strings.Contains(out, "ORDERS/fulfillment") {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
	if _, stderr, code := a.run(t, "", "report", "--replay", name, "NO/SUCH"); code != 3 || !strings.Contains(stderr, "NO/SUCH: not found in "+name) {
		t.Errorf("a report of a group that is not there: exit %d, %s", code, stderr)
	}
	picture := filepath.Join(t.TempDir(), "x.txt")
	if _, stderr, code := a.run(t, "", "shot", "-o", picture, "--replay", name, "NO/SUCH"); code != 3 || !strings.Contains(stderr, "NO/SUCH: not found in "+name) {
		t.Errorf("a picture of a group that is not there: exit %d, %s", code, stderr)
	}
}
