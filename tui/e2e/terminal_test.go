package e2e

import (
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"

	"pcgtop/tui"
)

// TestMain builds the binary once for all tests.
func TestMain(m *testing.M) {
	if tui.Keeper(os.Args[1:]) {
		os.Exit(0)
	}
	if where := os.Getenv("PCGTOP_BREAK"); where != "" {
		os.Exit(breaking(where))
	}
	if dir := os.Getenv(serveIn); dir != "" {
		os.Exit(serveApart(dir))
	}
	if url := os.Getenv(soakMemberOf); url != "" {
		os.Exit(soakMember(url))
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "pcgtop-e2e-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-o", filepath.Join(dir, "pcgtop"), "pcgtop")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return 1
		}
		os.Setenv("PCGTOP_UNDER_TEST", filepath.Join(dir, "pcgtop"))
		return m.Run()
	}())
}

// touchSources looks at every source file, so that a cached result of these tests ends
// when any of them changes: that the binary is built from them is not seen otherwise.
func touchSources() {
	_ = filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".go") || strings.HasPrefix(d.Name(), "go.")) {
			_, err = os.Stat(path)
		}
		return err
	})
}

// binary is the program under test.
func binary() string {
	touchSources()
	return os.Getenv("PCGTOP_UNDER_TEST")
}

// patience bounds every wait for a condition.
const patience = 20 * time.Second

// terminal is the binary running in a pseudo terminal of its own.
type terminal struct {
	t      testing.TB
	cmd    *exec.Cmd
	pty    *os.File
	screen *vt.Emulator
	mu     sync.Mutex // guards screen
	raw    strings.Builder
	tmp    string
	done   chan struct{} // closed when the output ended
	exited chan error
}

// open runs pcgtop with arguments in a terminal of the given size.
func open(t testing.TB, width, height int, args ...string) *terminal {
	t.Helper()
	return openWith(t, width, height, nil, args...)
}

// openWith is open with more in the environment.
func openWith(t testing.TB, width, height int, env []string, args ...string) *terminal {
	t.Helper()
	return start(t, width, height, exec.Command(binary(), args...), env...)
}

// start runs a command in a terminal of its own.
func start(t testing.TB, width, height int, cmd *exec.Cmd, env ...string) *terminal {
	t.Helper()
	term := &terminal{t: t, screen: vt.NewEmulator(width, height), tmp: t.TempDir(), done: make(chan struct{}), exited: make(chan error, 1)}
	term.cmd = cmd
	term.cmd.Env = environment(term.tmp, "TERM=xterm-256color", "COLORTERM=truecolor")
	term.cmd.Env = append(term.cmd.Env, env...)
	f, err := pty.StartWithSize(term.cmd, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)})
	if err != nil {
		t.Fatal(err)
	}
	term.pty = f
	go term.answer()
	go term.draw()
	go func() { term.exited <- term.cmd.Wait() }()
	t.Cleanup(func() {
		_ = term.cmd.Process.Kill() // it has normally ended by now
		<-term.done
		f.Close()
	})
	return term
}

// environment is a clean one: no context or server of the person who runs the test.
func environment(tmp string, more ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + tmp, "XDG_CONFIG_HOME=" + tmp, "TMPDIR=" + tmp, "LANG=C.UTF-8"}, more...)
}

