package observe

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// countRequests counts the JetStream API requests that a connection makes, as the
// server hears them.
func countRequests(t *testing.T, nc *nats.Conn) (count func() int) {
	var mu sync.Mutex
	n := 0
	sub := must(nc.Subscribe("$JS.API.>", func(*nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		n++
	}))
	t.Cleanup(func() { _ = sub.Unsubscribe() })
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return func() int {
		mu.Lock()
		defer mu.Unlock()
		return n
	}
}

func TestBudgetHoldsForManyGroups(t *testing.T) {
	if testing.Short() {
		t.Skip("measures for seconds")
	}
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	kv := bucketOf(t, js, model.KindElastic)
	for i := range 120 {
		must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: fmt.Sprintf("S-g%03d", i), Subjects: []string{fmt.Sprintf("s.%d.>", i)}, Storage: jetstream.MemoryStorage}))
		must(js.CreateConsumer(t.Context(), fmt.Sprintf("S-g%03d", i), jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy}))
		must(kv.PutString(t.Context(), fmt.Sprintf("S.g%03d", i), goodConfig))
	}
	count := countRequests(t, nc)
	const perSecond = 40
	start := time.Now()
	o, r := observe(t, connect(t, s.ClientURL()), Options{MaxRequests: perSecond})
	now, _ := r.until(t, "every group read", func(s *model.Snapshot) bool {
		for _, g := range s.Groups {
			if g.ReadAt.IsZero() {
				return false
			}
		}
		return len(s.Groups) == 120 && live(s)
	})
	elapsed := time.Since(start)
	t.Logf("120 groups live after %v and %d requests; %+v", elapsed, count(), now.Requests)
	before, begin := count(), time.Now()
	time.Sleep(3 * time.Second) // a span to measure over, nothing is waited for
	if rate := float64(count()-before) / time.Since(begin).Seconds(); rate > 1.1*perSecond || rate < perSecond/2 {
		t.Errorf("%.1f requests a second of %d", rate, perSecond)
	} else {
		t.Logf("%.1f requests a second", rate)
	}
	eventually(t, "the server heard what was counted", func() bool { // but for some that are on their way
		heard, made := count(), int(o.api.made.Load())
		return heard <= made && made-heard <= 5
	})
	if now := r.now(); now.Requests.PerSecond == 0 || now.Requests.Budget != perSecond {
		t.Errorf("told: %+v", now.Requests)
	}
	for _, seen := range r.observations() { // with what was saved before the first second, too
		if told, ok := seen.(model.RequestsSeen); ok && told.Requests.PerSecond > 1.1*perSecond {
			t.Errorf("told: %+v", told.Requests)
		}
	}
	if most := perSecond*elapsed.Seconds() + perSecond; float64(count()) > most+4*perSecond {
		t.Errorf("%d requests in %v", count(), elapsed)
	}
}

func TestManyGroupsOfOneStreamCostOneList(t *testing.T) {
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}, Storage: jetstream.MemoryStorage}))
	kv := bucketOf(t, js, model.KindStatic)
	for i := range 300 {
		must(kv.PutString(t.Context(), fmt.Sprintf("S.g%03d", i), goodConfig))
	}
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	r.until(t, "300 groups read", func(s *model.Snapshot) bool {
		return len(s.Groups) == 300 && live(s) && !s.Groups[299].ReadAt.IsZero()
	})
	if n := o.api.made.Load(); n > 12 {
		t.Errorf("%d requests for 300 groups of one stream", n)
	}
}

// What the list of streams tells is not asked for again: who has no stream, or a stream
// without consumers, costs no request of its own, and who gets a consumer is read at once.
func TestManyIdleGroupsCostNoReads(t *testing.T) {
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	kv := bucketOf(t, js, model.KindElastic)
	for i := range 400 {
		if i < 100 {
			must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: fmt.Sprintf("S-g%03d", i), Subjects: []string{fmt.Sprintf("s.%d.>", i)}, Storage: jetstream.MemoryStorage}))
		}
		must(kv.PutString(t.Context(), fmt.Sprintf("S.g%03d", i), goodConfig))
	}
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	now, _ := r.until(t, "400 groups read", func(s *model.Snapshot) bool {
		for _, g := range s.Groups {
			if g.ReadAt.IsZero() {
				return false
			}
		}
		return len(s.Groups) == 400 && live(s)
	})
	if n := o.api.made.Load(); n > 12 {
		t.Errorf("%d requests for 400 groups that nobody consumes", n)
	}
	if g := now.Group(elastic("S", "g399")); g.Verdict != model.VerdictBroken {
		t.Errorf("without a work stream: %s", g.Verdict)
	}
	if g := now.Group(elastic("S", "g007")); g.Members[0].State != model.StateAbsent {
		t.Errorf("without a consumer: %s", g.Members[0].State)
	}
	must(js.CreateConsumer(t.Context(), "S-g007", jetstream.ConsumerConfig{Name: now.Group(elastic("S", "g007")).Members[0].Name, AckPolicy: jetstream.AckExplicitPolicy}))
	r.until(t, "the consumer", func(s *model.Snapshot) bool { return s.Group(elastic("S", "g007")).Members[0].Consumer != nil })
}

// slowAPI answers like the JetStream API under another prefix, but keeps one
// operation waiting.
func slowAPI(t *testing.T, nc *nats.Conn, prefix, slow string, delay time.Duration) {
	t.Helper()
	var wg sync.WaitGroup
	sub := must(nc.Subscribe(prefix+".>", func(m *nats.Msg) {
		operation := strings.TrimPrefix(m.Subject, prefix+".")
		wg.Go(func() {
			if operation == slow {
				select {
				case <-time.After(delay):
				case <-t.Context().Done():
					return
				}
			}
			if err := nc.PublishRequest("$JS.API."+operation, m.Reply, m.Data); err != nil {
				return // the test is over
			}
		})
	}))
	t.Cleanup(func() { _ = sub.Unsubscribe(); wg.Wait() })
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
}

func TestSlowStreamSlowsOnlyItself(t *testing.T) {
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	kv := bucketOf(t, js, model.KindElastic)
	for _, g := range []string{"slow", "a", "b", "c"} {
		must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S-" + g, Subjects: []string{g + ".>"}, Storage: jetstream.MemoryStorage}))
		must(kv.PutString(t.Context(), "S."+g, goodConfig))
	}
	slowAPI(t, nc, "far.API", "CONSUMER.LIST.S-slow", time.Minute)
	_, r := observe(t, connect(t, s.ClientURL()), Options{APIPrefix: "far.API", Timeout: 700 * time.Millisecond, Refresh: 100 * time.Millisecond, MaxRequests: 200})
	now, _ := r.until(t, "the slow one's error", func(s *model.Snapshot) bool {
		g := s.Group(elastic("S", "slow"))
		return g != nil && g.ReadError != ""
	})
	if text := now.Group(elastic("S", "slow")).ReadError; !strings.Contains(text, "no answer within 700ms") {
		t.Errorf("error %q", text)
	}
	begin := time.Now()
	r.until(t, "the others are read on", func(s *model.Snapshot) bool {
		for _, g := range []string{"a", "b", "c"} {
			if !s.Group(elastic("S", g)).ReadAt.After(begin) || s.Group(elastic("S", g)).ReadError != "" {
				return false
			}
		}
		return live(s)
	})
	if took := time.Since(begin); took > 500*time.Millisecond {
		t.Errorf("the others were read only after %v", took)
	}
	if got := r.now().Server.API; got != "far.API" {
		t.Errorf("API prefix %q", got)
	}
}
