package pcgroups

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// The benchmarks compare this library with the reference in one run: both on one
// embedded server, taking turns. Each does a fixed amount of work once, whatever
// b.N is, and prints a table:
//
//	go test -run '^$' -bench . ./engine/pcgroups

// library is one of the two.
type library struct {
	name    string
	static  consume[ConsumerGroupConsumeContext]
	elastic consume[ConsumerGroupConsumeContext]
}

func libraries() []library {
	return []library{
		{
			name:    "ours",
			static:  consumeAsBefore(StaticConsume),
			elastic: consumeAsBefore(ElasticConsume),
		},
		{
			name: "orbit",
			static: func(ctx context.Context, js jetstream.JetStream, stream, group, member string, h func(jetstream.Msg), c jetstream.ConsumerConfig) (ConsumerGroupConsumeContext, error) {
				return orbit.StaticConsume(ctx, js, stream, group, member, h, c)
			},
			elastic: func(ctx context.Context, js jetstream.JetStream, stream, group, member string, h func(jetstream.Msg), c jetstream.ConsumerConfig) (ConsumerGroupConsumeContext, error) {
				return orbit.ElasticConsume(ctx, js, stream, group, member, h, c)
			},
		},
	}
}

// benchFixture is a fixture that lasts as long as a benchmark, whose server keeps
// streams in memory.
func benchFixture(b *testing.B) *fixture {
	b.Helper()
	f := newFixture(b)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	b.Cleanup(cancel)
	f.ctx = ctx
	return f
}

// table prints rows under a title.
func table(b *testing.B, title string, rows [][]string) {
	b.Helper()
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(r, "\t"))
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	fmt.Fprintf(os.Stdout, "\n%s\n%s\n", title, text.String())
}

func median[T int | int64 | float64 | time.Duration](all []T) T {
	s := slices.Clone(all)
	slices.Sort(s)
	return s[len(s)/2]
}

const (
	throughputRounds = 31
	benchPartitions  = 32
)

// round is one run of one library.
type round struct{ perSecond, cpu, allocs float64 }

// BenchmarkThroughput consumes a stream that is full already, with handlers that do
// nothing but acknowledge. Allocations are those of the whole process, the server's and
// the client's share of each message among them.
func BenchmarkThroughput(b *testing.B) {
	f := benchFixture(b)
	const stored = 16_000
	f.must(f.js.CreateStream(f.ctx, jetstream.StreamConfig{
		Name: "S", Subjects: []string{"s.*"}, Storage: jetstream.MemoryStorage,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "s.*", Destination: fmt.Sprintf("{{partition(%d,1)}}.s.{{wildcard(1)}}", benchPartitions)},
	}))
	for i := range stored {
		f.must(f.js.PublishAsync(fmt.Sprintf("s.k%d", i%997), make([]byte, 128)))
	}
	select {
	case <-f.js.PublishAsyncComplete():
	case <-f.ctx.Done():
		b.Fatal(f.ctx.Err())
	}
	rows := [][]string{{"members", "max_ack_pending", "ours msg/s", "orbit msg/s", "ratio", "ratio round by round", "ours CPU µs/msg", "orbit CPU µs/msg", "ratio", "ours allocs/msg", "orbit allocs/msg", "ratio"}}
	b.ResetTimer()
	for _, members := range []int{1, 8} {
		for _, pending := range []int{1, 1000} {
			work := stored
			if pending == 1 {
				work = 2_000
			}
			results := map[string][]round{}
			for i := range throughputRounds {
				libs := libraries()
				if i%2 == 1 {
					slices.Reverse(libs)
				}
				for _, lib := range libs {
					group := fmt.Sprintf("%s-%d-%d-%d", lib.name, members, pending, i)
					results[lib.name] = append(results[lib.name], f.consumeAll(lib, group, members, pending, work))
				}
			}
			ours, theirs := medians(results["ours"]), medians(results["orbit"])
			ratio := ours.perSecond / theirs.perSecond
			b.ReportMetric(ratio, fmt.Sprintf("ratio-%dx%d", members, pending))
			rows = append(rows, []string{
				fmt.Sprint(members), fmt.Sprint(pending),
				fmt.Sprintf("%.0f", ours.perSecond), fmt.Sprintf("%.0f", theirs.perSecond), fmt.Sprintf("%.3f", ratio), fmt.Sprintf("%.3f", paired(results["ours"], results["orbit"])),
				fmt.Sprintf("%.1f", ours.cpu), fmt.Sprintf("%.1f", theirs.cpu), fmt.Sprintf("%.3f", ours.cpu/theirs.cpu),
				fmt.Sprintf("%.2f", ours.allocs), fmt.Sprintf("%.2f", theirs.allocs), fmt.Sprintf("%.3f", ours.allocs/theirs.allocs),
			})
		}
	}
	table(b, fmt.Sprintf("throughput, medians of %d rounds", throughputRounds), rows)
}

