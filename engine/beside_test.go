package engine

import (
	"testing"
	"time"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// What observing is refused does not end what somebody asks for meanwhile.
func TestRefusedBeside(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	e := must(Connect(t.Context(), Options{Server: s.ClientURL(), Lookup: noEnv}))
	t.Cleanup(e.Close)
	ended, stopped := make(chan struct{}), make(chan struct{})
	go func() { // all the time
		defer close(stopped)
		for {
			select {
			case <-ended:
				return
			case <-time.After(50 * time.Microsecond):
			}
			for _, what := range []string{
				`Subscription to "$JS.API.CONSUMER.MSG.NEXT.ORDERS-cg.*"`,
				`Publish to "$JS.API.STREAM.LIST"`,
				`Publish to "$JS.API.CONSUMER.LIST.ORDERS"`, // of static groups
				`Publish to "$JS.API.DIRECT.GET.KV_elastic-consumer-groups.$KV.elastic-consumer-groups.ORDERS.other"`,
				`Publish to "$JS.API.STREAM.MSG.GET.KV_elastic-consumer-groups"`,
				`Publish to "$JS.API.CONSUMER.CREATE.KV_elastic-consumer-groups.x.$KV.elastic-consumer-groups.>"`,
				`Publish to "$JS.API.DIRECT.GET.ORDERS-cg"`,
			} {
				e.refusals.hear(refusedTo(what))
			}
		}
	}()
	for range 10 {
		for _, d := range e.Inspect(t.Context(), k, "") {
			if d.Problem != "" {
				t.Errorf("%s: %s", d.Title, d.Problem)
			}
		}
		if _, _, err := e.Subjects(t.Context(), k, "", 10); err != nil {
			t.Errorf("the subjects: %v", err)
		}
		if _, err := e.PlanDeletion(t.Context(), k); err != nil {
			t.Errorf("the deletion: %v", err)
		}
		made := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "more"}
		if _, err := e.PlanCreation(t.Context(), made, model.Config{Partitions: 2, Filters: []model.Filter{{Subject: "orders.*"}}}); err != nil {
			t.Errorf("the creation: %v", err)
		}
	}
	close(ended)
	<-stopped
}
