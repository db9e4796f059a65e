package tui

import (
	"regexp"
	"testing"
	"time"

	"pcgtop/model"
)

// What waits for a static group's members without a consumer is no 0 in the list, in no row
// and in no sum, before it was counted.
func TestLagThatNobodyCounted(t *testing.T) {
	at := moment()
	odd, even := model.Key{Kind: model.KindStatic, Stream: "PAY", Group: "odd"}, model.Key{Kind: model.KindStatic, Stream: "PAY", Group: "even"}
	config := &model.Config{Partitions: 2, Members: []string{"x", "y"}}
	x := &model.Consumer{Name: "even-x", PriorityGroup: "PCG", Filters: []string{"0.>"}, Created: at.Add(-time.Hour), TS: at, Waiting: 1, PinID: "p", PinnedAt: at, Pending: 1250, AckPending: 3}
	s := model.Reduce(nil, at, model.LinkSeen{State: model.LinkLive}, model.ConfigSeen{Key: odd, Revision: 1, Config: config},
		model.StreamRead{Name: "PAY", Facts: model.StreamFacts{Exists: true, Messages: 20_563}}, model.ConsumersRead{Stream: "PAY", TS: at})
	row := func(s *model.Snapshot, group, pattern string) {
		t.Helper()
		if screen := newStage(t, 160, 30).show(s).plain(); !regexp.MustCompile(`(?m)` + group + pattern).MatchString(screen) {
			t.Errorf("no row of %s with %s:\n%s", group, pattern, screen)
		}
	}
	row(s, "PAY/odd", ` +static +2 +0/2 +0 \+0 +- +- +0 +- +- +- `)
	both := model.Reduce(s, at, model.ConfigSeen{Key: even, Revision: 2, Config: config}, model.ConsumersRead{Stream: "PAY", TS: at, Consumers: []*model.Consumer{x}})
	row(both, "PAY/odd", ` +static +2 +0/2 +0 \+0 +- +- +0 +- +- +- `)
	row(both, "PAY/even", ` +static +2 +1/2 +1 \+≤1 +≥1,250 +≥1,253 +3 +- +- `)
	row(both, "2 groups", ` +4 +1/4 +1 \+≤1 +≥1,250 +≥1,253 +3 `)
	counted := model.Reduce(s, at, model.PartitionsCounted{Key: odd, Counts: model.Counts{At: at, Every: time.Second}, Partitions: []model.Counted{{Pending: 288}, {Pending: 894}}})
	row(counted, "PAY/odd", ` +static +2 +0/2 +0 \+0 +~1,182 +~1,182 +0 `)
	gone := model.Reduce(s, at, model.ConsumersRead{Stream: "PAY", Missing: true})
	row(gone, "✗ broken +PAY/odd", ` +static +2 +0/2 +0 \+0 +- +- +0 +- +- +- `)
}
