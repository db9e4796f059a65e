package pcgroups

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

const (
	benchChanges  = 50
	changeLimit   = 12 * time.Second // for one change
	changeAckWait = 2 * time.Second
	loadKeys      = 24
	loadEvery     = 3 * time.Millisecond
)

// running is a library's elastic group under load: members with instances, each on a
// connection of its own.
type runningGroup struct {
	f       *fixture
	lib     library
	group   string
	n       int // partitions
	got     ledger
	members []string
	changes []time.Duration
	late    int
}

func (f *fixture) runGroup(lib library, n int, names []string, instances int, work time.Duration) *runningGroup {
	f.t.Helper()
	g := &runningGroup{f: f, lib: lib, group: lib.name, n: n, members: names}
	f.must(CreateElastic(f.ctx, f.js, "A", g.group, uint(n), []PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}}, 0, 0))
	f.must(AddMembers(f.ctx, f.js, "A", g.group, names))
	for i := range instances {
		for _, name := range names {
			_, js := f.connect()
			m, err := lib.elastic(f.ctx, js, "A", g.group, name, g.got.handler(name, fmt.Sprintf("%s-%d", name, i), work), jetstream.ConsumerConfig{
				AckPolicy: jetstream.AckExplicitPolicy, AckWait: changeAckWait, MaxAckPending: 1,
			})
			f.must(m, err)
			f.t.Cleanup(m.Stop)
		}
	}
	return g
}

// flowing waits until every partition was handled at its owner since the moment.
func (g *runningGroup) flowing(from time.Time) (time.Duration, bool) {
	config, err := GetElasticConsumerGroupConfig(g.f.ctx, g.f.js, "A", g.group)
	g.f.must(config, err)
	owner := make(map[int]string)
	for _, m := range g.members {
		for _, p := range config.settings().owned(m) {
			owner[p] = m
		}
	}
	used := make(map[int]bool)
	for key := range loadKeys {
		used[partitionOf(fmt.Sprintf("k%d", key), g.n)] = true
	}
	for time.Since(from) < changeLimit {
		first := make(map[int]time.Time)
		for _, d := range g.got.since(from) { // the newest first
			if p := partitionOf(fmt.Sprintf("k%d", d.key), g.n); d.member == owner[p] {
				first[p] = d.start
			}
		}
		if len(first) == len(used) {
			var last time.Time
			for _, t := range first {
				if t.After(last) {
					last = t
				}
			}
			return last.Sub(from), true
		}
		time.Sleep(2 * time.Millisecond)
	}
	return changeLimit, false
}

// change moves partitions and measures how long until all flow at their new owners.
func (g *runningGroup) change(i int) {
	g.f.t.Helper()
	name := g.members[i/2%len(g.members)]
	from := time.Now()
	if i%2 == 0 {
		g.f.must(DeleteMembers(g.f.ctx, g.f.js, "A", g.group, []string{name}))
	} else {
		g.f.must(AddMembers(g.f.ctx, g.f.js, "A", g.group, []string{name}))
	}
	took, ok := g.flowing(from)
	if !ok {
		g.late++
	}
	g.changes = append(g.changes, took)
}

// BenchmarkChange drops and adds members of two groups under the same load, in turns.
// A membership change is over when each partition has been handled at its new owner.
func BenchmarkChange(b *testing.B) {
	f := benchFixture(b)
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "A", Subjects: []string{"a.*"}, Storage: jetstream.MemoryStorage}))
	var groups []*runningGroup
	for _, lib := range libraries() {
		groups = append(groups, f.runGroup(lib, 12, []string{"m1", "m2", "m3"}, 2, time.Millisecond))
	}
	l := f.startLoad("a", loadKeys, loadEvery)
	for _, g := range groups {
		if _, ok := g.flowing(time.Now()); !ok {
			b.Fatalf("%s does not flow", g.lib.name)
		}
	}
	from := time.Now()
	b.ResetTimer()
	for i := range benchChanges {
		for _, g := range groups {
			g.change(i)
		}
	}
	b.StopTimer()
	l.end()
	rows := [][]string{{"", "p50", "worst", "not within " + changeLimit.String(), "longest silence of a key", "duplicates", "out of order", "missing"}}
	silence := map[string]time.Duration{}
	for _, g := range groups {
		deadline := time.Now().Add(changeLimit)
		for g.got.judge(l.sent, from).missing > 0 && time.Now().Before(deadline) {
			time.Sleep(20 * time.Millisecond)
		}
		v := g.got.judge(l.sent, from)
		silence[g.lib.name] = v.silence
		rows = append(rows, []string{
			g.lib.name, ms(median(g.changes)), ms(worst(g.changes)), fmt.Sprint(g.late), ms(v.silence), fmt.Sprint(v.duplicates), fmt.Sprint(v.disorder), fmt.Sprint(v.missing),
		})
	}
	ratio := float64(silence["ours"]) / float64(silence["orbit"])
	rows = append(rows, []string{"ratio", fmt.Sprintf("%.3f", float64(median(groups[0].changes))/float64(median(groups[1].changes))), "", "", fmt.Sprintf("%.3f", ratio)})
	b.ReportMetric(ratio, "silence-ratio")
	table(b, fmt.Sprintf("%d membership changes, 3 members with 2 instances each, ack wait %v, %d messages/s", benchChanges, changeAckWait, int(time.Second/loadEvery)), rows)
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
