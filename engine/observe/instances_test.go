package observe

import (
	"context"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/engine/pcgroups"
	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// party is an elastic group S/g whose members run by different libraries, each instance
// on a connection of its own name.
type party struct {
	t   testing.TB
	js  jetstream.JetStream
	key model.Key
	end map[string]func() // kills an instance, by its connection's name

	ackWait time.Duration // the members': they pull at least every half of it
}

func newParty(t testing.TB, url string, replicas int, members ...string) *party {
	t.Helper()
	log.SetOutput(io.Discard) // the reference library prints
	js := jetStream(t, connect(t, url))
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.*"}, Replicas: replicas, Storage: jetstream.MemoryStorage}))
	elasticGroup(t, js, members...)
	return &party{t: t, js: js, key: elastic("S", "g"), end: map[string]func(){}, ackWait: 2 * time.Second}
}

// publish keeps messages flowing until the test ends.
func (p *party) publish(every time.Duration) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = p.js.Conn().Publish(fmt.Sprintf("s.%d", n), nil)
			}
		}
	}()
	p.t.Cleanup(func() { cancel(); <-done })
}

// client opens the connection of an instance; killing it closes that without a word.
func (p *party) client(url, name string) jetstream.JetStream {
	nc := connect(p.t, url, nats.Name(name))
	p.end[name] = nc.Close
	return jetStream(p.t, nc)
}

func (p *party) config() jetstream.ConsumerConfig {
	return jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: p.ackWait}
}

func (p *party) orbit(url, member, name string) {
	p.t.Helper()
	js := p.client(url, name)
	cc := natstest.Soon(p.t, "join", func() (orbit.ConsumerGroupConsumeContext, error) {
		return orbit.ElasticConsume(p.t.Context(), js, "S", "g", member, func(m jetstream.Msg) { _ = m.Ack() }, p.config())
	})
	p.stops(cc.Stop, cc.Done())
}

func (p *party) ours(url, member, name string) {
	p.t.Helper()
	js := p.client(url, name)
	cc := natstest.Soon(p.t, "join", func() (pcgroups.ConsumerGroupConsumeContext, error) {
		return pcgroups.ElasticConsume(p.t.Context(), js, "S", "g", member, func(m jetstream.Msg) { _ = m.Ack() }, p.config())
	})
	p.stops(cc.Stop, cc.Done())
}

func (p *party) stops(stop func(), done <-chan error) {
	p.t.Cleanup(func() {
		stop()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			p.t.Error("an instance does not stop")
		}
	})
}

// plain consumes with nats.go alone: the consumer as the libraries make it.
func (p *party) plain(url, member, name string) {
	p.t.Helper()
	js := p.client(url, name)
	c := natstest.Soon(p.t, "make the consumer", func() (jetstream.Consumer, error) {
		return js.CreateOrUpdateConsumer(p.t.Context(), "S-g", jetstream.ConsumerConfig{
			Name: member, AckPolicy: jetstream.AckExplicitPolicy, AckWait: p.ackWait, InactiveThreshold: p.ackWait, FilterSubjects: []string{"4.>", "5.>"},
			PriorityPolicy: jetstream.PriorityPolicyPinned, PinnedTTL: p.ackWait, PriorityGroups: []string{"PCG"},
		})
	})
	cc := must(c.Consume(func(m jetstream.Msg) { _ = m.Ack() }, jetstream.PullPriorityGroup("PCG"), jetstream.PullExpiry(p.ackWait/2)))
	p.t.Cleanup(cc.Stop)
}

// roles lists the instances of all members: member, name, role.
func roles(s *model.Snapshot, k model.Key) []string {
	var list []string
	g := s.Group(k)
	if g == nil {
		return nil
	}
	for _, m := range g.Members {
		for _, i := range m.Running {
			list = append(list, fmt.Sprintf("%s %s %s", m.Name, i.Name(), i.Role))
		}
	}
	slices.Sort(list)
	return list
}

// onePinned tells whether both instances of each member are listed by name, and one of
// each is pinned.
func onePinned(s *model.Snapshot, k model.Key, members ...string) bool {
	list := roles(s, k)
	if len(list) != 2*len(members) {
		return false
	}
	for _, name := range members {
		a, b := false, false
		for _, line := range list {
			a = a || strings.HasPrefix(line, name+" "+name+"-a ")
			b = b || strings.HasPrefix(line, name+" "+name+"-b ")
		}
		text := strings.Join(list, "\n")
		if !a || !b || strings.Count(text, name+" "+name) != 2 {
			return false
		}
		if strings.Contains(text, name+" "+name+"-a pinned") == strings.Contains(text, name+" "+name+"-b pinned") {
			return false
		}
	}
	return true
}

