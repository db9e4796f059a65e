package observe

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Without a quorum nothing is stored or delivered, and nobody may answer. That is said
// within seconds, in words: by what the leader tells of its replicas where that one is
// left, and by the answers that do not come where it is gone.
func TestLostQuorum(t *testing.T) {
	if testing.Short() {
		t.Skip("starts clusters")
	}
	for name, stays := range map[string]bool{"the leader stays": true, "all leaders stay": true, "the leader goes": false, "all leaders but the stream's stay": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			servers := natstest.Cluster(t).All
			nc := connect(t, servers[0].ClientURL())
			js := jetStream(t, nc)
			must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.*"}, Replicas: 3}))
			elasticGroup(t, js, "m1")
			natstest.Soon(t, "make its consumer", func() (jetstream.Consumer, error) {
				return js.CreateOrUpdateConsumer(t.Context(), "S-g", jetstream.ConsumerConfig{Name: "m1", Durable: "m1", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: []string{"0.s.*", "1.s.*", "2.s.*", "3.s.*", "4.s.*", "5.s.*"}})
			})
			k := elastic("S", "g")
			leader := func() int {
				return slices.IndexFunc(servers, func(s *server.Server) bool { return s.JetStreamIsStreamLeader("$G", "S-g") })
			}
			eventually(t, "the work stream has a leader", func() bool { return leader() >= 0 })
			here := leader()
			if strings.HasPrefix(name, "all") { // then that server answers what it can
				here = slices.IndexFunc(servers, (*server.Server).JetStreamIsLeader)
				first := here
				if strings.Contains(name, "but") {
					first = (here + 1) % 3
				}
				eventually(t, "one server leads all", func() bool {
					if leader() == first && servers[here].JetStreamIsConsumerLeader("$G", "S-g", "m1") {
						return true
					}
					for what, n := range map[string]int{"STREAM.LEADER.STEPDOWN.S-g": first, "CONSUMER.LEADER.STEPDOWN.S-g.m1": here} {
						_, _ = nc.Request("$JS.API."+what, fmt.Appendf(nil, `{"placement":{"preferred":%q}}`, servers[n].Name()), time.Second)
					}
					time.Sleep(200 * time.Millisecond)
					return false
				})
			} else if !stays {
				here = (here + 1) % 3
			}
			_, r := observe(t, connect(t, servers[here].ClientURL()), Options{})
			r.until(t, "the group", func(s *model.Snapshot) bool {
				return live(s) && s.Group(k) != nil && s.Group(k).ReadError == "" && !s.Group(k).ReadAt.IsZero()
			})
			for i, s := range servers {
				if i != here {
					natstest.Stop(s)
				}
			}
			now, took := r.within(t, time.Minute, "that is said", func(s *model.Snapshot) bool {
				return s.Group(k).ReadError != "" || slices.ContainsFunc(s.Group(k).Findings, func(f model.Finding) bool { return f.ID == "no-quorum" })
			})
			g := now.Group(k)
			t.Logf("after %v: %s, %+v", took, g.Verdict, g.Findings)
			if took > 4*time.Second {
				t.Errorf("it took %v", took)
			}
			if stays {
				now, took := r.within(t, time.Minute, "no quorum is told of as such", func(s *model.Snapshot) bool { return s.Group(k).Verdict == model.VerdictOffline })
				if took > 6*time.Second {
					t.Errorf("no quorum is told of after %v more", took)
				}
				if f := now.Group(k).Findings[0]; !strings.HasPrefix(f.Text, "no quorum: 2 of the 3 servers of stream S-g are down (nats-") {
					t.Errorf("after %v: %+v", took, f)
				}
			}
			if len(g.Config.Members) != 1 {
				t.Errorf("what was known is gone: %v", g.Config.Members)
			}
			now, took = r.within(t, time.Minute, "the last leader gave up, if it was left", func(s *model.Snapshot) bool {
				if g := s.Group(k); stays && g.Verdict != model.VerdictOffline {
					t.Errorf("it softened to %s: %+v", g.Verdict, g.Findings)
					return true
				}
				return s.Group(k).Stream.Leaderless
			})
			if g := now.Group(k); g.Verdict != model.VerdictOffline || g.Findings[0].ID != "no-quorum" {
				t.Errorf("after %v more: %s, %+v", took, g.Verdict, g.Findings)
			}
		})
	}
}

