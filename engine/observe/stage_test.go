package observe

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// opened runs an observer that has one group open.
func opened(t testing.TB, url string, k model.Key, change ...func(*Options)) (*Observer, *recorder) {
	t.Helper()
	r := newRecorder()
	opts := quick()
	opts.Refresh = 50 * time.Millisecond
	opts.Snapshot = r.now
	for _, f := range change {
		f(&opts)
	}
	o := New(connect(t, url), opts)
	o.Focus(&k, []model.Key{k})
	runWith(t, o, r.emit)
	return o, r
}

// stage is an origin with an elastic group of four partitions by the one token.
type stage struct {
	t     testing.TB
	js    jetstream.JetStream
	k     model.Key
	sent  uint64
	acked uint64
}

func newStage(t testing.TB, url string, maxMsgs int64, members ...string) *stage {
	t.Helper()
	s := &stage{t: t, js: jetStream(t, connect(t, url)), k: elastic("O", "g")}
	s.origin()
	must(orbit.CreateElastic(t.Context(), s.js, "O", "g", 4, []orbit.PartitioningFilter{{Filter: "o.*", PartitioningWildcards: []int{1}}}, maxMsgs, -1))
	if len(members) > 0 {
		must(orbit.AddMembers(t.Context(), s.js, "O", "g", members))
	}
	return s
}

func (s *stage) origin() {
	must(s.js.CreateStream(s.t.Context(), jetstream.StreamConfig{Name: "O", Subjects: []string{"o.*", "other.*"}, AllowDirect: true, Storage: jetstream.MemoryStorage}))
}

// publish publishes n messages of keys k0, k1, ….
func (s *stage) publish(n int) {
	s.t.Helper()
	for i := range n {
		must(s.js.Publish(s.t.Context(), fmt.Sprintf("o.k%d", i), []byte("x")))
	}
	s.sent += uint64(n)
}

// consumer makes a member's consumer as every library does.
func (s *stage) consumer(member string, partitions ...int) jetstream.Consumer {
	s.t.Helper()
	c := jetstream.ConsumerConfig{Name: member, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, InactiveThreshold: time.Minute}
	for _, p := range partitions {
		c.FilterSubjects = append(c.FilterSubjects, fmt.Sprintf("%d.o.*", p))
	}
	return must(s.js.CreateOrUpdateConsumer(s.t.Context(), "O-g", c))
}

// sourced waits until the work stream holds n messages.
func (s *stage) sourced(n uint64) {
	s.t.Helper()
	work := must(s.js.Stream(s.t.Context(), "O-g"))
	for deadline := time.Now().Add(10 * time.Second); must(work.Info(s.t.Context())).State.Msgs != n; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("the work stream never holds %d messages", n)
		}
	}
}

// ack handles n messages of a member.
func (s *stage) ack(c jetstream.Consumer, n int) {
	s.t.Helper()
	for n > 0 {
		batch := must(c.Fetch(n, jetstream.FetchMaxWait(5*time.Second)))
		for m := range batch.Messages() {
			if err := m.DoubleAck(s.t.Context()); err != nil {
				s.t.Fatal(err)
			}
			n--
			s.acked++
		}
		if err := batch.Error(); err != nil {
			s.t.Fatal(err)
		}
	}
}

// counts sums the partitions of a group up; -1 while they are not counted.
func counts(g *model.Group) int64 {
	if g == nil || !g.Counted() {
		return -1
	}
	var n uint64
	for _, p := range g.Partitions {
		n += p.Count.Pending
	}
	return int64(n)
}

// agrees waits until the sums are what was published and not acknowledged, to the
// message.
func (s *stage) agrees(r *recorder, phase string) *model.Group {
	s.t.Helper()
	want := s.sent - s.acked
	defer func() {
		if g := r.now().Group(s.k); s.t.Failed() && g != nil {
			s.t.Logf("%s: want %d; lag %d, counted %d, %+v", phase, want, g.Lag(), counts(g), g.Hop)
		}
	}()
	now, took := r.until(s.t, phase, func(snap *model.Snapshot) bool {
		g := snap.Group(s.k)
		return g != nil && counts(g) >= 0 && g.Hop != nil && uint64(counts(g))+g.Hop.Behind == want && g.Lag() == want
	})
	g := now.Group(s.k)
	s.t.Logf("%s: %d, of them %d at the origin, after %v", phase, want, g.Hop.Behind, took)
	return g
}

func hasFinding(g *model.Group, id string) bool { return finding(g, id) != nil }

func finding(g *model.Group, id string) *model.Finding {
	if g == nil {
		return nil
	}
	for _, f := range g.Findings {
		if f.ID == id {
			return &f
		}
	}
	return nil
}
