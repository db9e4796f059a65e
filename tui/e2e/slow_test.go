package e2e

import (
	"net"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// distant is the address of a server as it is over a link on which everything takes so long
// each way.
func distant(t *testing.T, target string, oneWay time.Duration) (url string) {
	t.Helper()
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = front.Close() })
	go func() {
		for {
			in, err := front.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", strings.TrimPrefix(target, "nats://"))
			if err != nil {
				_ = in.Close()
				continue
			}
			go delay(out, in, oneWay)
			go delay(in, out, oneWay)
		}
	}()
	return "nats://" + front.Addr().String()
}

// delay hands everything on so much later, until one of the two is closed.
func delay(to, from net.Conn, by time.Duration) {
	type chunk struct {
		bytes []byte
		due   time.Time
	}
	under := make(chan chunk, 1<<12) // on its way
	go func() {
		defer to.Close()
		for c := range under {
			time.Sleep(time.Until(c.due))
			if _, err := to.Write(c.bytes); err != nil {
				_ = from.Close() // ends the other loop
			}
		}
	}()
	defer close(under)
	for {
		buffer := make([]byte, 32<<10)
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		under <- chunk{buffer[:n], time.Now().Add(by)}
	}
}

// TestSlowLink: a round trip of 2 s is slow, and not dead. The screens say that the link is
// slow, and commands read over it.
func TestSlowLink(t *testing.T) {
	t.Parallel()
	a := serve(t)
	a.url = distant(t, a.url, time.Second)
	term := open(t, 100, 30, "-s", a.url)
	ended := make(chan struct{})
	for _, args := range []string{"report", "check"} {
		go func() {
			defer func() { ended <- struct{}{} }()
			out, errs, code := a.run(t, "", args)
			if want := map[string]int{"report": 0, "check": 1}[args]; code != want || !strings.Contains(out, "m3 never seen") || strings.Contains(out, "unread") {
				t.Errorf("pcgtop %s: exit %d\n%s%s", args, code, out, errs)
			}
		}()
	}
	for range 2 {
		select {
		case <-ended:
		case <-time.After(2 * patience):
			t.Fatal("a command does not end")
		}
	}
	term.see("● live", "slow link, 20", "TELEMETRY/rollup", "m3 never seen")
	term.press("q")
	term.exit(patience)
}

// TestNobodyAnswersACommand: a server that freezes or goes while a command reads ends that
// command after its timeout, with a line that says so.
func TestNobodyAnswersACommand(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"frozen": syscall.SIGSTOP, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := freezable(t)
			watched := watchers(t, f.url)
			before := watched()
			text := f.reads(t, 3, "UNKNOWN: ", "check", "--for", "1h")
			json := f.reads(t, 3, `{"status":"unknown","code":3,"error":"`, "check", "--for", "1h", "-o", "json")
			within(t, "both read", func() bool { return watched() >= before+2 })
			report := f.reads(t, 1, "pcgtop: ", "report", "-n", "1000", "--every", "100ms")
			within(t, "reports", func() bool { return strings.Count(report.out.String(), "m3 never seen") > 2 })
			f.signal(t, sig)
			gone := time.Now()
			for _, r := range []*reading{text, json, report} {
				r.ends(t, gone)
			}
		})
	}
}

// commandTimeout is what commands are given to wait for an answer in these tests.
const commandTimeout = 3 * time.Second

// reading is a command that reads until it is ended, and how it is to end.
type reading struct {
	cmd   *exec.Cmd
	code  int
	says  string
	out   lines
	ended chan struct{}
}

func (f *frozen) reads(t *testing.T, code int, says string, args ...string) *reading {
	t.Helper()
	r := &reading{cmd: exec.Command(binary(), append([]string{"-s", f.url, "--timeout", commandTimeout.String()}, args...)...), code: code, says: says, ended: make(chan struct{})}
	r.cmd.Env = environment(t.TempDir())
	r.cmd.Stdout, r.cmd.Stderr = &r.out, &r.out
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(r.ended)
		_ = r.cmd.Wait() // the exit code says it
	}()
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill() // it has normally ended by now
		<-r.ended
	})
	return r
}

// ends waits for the end of a command whose server is gone since.
func (r *reading) ends(t *testing.T, since time.Time) {
	t.Helper()
	select {
	case <-r.ended:
	case <-time.After(patience):
		t.Errorf("%q does not end", r.cmd.Args[1:])
		return
	}
	t.Logf("%q ended %v after the server was gone", r.cmd.Args[5:], time.Since(since).Round(time.Millisecond))
	why := r.cmd.Args[2] + " does not answer for " + commandTimeout.String() + ": not connected to the server: ask again once it is back"
	if code, out := r.cmd.ProcessState.ExitCode(), r.out.String(); code != r.code || !strings.Contains(out, r.says) || !strings.Contains(out, why) {
		t.Errorf("%q: exit %d, want %d with %q and %q\n%s", r.cmd.Args[1:], code, r.code, r.says, why, out)
	}
}

// lines is what a command prints, to be read while it runs.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// watchers counts those who watch the configs of elastic groups.
func watchers(t *testing.T, url string) func() int {
	t.Helper()
	js := clientOf(t, url, nil)
	return func() int {
		s, err := js.Stream(t.Context(), "KV_elastic-consumer-groups")
		if err != nil {
			t.Fatal(err)
		}
		return s.CachedInfo().State.Consumers
	}
}
