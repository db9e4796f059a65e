package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// ward is a server with groups, one of them healthy.
type ward struct {
	t  *testing.T
	js jetstream.JetStream
	r  *recorder
	o  *Observer
}

// newWard starts everything; what is open is counted.
func newWard(t *testing.T) *ward {
	t.Helper()
	srv := startServer(t)
	w := &ward{t: t, js: jetStream(t, connect(t, srv.ClientURL()))}
	bucketOf(t, w.js, model.KindStatic)
	bucketOf(t, w.js, model.KindElastic)
	w.healthy()
	w.o, w.r = opened(t, srv.ClientURL(), elastic("FINE", "g"), func(o *Options) { o.MaxRequests = 4000 })
	return w
}

// healthy makes the group FINE/g with two instances of each member, under load.
func (w *ward) healthy() {
	w.t.Helper()
	w.elastic("FINE", "g", 4, "m1", "m2")
	for _, m := range []string{"m1", "m2"} {
		for range 2 {
			c := must(orbit.ElasticConsume(w.t.Context(), w.js, "FINE", "g", m, func(m jetstream.Msg) { _ = m.Ack() },
				jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 3 * time.Second}))
			w.t.Cleanup(func() { c.Stop(); <-c.Done() })
		}
	}
	stop, done := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for i := 0; stop.Err() == nil; i++ {
			_ = w.js.Conn().Publish(fmt.Sprintf("FINE.k%d", i%40), nil)
			time.Sleep(5 * time.Millisecond)
		}
	}()
	w.t.Cleanup(func() { done(); <-ended })
}

// elastic makes a stream with an elastic group by its only token.
func (w *ward) elastic(stream, group string, n uint, members ...string) model.Key {
	w.t.Helper()
	ctx := w.t.Context()
	must(w.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: stream, Subjects: []string{stream + ".*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
	must(orbit.CreateElastic(ctx, w.js, stream, group, n, []orbit.PartitioningFilter{{Filter: stream + ".*", PartitioningWildcards: []int{1}}}, -1, -1))
	if len(members) > 0 {
		must(orbit.AddMembers(ctx, w.js, stream, group, members))
	}
	return elastic(stream, group)
}

// static makes a stream, with a transform if one is given, and a static group's config.
func (w *ward) static(stream, to string, config string) model.Key {
	w.t.Helper()
	c := jetstream.StreamConfig{Name: stream, Subjects: []string{stream + ".>"}, AllowDirect: true, Storage: jetstream.MemoryStorage}
	if to != "" {
		c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: stream + ".*", Destination: strings.ReplaceAll(to, "S", stream)}
	}
	must(w.js.CreateStream(w.t.Context(), c))
	w.put(model.KindStatic, stream+".g", config)
	return static(stream, "g")
}

func (w *ward) put(kind model.Kind, key, value string) {
	w.t.Helper()
	must(must(w.js.KeyValue(w.t.Context(), BucketName(kind))).PutString(w.t.Context(), key, value))
}

func (w *ward) publish(stream string, n int) {
	w.t.Helper()
	for i := range n {
		must(w.js.Publish(w.t.Context(), fmt.Sprintf("%s.k%d", stream, i), nil))
	}
}

// consumer makes a consumer with the filters of partitions.
func (w *ward) consumer(stream, name, rest string, ackWait time.Duration, partitions ...int) jetstream.Consumer {
	w.t.Helper()
	c := jetstream.ConsumerConfig{Name: name, AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, InactiveThreshold: time.Minute}
	for _, p := range partitions {
		c.FilterSubjects = append(c.FilterSubjects, fmt.Sprintf("%d.%s", p, rest))
	}
	return must(w.js.CreateConsumer(w.t.Context(), stream, c))
}

// finds waits for a finding whose text holds every given one.
func (w *ward) finds(k model.Key, id string, texts ...string) model.Finding {
	w.t.Helper()
	var found model.Finding
	w.r.until(w.t, fmt.Sprintf("%s of %s with %q", id, k, texts), func(s *model.Snapshot) bool {
		f := finding(s.Group(k), id)
		if f == nil {
			return false
		}
		for _, text := range texts {
			if !strings.Contains(f.Text, text) {
				return false
			}
		}
		found = *f
		return true
	})
	return found
}

// look opens a group, so that it is counted.
func (w *ward) look(k model.Key) {
	w.t.Helper()
	w.o.Focus(&k, []model.Key{k})
	w.r.until(w.t, "counts of "+k.String(), func(s *model.Snapshot) bool { return counts(s.Group(k)) >= 0 })
	w.o.Focus(&k, nil)
	w.o.ReadNow()
}

// open is look, and goes on looking at everything.
func (w *ward) everything() { w.o.Focus(nil, nil) }

// fine asserts that the healthy neighbour never had anything above information to be
// said of it, and, once it was seen to be up, not even that.
func (w *ward) fine() {
	w.t.Helper()
	w.everything()
	k := elastic("FINE", "g")
	w.r.until(w.t, "the neighbour is well", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g.Verdict == model.VerdictOK && len(g.Findings) == 0
	})
	up, snap := false, model.Reduce(nil, time.Now())
	for _, o := range w.r.observations() {
		snap = model.Reduce(snap, time.Now(), o)
		g := snap.Group(k)
		if g == nil {
			continue
		}
		up = up || g.Verdict == model.VerdictOK
		for _, f := range g.Findings {
			if up && f.Severity != model.Info {
				w.t.Errorf("the healthy neighbour: %+v", f)
			}
		}
	}
}

