package observe

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Of several that stand by, the one that got the pin of a killed one is marked within a
// second of the server's word, and rightly.
func TestTheHeirOfSeveralIsMarked(t *testing.T) {
	s := natstest.Start(t)
	p := newParty(t, s.ClientURL(), 1, "m-plain")
	p.ackWait = 5 * time.Second // a pull waits for half of it: its own word comes late
	for n := range 5 {
		p.plain(s.ClientURL(), "m-plain", fmt.Sprintf("i%d", n))
		time.Sleep(time.Duration(100+rand.IntN(300)) * time.Millisecond) // as they start in the field: not at once
	}
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	p.publish(5 * time.Millisecond)
	r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
	o.Focus(&p.key, nil)
	member := func() *model.Member { return r.now().Group(p.key).Member("m-plain") }
	r.until(t, "one pinned of five", func(s *model.Snapshot) bool {
		m := s.Group(p.key).Member("m-plain")
		return len(m.Running) == 5 && m.Holder() != nil && !m.Holder().Deduced
	})
	advised := make(chan time.Time, 16)
	must(p.js.Conn().Subscribe(advisories+".CONSUMER.PINNED.S-g.m-plain", func(*nats.Msg) { advised <- time.Now() }))
	must(0, p.js.Conn().Flush())
	least := time.Hour
	for left := 4; left > 2; left-- {
		victim := member().Holder().Name()
		p.end[victim]()
		at := <-advised
		r.until(t, "another is marked", func(s *model.Snapshot) bool {
			h := s.Group(p.key).Member("m-plain").Holder()
			return h != nil && h.Name() != victim
		})
		took, marked, text := time.Since(at), *member().Holder(), r.now().Events[0].Text
		r.until(t, "its pull names the pin", func(s *model.Snapshot) bool {
			h := s.Group(p.key).Member("m-plain").Holder()
			return h != nil && h.Name() != victim && !h.Deduced
		})
		t.Logf("%d left: marked %v after the advisory (deduced %v); named %v after it; %q", left, took, marked.Deduced, time.Since(at), text)
		if least = min(least, took); took > time.Second {
			t.Errorf("%d left: marked %v after the advisory", left, took)
		}
		if got := member().Holder().Name(); got != marked.Name() {
			t.Errorf("%d left: %s was marked, and it is %s", left, marked.Name(), got)
		}
	}
	if most := 200 * time.Millisecond; least > most {
		t.Errorf("marked %v after the advisory at best, want %v: by the order of the pulls", least, most)
	}
}

// After a step-down the server's queue is in no order that is known: whom it sends the
// messages tells who got the pin.
func TestTheHeirOfAStepDownIsMarked(t *testing.T) {
	s := natstest.Start(t)
	p := newParty(t, s.ClientURL(), 1, "m-plain")
	p.ackWait = 8 * time.Second
	for n := range 4 {
		p.plain(s.ClientURL(), "m-plain", fmt.Sprintf("i%d", n))
	}
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	p.publish(5 * time.Millisecond)
	r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
	o.Focus(&p.key, nil)
	r.until(t, "one pinned of four", func(s *model.Snapshot) bool {
		m := s.Group(p.key).Member("m-plain")
		return len(m.Running) == 4 && m.Holder() != nil && !m.Holder().Deduced
	})
	advised := make(chan time.Time, 16)
	must(p.js.Conn().Subscribe(advisories+".CONSUMER.PINNED.S-g.m-plain", func(*nats.Msg) { advised <- time.Now() }))
	must(0, p.js.Conn().Flush())
	for range 4 {
		before := r.now().Group(p.key).Member("m-plain").Consumer.PinID
		must(0, must(p.js.Stream(t.Context(), "S-g")).UnpinConsumer(t.Context(), "m-plain", "PCG"))
		at := <-advised
		r.until(t, "another is marked", func(s *model.Snapshot) bool {
			m := s.Group(p.key).Member("m-plain")
			return m.Consumer.PinID != before && m.Holder() != nil
		})
		took, marked, text := time.Since(at), *r.now().Group(p.key).Member("m-plain").Holder(), r.now().Events[0].Text
		r.until(t, "its pull names the pin", func(s *model.Snapshot) bool {
			h := s.Group(p.key).Member("m-plain").Holder()
			return h != nil && !h.Deduced
		})
		t.Logf("marked %v after the advisory (deduced %v, served %v); named %v after it; %q", took, marked.Deduced, marked.Served != "", time.Since(at), text)
		if took > time.Second {
			t.Errorf("marked %v after the advisory", took)
		}
		if got := r.now().Group(p.key).Member("m-plain").Holder().Name(); got != marked.Name() {
			t.Errorf("%s was marked, and it is %s", marked.Name(), got)
		}
	}
}
