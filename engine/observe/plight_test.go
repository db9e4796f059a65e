package observe

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

// patient is a group of two members with an instance each, under load. The instance of m1
// has a connection of its own.
type patient struct {
	*ward
	k    model.Key
	kill func() // ends m1's connection, as the end of its process would

}

func newPatient(t *testing.T, handle func(jetstream.Msg)) *patient {
	t.Helper()
	w := newWard(t)
	p := &patient{ward: w, k: w.elastic("SICK", "g", 4, "m1", "m2")}
	must(pcgroups.ElasticConsume(t.Context(), w.js, "SICK", "g", "m2", func(m jetstream.Msg) { _ = m.Ack() }, oneByOne()))
	p.joins(handle)
	stop, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for i := 0; ; i++ {
			_ = w.js.Conn().Publish(fmt.Sprintf("SICK.k%d", i%40), nil)
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	t.Cleanup(func() { close(stop); <-ended })
	w.everything()
	return p
}

func oneByOne() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second, MaxAckPending: 1}
}

// joins starts an instance of m1.
func (p *patient) joins(handle func(jetstream.Msg)) {
	p.t.Helper()
	nc := connect(p.t, p.js.Conn().ConnectedUrl())
	must(pcgroups.ElasticConsume(p.t.Context(), jetStream(p.t, nc), "SICK", "g", "m1", handle, oneByOne()))
	p.kill = nc.Close
}

func (p *patient) m1(s *model.Snapshot) *model.Member {
	if g := s.Group(p.k); g != nil {
		return g.Member("m1")
	}
	return nil
}

func (p *patient) verdict(v ...model.Verdict) func(*model.Snapshot) bool {
	return func(s *model.Snapshot) bool { return s.Group(p.k) != nil && slices.Contains(v, s.Group(p.k).Verdict) }
}

// never asserts that from the first picture that is so on, after so many observations, no
// picture was one that may not be, until one is the end.
func (p *patient) never(what string, after int, from, bad, end func(*model.Snapshot) bool) {
	p.t.Helper()
	began, snap := false, model.Reduce(nil, time.Now())
	for i, o := range p.r.observations() {
		snap = model.Reduce(snap, time.Now(), o)
		began = began || i >= after && from(snap)
		if began && end(snap) {
			return
		}
		if began && bad(snap) {
			g := snap.Group(p.k)
			p.t.Errorf("%s: %s, m1 %s %+v: %+v", what, g.Verdict, g.Member("m1").State, g.Member("m1").Consumer, g.Findings)
			return
		}
	}
	p.t.Errorf("%s: began %v, and never ended", what, began)
}

// Who died is unwell in every picture until an instance of it acknowledges something: when
// its consumer goes, and when somebody makes one, too.
func TestUnwellUntilItAcknowledges(t *testing.T) {
	t.Parallel()
	p := newPatient(t, func(m jetstream.Msg) { _ = m.Ack() })
	acked := func(s *model.Snapshot) bool {
		m := p.m1(s)
		return m != nil && m.Consumer != nil && m.Consumer.AckFloor > 0
	}
	p.r.until(t, "all is well", func(s *model.Snapshot) bool { return p.verdict(model.VerdictOK)(s) && acked(s) })
	first := p.m1(p.r.now()).Consumer.Created
	killed := len(p.r.observations())
	p.kill()
	p.finds(p.k, "no-pull", "m1 has a consumer but nobody pulls")
	p.finds(p.k, "absent", "m1 gone for")
	p.finds(p.k, "absent", "m1 gone for 11s")
	release := make(chan struct{})
	p.joins(func(m jetstream.Msg) {
		select {
		case <-release:
		case <-t.Context().Done():
		}
		_ = m.Ack()
	})
	if f := p.finds(p.k, "nothing-acked", "m1 has acknowledged nothing"); f.Member != "m1" || f.Severity != model.Warning {
		t.Errorf("%+v", f)
	}
	close(release)
	p.r.until(t, "all is well again", func(s *model.Snapshot) bool { return p.verdict(model.VerdictOK)(s) && acked(s) })
	p.never("m1 is dead, and all is said to be well", killed,
		func(s *model.Snapshot) bool { return finding(s.Group(p.k), "no-pull") != nil },
		p.verdict(model.VerdictOK, model.VerdictIdle),
		func(s *model.Snapshot) bool { return acked(s) && p.m1(s).Consumer.Created.After(first) })
	p.fine()
}

// A handler slower than the ack wait loses one consumer after the other. Once its member is
// stalled it is so in every picture, until it is replaced by one that acknowledges.
func TestSlowHandlerIsStalledAllTheTime(t *testing.T) {
	t.Parallel()
	p := newPatient(t, func(jetstream.Msg) { <-t.Context().Done() })
	stalled := p.verdict(model.VerdictStalled)
	p.r.until(t, "stalled", stalled)
	p.finds(p.k, "stalled", "m1 stalled: its handler hangs, or is slower than the ack wait of 2s: ", "by 3 consumers")
	p.open(p.k) // by which its instances are known
	p.r.until(t, "who is there", func(s *model.Snapshot) bool {
		f := finding(s.Group(p.k), "stalled")
		return f != nil && strings.HasPrefix(f.Hint, "look at ") && strings.HasSuffix(f.Hint, ": connected, and not pulling")
	})
	p.kill()
	p.joins(func(m jetstream.Msg) { _ = m.Ack() })
	p.r.until(t, "it is stalled no more", func(s *model.Snapshot) bool {
		return p.m1(s).Consumer != nil && p.m1(s).Consumer.AckFloor > 0 && !stalled(s)
	})
	p.never("m1's handler hangs, and it is not said to be stalled", 0, stalled,
		func(s *model.Snapshot) bool { return !stalled(s) },
		func(s *model.Snapshot) bool { return p.m1(s).Consumer != nil && p.m1(s).Consumer.AckFloor > 0 })
	p.fine()
}
