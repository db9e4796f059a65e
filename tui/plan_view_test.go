package tui

import (
	"strings"
	"testing"
)

// What a plan warns of is seen without scrolling, in the least window too.
func TestWarningsAreSeenFirst(t *testing.T) {
	for _, z := range []size{{40, 12}, {80, 24}, {120, 40}} {
		for _, keys := range [][]string{{"a", "m", "4", "enter"}, {"x", "enter"}, {"m", "B", "enter"}} {
			s := newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter").press(keys...)
			d, ok := s.m.window().(*planWindow)
			if !ok {
				t.Fatalf("%v: no plan:\n%s", keys, s.plain())
			}
			if len(d.plan.Warnings) == 0 {
				if keys[0] != "x" {
					t.Errorf("%v: warns of nothing", keys)
				}
				continue
			}
			first := strings.Join(strings.Fields(d.plan.Warnings[0])[:3], " ")
			if !strings.Contains(s.plain(), "! "+first) {
				t.Errorf("%s: %q is not seen:\n%s", z, d.plan.Warnings[0], s.plain())
			}
		}
	}
}
