package observe

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
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// cluster starts three servers with JetStream that know each other; by their options each
// can be started again.
func cluster(t testing.TB) (list []*server.Server, all []*server.Options) {
	t.Helper()
	for range 3 {
		if list, all = unformed(t); forms(list) {
			break
		}
		for _, s := range list { // somebody else may have taken one of its ports
			stopServer(s)
		}
	}
	awaitPlacement(t, list)
	return list, all
}

// unformed starts the servers of a cluster.
func unformed(t testing.TB) (list []*server.Server, all []*server.Options) {
	t.Helper()
	var routes []string
	var ports []int
	for range 3 {
		l := must(net.Listen("tcp", "127.0.0.1:0")) // a free port, for a moment
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
		routes = append(routes, "nats://"+l.Addr().String())
		l.Close()
	}
	for n, port := range ports {
		system := server.NewAccount("$SYS")
		options := &server.Options{
			SystemAccount: system.Name, Accounts: []*server.Account{system}, NoAuthUser: "any",
			Users:      []*server.User{{Username: "any"}, {Username: "system", Password: "pw", Account: system}},
			ServerName: fmt.Sprintf("nats-%d", n+1), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
			Cluster: server.ClusterOpts{Name: "C", Host: "127.0.0.1", Port: port}, Routes: server.RoutesFromStr(strings.Join(routes, ",")),
		}
		list, all = append(list, startAgain(t, options)), append(all, options)
	}
	return list, all
}

// awaitPlacement waits until the leader knows what each server can take.
func awaitPlacement(t testing.TB, list []*server.Server) {
	t.Helper()
	js := jetStream(t, connect(t, list[0].ClientURL()))
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		_, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "READY", Replicas: 3, Storage: jetstream.MemoryStorage})
		if err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nothing can be placed in the cluster: ", err)
		}
	}
	if err := js.DeleteStream(t.Context(), "READY"); err != nil {
		t.Fatal(err)
	}
}

// startAgain starts a server of a cluster, with what it stored if it ran before.
func startAgain(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s := must(server.NewServer(o.Clone()))
	s.Start()
	t.Cleanup(func() { stopServer(s) })
	return s
}

// awaitCluster waits until the servers know each other and have a leader.
func awaitCluster(t testing.TB, list []*server.Server) {
	t.Helper()
	if !forms(list) {
		t.Fatal("the cluster does not form")
	}
}

// forms tells whether the servers become a cluster in time.
func forms(list []*server.Server) bool {
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if slices.ContainsFunc(list, (*server.Server).JetStreamIsLeader) && !slices.ContainsFunc(list, func(s *server.Server) bool { return !s.JetStreamIsCurrent() || s.NumRoutes() == 0 }) {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
	}
}

// A server down, the leaders among them, leaves the picture live and moves on; without a
// quorum what is known stays and says why it is old; when the servers are back all is read
// again.
func TestServersGoAndComeBack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	servers, options := cluster(t)
	js := jetStream(t, connect(t, servers[0].ClientURL()))
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.*"}, Replicas: 3}))
	must(orbit.CreateElastic(t.Context(), js, "S", "g", 6, []orbit.PartitioningFilter{{Filter: "s.*", PartitioningWildcards: []int{1}}}, -1, -1))
	must(orbit.AddMembers(t.Context(), js, "S", "g", []string{"m1"}))
	k := elastic("S", "g")
	leads := func(stream string) func(*server.Server) bool {
		return func(s *server.Server) bool { return s.JetStreamIsStreamLeader("$G", stream) }
	}
	eventually(t, "the work stream has a leader", func() bool { return slices.ContainsFunc(servers, leads("S-g")) })
	first := slices.IndexFunc(servers, leads("S-g"))
	here, second := (first+1)%3, (first+2)%3

	opts := quick()
	opts.Timeout = time.Second
	_, r := observe(t, connect(t, servers[here].ClientURL()), opts)
	read := func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).ReadError == "" && !s.Group(k).ReadAt.IsZero()
	}
	r.until(t, "the group", read)

	// Another meta leader alone is nobody's loss: streams and consumers keep theirs.
	meta := slices.IndexFunc(servers, (*server.Server).JetStreamIsLeader)
	system := connect(t, servers[meta].ClientURL(), nats.UserInfo("system", "pw"))
	must(system.Request("$JS.API.META.LEADER.STEPDOWN", nil, 5*time.Second))
	eventually(t, "another meta leader", func() bool {
		now := slices.IndexFunc(servers, (*server.Server).JetStreamIsLeader)
		return now >= 0 && now != meta
	})
	stepped := time.Now()
	r.until(t, "the group is read, and all streams are listed, by the new meta leader", func(s *model.Snapshot) bool { return read(s) && s.Group(k).ReadAt.After(stepped) })
	if now := r.now(); slices.ContainsFunc(now.Group(k).Findings, func(f model.Finding) bool { return f.Severity == model.Critical }) || now.Unseen() != nil {
		t.Errorf("%+v, %q", now.Group(k).Findings, now.Unseen())
	}

	stopServer(servers[first])
	down := time.Now()
	r.until(t, "another leader is told, and the group is read from there", func(s *model.Snapshot) bool {
		return read(s) && s.Group(k).ReadAt.After(down) && slices.ContainsFunc(s.Events, func(e model.Event) bool { return e.Kind == model.EventLeader })
	})
	r.until(t, "the server that is down is named", func(s *model.Snapshot) bool {
		return slices.ContainsFunc(s.Group(k).Findings, func(f model.Finding) bool {
			return f.ID == "server-down" && f.Text == "1 of the 3 servers of stream S-g down: "+servers[first].Name()
		})
	})
	must(orbit.AddMembers(t.Context(), jetStream(t, connect(t, servers[second].ClientURL())), "S", "g", []string{"m2"}))
	r.until(t, "a change", func(s *model.Snapshot) bool { return s.Group(k) != nil && s.Group(k).Member("m2") != nil })

	stopServer(servers[second])
	_, took := r.within(t, time.Minute, "it is said that nobody answers for the group", func(s *model.Snapshot) bool { return s.Group(k) != nil && s.Group(k).ReadError != "" })
	t.Logf("without a quorum: %q after %v, link %v", r.now().Group(k).ReadError, took, r.now().Link.State)
	if g := r.now().Group(k); len(g.Config.Members) != 2 {
		t.Errorf("members: %v", g.Config.Members)
	}

	servers[first], servers[second] = startAgain(t, options[first]), startAgain(t, options[second])
	awaitCluster(t, servers)
	back := time.Now()
	now, took := r.within(t, time.Minute, "all is read again", func(s *model.Snapshot) bool { return read(s) && s.Group(k).ReadAt.After(back) })
	t.Logf("read again %v after the servers were back", took)
	if len(now.Groups) != 1 || len(now.Group(k).Config.Members) != 2 {
		t.Errorf("%d groups, %v", len(now.Groups), now.Group(k).Config.Members)
	}
}
