package pcgroups

import (
	"bytes"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// oneByOne is the template that keeps the order of each key.
func oneByOne(ackWait time.Duration) jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxAckPending: 1}
}

// elastic makes an elastic group on stream A, whose messages are partitioned by the
// token after "a.", with members.
func (f *fixture) elastic(group string, partitions uint, members ...string) {
	f.t.Helper()
	if s, err := findStream(f.ctx, f.js, "A"); err != nil || s == nil {
		f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{Name: "A", Subjects: []string{"a.*"}}))
	}
	f.must(CreateElastic(f.ctx, f.js, "A", group, partitions, []PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}}, 0, 0))
	if len(members) > 0 {
		f.must(AddMembers(f.ctx, f.js, "A", group, members))
	}
}

// joinElastic joins on a connection of its own, and stops with the test.
func (f *fixture) joinElastic(group, member string, h func(jetstream.Msg), c jetstream.ConsumerConfig, opts ...Option) Instance {
	f.t.Helper()
	_, js := f.connect()
	m, err := ElasticConsume(f.ctx, js, "A", group, member, h, c, opts...)
	f.must(m, err)
	f.t.Cleanup(m.Stop)
	return m.(Instance)
}

// joinStatic does the same on stream ST.
func (f *fixture) joinStatic(group, member string, h func(jetstream.Msg), c jetstream.ConsumerConfig, opts ...Option) Instance {
	f.t.Helper()
	_, js := f.connect()
	m, err := StaticConsume(f.ctx, js, "ST", group, member, h, c, opts...)
	f.must(m, err)
	f.t.Cleanup(m.Stop)
	return m.(Instance)
}

// diary is an observer that remembers.
type diary struct {
	mu  sync.Mutex
	all []Event
}

func (d *diary) note(e Event) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.all = append(d.all, e)
}

func (d *diary) kinds() (out []EventKind) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range d.all {
		out = append(out, e.Kind)
	}
	return out
}

func (d *diary) has(kind EventKind) bool { return slices.Contains(d.kinds(), kind) }

func (d *diary) count(kind EventKind) (n int) {
	for _, k := range d.kinds() {
		if k == kind {
			n++
		}
	}
	return n
}

// journal is a logger that remembers.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.String()
}

func (j *journal) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(j, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// advisories counts what the server tells about a consumer.
func (f *fixture) advisories(kind, stream, consumer string) func() int {
	f.t.Helper()
	nc, _ := f.connect()
	sub, err := nc.SubscribeSync("$JS.EVENT.ADVISORY.CONSUMER." + kind + "." + stream + "." + consumer)
	if err != nil {
		f.t.Fatal(err)
	}
	f.must(nil, nc.Flush())
	return func() int {
		f.must(nil, nc.Flush())
		n, _, err := sub.Pending()
		f.must(nil, err)
		return n
	}
}
