package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// apart is a server in a process of its own: what is measured beside it is not its memory
// and not its work.
type apart struct{ url, monitor string }

// serveIn names, in the environment, the directory that this binary serves in instead of
// running tests.
const serveIn = "PCGTOP_SERVE_IN"

// mostPayload is the largest message that the server takes: eight times what a server takes
// that nobody has told otherwise, and what nats-server suggests at most.
const mostPayload = 8 << 20

// serveApart runs a server until standard input ends. It says where it is in two lines: for
// clients, and for what monitors it.
func serveApart(dir string) int {
	s, err := server.NewServer(&server.Options{
		ServerName: "apart", Host: "127.0.0.1", Port: server.RANDOM_PORT, HTTPHost: "127.0.0.1", HTTPPort: server.RANDOM_PORT,
		JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true, MaxPayload: mostPayload,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		fmt.Fprintln(os.Stderr, "the server does not come up")
		return 1
	}
	fmt.Printf("%s\nhttp://%s\n", s.ClientURL(), s.MonitorAddr())
	_, _ = io.Copy(io.Discard, os.Stdin) // its end is what is waited for
	s.Shutdown()
	s.WaitForShutdown()
	return 0
}

// serverApart starts a server in a process of its own and connects to it. Both end with
// the test.
func serverApart(t testing.TB, options ...jetstream.JetStreamOpt) (*apart, jetstream.JetStream) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = environment(t.TempDir(), serveIn+"="+t.TempDir())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	said := bufio.NewReader(out)
	line := func() string {
		s, err := said.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(s)
	}
	a := &apart{url: line(), monitor: line()}
	nc, err := nats.Connect(a.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, options...)
	if err != nil {
		t.Fatal(err)
	}
	return a, js
}

// traffic is what connections sent and were sent, as the server counts.
type traffic struct{ requests, bytes int64 }

func (t traffic) since(before traffic) traffic {
	return traffic{t.requests - before.requests, t.bytes - before.bytes}
}

// traffic is that of all connections there were of clients of that name.
func (a *apart) traffic(t testing.TB, name string) (sum traffic) {
	t.Helper()
	r, err := http.Get(a.monitor + "/connz?state=all&limit=10000")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	var z server.Connz
	if err := json.NewDecoder(r.Body).Decode(&z); err != nil {
		t.Fatal(err)
	}
	for _, c := range z.Conns {
		if c.Name == name {
			sum.requests += c.InMsgs
			sum.bytes += c.InBytes + c.OutBytes
		}
	}
	return sum
}
