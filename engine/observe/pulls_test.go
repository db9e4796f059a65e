package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// subscriptions lists what a connection of that name has subscribed to, by the server.
func subscriptions(t testing.TB, s *server.Server, name string) []string {
	t.Helper()
	connz := must(s.Connz(&server.ConnzOptions{Subscriptions: true}))
	for _, c := range connz.Conns {
		if c.Name == name {
			return c.Subs
		}
	}
	t.Fatalf("no connection %s", name)
	return nil
}

func pullSubs(t testing.TB, s *server.Server) []string {
	return slices.DeleteFunc(subscriptions(t, s, "watcher"), func(subject string) bool { return !strings.Contains(subject, "MSG.NEXT") })
}

// eventually waits for what nobody announces.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// When no group is open nobody listens: there is no subscription, and no question about
// connections.
func TestNothingIsHeardWhileNoGroupIsOpen(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	p := newParty(t, s.ClientURL(), 1, "m-orbit")
	p.orbit(s.ClientURL(), "m-orbit", "m-orbit-a")
	asked := make(chan struct{}, 100)
	system := connect(t, s.ClientURL())
	must(system.Subscribe(connzSubject, func(*nats.Msg) { asked <- struct{}{} }))
	must(0, system.Flush())
	nc := connect(t, s.ClientURL(), nats.Name("watcher"))
	o, r := observe(t, nc, Options{})
	r.until(t, "live", func(s *model.Snapshot) bool {
		return live(s) && s.Group(p.key) != nil && s.Group(p.key).Member("m-orbit") != nil
	})
	before := nc.NumSubscriptions()
	if subs := pullSubs(t, s); len(subs) > 0 || len(asked) > 0 {
		t.Fatalf("before a group is open: %q, %d questions", subs, len(asked))
	}
	for range 3 {
		o.Focus(&p.key, []model.Key{p.key})
		r.until(t, "the instance", func(s *model.Snapshot) bool { return len(roles(s, p.key)) == 1 && s.Group(p.key).Watch != nil })
		if subs := pullSubs(t, s); len(subs) != 1 || subs[0] != "$JS.API.CONSUMER.MSG.NEXT.S-g.*" {
			t.Fatalf("while it is open: %q", subs)
		}
		o.Focus(nil, []model.Key{p.key})
		r.until(t, "nobody listens", func(s *model.Snapshot) bool { return s.Group(p.key).Watch == nil && len(roles(s, p.key)) == 0 })
		eventually(t, "no subscription is left", func() bool { return len(pullSubs(t, s)) == 0 && nc.NumSubscriptions() == before })
	}
}

// permitted is a server with an admin and a watcher who may do everything but these.
func permitted(t *testing.T, publish, subscribe []string) *server.Server {
	return natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "admin", Password: "pw"},
			{Username: "watcher", Password: "pw", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Deny: publish},
				Subscribe: &server.SubjectPermission{Deny: subscribe},
			}},
		}
	})
}

func TestPullsMayNotBeHeard(t *testing.T) {
	s := permitted(t, nil, []string{"$JS.API.CONSUMER.MSG.NEXT.>"})
	url := strings.Replace(s.ClientURL(), "nats://", "nats://admin:pw@", 1)
	p := newParty(t, url, 1, "m-orbit")
	p.orbit(url, "m-orbit", "m-orbit-a")
	p.orbit(url, "m-orbit", "m-orbit-b")
	p.publish(5 * time.Millisecond)
	o, r := observe(t, connect(t, s.ClientURL(), asUser("watcher")), Options{})
	r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
	o.Focus(&p.key, nil)
	_, took := r.until(t, "what is missing is named", func(s *model.Snapshot) bool {
		w := s.Group(p.key).Watch
		return w != nil && w.NoPulls == "pulls of S-g: allow subscribe to $JS.API.CONSUMER.MSG.NEXT.S-g.*" && deniedWith(s, w.NoPulls)
	})
	if took > time.Second {
		t.Errorf("named after %v", took)
	}
	r.until(t, "the counts are there all the same", func(s *model.Snapshot) bool {
		n := s.Group(p.key).Instances()
		return n.Pinned == 1 && n.Standby >= 1 && n.AtMost && s.Group(p.key).Member("m-orbit").State == model.StatePinned
	})
}

func TestConnectionsMayNotBeAskedFor(t *testing.T) {
	t.Parallel()
	s := permitted(t, []string{connzSubject}, nil)
	url := strings.Replace(s.ClientURL(), "nats://", "nats://admin:pw@", 1)
	p := newParty(t, url, 1, "m-orbit")
	p.orbit(url, "m-orbit", "m-orbit-a")
	p.orbit(url, "m-orbit", "m-orbit-b")
	p.publish(5 * time.Millisecond)
	o, r := observe(t, connect(t, s.ClientURL(), asUser("watcher")), Options{})
	r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
	o.Focus(&p.key, nil)
	now, _ := r.until(t, "roles without names, and what is missing", func(s *model.Snapshot) bool {
		m := s.Group(p.key).Member("m-orbit")
		return len(m.Running) == 2 && m.Holder() != nil && s.Group(p.key).Watch.NoConnections == "connections: allow publish to $SYS.REQ.ACCOUNT.PING.CONNZ" && deniedWith(s, "CONNZ")
	})
	for _, i := range now.Group(p.key).Member("m-orbit").Running {
		if i.Conn != nil || !strings.HasPrefix(i.Name(), "…") {
			t.Errorf("%+v", i)
		}
	}
	p.end["m-orbit-a"]() // nobody tells that it is gone but its silence
	r.until(t, "the killed one is gone", func(s *model.Snapshot) bool { return len(s.Group(p.key).Member("m-orbit").Running) == 1 })
}

