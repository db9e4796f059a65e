package engine

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

func TestChangesReachTheSnapshotWithin100ms(t *testing.T) {
	s := startServer(t)
	_, js := client(t, s.ClientURL())
	ctx := t.Context()
	must(js.CreateStream(ctx, jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{"orders.*"}}))
	must(pcgroups.CreateElastic(ctx, js, "ORDERS", "cg", 8, []pcgroups.PartitioningFilter{{Filter: "orders.*", PartitioningWildcards: []int{1}}}, -1, -1))
	e := start(t, s.ClientURL())
	k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}
	until(t, e, "live with the group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })

	var worst time.Duration
	for _, name := range []string{"m1", "m2", "m3", "m4", "m5"} {
		begin := time.Now()
		must(pcgroups.AddMembers(ctx, js, "ORDERS", "cg", []string{name}))
		written := time.Now()
		until(t, e, "member "+name, func(s *model.Snapshot) bool { return s.Group(k).Member(name) != nil })
		worst = max(worst, time.Since(written))
		_ = begin
	}
	t.Logf("worst of five: %v", worst)
	if worst > 100*time.Millisecond {
		t.Errorf("a change took %v to reach a snapshot", worst)
	}
}
