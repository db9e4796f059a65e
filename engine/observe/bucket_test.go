package observe

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

func exists(kind model.Kind, want bool) func(*model.Snapshot) bool {
	return func(s *model.Snapshot) bool { b, known := s.Bucket(kind); return known && b.Exists == want }
}

func TestBucketMadeDeletedAndMadeAnew(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	_, r := observe(t, connect(t, s.ClientURL()), Options{Health: 5 * time.Second})
	now, _ := r.until(t, "live without buckets", live)
	if len(now.Groups) != 0 || !exists(model.KindStatic, false)(now) || !exists(model.KindElastic, false)(now) {
		t.Fatalf("groups %v, buckets %v", now.Groups, now.Buckets)
	}

	kv := bucketOf(t, js, model.KindStatic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	_, took := r.until(t, "the group of a new bucket", func(s *model.Snapshot) bool { return s.Group(static("S", "g")) != nil })
	t.Logf("a new bucket's group after %v", took)
	if took > 500*time.Millisecond { // 1 ms; the health check would take seconds
		t.Errorf("a new bucket was noticed after %v", took)
	}

	if err := js.DeleteKeyValue(t.Context(), BucketName(model.KindStatic)); err != nil {
		t.Fatal(err)
	}
	_, took = r.until(t, "the bucket is gone", func(s *model.Snapshot) bool {
		return exists(model.KindStatic, false)(s) && len(s.Groups) == 0
	})
	t.Logf("a deleted bucket after %v", took)

	kv = bucketOf(t, js, model.KindStatic)
	must(kv.PutString(t.Context(), "T.h", goodConfig))
	now, _ = r.until(t, "the other group", func(s *model.Snapshot) bool { return s.Group(static("T", "h")) != nil })
	if now.Group(static("S", "g")) != nil {
		t.Error("the old bucket's group is still there")
	}
}

// Without advisories, the health check alone must notice.
func TestBucketReplacedUnheard(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	kv := bucketOf(t, js, model.KindElastic)
	must(kv.PutString(t.Context(), "S.g", goodConfig))
	o := New(connect(t, s.ClientURL()), quick())
	o.opts.Domain = "nobody's" // so every advisory is left out
	r := runObserver(t, o)
	r.until(t, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(elastic("S", "g")) != nil })
	if err := js.DeleteKeyValue(t.Context(), BucketName(model.KindElastic)); err != nil {
		t.Fatal(err)
	}
	kv = bucketOf(t, js, model.KindElastic)
	must(kv.PutString(t.Context(), "T.h", goodConfig))
	_, took := r.until(t, "only the other group", func(s *model.Snapshot) bool {
		return len(s.Groups) == 1 && s.Groups[0].Key == elastic("T", "h")
	})
	if took > 10*quick().Health { // a watch that falls silent is given up, too, but after 6 s
		t.Errorf("noticed after %v", took)
	}
}

// A new bucket counts from 1 again: the same key in it, at a lower revision than was
// seen, is what counts, whether the change of buckets is heard of or found.
func TestSameKeyInANewBucket(t *testing.T) {
	for name, domain := range map[string]string{"heard": "", "unheard": "nobody's"} {
		t.Run(name, func(t *testing.T) {
			s := natstest.Start(t)
			js := jetStream(t, connect(t, s.ClientURL()))
			kv := bucketOf(t, js, model.KindElastic)
			for range 5 {
				must(kv.PutString(t.Context(), "S.g", goodConfig))
			}
			o := New(connect(t, s.ClientURL()), quick())
			o.opts.Domain = domain
			r := runObserver(t, o)
			revision := func(n uint64) func(*model.Snapshot) bool {
				return func(s *model.Snapshot) bool { g := s.Group(elastic("S", "g")); return g != nil && g.Revision == n }
			}
			r.until(t, "the group", revision(5))
			if err := js.DeleteKeyValue(t.Context(), BucketName(model.KindElastic)); err != nil {
				t.Fatal(err)
			}
			must(bucketOf(t, js, model.KindElastic).PutString(t.Context(), "S.g", goodConfig))
			if _, took := r.until(t, "the new bucket's group", revision(1)); took > 10*time.Second {
				t.Errorf("after %v", took)
			}
		})
	}
}

