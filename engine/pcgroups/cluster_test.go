package pcgroups

import (
	"context"
	"testing"
	"time"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats.go/jetstream"
)

// newCluster is a fixture on three servers.
func newCluster(t *testing.T) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	f := &fixture{t: t, ctx: ctx}
	f.server = natstest.Cluster(t).All[0]
	f.url = f.server.ClientURL()
	f.nc, f.js = f.connect()
	return f
}

// stepLeader makes a consumer's leader step down.
func (f *fixture) stepLeader(stream, consumer string) {
	f.t.Helper()
	leader := ""
	eventually(f.t, 10*time.Second, "a leader", func() bool {
		info := f.info(stream, consumer)
		if info != nil && info.Cluster != nil {
			leader = info.Cluster.Leader
		}
		return leader != ""
	})
	f.must(f.nc.Request("$JS.API.CONSUMER.LEADER.STEPDOWN."+stream+"."+consumer, nil, 5*time.Second))
	eventually(f.t, 10*time.Second, "another leader", func() bool {
		info := f.info(stream, consumer)
		return info != nil && info.Cluster != nil && info.Cluster.Leader != "" && info.Cluster.Leader != leader
	})
}

// The leaders of consumer and work stream change, and the membership too: nothing is
// missing, and each key stays in order.
func TestLeadersChange(t *testing.T) {
	short(t)
	f := newCluster(t)
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "A", Subjects: []string{"a.*"}, Replicas: 3}))
	f.elastic("g", 4, "m1", "m2")
	var got ledger
	var running []Instance
	for _, name := range []string{"m1", "m2"} {
		running = append(running, f.joinElastic("g", name, got.handler(name, name, 0), oneByOne(2*time.Second)))
	}
	l := f.startLoad("a", 8, 10*time.Millisecond)
	flows := func(what string) {
		t.Helper()
		from := time.Now()
		eventually(t, 15*time.Second, what+": every key flows", func() bool {
			keys := make(map[int]bool)
			for _, d := range got.since(from) {
				keys[d.key] = true
			}
			return len(keys) == 8
		})
	}
	flows("at first")
	f.stepLeader("A-g", "m1")
	flows("new leader of the consumer")
	eventually(t, 5*time.Second, "the member counts it", func() bool {
		n, last := running[0].Recovered()
		return n > 0 && last != nil
	})
	f.must(f.nc.Request("$JS.API.STREAM.LEADER.STEPDOWN.A-g", nil, 5*time.Second))
	flows("new leader of the work stream")
	f.must(DeleteMembers(f.ctx, f.js, "A", "g", []string{"m2"}))
	flows("one member dropped")
	l.drained(t, 15*time.Second, &got)
	if v := got.judge(l.sent, time.Now()); v.disorder != 0 || v.missing != 0 {
		t.Errorf("%+v", v)
	}
	for _, i := range running {
		if i.Err() != nil {
			t.Error(i.Err())
		}
	}
}
