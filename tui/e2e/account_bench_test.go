package e2e

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// shape is how large an account is.
type shape struct {
	static  int // streams that static groups consume from
	origins int // streams that elastic groups are fed from
	each    int // groups a stream
	run     int // of these, those that have consumers; elastic ones of them have a work stream
}

// partitionsEach is how many partitions every group of a large account has.
const partitionsEach = 10

func (s shape) groups() int { return (s.static + s.origins) * s.each }

// large is an account of many groups.
type large struct {
	shape
	*apart
	js jetstream.JetStream
	kv map[string]jetstream.KeyValue // by kind

	fresh time.Duration // how old what the screen shows of a group is at most, of 99 in 100 groups
}

// build starts a server that keeps everything in memory, and stores the groups of the
// shape there as the reference library does.
func build(t testing.TB, z shape) *large {
	t.Helper()
	s, js := serverApart(t, jetstream.WithPublishAsyncMaxPending(1000))
	var err error
	a := &large{shape: z, apart: s, js: js, kv: map[string]jetstream.KeyValue{}}
	for _, kind := range []string{"static", "elastic"} {
		if a.kv[kind], err = js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: kind + "-consumer-groups", Storage: jetstream.MemoryStorage}); err != nil {
			t.Fatal(err)
		}
	}
	var jobs []func(context.Context) error
	for n := range z.static {
		jobs = append(jobs, func(ctx context.Context) error { return a.staticStream(ctx, fmt.Sprintf("S%02d", n)) })
	}
	for n := range z.origins {
		jobs = append(jobs, func(ctx context.Context) error { return a.origin(ctx, fmt.Sprintf("E%02d", n)) })
	}
	if err := together(t.Context(), jobs); err != nil {
		t.Fatal(err)
	}
	select {
	case <-js.PublishAsyncComplete():
	case <-time.After(patience):
		t.Fatal("the configs are not stored")
	}
	return a
}

// together does jobs some at a time, and returns the first error.
func together(ctx context.Context, jobs []func(context.Context) error) (failed error) {
	var wait sync.WaitGroup
	var once sync.Once
	turn := make(chan struct{}, 8)
	for _, job := range jobs {
		turn <- struct{}{}
		wait.Go(func() {
			defer func() { <-turn }()
			if err := job(ctx); err != nil {
				once.Do(func() { failed = err })
			}
		})
	}
	wait.Wait()
	return failed
}

// store writes a config without waiting for it to be stored.
func (a *large) store(kind, key, value string) error {
	_, err := a.js.PublishAsync("$KV."+kind+"-consumer-groups."+key, []byte(value), jetstream.WithStallWait(patience))
	return err
}

// stamp is the destination that gives a subject of two tokens its partition.
func stamp(origin string) string {
	return fmt.Sprintf("{{Partition(%d,1)}}.%s.{{Wildcard(1)}}", partitionsEach, origin)
}

// filters are those of the n-th of two members.
func filters(origin string, n int) (list []string) {
	for p := range partitionsEach / 2 {
		list = append(list, fmt.Sprintf("%d.%s.*", n*partitionsEach/2+p, origin))
	}
	return list
}

func pinned(name, origin string, n int) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{
		Name: name, AckPolicy: jetstream.AckExplicitPolicy, FilterSubjects: filters(origin, n), AckWait: 5 * time.Second, MemoryStorage: true,
		PriorityPolicy: jetstream.PriorityPolicyPinned, PriorityGroups: []string{"PCG"}, PinnedTTL: 5 * time.Second, InactiveThreshold: time.Hour,
	}
}

// staticStream is one stream with its static groups.
func (a *large) staticStream(ctx context.Context, name string) error {
	s, err := a.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: name, Subjects: []string{name + ".*"}, Storage: jetstream.MemoryStorage, AllowDirect: true, MaxMsgs: 1000,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: name + ".*", Destination: stamp(name)},
	})
	if err != nil {
		return err
	}
	for g := range a.each {
		group := fmt.Sprintf("group%03d", g)
		if err := a.store("static", name+"."+group, fmt.Sprintf(`{"max_members":%d,"filters":["%s.*"],"members":["m1","m2"]}`, partitionsEach, name)); err != nil {
			return err
		}
		for m := 0; g < a.run && m < 2; m++ {
			c := pinned(fmt.Sprintf("%s-m%d", group, m+1), name, m)
			c.Durable, c.InactiveThreshold = c.Name, 0
			if _, err := s.CreateConsumer(ctx, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// origin is one stream with its elastic groups.
func (a *large) origin(ctx context.Context, name string) error {
	if _, err := a.js.CreateStream(ctx, jetstream.StreamConfig{Name: name, Subjects: []string{name + ".*"}, Storage: jetstream.MemoryStorage, AllowDirect: true, MaxMsgs: 1000}); err != nil {
		return err
	}
	for g := range a.each {
		group := fmt.Sprintf("group%03d", g)
		if err := a.store("elastic", name+"."+group, elasticConfig(name, `"m1","m2"`)); err != nil {
			return err
		}
		if g >= a.run {
			continue
		}
		s, err := a.js.CreateStream(ctx, jetstream.StreamConfig{
			Name: name + "-" + group, Storage: jetstream.MemoryStorage, Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, AllowDirect: true,
			Sources: []*jetstream.StreamSource{{Name: name, SubjectTransforms: []jetstream.SubjectTransformConfig{{Source: name + ".*", Destination: stamp(name)}}}},
		})
		if err != nil {
			return err
		}
		for m := range 2 {
			if _, err := s.CreateConsumer(ctx, pinned(fmt.Sprintf("m%d", m+1), name, m)); err != nil {
				return err
			}
		}
	}
	return nil
}

// elasticConfig is the stored form of an elastic group.
func elasticConfig(origin, members string) string {
	return fmt.Sprintf(`{"max_members":%d,"partitioning_filters":[{"filter":"%s.*","partitioning_wildcards":[1]}],"members":[%s]}`, partitionsEach, origin, members)
}

// stored is how many messages were ever stored in the streams that are published to.
func (a *large) stored(b *testing.B) (n uint64) {
	b.Helper()
	streams := a.js.ListStreams(b.Context())
	for info := range streams.Info() {
		if len(info.Config.Subjects) > 0 && !strings.HasPrefix(info.Config.Name, "KV_") {
			n += info.State.LastSeq
		}
	}
	if err := streams.Err(); err != nil {
		b.Fatal(err)
	}
	return n
}

// trade publishes to one stream after the other, so many messages a second, until the
// returned function is called.
func (a *large) trade(perSecond int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second / time.Duration(perSecond))
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			name := fmt.Sprintf("S%02d", n/2%max(1, a.static))
			if n%2 == 1 {
				name = fmt.Sprintf("E%02d", n/2%max(1, a.origins))
			}
			_ = a.js.Conn().Publish(fmt.Sprintf("%s.k%d", name, n%97), []byte("x"))
		}
	}()
	return func() { cancel(); <-done }
}