func TestRemovals(t *testing.T) {
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	kv := bucketOf(t, js, model.KindStatic, func(c *jetstream.KeyValueConfig) { c.LimitMarkerTTL = time.Minute })
	for _, key := range []string{"S.deleted", "S.purged", "S.cleared", "S.stays"} {
		must(kv.PutString(t.Context(), key, goodConfig))
	}
	must(kv.Create(t.Context(), "S.expired", []byte(goodConfig), jetstream.KeyTTL(time.Second)))
	_, r := observe(t, connect(t, s.ClientURL()), quick())
	r.until(t, "five groups", func(s *model.Snapshot) bool { return live(s) && len(s.Groups) == 5 })

	gone := func(group string) {
		t.Helper()
		_, took := r.until(t, group+" is gone", func(s *model.Snapshot) bool { return s.Group(static("S", group)) == nil })
		t.Logf("%s after %v", group, took)
	}
	if err := kv.Delete(t.Context(), "S.deleted"); err != nil {
		t.Fatal(err)
	}
	gone("deleted")
	if err := kv.Purge(t.Context(), "S.purged"); err != nil {
		t.Fatal(err)
	}
	gone("purged")
	stream := must(js.Stream(t.Context(), "KV_"+BucketName(model.KindStatic)))
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSubject("$KV."+BucketName(model.KindStatic)+".S.cleared")); err != nil {
		t.Fatal(err)
	}
	gone("cleared")
	gone("expired")
	if now := r.now(); len(now.Groups) != 1 || now.Groups[0].Unreadable != "" {
		t.Errorf("the group that stays: %v", now.Groups)
	}
}

func TestBrokenValuesKeepTheLastGoodConfig(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	kv := bucketOf(t, js, model.KindStatic)
	broken := map[string]string{
		"S.empty":  "",
		"S.cut":    "{bad",
		"S.string": `{"max_members":"4","members":["m1"]}`,
		"S.both":   `{"max_members":4,"members":["m1"],"member_mappings":[{"member":"m1","partitions":[0,1,2,3]}]}`,
	}
	for key := range broken {
		must(kv.PutString(t.Context(), key, goodConfig))
	}
	must(kv.PutString(t.Context(), "S.good", goodConfig))
	must(kv.PutString(t.Context(), "nodot", goodConfig))
	_, r := observe(t, connect(t, s.ClientURL()), quick())
	r.until(t, "six groups", func(s *model.Snapshot) bool { return live(s) && len(s.Groups) == 6 })
	revisions := map[string]uint64{}
	for key, value := range broken {
		revisions[key] = must(kv.PutString(t.Context(), key, value))
	}
	now, _ := r.until(t, "four unreadable", func(s *model.Snapshot) bool {
		n := 0
		for _, g := range s.Groups {
			if g.Unreadable != "" {
				n++
			}
		}
		return n == 4
	})
	for key := range broken {
		g := now.Group(model.ParseKey(model.KindStatic, key))
		if g.UnreadableRevision != revisions[key] || g.Config.Partitions != 4 || len(g.Members) != 2 || strings.Contains(g.Unreadable, "\n") {
			t.Errorf("%s: unreadable %q at %d, want %d; config %+v", key, g.Unreadable, g.UnreadableRevision, revisions[key], g.Config)
		}
	}
	if g := now.Group(static("S", "good")); g.Unreadable != "" || g.Revision == 0 {
		t.Errorf("the good group is affected: %+v", g)
	}
	if g := now.Group(static("", "nodot")); g == nil {
		t.Error("the key without a dot is not shown")
	}
	// A repaired value takes the place of the broken one.
	must(kv.PutString(t.Context(), "S.cut", goodConfig))
	r.until(t, "repaired", func(s *model.Snapshot) bool { return s.Group(static("S", "cut")).Unreadable == "" })
}

func TestManyKeysPurgedAtOnce(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	kv := bucketOf(t, js, model.KindElastic)
	for i := range 200 {
		must(kv.PutString(t.Context(), "S.g"+string(rune('a'+i%26))+string(rune('a'+i/26)), goodConfig))
	}
	must(kv.PutString(t.Context(), "T.stays", goodConfig))
	o, r := observe(t, connect(t, s.ClientURL()), Options{Health: 300 * time.Millisecond, MaxRequests: 20})
	r.until(t, "201 groups", func(s *model.Snapshot) bool { return len(s.Groups) == 201 })
	stream := must(js.Stream(t.Context(), "KV_"+BucketName(model.KindElastic)))
	before := o.api.made.Load()
	if err := stream.Purge(t.Context(), jetstream.WithPurgeSubject("$KV."+BucketName(model.KindElastic)+".S.>")); err != nil {
		t.Fatal(err)
	}
	_, took := r.until(t, "one group", func(s *model.Snapshot) bool { return len(s.Groups) == 1 })
	t.Logf("200 removals without markers after %v and %d requests", took, o.api.made.Load()-before)
	if took > 5*time.Second {
		t.Errorf("noticed after %v", took)
	}
}

