package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// TestWatcher is not a test: the benchmark below runs it as a process of its own, whose
// time on the processor is then nobody else's.
func TestWatcher(t *testing.T) {
	url, open := os.Getenv("WATCHER_URL"), os.Getenv("WATCHER_OPEN") == "yes"
	if url == "" {
		t.Skip("run by BenchmarkWatching")
	}
	k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}
	e := start(t, url)
	if open {
		e.Focus(&k, []model.Key{k})
	} else {
		e.Focus(nil, []model.Key{k})
	}
	until(t, e, "the picture", func(s *model.Snapshot) bool {
		g := s.Group(k)
		if !live(s) || g == nil || len(g.Members) != 8 {
			return false
		}
		for _, m := range g.Members {
			if open && (len(m.Running) != 2 || m.Holder() == nil) {
				return false
			}
		}
		return true
	})
	before, began := processor(t), time.Now()
	end := time.After(8 * time.Second)
	for done := false; !done; {
		select {
		case <-e.Snapshots():
		case <-end:
			done = true
		}
	}
	fmt.Printf("share %.6f\n", (processor(t)-before).Seconds()/time.Since(began).Seconds())
}

// BenchmarkWatching measures what listening to the open group's pulls costs: 8 members
// with 2 instances each, 5,000 messages a second, a process that does nothing but
// observe. It reports the shares of a core with the group open and not.
func BenchmarkWatching(b *testing.B) {
	if testing.Short() {
		b.Skip("measures for half a minute")
	}
	s := natstest.Start(b)
	_, js := client(b, s.ClientURL())
	var members []string
	for i := range 8 {
		members = append(members, fmt.Sprintf("m%d", i))
	}
	elasticGroup(b, js, members...)
	for _, m := range members {
		for range 2 {
			_, own := client(b, s.ClientURL(), nats.Name(m))
			running := must(oracle.ElasticConsume(b.Context(), own, "ORDERS", "cg", m, func(m jetstream.Msg) { _ = m.Ack() },
				jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second}))
			b.Cleanup(running.Stop)
		}
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	nc, _ := client(b, s.ClientURL())
	published := make(chan int)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		n := 0
		for began := time.Now(); ctx.Err() == nil; <-tick.C {
			for ; n < int(time.Since(began).Seconds()*5000); n++ {
				_ = nc.Publish(fmt.Sprintf("orders.%d", n%1000), []byte("x"))
			}
		}
		published <- n
	}()
	began := time.Now()
	for b.Loop() {
		closed, open := watcher(b, s.ClientURL(), "no"), watcher(b, s.ClientURL(), "yes")
		b.ReportMetric(100*closed, "%closed")
		b.ReportMetric(100*open, "%open")
		b.ReportMetric(100*(open-closed), "%more")
		if open-closed > 0.02 {
			b.Errorf("listening costs %.2f %% of a core more", 100*(open-closed))
		}
	}
	cancel()
	b.ReportMetric(float64(<-published)/time.Since(began).Seconds(), "msg/s")
}

// watcher runs the watcher and returns its share of a core.
func watcher(b *testing.B, url, open string) float64 {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), os.Args[0], "-test.run=^TestWatcher$", "-test.v")
	cmd.Env = append(os.Environ(), "WATCHER_URL="+url, "WATCHER_OPEN="+open)
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	_, text, _ := strings.Cut(string(out), "share ")
	var share float64
	if _, err := fmt.Sscan(text, &share); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return share
}

// processor is the time that this process has had on a processor.
func processor(t testing.TB) time.Duration {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	var ticks, system int64
	stat := string(must(os.ReadFile("/proc/self/stat")))
	fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
	must(fmt.Sscan(fields[11]+" "+fields[12], &ticks, &system))
	return time.Duration(ticks+system) * 10 * time.Millisecond // USER_HZ is 100
}

// Own actions tell who lost the pin, who got it, and how long nobody had it; and each
// event is a line of the log, which nobody else may read.
func TestStepDownNamesWhoGotThePin(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	for _, name := range []string{"one", "two"} {
		_, own := client(t, s.ClientURL(), nats.Name(name))
		instance(t, own, "m1")
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ; ctx.Err() == nil; time.Sleep(2 * time.Millisecond) {
			_, _ = js.Publish(ctx, "orders.1", nil)
		}
	}()
	t.Cleanup(func() { cancel(); <-done })
	path := t.TempDir() + "/events.jsonl"
	e := start(t, s.ClientURL(), func(o *Options) { o.LogEvents = path })
	until(t, e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	e.Focus(&k, nil)
	now := until(t, e, "two instances, one pinned, and nobody else can be", func(s *model.Snapshot) bool {
		g := s.Group(k)
		m := g.Member("m1")
		return m != nil && len(m.Running) == 2 && m.Holder() != nil && g.Watch.Settled(s.Taken, m.Running[0].Expires)
	})
	m := now.Group(k).Member("m1")
	was, next := m.Holder().Name(), m.Running[1].Name()
	p := must(model.NewPlan(now.Group(k), model.Intent{Action: model.ActionStepDown, Members: []string{"m1"}}))
	if !strings.HasPrefix(p.Pins[0].Holder, was+" 127.0.0.1:") || len(p.Standby) != 1 || !strings.HasPrefix(p.Standby[0], next+" ") {
		t.Errorf("plan: %+v, standby %q", p.Pins, p.Standby)
	}
	must(e.Apply(t.Context(), p))
	ends := " after the step-down of " + was
	now = until(t, e, "who got it, and how long it took", func(s *model.Snapshot) bool {
		for _, ev := range s.Events {
			named := strings.Contains(ev.Text, ": "+next+", ") || strings.Contains(ev.Text, " is "+next+", ") // at once, or by its next pull
			if named && strings.HasSuffix(ev.Text, ends) {
				return true
			}
		}
		return false
	})
	if h := now.Group(k).Member("m1").Holder(); h == nil || h.Name() != next {
		t.Errorf("holder %+v", h)
	}
	info := must(os.Stat(path))
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the log's mode is %v", info.Mode())
	}
	kinds := map[model.EventKind]int{}
	last := uint64(0)
	for _, line := range strings.Split(strings.TrimSpace(string(must(os.ReadFile(path)))), "\n") {
		var ev model.Event
		if err := json.Unmarshal([]byte(line), &ev); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if ev.Seq != last+1 {
			t.Errorf("event %d after %d", ev.Seq, last)
		}
		last = ev.Seq
		kinds[ev.Kind]++
	}
	if kinds[model.EventPin] < 2 || kinds[model.EventAction] != 1 {
		t.Errorf("logged: %v", kinds)
	}
}
