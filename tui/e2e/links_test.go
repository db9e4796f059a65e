package e2e

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// away is how long servers and this machine are away in the tests of links: seconds, or
// with PCGTOP_LONG a minute.
func away() time.Duration {
	if os.Getenv("PCGTOP_LONG") != "" {
		return time.Minute
	}
	return 6 * time.Second
}

// noticed bounds how long it takes until the screen says that nobody answers. What it
// promises is 2 s; a busy machine runs the rest of the test, too.
const noticed = 3 * time.Second

var oldData = regexp.MustCompile(`disconnected, data from (\d\d:\d\d:\d\d) is old; writes are off`)

// lost waits until the screen says that the server is away, and returns it. The data that
// it shows are as old as it says.
func (term *terminal) lost(since time.Time) string {
	term.t.Helper()
	screen := term.waitFor("a word about the link", oldData.MatchString)
	took := time.Since(since)
	term.t.Logf("on the screen %v after the server was gone", took.Round(time.Millisecond))
	if took > noticed {
		term.t.Errorf("it took %v to say that nobody answers", took)
	}
	from, err := time.ParseInLocation(time.DateTime, since.Format(time.DateOnly)+" "+oldData.FindStringSubmatch(screen)[1], time.Local)
	if err != nil {
		term.t.Fatal(err)
	}
	if off := since.Sub(from); off < 0 || off > noticed { // nothing was heard since
		term.t.Errorf("data from %v, and the server was gone at %v:\n%s", from, since, screen)
	}
	return screen
}

// again waits until the screen shows everything as read again.
func (term *terminal) again() string {
	term.t.Helper()
	return term.waitFor("everything read again", func(s string) bool {
		head, _, _ := strings.Cut(s, "\n")
		return strings.Contains(head, "● live") && !strings.Contains(s, "is old") && !age.MatchString(head)
	})
}

// frozen is the demo's server as a process that can be stopped.
type frozen struct {
	url     string
	process *os.Process
}

func freezable(t *testing.T) *frozen {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	cmd := exec.Command(binary(), "demo", "--serve")
	cmd.Env = environment(t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGCONT)
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("no URL on the first line: %v", err)
	}
	return &frozen{strings.TrimSpace(url), cmd.Process}
}

func (f *frozen) signal(t *testing.T, s syscall.Signal) {
	t.Helper()
	if err := f.process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// TestFrozenServer: a server that is stopped answers nobody, though its connections stand.
// The screen says so, keeps what it knows and refuses to write; when the server goes on,
// everything is read again, and what happens moves.
func TestFrozenServer(t *testing.T) {
	t.Parallel()
	f := freezable(t)
	term := open(t, 120, 40, "-s", f.url, "ORDERS/fulfillment")
	term.see("● live", "MEMBERS", "pinned")
	f.signal(t, syscall.SIGSTOP)
	began := time.Now()
	screen := term.lost(began)
	if !strings.Contains(screen, "MEMBERS") || !strings.Contains(screen, "✗ disconnected") {
		t.Errorf("what was known is gone:\n%s", screen)
	}
	term.press("s")
	term.see("link lost: writes are off")
	time.Sleep(away() - time.Since(began)) // it is away for so long
	if screen := term.text(); !oldData.MatchString(screen) {
		t.Errorf("nobody answers, and the screen does not say so:\n%s", screen)
	}
	f.signal(t, syscall.SIGCONT)
	back := time.Now()
	term.again()
	t.Logf("everything read again %v after the server went on", time.Since(back).Round(time.Millisecond))
	term.see("connection lost: no answer to a ping", "connection back, everything read again")
	term.press("q")
	if code := term.exit(5 * time.Second); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestServerAway: a server that is away, and comes back on the same port and store with
// other configs. What was known stays on the screen, marked as old, until it is read again.
func TestServerAway(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	t.Parallel()
	dir, port := t.TempDir(), server.RANDOM_PORT
	run := func() (*server.Server, jetstream.JetStream) {
		return ownServerWith(t, &server.Options{ServerName: "away", Port: port, StoreDir: dir})
	}
	s, js := run()
	port = s.Addr().(*net.TCPAddr).Port
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORD", Subjects: []string{"ord.*"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.CreateElastic(t.Context(), js, "ORD", "before", 4, nil, -1, -1); err != nil {
		t.Fatal(err)
	}
	term := open(t, 120, 40, "-s", s.ClientURL())
	term.see("● live", "ORD/before")
	s.Shutdown()
	began := time.Now()
	if screen := term.lost(began); !strings.Contains(screen, "ORD/before") {
		t.Errorf("what was known is gone:\n%s", screen)
	}
	s.WaitForShutdown()
	time.Sleep(away() - time.Since(began)) // it is away for so long
	_, js = run()
	if _, err := orbit.CreateElastic(t.Context(), js, "ORD", "after", 4, nil, -1, -1); err != nil {
		t.Fatal(err)
	}
	back := time.Now()
	term.again()
	term.see("ORD/before", "ORD/after")
	t.Logf("everything read again %v after the server was back", time.Since(back).Round(time.Millisecond))
	term.press("q")
	term.exit(5 * time.Second)
}

// TestAnotherCluster: behind the address of a server that was away stands one of another
// cluster. The screen says so, whatever is looked at, until the right one answers again.
func TestAnotherCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	t.Parallel()
	port := server.RANDOM_PORT
	run := func(name, cluster string) *server.Server {
		o := &server.Options{ServerName: name, Port: port, StoreDir: t.TempDir()}
		o.Cluster.Name = cluster
		s, _ := ownServerWith(t, o)
		return s
	}
	s := run("n1", "east")
	port = s.Addr().(*net.TCPAddr).Port
	term := open(t, 120, 40, "-s", s.ClientURL())
	term.see("n1", "● live")
	natstest.Stop(s)
	s = run("x1", "west")
	const banner = "another cluster answers: x1 in west, at first it was n1 in east: is it the right one?"
	term.see("● live", banner)
	term.press("e")
	term.see("of all groups", banner)
	natstest.Stop(s)
	run("n2", "east")
	term.gone("at first it was")
	term.see("● live", "another cluster answers: n2 in east now, x1 in west before")
	term.press("q")
	term.exit(5 * time.Second)
}

