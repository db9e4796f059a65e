package observe

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
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
	srv := natstest.Start(t)
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

// open opens a group, and leaves it open.
func (w *ward) open(k model.Key) { w.look(k); w.o.Focus(&k, []model.Key{k}) }

// everything closes what is open, and looks at all groups.
func (w *ward) everything() { w.o.Focus(nil, nil) }

// fine asserts that the healthy neighbour never had anything above information to be
// said of it, and, once it was seen to be up, not even that.
func (w *ward) fine() {
	w.t.Helper()
	w.everything()
	k := elastic("FINE", "g")
	w.r.until(w.t, "the neighbour is well", func(s *model.Snapshot) bool {
		g := s.Group(k)
		return g != nil && g.Verdict == model.VerdictOK && len(g.Findings) == 0
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
