package natstest

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Servers are a cluster's servers, nats-1 to nats-3, and the options with which each can
// be started again by [Run].
type Servers struct {
	All     []*server.Server
	Options []*server.Options
}

// Cluster starts three servers that know each other, lead, and can place streams.
func Cluster(t testing.TB, change ...func(*server.Options)) *Servers {
	t.Helper()
	var c *Servers
	for range 3 {
		if c = unformed(t, change); c.forms() {
			break
		}
		for _, s := range c.All { // somebody else may have taken one of its ports
			Stop(s)
		}
	}
	c.awaitPlacement(t)
	return c
}

func unformed(t testing.TB, change []func(*server.Options)) *Servers {
	t.Helper()
	ports, routes := freePorts(t, 3)
	c := &Servers{}
	for n, port := range ports {
		o := options(t, change)
		o.ServerName = fmt.Sprintf("nats-%d", n+1)
		o.Cluster = server.ClusterOpts{Name: "C", Host: o.Host, Port: port}
		o.Routes = server.RoutesFromStr(strings.Join(routes, ","))
		c.All, c.Options = append(c.All, start(t, o)), append(c.Options, o)
	}
	return c
}

// freePorts finds ports that nobody listens to, for the moment.
func freePorts(t testing.TB, n int) (ports []int, urls []string) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0") // a free port, for a moment
		if err != nil {
			t.Fatalf("find a port: %v", err)
		}
		defer l.Close() // when all are found: no two are the same
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		urls = append(urls, "nats://"+l.Addr().String())
	}
	return ports, urls
}

// Await waits until the servers, as they are now, know each other and have a leader.
func (c *Servers) Await(t testing.TB) {
	t.Helper()
	if !c.forms() {
		t.Fatal("the cluster does not form")
	}
}

func (c *Servers) forms() bool {
	apart := func(s *server.Server) bool {
		return !s.JetStreamIsCurrent() || s.NumRoutes() == 0 || !s.ReadyForConnections(10*time.Millisecond)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if slices.ContainsFunc(c.All, (*server.Server).JetStreamIsLeader) && !slices.ContainsFunc(c.All, apart) {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// awaitPlacement waits until the leader knows what each server can take.
func (c *Servers) awaitPlacement(t testing.TB) {
	t.Helper()
	nc, err := nats.Connect(c.All[0].ClientURL())
	if err != nil {
		t.Fatalf("connect to the cluster: %v", err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatalf("JetStream of the cluster: %v", err)
	}
	Soon(t, "place a stream in the cluster", func() (jetstream.Stream, error) {
		return js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "READY", Replicas: 3, Storage: jetstream.MemoryStorage})
	})
	Soon(t, "delete it", func() (any, error) { return nil, js.DeleteStream(t.Context(), "READY") })
}