func TestTenThousandKeys(t *testing.T) {
	if testing.Short() {
		t.Skip("writes ten thousand keys")
	}
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	bucketOf(t, js, model.KindStatic, func(c *jetstream.KeyValueConfig) { c.Storage = jetstream.MemoryStorage })
	for i := range 10_000 {
		group := "g" + string(rune('a'+i%26)) + string(rune('a'+i/26%26)) + string(rune('a'+i/676))
		if err := nc.Publish("$KV."+BucketName(model.KindStatic)+".S."+group, []byte(goodConfig)); err != nil {
			t.Fatal(err)
		}
	}
	stream := must(js.Stream(t.Context(), "KV_"+BucketName(model.KindStatic)))
	for deadline := time.Now().Add(10 * time.Second); must(stream.Info(t.Context())).State.Msgs < 10_000; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the keys are not stored")
		}
	}
	// Reducing is the engine's business: here only the observations are counted.
	o := New(connect(t, s.ClientURL()), Options{})
	keys, done := map[model.Key]bool{}, make(chan int)
	emit := func(observations ...model.Observation) {
		for _, v := range observations {
			if c, ok := v.(model.ConfigSeen); ok {
				keys[c.Key] = true
			}
			if l, ok := v.(model.LinkSeen); ok && l.State == model.LinkLive {
				done <- len(keys)
			}
		}
	}
	start := time.Now()
	runWith(t, o, serial(emit))
	n := 0
	select {
	case n = <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("never live")
	}
	t.Logf("%d keys of one stream: live after %v and %d requests", n, time.Since(start), o.api.made.Load())
	if n != 10_000 || o.api.made.Load() > 10 {
		t.Errorf("%d keys, %d requests", n, o.api.made.Load())
	}
}

func TestRemovalMarkers(t *testing.T) {
	for _, c := range []struct {
		name, value string
		removed     bool
	}{
		{"KV-Operation", "DEL", true}, {"KV-Operation", "PURGE", true}, {"KV-Operation", "PUT", false},
		{"Nats-Marker-Reason", "MaxAge", true}, {"Nats-Marker-Reason", "Purge", true}, {"Nats-Marker-Reason", "Remove", true},
		{"Other", "DEL", false},
	} {
		h := nats.Header{}
		h.Set(c.name, c.value)
		if removal(h) != c.removed {
			t.Errorf("%s: %s: removed %v", c.name, c.value, !c.removed)
		}
	}
	if removal(nil) {
		t.Error("a value without headers is a removal")
	}
}

// Where the server makes no more consumers, the bucket is read all the same, and followed.
func TestBucketWithoutRoomForAWatch(t *testing.T) {
	s := natstest.Start(t)
	js := jetStream(t, connect(t, s.ClientURL()))
	bucket := must(js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name: "KV_" + BucketName(model.KindStatic), Subjects: []string{"$KV." + BucketName(model.KindStatic) + ".>"},
		MaxMsgsPerSubject: 1, MaxConsumers: 1, AllowDirect: true, AllowRollup: true, DenyDelete: true,
	}))
	must(bucket.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Name: "taken"}))
	must(js.Publish(t.Context(), "$KV."+BucketName(model.KindStatic)+".S.g", []byte(goodConfig)))
	_, r := observe(t, connect(t, s.ClientURL()), quick())
	r.until(t, "live with the group", func(s *model.Snapshot) bool {
		return live(s) && s.Group(static("S", "g")) != nil && s.Unknown(model.KindStatic) == ""
	})
	must(js.Publish(t.Context(), "$KV."+BucketName(model.KindStatic)+".S.h", []byte(goodConfig)))
	r.until(t, "a new group", func(s *model.Snapshot) bool { return s.Group(static("S", "h")) != nil })
}