// A consumer that exists and has no leader is told of as such, with what was known of it;
// its neighbours are not, and it is over when somebody answers for it again.
func TestConsumerWithoutLeader(t *testing.T) {
	srv := natstest.Start(t)
	nc := connect(t, srv.ClientURL())
	w := &ward{t: t, js: jetStream(t, nc)}
	k, well := w.elastic("HALF", "g", 2, "m1", "m2"), w.elastic("WELL", "g", 2, "m1")
	w.consumer("HALF-g", "m1", "HALF.*", 5*time.Second, 0)
	w.consumer("HALF-g", "m2", "HALF.*", 5*time.Second, 1)
	w.consumer("WELL-g", "m1", "WELL.*", 5*time.Second, 0, 1)
	var gone atomic.Bool
	relay(t, nc, "RELAY.API", map[string]func(map[string]any){".CONSUMER.LIST.HALF-g": func(v map[string]any) {
		if gone.Load() {
			list := v["consumers"].([]any)
			v["consumers"], v["missing"] = slices.DeleteFunc(list, func(c any) bool { return c.(map[string]any)["name"] == "m1" }), []string{"m1"}
		}
	}})
	opts := quick()
	opts.APIPrefix = "RELAY.API"
	_, w.r = observe(t, connect(t, srv.ClientURL()), opts)
	w.r.until(t, "both consumers", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k).Member("m1").Consumer != nil && s.Group(k).Member("m2").Consumer != nil
	})
	gone.Store(true)
	w.finds(k, "no-answer", "nobody answers for m1's consumer")
	now := w.r.now()
	if g := now.Group(k); g.Verdict != model.VerdictDegraded || g.Member("m1").Consumer == nil || g.Member("m2").Consumer.Unheard || hasFinding(now.Group(well), "no-answer") {
		t.Errorf("%s %+v", g.Verdict, g.Findings)
	}
	gone.Store(false)
	w.r.until(t, "somebody answers again", func(s *model.Snapshot) bool { return !hasFinding(s.Group(k), "no-answer") })
}

// What the server tells of a stream without a quorum holds until its leader answers, and
// one that could not be read is tried at once when it has a leader again.
func TestQuorumLostByAdvisory(t *testing.T) {
	r := newRecorder()
	o := New(nil, Options{})
	l := newLink(o, r.emit)
	l.domain.learn("")
	k := static("S", "g")
	o.plan.learn(k, "S")
	facts := model.StreamFacts{Known: true, Exists: true, Leader: "n1", Replicas: 3, Down: []string{"n2"}}
	o.told.note("S", facts)
	r.emit(model.ConfigSeen{Key: k, Revision: 1, Config: &model.Config{Partitions: 1, Members: []string{"m1"}}}, model.StreamRead{Name: "S", Facts: facts})
	finds := func(id string) bool { return hasFinding(r.now().Group(k), id) }
	body := []byte(`{"timestamp":"2026-03-01T12:00:00Z","stream":"S"}`)

	l.advise(advisories+".STREAM.QUORUM_LOST.S", body)
	if g := r.now().Group(k); g.Verdict != model.VerdictOffline || !finds("no-quorum") || !slices.Equal(g.Stream.Down, facts.Down) {
		t.Errorf("without a quorum: %s, %+v", g.Verdict, g.Findings)
	}
	target, _, _ := o.plan.take(time.Now(), anyRest)
	for range 5 {
		o.plan.done(target, true)
	}
	l.advise(advisories+".STREAM.LEADER_ELECTED.S", body)
	if wait := o.plan.peek(time.Now(), anyRest); wait > 2*time.Second {
		t.Errorf("it is read again after %v", wait)
	}
	info := &streamInfo{Cluster: &replicas{Leader: "n1"}}
	info.Config.Name = "S"
	l.tellStreams(t.Context(), []*streamInfo{info}, nil, nil, time.Now())
	if finds("no-quorum") || r.now().Group(k).Verdict == model.VerdictOffline {
		t.Errorf("its leader answers: %+v", r.now().Group(k).Findings)
	}
}

// A line may be too short for all of it: why nothing could be read comes before what.
func TestReasonBeforeSubject(t *testing.T) {
	srv := natstest.Start(t)
	nc := connect(t, srv.ClientURL())
	must(nc.Subscribe("NOBODY.STREAM.INFO.S", func(m *nats.Msg) {
		_ = m.Respond([]byte(`{"error":{"code":503,"err_code":10008,"description":"JetStream system temporarily unavailable"}}`))
	}))
	_, err := newAPI(nc, Options{APIPrefix: "NOBODY"}.withDefaults()).streamInfo(t.Context(), "S")
	if err == nil || err.Error() != "no leader, too few servers are up: STREAM.INFO.S" {
		t.Error(err)
	}
}