func TestAddressesAreHidden(t *testing.T) {
	s := natstest.Start(t)
	p := newParty(t, s.ClientURL(), 1, "m-orbit")
	p.orbit(s.ClientURL(), "m-orbit", "m-orbit-a")
	o, r := observe(t, connect(t, s.ClientURL()), Options{HideAddresses: true})
	r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
	o.Focus(&p.key, nil)
	now, _ := r.until(t, "the instance", func(s *model.Snapshot) bool {
		m := s.Group(p.key).Member("m-orbit")
		return len(m.Running) == 1 && m.Running[0].Name() == "m-orbit-a"
	})
	if text := fmt.Sprintf("%+v %+v %+v", now.Group(p.key).Member("m-orbit").Running[0].Conn, now.Server, now.Events); strings.Contains(text, "127.0.0.1") {
		t.Error(text)
	}
}

// An account with more connections than a page: all are found, by few questions.
func TestConnectionsArePaged(t *testing.T) {
	s := natstest.Start(t)
	for n := range connzPage + 40 {
		connect(t, s.ClientURL(), nats.Name(fmt.Sprintf("other-%d", n)))
	}
	p := newParty(t, s.ClientURL(), 1, "m-orbit", "m-own", "m-plain")
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	p.listed([2]string{s.ClientURL(), s.ClientURL()}, o, r)
}

// Members that use a domain's prefix are heard by a watcher that uses it, too.
func TestPullsOfADomain(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, func(o *server.Options) { o.JetStreamDomain = "hub" })
	p := newParty(t, s.ClientURL(), 1, "m-orbit")
	p.plain(s.ClientURL(), "m-orbit", "plain") // makes the consumer
	for name, js := range map[string]jetstream.JetStream{
		"m-orbit-a": must(jetstream.NewWithDomain(p.client(s.ClientURL(), "m-orbit-a").Conn(), "hub")), "m-orbit-b": p.client(s.ClientURL(), "m-orbit-b"),
	} {
		c, err := js.Consumer(t.Context(), "S-g", "m-orbit")
		if err != nil {
			t.Fatal(name, err)
		}
		cc := must(c.Consume(func(m jetstream.Msg) { _ = m.Ack() }, jetstream.PullPriorityGroup("PCG"), jetstream.PullExpiry(time.Second)))
		t.Cleanup(cc.Stop)
	}
	for _, opts := range []Options{{APIPrefix: "$JS.hub.API", Domain: "hub"}, {}} {
		o, r := observe(t, connect(t, s.ClientURL()), opts)
		r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
		o.Focus(&p.key, nil)
		r.until(t, "both", func(s *model.Snapshot) bool {
			list := strings.Join(roles(s, p.key), " ")
			return strings.Contains(list, "m-orbit-a") && strings.Contains(list, "m-orbit-b")
		})
	}
}

// Fetching with a new reply subject each time, from two connections: two instances.
func TestFetchingInstances(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	p := newParty(t, s.ClientURL(), 1, "m-plain")
	p.plain(s.ClientURL(), "m-plain", "consuming") // makes the consumer
	p.end["consuming"]()
	done := make(chan struct{})
	ended := make(chan struct{}, 2)
	for _, name := range []string{"m-plain-a", "m-plain-b"} {
		c := must(p.client(s.ClientURL(), name).Consumer(t.Context(), "S-g", "m-plain"))
		go func() {
			defer func() { ended <- struct{}{} }()
			for {
				select {
				case <-done:
					return
				default:
				}
				batch, err := c.Fetch(5, jetstream.FetchMaxWait(time.Second), jetstream.FetchPriorityGroup("PCG"))
				if err != nil {
					continue
				}
				for m := range batch.Messages() {
					_ = m.Ack()
				}
			}
		}()
	}
	t.Cleanup(func() { close(done); <-ended; <-ended })
	p.publish(20 * time.Millisecond)
	o, r := observe(t, connect(t, s.ClientURL()), Options{})
	r.until(t, "the group", func(s *model.Snapshot) bool { return s.Group(p.key) != nil && live(s) })
	o.Focus(&p.key, nil)
	r.until(t, "two instances by name", func(s *model.Snapshot) bool {
		list := strings.Join(roles(s, p.key), " ")
		return strings.Contains(list, "m-plain-a") && strings.Contains(list, "m-plain-b")
	})
	start := time.Now()
	for time.Since(start) < 4*time.Second { // a span to watch over: there are never many
		if n := len(roles(r.now(), p.key)); n > 2 {
			t.Fatalf("%d instances: %q", n, roles(r.now(), p.key))
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Logf("at the end: %q", roles(r.now(), p.key))
}

// Somebody who answers that there are always more connections is not asked for ever.
func TestConnectionsWithoutEnd(t *testing.T) {
	s := natstest.Start(t)
	other := connect(t, s.ClientURL())
	asked := 0 // only the subscription's goroutine touches it until the end
	sub := must(other.Subscribe(connzSubject, func(m *nats.Msg) {
		asked++
		_ = m.Respond([]byte(`{"server":{"name":"other"},"data":{"total":300,"offset":0,"connections":[{"cid":1}]}}`))
	}))
	must(0, other.Flush())
	o := New(connect(t, s.ClientURL()), Options{MaxRequests: 1000})
	p := newPulls(newLink(o, func(...model.Observation) {}), "S")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := p.askAll(ctx, nil); !errors.Is(err, errTooMany) {
		t.Errorf("%v", err)
	}
	must(0, sub.Drain())
	eventually(t, "nobody is asked any more", func() bool { return !sub.IsValid() })
	if asked > connzPages+2 {
		t.Errorf("asked %d times", asked)
	}
}
