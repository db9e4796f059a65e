package engine

import (
	"errors"
	"testing"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Without a connection what is asked fails in words, not by a buffer's name.
func TestAskingWithoutAConnection(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js)
	e := start(t, s.ClientURL())
	until(t, e, "live", live)
	s.Shutdown()
	until(t, e, "the link is lost", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLost })
	if _, _, err := e.Subjects(t.Context(), k, "c", 5); !errors.Is(err, ErrNotConnected) {
		t.Errorf("subjects: %v", err)
	}
	if _, err := e.PlanCreation(t.Context(), model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "new"}, model.Config{Partitions: 4, Filters: []model.Filter{{Subject: "orders.*", Wildcards: []int{1}}}}); !errors.Is(err, ErrNotConnected) {
		t.Errorf("a new group: %v", err)
	}
}
