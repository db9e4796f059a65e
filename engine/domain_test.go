package engine

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Case: a hub and a leaf, each with a JetStream domain and a group of its own, share
// one account.
func TestDomainsAreKeptApart(t *testing.T) {
	if testing.Short() {
		t.Skip("joins two servers")
	}
	leafPort := freePort(t)
	natstest.Start(t, func(o *server.Options) {
		o.ServerName, o.JetStreamDomain = "hub", "hub"
		o.LeafNode.Host, o.LeafNode.Port = "127.0.0.1", must(strconv.Atoi(leafPort))
	})
	leaf := natstest.Start(t, func(o *server.Options) {
		o.ServerName, o.JetStreamDomain = "leaf", "leaf"
		o.LeafNode.Remotes = []*server.RemoteLeafOpts{{URLs: []*url.URL{must(url.Parse("nats-leaf://127.0.0.1:" + leafPort))}, LocalAccount: "$G"}}
	})
	nc, _ := client(t, leaf.ClientURL())
	for _, domain := range []string{"hub", "leaf"} {
		js := must(jetstream.NewWithDomain(nc, domain))
		poll(t, "JetStream of "+domain, func() bool { _, err := js.AccountInfo(t.Context()); return err == nil })
		must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{domain + ".*"}}))
		must(oracle.CreateElastic(t.Context(), js, "ORDERS", domain+"-group", 4, []oracle.PartitioningFilter{{Filter: domain + ".*", PartitioningWildcards: []int{1}}}, -1, -1))
	}
	for _, c := range []struct {
		name   string
		change func(*Options)
		domain string
		api    string
	}{
		{"where it connects", func(*Options) {}, "leaf", "$JS.API"},
		{"--js-domain hub", func(o *Options) { o.JSDomain = ptr("hub") }, "hub", "$JS.hub.API"},
		{"--js-domain leaf", func(o *Options) { o.JSDomain = ptr("leaf") }, "leaf", "$JS.leaf.API"},
		{"the same by prefix", func(o *Options) { o.JSAPIPrefix = ptr("$JS.hub.API") }, "hub", "$JS.hub.API"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := start(t, leaf.ClientURL(), c.change)
			k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: c.domain + "-group"}
			now := until(t, e, "the domain's group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
			if len(now.Groups) != 1 || now.Server.API != c.api {
				t.Errorf("%d groups by %s", len(now.Groups), now.Server.API)
			}
			// A write goes to the same domain.
			member := "m-" + c.domain + "-" + string(rune('a'+len(c.name)%26))
			if _, err := e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, member)); err != nil {
				t.Fatal(err)
			}
			until(t, e, "the new member", func(s *model.Snapshot) bool { return s.Group(k).Member(member) != nil })
			stored := must(oracle.GetElasticConsumerGroupConfig(t.Context(), must(jetstream.NewWithDomain(nc, c.domain)), "ORDERS", k.Group))
			if !slices.Contains(stored.Members, member) {
				t.Errorf("stored in %s: %v", c.domain, stored.Members)
			}
			// Its instance is seen, and steps down there.
			js := must(jetstream.NewWithDomain(nc, c.domain))
			running := must(oracle.ElasticConsume(t.Context(), js, "ORDERS", k.Group, member, func(m jetstream.Msg) { _ = m.Ack() },
				jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second}))
			t.Cleanup(func() { running.Stop(); <-running.Done() })
			e.Focus(&k, []model.Key{k})
			poll(t, "a pinned instance with its name", func() bool {
				for n := range 16 {
					must(js.Publish(t.Context(), fmt.Sprintf("%s.%d", c.domain, n), nil))
				}
				now = e.Current()
				m := now.Group(k).Member(member)
				return m.Consumer != nil && m.Consumer.PinID != "" && len(m.Running) == 1 && m.Running[0].Conn != nil
			})
			must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionStepDown, member)))
			until(t, e, "the advisory of it", func(s *model.Snapshot) bool {
				return slices.ContainsFunc(s.Events, func(e model.Event) bool {
					return e.Kind == model.EventPin && e.Key == k && e.Member == member
				})
			})
			// What the other domain tells of a stream of the same name is not about this one.
			other := map[string]string{"hub": "leaf", "leaf": "hub"}[c.domain]
			for _, from := range []string{other, c.domain} {
				advisory := fmt.Sprintf(`{"timestamp":%q,"stream":%q,"consumer":%q,"domain":%q,"group":"PCG","pinned_id":"pin-of-%s"}`,
					time.Now().UTC().Format(time.RFC3339Nano), k.ConsumeStream(), member, from, from)
				must(0, nc.Publish("$JS.EVENT.ADVISORY.CONSUMER.PINNED."+k.ConsumeStream()+"."+member, []byte(advisory)))
			}
			pinned := func(s *model.Snapshot, domain string) bool {
				return slices.ContainsFunc(s.Group(k).Member(member).Pins, func(p model.PinChange) bool { return p.PinID == "pin-of-"+domain })
			}
			if now = until(t, e, "the domain's own pin", func(s *model.Snapshot) bool { return pinned(s, c.domain) }); pinned(now, other) {
				t.Errorf("a pin in the domain %s is shown as if it were in %s", other, c.domain)
			}
		})
	}
}
