package observe

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// ruleCase is a rule with a group that is ill in that way and a neighbour that has the
// same and is not.
type ruleCase struct {
	rule string
	ill  func(w *ward, stream string) model.Key
	well func(w *ward, stream string) model.Key
	open bool                                      // it is found in the open group only
	busy func(ctx context.Context, c *ruleStreams) // goes on while the rules are judged
}

type ruleStreams struct {
	w         *ward
	ill, well string
}

// elsewhere are the rules that have both in a test of their own: they need answers of
// servers that cannot be started here, or rights, or a pin that is asked for.
func elsewhere() map[string]func(*testing.T) {
	return map[string]func(*testing.T){
		"stream-offline": TestOffline,
		"offline":        TestOffline,
		"flapping":       TestFlapping,
		"unread":         TestUnreadConsumers,
		"no-quorum":      TestLostQuorum,
		"server-down":    TestServersGoAndComeBack,
		"no-answer":      TestConsumerWithoutLeader,
		"nothing-acked":  TestUnwellUntilItAcknowledges,
	}
}

// Every rule fires on a server for a group that is ill in that way, and is silent for a
// neighbour that is almost so.
func TestEveryRule(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("trends need half a minute")
	}
	srv := natstest.Start(t, func(o *server.Options) { o.SyncAlways = true }) // so that sourcing takes its time
	w := &ward{t: t, js: jetStream(t, connect(t, srv.ClientURL()))}
	bucketOf(t, w.js, model.KindStatic)
	bucketOf(t, w.js, model.KindElastic)

	cases := append(append(configCases(), memberCases()...), flowCases()...)
	var keys [][2]model.Key
	ctx, cancel := context.WithCancel(t.Context())
	crew, _ := newCrew(ctx)
	t.Cleanup(func() { cancel(); _ = crew.wait() })
	for i, c := range cases {
		s := &ruleStreams{w, fmt.Sprintf("ILL%d", i), fmt.Sprintf("WELL%d", i)}
		keys = append(keys, [2]model.Key{c.ill(w, s.ill), c.well(w, s.well)})
		if c.busy != nil {
			crew.run(func() error { c.busy(ctx, s); return nil })
		}
	}
	w.o, w.r = opened(t, srv.ClientURL(), keys[0][0], func(o *Options) { o.MaxRequests, o.Refresh = 4000, 200*time.Millisecond })
	fired := map[string]bool{}
	for i, c := range cases {
		if !c.open {
			continue
		}
		for _, k := range keys[i] {
			w.look(k)
		}
		w.look(keys[i][0])
		w.finds(keys[i][0], c.rule)
		fired[c.rule] = true
	}
	w.everything()
	defer func() {
		if t.Failed() {
			t.Logf("never fired: %q", missing(cases, fired))
		}
	}()
	w.r.within(t, time.Minute, "every rule", func(s *model.Snapshot) bool {
		for i, c := range cases {
			fired[c.rule] = fired[c.rule] || hasFinding(s.Group(keys[i][0]), c.rule)
		}
		return len(missing(cases, fired)) == 0
	})
	// The neighbours were watched for as long, and nothing of the kind was ever said.
	snap := model.Reduce(nil, time.Now())
	for _, o := range w.r.observations() {
		snap = model.Reduce(snap, time.Now(), o)
		for i, c := range cases {
			if f := finding(snap.Group(keys[i][1]), c.rule); f != nil {
				t.Fatalf("%s in the neighbour %s: %s", c.rule, keys[i][1], f.Text)
			}
		}
	}
	for i, c := range cases {
		if g := snap.Group(keys[i][1]); g == nil || c.rule != "unreadable" && g.ReadAt.IsZero() {
			t.Errorf("the neighbour %s was never read", keys[i][1])
		}
	}
}

func missing(cases []ruleCase, fired map[string]bool) (list []string) {
	for _, c := range cases {
		if !fired[c.rule] {
			list = append(list, c.rule)
		}
	}
	return list
}

// No rule is without its two cases.
func TestEveryRuleHasItsCases(t *testing.T) {
	has := map[string]bool{}
	for _, c := range append(append(configCases(), memberCases()...), flowCases()...) {
		has[c.rule] = c.ill != nil && c.well != nil
	}
	for id, test := range elsewhere() {
		has[id] = test != nil
	}
	for _, r := range model.Rules() {
		if !has[r.ID] {
			t.Errorf("rule %s is not shown to fire on a server, and to be silent next door", r.ID)
		}
		delete(has, r.ID)
	}
	for id := range has {
		t.Errorf("there is no rule %s", id)
	}
}

// Consumers that may not be listed are said not to have been read; next door they are.
func TestUnreadConsumers(t *testing.T) {
	srv := limited(t, "$JS.API.INFO", "$JS.API.STREAM.INFO.>", "$JS.API.STREAM.LIST", "$JS.API.CONSUMER.LIST.WELL-g",
		"$JS.API.CONSUMER.CREATE.KV_static-consumer-groups.>", "$JS.API.CONSUMER.CREATE.KV_elastic-consumer-groups.>", "$JS.FC.>")
	w := &ward{t: t, js: jetStream(t, connect(t, srv.ClientURL(), asUser("admin")))}
	bucketOf(t, w.js, model.KindStatic)
	ill, well := w.elastic("ILL", "g", 2, "m1"), w.elastic("WELL", "g", 2, "m1")
	_, w.r = observe(t, connect(t, srv.ClientURL(), asUser("limited")), quick())
	w.finds(ill, "unread", "CONSUMER.LIST")
	w.r.until(t, "the neighbour is read", func(s *model.Snapshot) bool {
		return !s.Group(well).ReadAt.IsZero() && !hasFinding(s.Group(well), "unread")
	})
}

// pulling keeps instances of a member running, by another library.
func (w *ward) pulling(k model.Key, member string, instances int, ackWait time.Duration) {
	w.t.Helper()
	for range instances {
		c := must(orbit.ElasticConsume(w.t.Context(), w.js, k.Stream, k.Group, member, func(m jetstream.Msg) { _ = m.Ack() },
			jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait}))
		w.t.Cleanup(func() { c.Stop(); <-c.Done() })
	}
}

// take fetches n messages of a consumer and does with each what it is told.
func (w *ward) take(c jetstream.Consumer, n int, with func(jetstream.Msg) error) {
	w.t.Helper()
	for m := range must(c.Fetch(n, jetstream.FetchMaxWait(5*time.Second))).Messages() {
		if err := with(m); err != nil {
			w.t.Fatal(err)
		}
	}
}

// sourced waits until a work stream holds n messages.
func (w *ward) sourced(k model.Key, n uint64) {
	w.t.Helper()
	work := must(w.js.Stream(w.t.Context(), k.ConsumeStream()))
	for deadline := time.Now().Add(10 * time.Second); must(work.Info(w.t.Context())).State.Msgs != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("the work stream of %s never holds %d messages", k, n)
		}
	}
}
