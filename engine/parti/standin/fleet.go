package standin

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Options of a deployment. A zero value means the default.
type Options struct {
	Version    int    // of the format: 1 or 2; default 2
	Prefix     string // of the buckets' names; default parti
	Instance   string // in the buckets' metadata; empty: they have none
	Stream     string // that the workers consume from, which is made; empty: none
	Workers    int    // how many there are at first: worker-0, worker-1 …
	Partitions []Partition
	Source     bool              // the partitions lie in a source
	Labels     map[string]string // by worker
	Memory     bool              // nothing is stored in files
	KeepIDs    bool              // the bucket of stable ids keeps them for ever: those of workers that died become stale

	HeartbeatTTL, ElectionTTL, IDTTL time.Duration
}

func (o Options) withDefaults() Options {
	fill(&o.Version, 2)
	fill(&o.Prefix, "parti")
	old := func(one, two time.Duration) time.Duration {
		if o.Version == 1 {
			return one
		}
		return two
	}
	fill(&o.HeartbeatTTL, old(6*time.Second, 15*time.Second))
	fill(&o.ElectionTTL, old(5*time.Second, 10*time.Second))
	fill(&o.IDTTL, old(30*time.Second, 75*time.Second))
	return o
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Buckets of a deployment, by the last word of their names.
const (
	IDs         = "stableid"
	Election    = "election"
	Heartbeats  = "heartbeat"
	Assignments = "assignment"
	Handoffs    = "handoff"
	Source      = "source"
)

// SourceKey is where the partition source lies in its bucket.
const SourceKey = "partitions"

// Fleet is a running deployment.
type Fleet struct {
	opts    Options
	js      jetstream.JetStream
	buckets map[string]jetstream.KeyValue

	mu         sync.Mutex
	workers    map[string]*worker
	partitions []Partition
	source     uint64 // the source's revision; 0: there is none
	version    int64
	commit     uint64            // the commit's revision
	owner      map[string]string // by keys joined with dots, as assigned last
	durable    map[string]bool   // durables of partitions that were made
	end        context.CancelFunc
	beating    sync.WaitGroup
}

// worker is one process.
type worker struct {
	labels  []string
	beats   bool // it lives
	applied int64
}

// Start makes the buckets and the stream, lets the workers join and assigns the first
// version. Stop it with [Fleet.Stop].
func Start(ctx context.Context, js jetstream.JetStream, o Options) (*Fleet, error) {
	o = o.withDefaults()
	f := &Fleet{opts: o, js: js, buckets: map[string]jetstream.KeyValue{}, workers: map[string]*worker{}, partitions: slices.Clone(o.Partitions), owner: map[string]string{}, durable: map[string]bool{}}
	if err := f.make(ctx); err != nil {
		return nil, err
	}
	for i := range o.Workers {
		if err := f.Join(ctx, fmt.Sprintf("worker-%d", i)); err != nil {
			return nil, err
		}
	}
	if o.Source {
		if err := f.PutSource(ctx, o.Partitions); err != nil {
			return nil, err
		}
	}
	if err := f.lead(ctx); err != nil {
		return nil, err
	}
	if err := f.Rebalance(ctx, "cold_start"); err != nil {
		return nil, err
	}
	beat, end := context.WithCancel(context.Background())
	f.end = end
	f.beating.Go(func() { f.beat(beat) })
	return f, nil
}

// Stop lets nobody beat any more. What is stored stays.
func (f *Fleet) Stop() {
	f.end()
	f.beating.Wait()
}

// make makes the buckets and the stream.
func (f *Fleet) make(ctx context.Context) error {
	components := map[string]string{
		IDs: "control-plane:id", Election: "control-plane:election", Heartbeats: "control-plane:heartbeat",
		Assignments: "control-plane:assignment", Handoffs: "control-plane:handoff", Source: "partition-source",
	}
	ttl := map[string]time.Duration{IDs: f.opts.IDTTL, Election: f.opts.ElectionTTL, Heartbeats: f.opts.HeartbeatTTL}
	if f.opts.KeepIDs {
		delete(ttl, IDs)
	}
	names := []string{IDs, Election, Heartbeats, Assignments}
	if f.opts.Version == 2 {
		names = append(names, Handoffs)
	}
	if f.opts.Source {
		names = append(names, Source)
	}
	for _, name := range names {
		c := jetstream.KeyValueConfig{Bucket: f.opts.Prefix + "-" + name, TTL: ttl[name], Storage: f.storage()}
		if f.opts.Instance != "" {
			c.Metadata = map[string]string{"parti.io/managed": "v1", "parti.io/component": components[name], "parti.io/instance": f.opts.Instance}
		}
		kv, err := f.js.CreateKeyValue(ctx, c)
		if err != nil {
			return fmt.Errorf("creating the bucket %s: %w", c.Bucket, err)
		}
		f.buckets[name] = kv
	}
	if f.opts.Stream == "" {
		return nil
	}
	_, err := f.js.CreateStream(ctx, jetstream.StreamConfig{Name: f.opts.Stream, Subjects: []string{f.subject("", ">")}, MaxMsgs: 100_000, MaxConsumers: max(1000, 2*len(f.partitions)), AllowDirect: true, Storage: f.storage()})
	if err != nil {
		return fmt.Errorf("creating the stream %s: %w", f.opts.Stream, err)
	}
	return nil
}

func (f *Fleet) storage() jetstream.StorageType {
	if f.opts.Memory {
		return jetstream.MemoryStorage
	}
	return jetstream.FileStorage
}

// Bucket is one of the buckets, for what no method does.
func (f *Fleet) Bucket(name string) jetstream.KeyValue { return f.buckets[name] }

// Version is the version assigned last.
func (f *Fleet) Version() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version
}

// Workers are those that live, by name.
func (f *Fleet) Workers() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.living()
}

func (f *Fleet) living() []string {
	var list []string
	for name, w := range f.workers {
		if w.beats {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// PutSource stores the partition source anew, compressed as Parti does. The leader takes it
// up with the next version.
func (f *Fleet) PutSource(ctx context.Context, list []Partition) error {
	raw, err := encode(list)
	if err != nil {
		return err
	}
	packed, err := pack(raw)
	if err != nil {
		return err
	}
	revision, err := f.buckets[Source].Put(ctx, SourceKey, packed)
	if err != nil {
		return fmt.Errorf("storing the source: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.partitions, f.source = slices.Clone(list), revision
	return nil
}

// Claim stores the claim of a partition, as a handoff in two phases does.
func (f *Fleet) Claim(ctx context.Context, id, owner, pending, state string, ttl time.Duration) error {
	raw, err := encode(claimValue{Partition: id, Owner: owner, Pending: pending, State: state, Epoch: 1, Updated: time.Now().UTC(), TTL: int64(ttl.Seconds())})
	if err != nil {
		return err
	}
	if _, err := f.buckets[Handoffs].Put(ctx, "claims/"+id, raw); err != nil {
		return fmt.Errorf("claiming %s: %w", id, err)
	}
	return nil
}