// Configs that are wrong, and streams that do not fit them.
func TestRulesOfConfigs(t *testing.T) {
	w := newWard(t)
	w.put(model.KindElastic, "BAD.g", "{bad")
	w.put(model.KindElastic, "NOWORK.g", goodConfig)
	w.put(model.KindStatic, "NOSTREAM.g", goodConfig)
	w.everything()
	w.finds(elastic("BAD", "g"), "unreadable")
	w.finds(elastic("NOWORK", "g"), "no-work-stream", "NOWORK-g")
	w.finds(static("NOSTREAM", "g"), "no-stream")

	w.elastic("A", "B-C", 2, "m")
	w.put(model.KindElastic, "A-B.C", goodConfig)
	w.everything()
	w.finds(elastic("A-B", "C"), "not-our-stream", "belongs to another group")

	k := w.elastic("GONE", "g", 2, "m")
	if err := w.js.DeleteStream(t.Context(), "GONE"); err != nil {
		t.Fatal(err)
	}
	w.o.ReadNow()
	w.finds(k, "no-origin", "no origin GONE")
	w.fine()
}

// ENG-09: a config that was changed under its work stream.
func TestConfigDiffersFromWorkStream(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	must(w.js.CreateStream(ctx, jetstream.StreamConfig{Name: "E", Subjects: []string{"a.*", "b.*"}, AllowDirect: true}))
	must(orbit.CreateElastic(ctx, w.js, "E", "g", 4, []orbit.PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}, {Filter: "b.*", PartitioningWildcards: []int{1}}}, -1, -1))
	must(orbit.AddMembers(ctx, w.js, "E", "g", []string{"m"}))
	for i := range 20 {
		must(w.js.Publish(ctx, fmt.Sprintf("a.%d", i), nil))
		must(w.js.Publish(ctx, fmt.Sprintf("b.%d", i), nil))
	}
	k := elastic("E", "g")
	w.look(k)
	w.r.until(t, "40 messages", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 40 })
	if f := finding(w.r.now().Group(k), "config-differs"); f != nil {
		t.Errorf("%+v", f)
	}
	w.put(model.KindElastic, "E.g", `{"max_members":4,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	f := w.finds(k, "config-differs", "b.* is sourced and in no filter", "20 of 40 messages are out of every member's reach")
	if !strings.Contains(f.Hint, "running members will have stopped") || w.r.now().Group(k).Verdict != model.VerdictBroken {
		t.Errorf("%+v, %s", f, w.r.now().Group(k).Verdict)
	}
	w.put(model.KindElastic, "E.g", `{"max_members":8,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":[1]},{"filter":"b.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	w.finds(k, "config-differs", "a.* goes to {{Partition(4,1)}}", "0 of 40 messages")
	w.put(model.KindElastic, "E.g", `{"max_members":2,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":[1]},{"filter":"b.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	now, _ := w.r.until(t, "messages out of reach", func(s *model.Snapshot) bool {
		c := s.Group(k).Counts
		return len(s.Group(k).Partitions) == 2 && c != nil && c.Reach != nil && c.Reach.Beyond() > 0
	})
	if r := now.Group(k).Counts.Reach; r.Stored != 40 || r.Beyond() != 20 {
		t.Errorf("%+v: the tokens are 0 to 9, half of them go to partitions 2 and 3", r)
	}
	w.put(model.KindElastic, "E.g", `{"max_members":4,"partitioning_filters":[{"filter":"b.*","partitioning_wildcards":[1]},{"filter":"a.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	w.r.until(t, "put back, in another order", func(s *model.Snapshot) bool { return !hasFinding(s.Group(k), "config-differs") })
	w.fine()
}

// ENG-11: static groups whose stream is stamped otherwise, or not at all.
func TestStampDiffers(t *testing.T) {
	w := newWard(t)
	balanced := func(stream string) string {
		return `{"max_members":4,"filters":["` + stream + `.*"],"members":["m1","m2"]}`
	}
	many := w.static("MANY", "{{partition(10,1)}}.S.{{wildcard(1)}}", balanced("MANY"))
	none := w.static("NONE", "", balanced("NONE"))
	last := w.static("LAST", "S.{{wildcard(1)}}.{{partition(4,1)}}", balanced("LAST"))
	right := w.static("RIGHT", "{{partition(4,1)}}.S.{{wildcard(1)}}", balanced("RIGHT"))
	stamped := static("STAMPED", "g")
	must(w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "STAMPED", Subjects: []string{"0.STAMPED.*", "1.STAMPED.*", "2.STAMPED.*", "3.STAMPED.*"}, AllowDirect: true}))
	w.put(model.KindStatic, "STAMPED.g", balanced("STAMPED"))
	for _, stream := range []string{"MANY", "NONE", "LAST", "RIGHT"} {
		w.publish(stream, 100)
	}
	for i := range 100 {
		must(w.js.Publish(t.Context(), fmt.Sprintf("%d.STAMPED.k%d", i%4, i), nil))
	}
	out := 0
	for i := range 100 {
		if p, _ := (model.Transform{From: "MANY.*", To: "{{partition(10,1)}}.x"}).Partition(fmt.Sprintf("MANY.k%d", i)); p > 3 {
			out++
		}
	}
	for k, texts := range map[model.Key][]string{
		many: {"stream makes 10 partitions, group covers 0-3", fmt.Sprintf("%d of 100 messages out of reach", out)},
		none: {"stamps no partition", "100 of 100 messages out of reach"},
		last: {"puts the partition in token 3", "100 of 100 messages out of reach"},
	} {
		w.look(k)
		f := w.finds(k, "stamp-differs", texts...)
		if f.Severity != model.Critical || w.r.now().Group(k).Verdict != model.VerdictBroken {
			t.Errorf("%s: %+v, %s", k, f, w.r.now().Group(k).Verdict)
		}
	}
	for _, k := range []model.Key{right, stamped} {
		w.look(k)
		w.r.until(t, "counted "+k.String(), func(s *model.Snapshot) bool { return counts(s.Group(k)) == 100 })
		if f := finding(w.r.now().Group(k), "stamp-differs"); f != nil {
			t.Errorf("%s: %+v", k, f)
		}
	}
	w.fine()
}

// Members and consumers that are not as they should be.
func TestRulesOfMembers(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	// ENG-07: names that no consumer can have, written past every check.
	names := w.elastic("NAMES", "g", 4, "ok")
	w.put(model.KindElastic, "NAMES.g", `{"max_members":4,"partitioning_filters":[{"filter":"NAMES.*","partitioning_wildcards":[1]}],"members":["bad name","dot.ted","ok","`+strings.Repeat("x", 300)+`"]}`)
	// ENG-12: more members than partitions.
	crowd := w.elastic("CROWD", "g", 2, "a", "b", "c")
	nobody := w.elastic("NOBODY", "g", 4)
	w.publish("NOBODY", 8)
	filters := w.elastic("FILTERS", "g", 4, "m1", "m2")
	w.consumer("FILTERS-g", "m1", "FILTERS.*", 200*time.Millisecond, 0)
	w.consumer("FILTERS-g", "m2", "FILTERS.*", 200*time.Millisecond, 2, 3)
	w.consumer("FILTERS-g", "stranger", "FILTERS.*", 5*time.Second, 7)
	pause := w.elastic("PAUSE", "g", 2, "m1")
	w.consumer("PAUSE-g", "m1", "PAUSE.*", time.Second, 0, 1)
	must(w.js.PauseConsumer(ctx, "PAUSE-g", "m1", time.Now().Add(time.Hour)))
	idle := w.elastic("IDLE", "g", 2, "m1")
	w.consumer("IDLE-g", "m1", "IDLE.*", 5*time.Second, 0, 1)
	gaps := w.static("GAPS", "{{partition(4,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"member_mappings":[{"member":"m1","partitions":[0,1]},{"member":"m2","partitions":[2]}]}`)
	w.everything()

	w.finds(names, "cannot-run", `"bad name": it holds ' '`)
	w.finds(names, "unowned", "3 partitions unowned: 0-1,3")
	w.finds(crowd, "no-partition", "no partition for c (3 members, 2 partitions)")
	w.r.until(t, "c stands by", func(s *model.Snapshot) bool {
		return s.Group(crowd).Member("c").Why == "standby, no partition (3 members, 2 partitions)"
	})
	w.finds(crowd, "absent", "a never seen: it owns 1 partition (0)")
	w.finds(nobody, "unowned", "no members")
	w.look(nobody)
	w.finds(nobody, "unowned", "8 messages wait there")
	w.everything()
	w.finds(filters, "filters-differ", "m1 consumes partitions 0, and owns 0-1")
	if f := w.r.now().Group(filters); f.Verdict != model.VerdictBroken {
		t.Errorf("%s", f.Verdict)
	}
	for _, f := range w.r.now().Group(filters).Findings {
		if f.ID == "filters-differ" && f.Member != "m1" {
			t.Errorf("%+v", f)
		}
	}
	w.finds(filters, "foreign", "stranger is no member")
	w.finds(pause, "paused", "m1 is paused for")
	w.finds(pause, "ack-wait-short", "ack wait of 1s")
	w.finds(idle, "no-pull", "m1 has a consumer but nobody pulls")
	w.finds(gaps, "partial-mapping")
	w.finds(gaps, "unowned", "1 partition unowned: 3")
	w.put(model.KindStatic, "GAPS.a-b", `{"max_members":4,"filters":["GAPS.*"],"members":["c"]}`)
	w.put(model.KindStatic, "GAPS.a", `{"max_members":4,"filters":["GAPS.*"],"members":["b-c","z"]}`)
	w.consumer("GAPS", "a-b-c", "GAPS.*", 5*time.Second, 0, 1, 2, 3)
	w.finds(static("GAPS", "a"), "collision", "belongs to another group: GAPS/a-b")
	w.fine()
}

// OBS-07: the only message is delivered, and its client is gone.
func TestStuckUnacked(t *testing.T) {
	w := newWard(t)
	k := w.elastic("STUCK", "g", 2, "m1")
	c := w.consumer("STUCK-g", "m1", "STUCK.*", time.Second, 0, 1)
	w.everything()
	w.publish("STUCK", 1)
	fetched := must(c.Fetch(1, jetstream.FetchMaxWait(5*time.Second)))
	for range fetched.Messages() { // and nothing is done about it
	}
	f := w.finds(k, "stuck-unacked", "m1 stuck: 1 unacked for", "> ack wait 1s, no waiting pull")
	g := w.r.now().Group(k)
	if g.Lag() != 1 || !g.Verdict.InNeed() || f.Severity != model.Warning {
		t.Errorf("lag %d, %s, %+v", g.Lag(), g.Verdict, f)
	}
	w.finds(k, "stalled", "m1 stalled: 1 wait and nothing was acknowledged for", "1 unacked")
	if v := w.r.now().Group(k).Verdict; v != model.VerdictStalled {
		t.Errorf("%s", v)
	}
	w.fine()
}

// Messages that are delivered again, pins that are not given, no standby, one partition
// that holds it all.
func TestRulesOfFlow(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	again := w.elastic("AGAIN", "g", 2, "m1")
	c := w.consumer("AGAIN-g", "m1", "AGAIN.*", 5*time.Second, 0, 1)
	w.publish("AGAIN", 1)
	for i := range 2 {
		for m := range must(c.Fetch(1, jetstream.FetchMaxWait(5*time.Second))).Messages() {
			if i == 0 {
				_ = m.Nak()
			}
		}
	}
	pins := w.elastic("PINS", "g", 2, "m1")
	p := must(w.js.CreateConsumer(ctx, "PINS-g", jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy, MaxAckPending: 1, FilterSubjects: []string{"0.PINS.*", "1.PINS.*"}}))
	w.publish("PINS", 5)
	pulls := must(p.Consume(func(jetstream.Msg) {}, jetstream.PullExpiry(5*time.Second)))
	t.Cleanup(pulls.Stop)
	hot := w.elastic("HOT", "g", 8, "m1")
	for range 200 {
		must(w.js.Publish(ctx, "HOT.same", nil))
	}
	w.publish("HOT", 20)
	w.everything()
	if f := w.finds(again, "redelivering", "1 message delivered more than once"); f.Member != "m1" {
		t.Errorf("%+v", f)
	}
	w.finds(pins, "not-pinned", "m1: nobody is pinned and 4 wait")
	w.finds(pins, "no-standby", "no standby for m1")
	w.look(hot)
	w.finds(hot, "whale", "of the lag: 20", "of 220 messages")
	w.fine()
}

// relay passes API requests on under another prefix and lets answers be changed: what a
// server tells of streams and consumers that it cannot run is recorded from clusters
// with servers of different versions.
func relay(t *testing.T, nc *nats.Conn, prefix string, change map[string]func(map[string]any)) {
	t.Helper()
	sub := must(nc.Subscribe(prefix+".>", func(m *nats.Msg) {
		operation := strings.TrimPrefix(m.Subject, prefix)
		go func() {
			answer, err := nc.Request("$JS.API"+operation, m.Data, 5*time.Second)
			if err != nil {
				return // whoever asked waits in vain, as they would
			}
			body := answer.Data
			if f := change[operation]; f != nil {
				var v map[string]any
				if json.Unmarshal(body, &v) == nil {
					f(v)
					body, _ = json.Marshal(v)
				}
			}
			_ = nc.PublishMsg(&nats.Msg{Subject: m.Reply, Data: body, Header: answer.Header})
		}()
	}))
	t.Cleanup(func() { _ = sub.Unsubscribe() })
}

// What the server cannot run is offline, with its reason, and its neighbours are not.
func TestOffline(t *testing.T) {
	srv := startServer(t)
	nc := connect(t, srv.ClientURL())
	w := &ward{t: t, js: jetStream(t, nc)}
	bucketOf(t, w.js, model.KindStatic)
	member, stream, well := w.elastic("HALF", "g", 2, "m1", "m2"), w.elastic("OFF", "g", 2, "m1"), w.elastic("WELL", "g", 2, "m1")
	for _, name := range []string{"HALF-g", "OFF-g", "WELL-g"} {
		w.consumer(name, "m1", strings.TrimSuffix(name, "-g")+".*", 5*time.Second, 0)
	}
	w.consumer("HALF-g", "m2", "HALF.*", 5*time.Second, 1)
	const why = "unsupported - requires JetStream API level 7"
	drop := func(list any, name string, path ...string) (kept []any) {
		for _, x := range list.([]any) {
			at := x.(map[string]any)
			for _, p := range path {
				at = at[p].(map[string]any)
			}
			if at["name"] != name {
				kept = append(kept, x)
			}
		}
		return kept
	}
	relay(t, nc, "RELAY.API", map[string]func(map[string]any){
		".CONSUMER.LIST.HALF-g": func(v map[string]any) {
			v["consumers"] = drop(v["consumers"], "m1")
			v["missing"], v["offline"] = []string{"m1"}, map[string]string{"m1": why}
		},
		".STREAM.LIST": func(v map[string]any) {
			v["streams"] = drop(v["streams"], "OFF-g", "config")
			v["missing"], v["offline"] = []string{"OFF-g"}, map[string]string{"OFF-g": why}
		},
		".STREAM.INFO.OFF-g": func(v map[string]any) {
			clear(v)
			v["error"] = map[string]any{"code": 500, "err_code": 10194, "description": "stream is offline: " + why}
		},
		".CONSUMER.LIST.OFF-g": func(v map[string]any) {
			clear(v)
			v["error"] = map[string]any{"code": 500, "err_code": 10194, "description": "stream is offline: " + why}
		},
	})
	opts := quick()
	opts.APIPrefix = "RELAY.API"
	_, r := observe(t, connect(t, srv.ClientURL()), opts)
	w.r = r
	w.finds(member, "offline", "m1's consumer is offline: "+why)
	w.finds(stream, "stream-offline", "stream OFF-g is offline: "+why)
	r.until(t, "the verdicts", func(s *model.Snapshot) bool {
		h := s.Group(member)
		return h.Member("m1").State == model.StateOffline && h.Member("m2").State == model.StateNoPull && s.Group(stream).Verdict == model.VerdictOffline
	})
	for _, id := range []string{"offline", "stream-offline", "absent"} {
		if f := finding(r.now().Group(well), id); f != nil {
			t.Errorf("the neighbour: %+v", f)
		}
	}
}

// OBS-10: a backlog that hides at the origin. OBS-11: partitions that nobody owns.
func TestBacklogsThatHide(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	must(w.js.CreateStream(ctx, jetstream.StreamConfig{Name: "FULL", Subjects: []string{"FULL.*"}, AllowDirect: true}))
	must(orbit.CreateElastic(ctx, w.js, "FULL", "g", 4, []orbit.PartitioningFilter{{Filter: "FULL.*", PartitioningWildcards: []int{1}}}, 10, -1))
	w.publish("FULL", 50)
	full := elastic("FULL", "g")
	half := w.elastic("HALF", "g", 4, "m1", "m2")
	w.consumer("HALF-g", "m1", "HALF.*", 5*time.Second, 0, 1)
	sent := map[int]bool{}
	for i := 0; len(sent) < 4; i++ {
		subject := fmt.Sprintf("HALF.k%d", i)
		p, _ := (model.Transform{From: "HALF.*", To: "{{partition(4,1)}}.x"}).Partition(subject)
		if !sent[p] {
			sent[p] = true
			must(w.js.Publish(ctx, subject, nil))
		}
	}
	gaps := w.static("GAPS", "{{partition(4,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"member_mappings":[{"member":"m1","partitions":[0,1,2]}]}`)
	for p := range 4 {
		for i := 0; ; i++ {
			subject := fmt.Sprintf("GAPS.k%d", i)
			if got, _ := (model.Transform{From: "GAPS.*", To: "{{partition(4,1)}}.x"}).Partition(subject); got == p {
				must(w.js.Publish(ctx, subject, nil))
				break
			}
		}
	}
	must(w.js.CreateConsumer(ctx, "GAPS", jetstream.ConsumerConfig{Durable: "g-m1", AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: []string{"0.>", "1.>", "2.>"}}))
	w.everything()
	w.finds(full, "buffer-full", "buffer full 10/10, 40 waiting at origin, sourcing paused")
	if g := w.r.now().Group(full); g.Lag() != 50 {
		t.Errorf("lag %d", g.Lag())
	}
	w.look(half)
	now, _ := w.r.until(t, "a message in each partition", func(s *model.Snapshot) bool { return counts(s.Group(half)) == 4 && s.Group(half).Pending > 0 })
	g := now.Group(half)
	if g.Lag() != 4 || g.Pending != 2 || g.Stray() != 2 || len(g.Partitions) != 4 {
		t.Errorf("lag %d, pending %d, stray %d", g.Lag(), g.Pending, g.Stray())
	}
	w.finds(half, "absent", "m2 never seen: it owns 2 partitions (2-3), 2 messages wait there")
	w.look(gaps)
	w.finds(gaps, "unowned", "1 partition unowned: 3, 1 message waits there")
	now, _ = w.r.until(t, "all four", func(s *model.Snapshot) bool { return s.Group(gaps).Lag() == 4 })
	if g := now.Group(gaps); !g.About() || g.Pending != 3 {
		t.Errorf("about %v, pending %d", g.About(), g.Pending)
	}
	w.fine()
}

// OBS-12: three facts about a member, apart.
func TestLivenessIsNotGuessed(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	k := w.elastic("LIFE", "g", 2, "m1")
	never := w.elastic("NEVER", "g", 2, "m1", "m2")
	var members []orbit.ConsumerGroupConsumeContext
	for range 2 {
		members = append(members, must(orbit.ElasticConsume(ctx, w.js, "LIFE", "g", "m1", func(m jetstream.Msg) { _ = m.Ack() },
			jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second})))
	}
	w.everything()
	w.r.until(t, "two instances pull", func(s *model.Snapshot) bool { return s.Group(k).Member("m1").State == model.StateWaiting })
	for _, m := range members {
		m.Stop()
		<-m.Done()
	}
	// (a) both stop: orbit.go deletes nothing, so the consumer stays for its threshold.
	f := w.finds(k, "no-pull", "nobody pulls")
	t.Logf("%s", f.Text)
	w.finds(k, "no-pull", "expires in ~")
	f = w.finds(k, "absent", "m1 gone for")
	if m := w.r.now().Group(k).Member("m1"); m.Consumer != nil || !m.Configured || m.LostAt.IsZero() {
		t.Errorf("%+v", m)
	}
	// (b) nobody of that name.
	if m := w.r.now().Group(k).Member("nobody"); m != nil {
		t.Errorf("%+v", m)
	}
	// (d) a group that never had a consumer is listed.
	if pulling, configured := w.r.now().Group(never).Pulling(); pulling != 0 || configured != 2 {
		t.Errorf("%d of %d", pulling, configured)
	}
	w.fine()
}

// OBS-12 (c): a member that pulls one message at a time and takes long over it does not
// flicker.
func TestSlowMemberDoesNotFlicker(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	k := w.static("SLOW", "{{partition(2,1)}}.S.{{wildcard(1)}}", `{"max_members":2,"filters":["SLOW.*"],"members":["m1"]}`)
	release := make(chan struct{})
	m := must(orbit.StaticConsume(ctx, w.js, "SLOW", "g", "m1", func(m jetstream.Msg) {
		select {
		case <-time.After(1800 * time.Millisecond):
		case <-release:
		}
		_ = m.Ack()
	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, MaxAckPending: 1}))
	t.Cleanup(func() { m.Stop(); <-m.Done() })
	t.Cleanup(func() { close(release) })
	w.everything()
	w.publish("SLOW", 4)
	now, _ := w.r.until(t, "pinned", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g != nil && g.Member("m1") != nil && g.Member("m1").State == model.StatePinned
	})
	from := now.Group(k).Member("m1").Consumer.TS
	w.r.until(t, "20 samples of a busy member", func(s *model.Snapshot) bool {
		m := s.Group(k).Member("m1")
		if m.State != model.StatePinned {
			t.Fatalf("%s: waiting %d, unacked %d", m.State, m.Consumer.Waiting, m.Consumer.AckPending)
		}
		return m.Consumer.TS.Sub(from) > 4*time.Second
	})
	w.fine()
}

// After a rolling update under new names the names that never came are shown as never
// seen, with what they own and what waits there.
func TestRollingUpdateUnderNewNames(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	k := w.elastic("ROLL", "g", 6, "old-1", "old-2", "old-3")
	join := func(name string) orbit.ConsumerGroupConsumeContext {
		return must(orbit.ElasticConsume(ctx, w.js, "ROLL", "g", name, func(m jetstream.Msg) { _ = m.Ack() },
			jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second}))
	}
	var running []orbit.ConsumerGroupConsumeContext
	for _, name := range []string{"old-1", "old-2", "old-3"} {
		running = append(running, join(name))
	}
	w.everything()
	w.r.until(t, "the old ones pull", func(s *model.Snapshot) bool {
		g := s.Group(k)
		if g == nil {
			return false
		}
		n, _ := g.Pulling()
		return n == 3
	})
	must(orbit.AddMembers(ctx, w.js, "ROLL", "g", []string{"new-1", "new-2", "new-3"}))
	must(orbit.DeleteMembers(ctx, w.js, "ROLL", "g", []string{"old-1", "old-2", "old-3"}))
	for _, m := range running {
		m.Stop()
		<-m.Done()
	}
	one := join("new-1") // the others never come
	t.Cleanup(func() { one.Stop(); <-one.Done() })
	w.publish("ROLL", 60)
	w.o.Focus(&k, []model.Key{k})
	now, _ := w.r.until(t, "two names that never came", func(s *model.Snapshot) bool {
		g := s.Group(k)
		sum, _ := g.CountOf([]int{2, 3, 4, 5})
		return g.Counted() && g.Member("new-1").State == model.StatePinned && g.Lag() == sum && sum > 0 && finding(g, "absent") != nil
	})
	g := now.Group(k)
	for _, name := range []string{"new-2", "new-3"} {
		m := g.Member(name)
		n, _ := g.CountOf(m.Partitions)
		want := fmt.Sprintf("%s never seen: it owns 2 partitions (%s), %d messages wait there", name, model.Ranges(m.Partitions), n)
		found := false
		for _, f := range g.Findings {
			found = found || f.ID == "absent" && f.Member == name && f.Text == want
		}
		if !found || m.State != model.StateAbsent || m.Why != "never seen" || n == 0 {
			t.Errorf("%s: %s %q, want %q in %+v", name, m.State, m.Why, want, g.Findings)
		}
	}
	w.fine()
}

// CON-10: with an ack wait of a second the pin goes to and fro at every quiet moment.
func TestFlapping(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	k := w.elastic("FLAP", "g", 2, "m1")
	for range 2 {
		m := must(orbit.ElasticConsume(ctx, w.js, "FLAP", "g", "m1", func(m jetstream.Msg) { _ = m.Ack() },
			jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: time.Second}))
		t.Cleanup(func() { m.Stop(); <-m.Done() })
	}
	w.everything()
	var next time.Time
	w.r.until(t, "flapping", func(s *model.Snapshot) bool {
		if time.Now().After(next) { // a message after a quiet moment, again and again
			next = time.Now().Add(1500 * time.Millisecond)
			_ = w.js.Conn().Publish("FLAP.k", nil)
		}
		return hasFinding(s.Group(k), "flapping")
	})
	if f := finding(w.r.now().Group(k), "flapping"); !strings.Contains(f.Hint, "ack wait of 1s is below 2s") {
		t.Errorf("%+v", f)
	}
	w.fine()
}
