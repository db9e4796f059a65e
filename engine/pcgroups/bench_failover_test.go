package pcgroups

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// pair is a member with two instances, of which one is pinned, under load.
type pair struct {
	f     *fixture
	lib   library
	group string
	got   ledger
	next  int // numbers instances
	live  map[string]*live
}

type live struct {
	ConsumerGroupConsumeContext
	nc *nats.Conn
}

func (f *fixture) newPair(lib library) *pair {
	f.t.Helper()
	p := &pair{f: f, lib: lib, group: lib.name, live: make(map[string]*live)}
	f.must(CreateElastic(f.ctx, f.js, "A", p.group, 2, nil, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", p.group, []string{"m1"}))
	p.fill()
	return p
}

// fill starts instances until two run.
func (p *pair) fill() {
	p.f.t.Helper()
	for len(p.live) < 2 {
		nc, js := p.f.connect()
		p.next++
		name := fmt.Sprint(p.next)
		m, err := p.lib.elastic(p.f.ctx, js, "A", p.group, "m1", p.got.handler("m1", name, 0), jetstream.ConsumerConfig{
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: changeAckWait, MaxAckPending: 1,
		})
		p.f.must(m, err)
		p.f.t.Cleanup(m.Stop)
		p.live[name] = &live{m, nc}
	}
	eventually(p.f.t, 10*time.Second, p.lib.name+": both instances pull", func() bool {
		info := p.f.info("A-"+p.group, "m1")
		return info != nil && info.NumWaiting >= 2 // a busy one has more than one pull out
	})
}

// pinned is the instance that handles messages now.
func (p *pair) pinned() (string, *live) {
	p.f.t.Helper()
	var name string
	from := time.Now()
	eventually(p.f.t, 10*time.Second, "somebody is pinned", func() bool {
		d := p.got.since(from)
		if len(d) > 0 {
			name = d[0].instance
		}
		return name != "" && p.live[name] != nil
	})
	return name, p.live[name]
}

// failover does something to the pinned instance and measures until another one
// handles a message.
func (p *pair) failover(act func(*live)) time.Duration {
	p.f.t.Helper()
	p.fill()
	name, l := p.pinned()
	from := time.Now()
	act(l)
	var took time.Duration
	eventually(p.f.t, 10*time.Second, "another instance takes over", func() bool {
		for _, d := range p.got.since(from) {
			if d.instance != name {
				took = d.start.Sub(from)
			}
		}
		return took > 0
	})
	return took
}

// BenchmarkFailover measures how long a member's messages stand still when its pinned
// instance is killed (its connection is cut without a word), stopped, or made to step
// down, with another instance standing by.
func BenchmarkFailover(b *testing.B) {
	f := benchFixture(b)
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "A", Subjects: []string{"a.*"}, Storage: jetstream.MemoryStorage}))
	var pairs []*pair
	for _, lib := range libraries() {
		pairs = append(pairs, f.newPair(lib))
	}
	f.startLoad("a", 4, 2*time.Millisecond)
	rows := [][]string{{"", "ours p50", "ours worst", "orbit p50", "orbit worst", "ratio of p50"}}
	b.ResetTimer()
	for _, c := range []struct {
		name   string
		rounds int
		act    func(*pair, *live)
	}{
		{"kill", 7, func(p *pair, l *live) { p.drop(l); l.nc.Close() }},
		{"stop", 11, func(p *pair, l *live) { p.drop(l); l.Stop() }},
		{"step down", 21, func(p *pair, _ *live) { f.must(nil, ElasticMemberStepDown(f.ctx, f.js, "A", p.group, "m1")) }},
	} {
		took := map[string][]time.Duration{}
		for range c.rounds {
			for _, p := range pairs {
				took[p.lib.name] = append(took[p.lib.name], p.failover(func(l *live) { c.act(p, l) }))
			}
		}
		ours, theirs := median(took["ours"]), median(took["orbit"])
		ratio := float64(ours) / float64(theirs)
		b.ReportMetric(ratio, "ratio-"+c.name[:4])
		rows = append(rows, []string{c.name, ms(ours), ms(worst(took["ours"])), ms(theirs), ms(worst(took["orbit"])), fmt.Sprintf("%.3f", ratio)})
	}
	table(b, fmt.Sprintf("failover to the standby, ack wait %v, a message every 2 ms", changeAckWait), rows)
}

// drop forgets an instance that is about to go.
func (p *pair) drop(gone *live) {
	for name, l := range p.live {
		if l == gone {
			delete(p.live, name)
		}
	}
}

func worst(all []time.Duration) (d time.Duration) {
	for _, x := range all {
		d = max(d, x)
	}
	return d
}
