package engine

import (
	"testing"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// With an operator's permissions, as the README lists them, handing over
// drained, making and deleting groups work.
func TestDocumentedPermissionsForMore(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t, restricted(t, "operator"))
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "pw"))
	k := elasticGroup(t, js, "m1")
	instance(t, js, "m1")
	e := start(t, s.ClientURL(), func(o *Options) { o.User, o.Password = "user", "pw" })
	now := until(t, e, "the consumer", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).Member("m1").Consumer != nil
	})
	must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m2").WithDrain(model.DefaultDrain)))
	g := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "new"}
	must(e.Apply(t.Context(), must(e.PlanCreation(t.Context(), g, model.Config{Partitions: 2, Filters: []model.Filter{{Subject: "orders.*"}}}))))
	must(e.Apply(t.Context(), must(e.PlanDeletion(t.Context(), g))))
}