func medians(all []round) round {
	var speed, cpu, allocs []float64
	for _, r := range all {
		speed, cpu, allocs = append(speed, r.perSecond), append(cpu, r.cpu), append(allocs, r.allocs)
	}
	return round{median(speed), median(cpu), median(allocs)}
}

// paired is the median of the rounds' own ratios. The two runs of a round follow each
// other, so that other load on the machine mostly falls on both.
func paired(ours, theirs []round) float64 {
	var ratios []float64
	for i := range ours {
		ratios = append(ratios, ours[i].perSecond/theirs[i].perSecond)
	}
	return median(ratios)
}

// consumeAll runs the members of a new static group until they have handled n messages.
func (f *fixture) consumeAll(lib library, group string, members, pending, n int) round {
	f.t.Helper()
	var names []string
	for i := range members {
		names = append(names, fmt.Sprintf("m%d", i))
	}
	f.must(CreateStatic(f.ctx, f.js, "S", group, benchPartitions, nil, names, nil))
	var count atomic.Int64
	var from time.Time
	var used time.Duration
	var before runtime.MemStats
	done := make(chan time.Time, 1)
	warm := int64(n / 10)
	started, ready := make(chan struct{}), make(chan struct{})
	handler := func(msg jetstream.Msg) {
		select {
		case <-ready:
		case <-f.ctx.Done():
		}
		_ = msg.Ack()
		switch count.Add(1) {
		case warm:
			runtime.ReadMemStats(&before)
			from, used = time.Now(), cpuTime()
			close(started)
		case int64(n):
			<-started
			done <- time.Now()
		}
	}
	var running []ConsumerGroupConsumeContext
	var conns []*nats.Conn
	for _, name := range names {
		nc, js := f.connect()
		conns = append(conns, nc)
		m, err := lib.static(f.ctx, js, "S", group, name, handler, jetstream.ConsumerConfig{
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: 10 * time.Second, MaxAckPending: pending,
		})
		f.must(m, err)
		running = append(running, m)
	}
	time.Sleep(30 * time.Millisecond) // members have started, which is not measured
	runtime.GC()                      // of what earlier rounds have left
	close(ready)
	var r round
	select {
	case end := <-done:
		used = cpuTime() - used
		var after runtime.MemStats
		runtime.ReadMemStats(&after)
		handled := float64(int64(n) - warm)
		r = round{handled / end.Sub(from).Seconds(), float64(used.Nanoseconds()) / 1000 / handled, float64(after.Mallocs-before.Mallocs) / handled}
	case <-f.ctx.Done():
		f.t.Fatalf("%s: %d of %d messages", group, count.Load(), n)
	}
	for i, m := range running {
		m.Stop()
		<-m.Done()
		conns[i].Close()
	}
	f.must(nil, DeleteStatic(f.ctx, f.js, "S", group))
	return r
}
