package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/engine/pcgroups"
)

// The group of the soak: m1 is processes that are killed, m2 instances of orbit.go, m3 and
// m4 ours, of which m4 comes and goes in the membership; m5 is added and dropped from the
// screen.
const (
	soakStream, soakGroup = "SOAK", "work"
	soakKeys              = 64
	soakRate              = 100 // messages a second
)

// soak is a server that is restarted, and what members handled of what was sent to it.
type soak struct {
	t       *testing.T
	options server.Options
	server  *server.Server
	nc      *nats.Conn
	js      jetstream.JetStream

	mu      sync.Mutex
	sent    map[string]bool // by subject; every message has its own
	handled map[string]int  // how often

	kill                     []func() // the processes of m1
	kills, restarts, changes int      // of members, of the server, of the membership
}

// newSoak starts the server, the group and its members.
func newSoak(t *testing.T) *soak {
	t.Helper()
	w := &soak{t: t, sent: map[string]bool{}, handled: map[string]int{},
		options: server.Options{ServerName: "soak", Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true}}
	w.start()
	t.Cleanup(func() { w.server.Shutdown(); w.server.WaitForShutdown() })
	w.options.Port = w.server.Addr().(*net.TCPAddr).Port
	w.nc = w.connect("soak-load")
	w.js, _ = jetstream.New(w.nc)
	ctx := t.Context()
	if _, err := w.js.CreateStream(ctx, jetstream.StreamConfig{Name: soakStream, Subjects: []string{"soak.*.*"}, MaxMsgs: 20_000, AllowDirect: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.CreateElastic(ctx, w.js, soakStream, soakGroup, 12, []orbit.PartitioningFilter{{Filter: "soak.*.*", PartitioningWildcards: []int{1}}}, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.AddMembers(ctx, w.js, soakStream, soakGroup, []string{"m1", "m2", "m3"}); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *soak) start() {
	o := w.options
	s, err := server.NewServer(&o)
	if err != nil {
		w.t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(patience) {
		w.t.Fatal("the server does not come up")
	}
	w.server = s
}

// restart stops the server for a moment. It keeps its port and its store.
func (w *soak) restart() {
	w.server.Shutdown()
	w.server.WaitForShutdown()
	time.Sleep(time.Second)
	w.start()
	w.restarts++
}

func (w *soak) connect(name string) *nats.Conn {
	w.t.Helper()
	nc, err := nats.Connect(w.server.ClientURL(), nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(nc.Close)
	return nc
}

// took notes that a message was handled.
func (w *soak) took(subject string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handled[subject]++
}

func (w *soak) handle(m jetstream.Msg) {
	time.Sleep(time.Millisecond)
	w.took(m.Subject())
	_ = m.Ack() // a lost one is delivered again
}

// member is how all of the soak's consume.
func member() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second, MaxAckPending: 1}
}

// join starts an instance in this process; the returned function ends it.
func (w *soak) join(name string, ours bool) (leave func()) {
	w.t.Helper()
	nc := w.connect("soak-" + name)
	js, _ := jetstream.New(nc)
	var stop func()
	var done <-chan error
	if ours {
		m, err := pcgroups.ElasticConsume(w.t.Context(), js, soakStream, soakGroup, name, w.handle, member())
		if err != nil {
			w.t.Fatal(err)
		}
		stop, done = m.Stop, m.Done()
	} else {
		m, err := orbit.ElasticConsume(context.Background(), js, soakStream, soakGroup, name, w.handle, member())
		if err != nil {
			w.t.Fatal(err)
		}
		stop, done = m.Stop, m.Done()
	}
	return func() {
		stop()
		select {
		case <-done:
		case <-time.After(5 * time.Second): // orbit.go's may wait for a server
		}
		nc.Close()
	}
}

// spawn starts an instance of m1 as a process, which is killed with the returned function.
func (w *soak) spawn() (kill func()) {
	w.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), soakMemberOf+"="+w.server.ClientURL())
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			w.took(lines.Text())
		}
	}()
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
	})
	w.t.Cleanup(kill)
	return kill
}

// soakMemberOf is the variable that makes a process of the tests such an instance, of the
// server that it names.
const soakMemberOf = "PCGTOP_SOAK_MEMBER"

// soakMember is such a process: it prints the subject of what it handles and acknowledges
// it then, so that what was acknowledged is known even of one that was killed. It returns
// an exit code.
func soakMember(url string) int {
	nc, err := nats.Connect(url, nats.Name("soak-m1"), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return 1
	}
	js, err := jetstream.New(nc)
	if err != nil {
		return 1
	}
	m, err := pcgroups.ElasticConsume(context.Background(), js, soakStream, soakGroup, "m1", func(m jetstream.Msg) {
		fmt.Println(m.Subject())
		_ = m.Ack()
	}, member())
	if err != nil || <-m.Done() != nil {
		return 1
	}
	return 0
}

// load publishes until the context ends. A message counts once the server has it; one of
// which that is not known is sent again, and the server drops the second.
func (w *soak) load(ctx context.Context) {
	tick := time.NewTicker(time.Second / soakRate)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		subject := fmt.Sprintf("soak.k%d.%d", n%soakKeys, n)
		for {
			_, err := w.js.Publish(context.Background(), subject, nil, jetstream.WithMsgID(subject))
			if err == nil {
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
		w.mu.Lock()
		w.sent[subject] = true
		w.mu.Unlock()
	}
}

// change adds m4 to the membership, or drops it, as soon as the server lets it.
func (w *soak) change(ctx context.Context, in bool) {
	for ctx.Err() == nil {
		var err error
		if in {
			_, err = pcgroups.AddMembers(ctx, w.js, soakStream, soakGroup, []string{"m4"})
		} else {
			_, err = pcgroups.DeleteMembers(ctx, w.js, soakStream, soakGroup, []string{"m4"})
		}
		if err == nil {
			w.changes++
			return
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// disturb kills, changes and restarts, one after the other, until the context ends.
func (w *soak) disturb(ctx context.Context) {
	const pause = 3 * time.Second
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		switch {
		case n%6 == 5:
			w.restart()
		case n%2 == 0:
			i := n / 2 % len(w.kill)
			w.kill[i]()
			w.kill[i] = w.spawn()
			w.kills++
		default:
			w.change(ctx, n/2%2 == 0)
		}
	}
}

// settled waits until everything that was sent was handled, and tells what was lost, and
// how much was handled more than once.
func (w *soak) settled(within time.Duration) (sent, lost, twice int) {
	for deadline := time.Now().Add(within); ; time.Sleep(100 * time.Millisecond) {
		w.mu.Lock()
		sent, lost, twice = len(w.sent), 0, 0
		for subject := range w.sent {
			switch n := w.handled[subject]; {
			case n == 0:
				lost++
			case n > 1:
				twice++
			}
		}
		w.mu.Unlock()
		if lost == 0 || time.Now().After(deadline) {
			return sent, lost, twice
		}
	}
}

// screens lists the connections of pcgtop, the longest first.
func (w *soak) screens() (list []*server.ConnInfo) {
	w.t.Helper()
	z, err := w.server.Connz(&server.ConnzOptions{Sort: server.ByStart, Username: true})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, c := range z.Conns {
		if c.Name == "pcgtop" {
			list = append(list, c)
		}
	}
	return list
}

// watchers counts the consumers that follow the config bucket.
func (w *soak) watchers() (int, error) {
	s, err := w.js.Stream(w.t.Context(), "KV_elastic-consumer-groups")
	if err != nil {
		return 0, errors.Join(errors.New("the config bucket is not there"), err)
	}
	return s.CachedInfo().State.Consumers, nil
}