// listed starts two instances of each library, at one URL each, and opens the group.
func (p *party) listed(urls [2]string, o *Observer, r *recorder) {
	p.t.Helper()
	for i, url := range urls {
		suffix := "-" + string(rune('a'+i))
		p.orbit(url, "m-orbit", "m-orbit"+suffix)
		p.ours(url, "m-own", "m-own"+suffix)
		p.plain(url, "m-plain", "m-plain"+suffix)
	}
	p.publish(2 * time.Millisecond)
	r.until(p.t, "three pins, by the consumers' own word", func(s *model.Snapshot) bool {
		g := s.Group(p.key)
		return live(s) && g != nil && len(g.Members) == 3 && !slices.ContainsFunc(g.Members, func(m *model.Member) bool {
			return m.Consumer == nil || m.Consumer.PinID == "" || m.Running != nil
		})
	})
	o.Focus(&p.key, []model.Key{p.key})
	began := time.Now()
	r.until(p.t, "both instances of each listed, one pinned", func(s *model.Snapshot) bool { return onePinned(s, p.key, "m-orbit", "m-own", "m-plain") })
	p.t.Logf("listed after %v: %q", time.Since(began), roles(r.now(), p.key))
	most := 2 * time.Second
	if raceEnabled() { // everything takes several times as long
		most *= 2
	}
	if took := time.Since(began); took > most {
		p.t.Errorf("listed after %v, want %v", took, most)
	}
}

func TestInstancesOfThreeLibraries(t *testing.T) {
	s := natstest.Start(t)
	p := newParty(t, s.ClientURL(), 1, "m-orbit", "m-own", "m-plain")
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	p.listed([2]string{s.ClientURL(), s.ClientURL()}, o, r)
	for _, m := range r.now().Group(p.key).Members {
		for _, i := range m.Running {
			c := i.Conn
			if c == nil || c.Lang != "go" || c.Version != nats.Version || !strings.HasPrefix(c.Address, "127.0.0.1:") || c.Server != s.Name() || c.Since.IsZero() {
				t.Errorf("%s: %+v", i.Name(), c)
			}
		}
	}
	p.killed(r, "m-orbit")
	p.killed(r, "m-own")
	p.killed(r, "m-plain")
}

// killed closes the pinned instance's connection and waits for the other to be marked.
func (p *party) killed(r *recorder, member string) {
	p.t.Helper()
	m := r.now().Group(p.key).Member(member)
	victim := m.Holder().Name()
	advised := make(chan time.Time, 16)
	sub := must(p.js.Conn().Subscribe(advisories+".CONSUMER.PINNED.S-g."+member, func(*nats.Msg) { advised <- time.Now() }))
	defer sub.Unsubscribe()
	must(0, p.js.Conn().Flush())
	p.end[victim]()
	at := <-advised
	r.until(p.t, "another is marked as pinned", func(s *model.Snapshot) bool {
		h := s.Group(p.key).Member(member).Holder()
		return h != nil && h.Name() != victim
	})
	took := time.Since(at)
	p.t.Logf("%s: %s marked %v after the advisory; %q", member, r.now().Group(p.key).Member(member).Holder().Name(), took, r.now().Events[0].Text)
	if took > time.Second {
		p.t.Errorf("%s: marked %v after the advisory", member, took)
	}
	r.until(p.t, "the killed one is gone", func(s *model.Snapshot) bool { return len(s.Group(p.key).Member(member).Running) == 1 })
}

func TestInstancesOnThreeServers(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	c := natstest.Cluster(t).All
	p := newParty(t, c[0].ClientURL(), 3, "m-orbit", "m-own", "m-plain")
	o, r := observe(t, connect(t, c[0].ClientURL()), Options{})
	p.listed([2]string{c[1].ClientURL(), c[2].ClientURL()}, o, r)
	for _, m := range r.now().Group(p.key).Members {
		for _, i := range m.Running {
			if want := map[string]string{"a": "nats-2", "b": "nats-3"}[i.Name()[len(i.Name())-1:]]; i.Conn.Server != want {
				t.Errorf("%s is on %s, want %s", i.Name(), i.Conn.Server, want)
			}
		}
	}
	p.killed(r, "m-orbit")
}
