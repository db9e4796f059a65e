package tui

import (
	"fmt"
	"testing"
	"time"

	"pcgtop/model"
)

// The largest group that there can be, by partitions, with as many members as fit into a
// message, is planned for without a hang: the best of some tries, for the machine may be
// busy.
func TestTheLargestGroupIsPlannedFor(t *testing.T) {
	names := make([]string, 100_000)
	for i := range names {
		names[i] = fmt.Sprintf("m%05d", i)
	}
	config := model.Config{Partitions: model.MaxPartitions, Members: names, Filters: []model.Filter{{Subject: "o.*", Wildcards: []int{1}}}}
	s := newStage(t, 120, 40)
	s.show(model.Reduce(nil, moment(), model.LinkSeen{State: model.LinkLive}, model.ConfigSeen{Key: elastic("BIG", "crowd"), Revision: 3, Config: &config}))
	s.press("enter").sees("BIG/crowd")
	for key, want := range map[string]string{"x": "Drop members from", "m": "Remap"} {
		best := time.Hour
		for range 3 {
			begun := time.Now()
			s.press(key)
			best = min(best, time.Since(begun))
			s.sees(want)
			for len(s.m.windows) > 0 {
				s.press("esc")
			}
		}
		if best > 6*time.Second {
			t.Errorf("%s takes %v", key, best)
		}
	}
}
