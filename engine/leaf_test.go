package engine

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// A hub that goes away behind a leaf node leaves the connection as it is: only its domain
// does not answer. That is said, what is known stays, and when the hub is back its groups
// are read again.
func TestTheHubBehindALeafGoesAway(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("joins two servers")
	}
	leafPort, dir := freePort(t), t.TempDir()
	hub := func() *server.Server {
		return natstest.Start(t, func(o *server.Options) {
			o.ServerName, o.JetStreamDomain, o.StoreDir = "hub", "hub", dir
			o.LeafNode.Host, o.LeafNode.Port = "127.0.0.1", must(strconv.Atoi(leafPort))
		})
	}
	first := hub()
	leaf := natstest.Start(t, func(o *server.Options) {
		o.ServerName, o.JetStreamDomain = "leaf", "leaf"
		o.LeafNode.ReconnectInterval = 200 * time.Millisecond
		o.LeafNode.Remotes = []*server.RemoteLeafOpts{{URLs: []*url.URL{must(url.Parse("nats-leaf://127.0.0.1:" + leafPort))}, LocalAccount: "$G"}}
	})
	nc, _ := client(t, leaf.ClientURL())
	js := must(jetstream.NewWithDomain(nc, "hub"))
	poll(t, "JetStream of the hub", func() bool { _, err := js.AccountInfo(t.Context()); return err == nil })
	must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*"}}))
	must(oracle.CreateElastic(t.Context(), js, "ORDERS", "cg", 4, []oracle.PartitioningFilter{{Filter: "orders.*"}}, -1, -1))
	k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}
	e := start(t, leaf.ClientURL(), func(o *Options) { o.JSDomain = ptr("hub") })
	until(t, e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil && !s.Group(k).ReadAt.IsZero() })
	natstest.Stop(first)
	gone := time.Now()
	const nobody = "no answer: JetStream does not answer at $JS.hub.API"
	now := until(t, e, "that nobody answers", func(s *model.Snapshot) bool { return s.Group(k).ReadError == nobody })
	if took := time.Since(gone); took > 3*time.Second {
		t.Errorf("said after %v", took)
	}
	if _, err := e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m1")); err == nil || !strings.HasSuffix(err.Error(), "JetStream does not answer now: try again once it does; nothing was written") {
		t.Errorf("a write: %v", err)
	}
	now = until(t, e, "that the groups may be others by now", func(s *model.Snapshot) bool { return len(s.Unseen()) == 2 })
	if now.Group(k) == nil || !slices.ContainsFunc(now.Unseen(), func(why string) bool { return strings.Contains(why, nobody) }) {
		t.Errorf("%q, %d groups", now.Unseen(), len(now.Groups))
	}
	hub()
	poll(t, "the hub is back", func() bool {
		_, err := oracle.AddMembers(t.Context(), js, "ORDERS", "cg", []string{"m2"})
		return err == nil
	})
	back := time.Now()
	until(t, e, "what happened since", func(s *model.Snapshot) bool {
		return s.Unseen() == nil && s.Group(k).ReadError == "" && s.Group(k).ReadAt.After(back) && s.Group(k).Member("m2") != nil
	})
}