// draw puts what the program writes on the emulated screen.
func (term *terminal) draw() {
	defer close(term.done)
	defer term.unanswered()
	buf := make([]byte, 32<<10)
	for {
		n, err := term.pty.Read(buf)
		term.mu.Lock()
		term.raw.Write(buf[:n])
		_, _ = term.screen.Write(buf[:n])
		term.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// unanswered ends answer. Closing the emulator itself is not safe while it is read.
func (term *terminal) unanswered() {
	if c, ok := term.screen.InputPipe().(io.Closer); ok {
		_ = c.Close()
	}
}

// answer sends the emulator's replies to the program's queries back to it.
func (term *terminal) answer() {
	buf := make([]byte, 4<<10)
	for {
		n, err := term.screen.Read(buf)
		if _, werr := term.pty.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}

// text is the screen as plain lines.
func (term *terminal) text() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return ansi.Strip(term.screen.Render())
}

// output is every byte the program wrote.
func (term *terminal) output() string {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.raw.String()
}

// waitFor waits until the screen satisfies the condition.
func (term *terminal) waitFor(what string, ok func(screen string) bool) string {
	term.t.Helper()
	deadline := time.Now().Add(patience)
	var said []string // on the last line, where messages come and go
	for {
		s := term.text()
		if ok(s) {
			return s
		}
		if last := strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:]); !slices.Contains(said, last) {
			said = append(said, last)
		}
		if time.Now().After(deadline) {
			term.t.Fatalf("waited %s for %s; the screen:\n%s\nits last line was %q", patience, what, s, said)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// see waits until the screen shows every text.
func (term *terminal) see(texts ...string) string {
	term.t.Helper()
	return term.waitFor("the texts "+strings.Join(texts, " | "), func(s string) bool {
		for _, text := range texts {
			if !strings.Contains(s, text) {
				return false
			}
		}
		return true
	})
}

// gone waits until the screen no longer shows the text.
func (term *terminal) gone(text string) {
	term.t.Helper()
	term.waitFor("the end of "+text, func(s string) bool { return !strings.Contains(s, text) })
}

// resize makes the window another size.
func (term *terminal) resize(width, height int) {
	term.t.Helper()
	term.mu.Lock()
	term.screen.Resize(width, height)
	term.mu.Unlock()
	term.size(width, height)
}

// size tells the program alone of another size: the emulated screen stays as large as it is.
func (term *terminal) size(width, height int) {
	term.t.Helper()
	if err := pty.Setsize(term.pty, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		term.t.Fatal(err)
	}
}

// press types keys, one write each, as a keyboard does.
func (term *terminal) press(keys ...string) {
	term.t.Helper()
	for _, k := range keys {
		if _, err := term.pty.WriteString(k); err != nil {
			term.t.Fatalf("typing %q: %v", k, err)
		}
		time.Sleep(15 * time.Millisecond) // a person is slower; keeps an escape apart from what follows
	}
}

// send types a long text at once.
func (term *terminal) send(text string) {
	term.t.Helper()
	if _, err := term.pty.WriteString(text); err != nil {
		term.t.Fatalf("typing %q: %v", text, err)
	}
}

// confirm presses the button of the plan that is shown, as slowly as somebody who has
// read it and sees the button chosen: what comes faster is refused.
func (term *terminal) confirm() (at time.Time) {
	term.t.Helper()
	term.see("[ Cancel ]")
	term.press(tab)
	term.gone("[ Cancel ]")
	return term.enters()
}

// enters presses enter once somebody may have read what is on the screen, and again where
// the program says that this was too quick: a busy machine draws late. It returns when that
// was.
func (term *terminal) enters() (at time.Time) {
	term.t.Helper()
	body := func() string { // the header lives
		_, body, _ := strings.Cut(term.text(), "\n")
		return body
	}
	for range 5 {
		time.Sleep(300 * time.Millisecond)
		before := body()
		at = time.Now()
		term.press(enter)
		for end := time.Now().Add(2 * time.Second); body() == before && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		if !strings.Contains(body(), "too quick") {
			break
		}
	}
	return at
}

const (
	enter = "\r"
	esc   = "\x1b"
	tab   = "\t"
	down  = "\x1b[B"
	right = "\x1b[C"
)

// exit waits for the program's end and returns its exit code.
func (term *terminal) exit(within time.Duration) int {
	term.t.Helper()
	select {
	case <-term.exited:
		return term.cmd.ProcessState.ExitCode()
	case <-time.After(within):
		term.t.Fatalf("still running after %s; the screen:\n%s", within, term.text())
		return -1
	}
}

// leftNothing checks that no file stays in the program's temporary folder.
func (term *terminal) leftNothing() {
	term.t.Helper()
	left, err := os.ReadDir(term.tmp)
	if err != nil {
		term.t.Fatal(err)
	}
	for _, f := range left {
		term.t.Errorf("left behind: %s", f.Name())
	}
	if err := syscall.Kill(term.cmd.Process.Pid, 0); err == nil {
		term.t.Errorf("process %d is still there", term.cmd.Process.Pid)
	}
}
