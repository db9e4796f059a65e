package observe

import (
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// systemCluster is a cluster to whose system account the user "system" belongs.
func systemCluster(t testing.TB) *natstest.Servers {
	t.Helper()
	return natstest.Cluster(t, func(o *server.Options) {
		system := server.NewAccount("$SYS")
		o.SystemAccount, o.Accounts, o.NoAuthUser = system.Name, []*server.Account{system}, "any"
		o.Users = []*server.User{{Username: "any"}, {Username: "system", Password: "pw", Account: system}}
	})
}

// elasticGroup makes S/g with these members, for a stream that is there.
func elasticGroup(t testing.TB, js jetstream.JetStream, members ...string) {
	t.Helper()
	natstest.Soon(t, "make the group", func() (*orbit.ElasticConsumerGroupConfig, error) {
		return orbit.CreateElastic(t.Context(), js, "S", "g", 6, []orbit.PartitioningFilter{{Filter: "s.*", PartitioningWildcards: []int{1}}}, -1, -1)
	})
	addMembers(t, js, members...)
}

// addMembers adds members to S/g.
func addMembers(t testing.TB, js jetstream.JetStream, members ...string) {
	t.Helper()
	natstest.Soon(t, "add members", func() ([]string, error) { return orbit.AddMembers(t.Context(), js, "S", "g", members) })
}

// A server down, the leaders among them, leaves the picture live and moves on; without a
// quorum what is known stays and says why it is old; when the servers are back all is read
// again.
func TestServersGoAndComeBack(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	c := systemCluster(t)
	servers, options := c.All, c.Options
	js := jetStream(t, connect(t, servers[0].ClientURL()))
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.*"}, Replicas: 3}))
	elasticGroup(t, js, "m1")
	k := elastic("S", "g")
	leads := func(stream string) func(*server.Server) bool {
		return func(s *server.Server) bool { return s.JetStreamIsStreamLeader("$G", stream) }
	}
	eventually(t, "the work stream has a leader", func() bool { return slices.ContainsFunc(servers, leads("S-g")) })
	first := slices.IndexFunc(servers, leads("S-g"))
	here := (first + 1) % 3

	opts := quick()
	opts.Timeout = time.Second
	_, r := observe(t, connect(t, servers[here].ClientURL()), opts)
	read := func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).ReadError == "" && !s.Group(k).ReadAt.IsZero()
	}
	if now, _ := r.until(t, "the group", read); now.Server.Name != servers[here].Name() || now.Server.Cluster != "C" {
		t.Errorf("it answers, and is told as %+v", now.Server)
	}

	// Another leader of a consumer is told of that member, and it is read from there.
	natstest.Soon(t, "make m1's consumer", func() (jetstream.Consumer, error) {
		return js.CreateOrUpdateConsumer(t.Context(), "S-g", jetstream.ConsumerConfig{Durable: "m1", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: []string{"0.s.*", "1.s.*"}})
	})
	leader := func() string {
		c, err := js.Consumer(t.Context(), "S-g", "m1")
		if err != nil || c.CachedInfo().Cluster == nil {
			return ""
		}
		return c.CachedInfo().Cluster.Leader
	}
	eventually(t, "the consumer has a leader", func() bool { return leader() != "" })
	before, asked := leader(), time.Now()
	must(connect(t, servers[here].ClientURL()).Request("$JS.API.CONSUMER.LEADER.STEPDOWN.S-g.m1", nil, 5*time.Second))
	after := ""
	eventually(t, "another leader of it", func() bool { after = leader(); return after != "" && after != before })
	r.until(t, "the member's new leader is told, and the group read again", func(s *model.Snapshot) bool {
		return read(s) && s.Group(k).ReadAt.After(asked) && s.Group(k).Member("m1").Consumer != nil && slices.ContainsFunc(s.Events, func(e model.Event) bool {
			return e.Kind == model.EventLeader && e.Member == "m1" && e.At.After(asked) && e.Text == "consumer's leader is "+after
		})
	})

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

	// The stream's leader goes, which may be another one by now, but not whom we ask.
	eventually(t, "another one than ours leads the stream", func() bool {
		if first = slices.IndexFunc(servers, leads("S-g")); first == here {
			must(connect(t, servers[here].ClientURL()).Request("$JS.API.STREAM.LEADER.STEPDOWN.S-g", nil, 5*time.Second))
		}
		return first >= 0 && first != here
	})
	second := 3 - here - first
	down := time.Now() // a leader that ends hands over first
	natstest.Stop(servers[first])
	r.until(t, "another leader is told, and the group is read from there", func(s *model.Snapshot) bool {
		return read(s) && s.Group(k).ReadAt.After(down) && slices.ContainsFunc(s.Events, func(e model.Event) bool { return e.Kind == model.EventLeader && e.At.After(down) })
	})
	r.until(t, "the server that is down is named", func(s *model.Snapshot) bool {
		return slices.ContainsFunc(s.Group(k).Findings, func(f model.Finding) bool {
			return f.ID == "server-down" && f.Text == "1 of the 3 servers of stream S-g down: "+servers[first].Name()
		})
	})
	addMembers(t, jetStream(t, connect(t, servers[second].ClientURL())), "m2")
	r.until(t, "a change", func(s *model.Snapshot) bool { return s.Group(k) != nil && s.Group(k).Member("m2") != nil })

	natstest.Stop(servers[second])
	_, took := r.within(t, time.Minute, "it is said that nobody answers for the group", func(s *model.Snapshot) bool { return s.Group(k) != nil && s.Group(k).ReadError != "" })
	t.Logf("without a quorum: %q after %v, link %v", r.now().Group(k).ReadError, took, r.now().Link.State)
	if g := r.now().Group(k); len(g.Config.Members) != 2 {
		t.Errorf("members: %v", g.Config.Members)
	}
	r.within(t, time.Minute, "it is offline", func(s *model.Snapshot) bool { return s.Group(k).Verdict == model.VerdictOffline })

	servers[first], servers[second] = natstest.Run(t, options[first]), natstest.Run(t, options[second])
	c.Await(t)
	back := time.Now()
	now, took := r.within(t, time.Minute, "all is read again, and none offline", func(s *model.Snapshot) bool {
		return read(s) && s.Group(k).ReadAt.After(back) && s.Group(k).Verdict != model.VerdictOffline
	})
	t.Logf("read again %v after the servers were back", took)
	if len(now.Groups) != 1 || len(now.Group(k).Config.Members) != 2 {
		t.Errorf("%d groups, %v", len(now.Groups), now.Group(k).Config.Members)
	}
}
