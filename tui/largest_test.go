package tui

import (
	"fmt"
	"strings"
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

// A filter of half a megabyte, thirty thousand filters, a member's name of a megabyte and
// ninety thousand members that change at once are drawn without a pause that is felt long:
// the best of some tries, for the machine may be busy.
func TestConfigsWithoutEndAreDrawn(t *testing.T) {
	filters := func(subject func(int) string, n int) []model.Filter {
		list := make([]model.Filter, n)
		for i := range list {
			list[i] = model.Filter{Subject: subject(i), Wildcards: []int{1}}
		}
		return list
	}
	names := func(prefix string) []string {
		list := make([]string, 90_000)
		for i := range list {
			list[i] = fmt.Sprintf("%s%05d", prefix, i)
		}
		return list
	}
	few := filters(func(int) string { return "o.*" }, 1)
	for name, configs := range map[string][]model.Config{
		"a long filter": {{Partitions: 16, Members: []string{"m1"}, Filters: filters(func(int) string { return strings.Repeat("*.", 250_000) + "*" }, 1)}},
		"many filters":  {{Partitions: 16, Members: []string{"m1"}, Filters: filters(func(n int) string { return fmt.Sprintf("o%d.*", n) }, 30_000)}},
		"a long name":   {{Partitions: 16, Members: []string{strings.Repeat("x", 1<<20)}, Filters: few}, {Partitions: 16, Members: []string{"a", "b"}, Filters: few}},
		"all others":    {{Partitions: 16, Members: names("a"), Filters: few}, {Partitions: 16, Members: names("b"), Filters: few}},
	} {
		k := elastic("BIG", "g")
		now := model.Reduce(nil, moment(), model.LinkSeen{State: model.LinkLive},
			model.StreamRead{Name: "BIG", Facts: model.StreamFacts{Exists: true, Subjects: []string{"other.>"}}},
			model.StreamRead{Name: "BIG-g", Facts: model.StreamFacts{Exists: true, Sources: []model.Source{{Name: "BIG", Transforms: []model.Transform{{From: "other.*", To: "x"}}}}}},
			model.ConsumersRead{Stream: "BIG-g", TS: moment()})
		for n := range configs {
			now = model.Reduce(now, moment(), model.ConfigSeen{Key: k, Revision: uint64(n + 1), Config: &configs[n]})
		}
		s := newStage(t, 200, 60)
		s.show(now)
		s.blind = true
		for _, key := range []string{"j", "enter", "j", "e", "j", "esc"} {
			best := time.Hour
			for range 3 {
				begun := time.Now()
				s.press(key)
				s.m.View()
				best = min(best, time.Since(begun))
				if key == "enter" || key == "e" || key == "esc" {
					break
				}
			}
			if best > 500*time.Millisecond {
				t.Errorf("%s: %s takes %v", name, key, best)
			}
		}
	}
}