// TestClosedForGood: a connection that the client gives up for good, as when it is told
// what it does not understand, leaves no picture to show. The program ends, says why, and
// gives the terminal back.
func TestClosedForGood(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	t.Parallel()
	s, _ := ownServer(t)
	front, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = front.Close() })
	clients := make(chan net.Conn, 1)
	go func() {
		in, err := front.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			return
		}
		clients <- in
		go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
		_, _ = io.Copy(in, out)
	}()
	term := open(t, 80, 24, "-s", "nats://"+front.Addr().String())
	term.see("● live")
	if _, err := io.WriteString(<-clients, "-ERR 'out of order'\r\n"); err != nil {
		t.Fatal(err)
	}
	if code := term.exit(patience); code != 1 {
		t.Errorf("exit code %d", code)
	}
	<-term.done
	out := term.output()
	restored(t, out)
	if after := out[strings.LastIndex(out, "\x1b[?1049l"):]; !strings.Contains(after, "pcgtop: ") || !strings.Contains(after, "connection closed") {
		t.Errorf("why it ended: %q", after)
	}
}

var age = regexp.MustCompile(`● live (\d+) s`)

// TestAfterASleep: pcgtop itself is stopped for longer than its pings lie apart, as by a
// laptop's sleep, while its server gives up on it and a group changes. When it goes on it
// does not show what it knew as if it were new: it reads everything again.
func TestAfterASleep(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	t.Parallel()
	for name, pings := range map[string]time.Duration{"the server waits": 2 * time.Minute, "the server gives up": 500 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, js := ownServerWith(t, &server.Options{ServerName: "awake", Port: server.RANDOM_PORT, StoreDir: t.TempDir(), PingInterval: pings, MaxPingsOut: 2})
			if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORD", Subjects: []string{"ord.*"}}); err != nil {
				t.Fatal(err)
			}
			if _, err := orbit.CreateElastic(t.Context(), js, "ORD", "before", 4, nil, -1, -1); err != nil {
				t.Fatal(err)
			}
			term := open(t, 120, 40, "-s", s.ClientURL())
			term.see("● live", "ORD/before")
			clients := s.NumClients()
			if err := term.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			slept := time.Now()
			t.Cleanup(func() { _ = term.cmd.Process.Signal(syscall.SIGCONT) })
			if _, err := orbit.CreateElastic(t.Context(), js, "ORD", "meanwhile", 4, nil, -1, -1); err != nil {
				t.Fatal(err)
			}
			time.Sleep(away()) // it sleeps for so long
			if pings < time.Second && s.NumClients() >= clients {
				t.Errorf("the server holds on to who sleeps: %d clients", s.NumClients())
			}
			mark := len(term.output())
			if err := term.cmd.Process.Signal(syscall.SIGCONT); err != nil {
				t.Fatal(err)
			}
			woke := time.Now()
			term.see("connection back, everything read again", "ORD/meanwhile")
			t.Logf("everything read again %v after it slept for %v", time.Since(woke).Round(time.Millisecond), woke.Sub(slept).Round(time.Second))
			if pings > time.Second {
				term.see("connection lost: pcgtop was stopped for")
			} else {
				term.see("connection lost")
			}
			term.again()
			if m := age.FindStringSubmatch(term.output()[mark:]); m != nil { // a frame from before anybody was asked says how old it is
				if n, _ := strconv.Atoi(m[1]); time.Duration(n)*time.Second < away()-2*time.Second {
					t.Errorf("after a sleep of %v the screen said %q", away(), m[0])
				}
			}
			term.press("q")
			term.exit(5 * time.Second)
		})
	}
}
