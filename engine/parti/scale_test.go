package parti

import (
	"fmt"
	"testing"
	"time"

	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// A deployment of 200 workers and 1,500 partitions is shown in under half a second, and a
// rebalance of it is followed.
func TestScale(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 200 workers and 1,500 durables")
	}
	nc, js := serve(t)
	f := play(t, js, standin.Options{Stream: "JOBS", Workers: 200, Partitions: keys(1500), Source: true, Memory: true})
	k := group("parti", "worker")
	whole := func(version string, members int) func(*model.Group) bool {
		return func(g *model.Group) bool {
			return len(g.Members) == members && len(g.Partitions) == 1500 && says(g.Facts, version) && says(g.Facts, "inferred: stable")
		}
	}
	start := time.Now()
	w := observed(t, nc, New(""))
	w.until(t, k, "all of it", whole("version 1", 200))
	took := time.Since(start)
	t.Logf("shown after %s", took.Round(time.Millisecond))
	if took > 500*time.Millisecond && !raced {
		t.Errorf("shown after %s", took)
	}
	g, took := w.until(t, k, "its stream", func(g *model.Group) bool {
		return g.Reads == "JOBS" && g.Members[0].Consumer != nil && g.Members[0].Consumer.Durables == len(g.Members[0].Partitions)
	})
	t.Logf("its durables %s later, %d findings", took.Round(time.Millisecond), len(g.Findings))

	f.Kill("worker-17")
	if err := f.Rebalance(t.Context(), "emergency"); err != nil {
		t.Fatal(err)
	}
	_, took = w.until(t, k, "version 2, applied by all that live", func(g *model.Group) bool {
		return says(g.Facts, "version 2") && g.Revision == 2 && len(found1(g, "lagging")) == 0
	})
	t.Logf("version 2 %s after it was written", took.Round(time.Millisecond))
}

func found1(g *model.Group, id string) string {
	if f := found(g, id); f != nil {
		return f.Text
	}
	return ""
}

// What telling such a deployment costs.
func BenchmarkTell(b *testing.B) {
	nc, js := serve(b)
	play(b, js, standin.Options{Stream: "JOBS", Workers: 200, Partitions: keys(1500), Memory: true})
	kind := New("")
	w := observed(b, nc, kind)
	k := group("parti", "worker")
	w.until(b, k, "its stream", func(g *model.Group) bool { return g.Reads == "JOBS" && g.Members[0].Consumer != nil })
	d, err := kind.deployment(k)
	if err != nil {
		b.Fatal(err)
	}
	stream := &model.Stream{Name: "JOBS"}
	for i, p := range d.state.shown.shares {
		stream.Consumers = append(stream.Consumers, &model.Consumer{Name: fmt.Sprintf("jobs_eu_%s_%016x", p.Keys[1], i), Filters: []string{"jobs.eu." + p.Keys[1] + ".>"}})
	}
	for b.Loop() {
		d.Tell(stream, time.Now())
	}
}
