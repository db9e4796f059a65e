package tui

import (
	"regexp"
	"strings"
	"testing"

	"pcgtop/model"
)

// TestLongNamesLeaveTheReason: however long a member's name is, what is wrong with it and its
// end are on the screen.
func TestLongNamesLeaveTheReason(t *testing.T) {
	long := strings.Repeat("measurements-", 9) + "east7"
	w := world{context: "lab", groups: []fixture{{key: elastic("TELEMETRY", "rollup"), revision: 3, messages: 900,
		config: model.Config{Partitions: 6, Filters: filter("x.*", 1), Members: []string{long}}}}}
	for _, z := range []size{{40, 12}, {80, 24}, {120, 40}, {200, 60}} {
		s := newStage(t, z.w, z.h).show(w.snapshot())
		if z.w > 40 { // there the list has no room for reasons
			s.sees("east7 never seen")
		}
		if z.w >= 80 {
			s.sees("6/6 never seen: me")
		}
		s.press("enter").sees("east7 never seen")
	}
}

// TestNoNumberIsCutInAReason: of a reason that does not fit, numbers are there whole or not at
// all.
func TestNoNumberIsCutInAReason(t *testing.T) {
	snap := sketch().snapshot()
	g := *snap.Group(elastic("TELEMETRY", "rollup"))
	g.Findings = []model.Finding{{Severity: model.Warning, Text: "lag grew by 2,257,119 in 31s, and so on", Brief: "lag +2,257,119 in 31s"}}
	s := newStage(t, 80, 24).show(snap)
	for w := 1; w < 30; w++ {
		text, _ := why(s.m, &g, w)
		for _, number := range regexp.MustCompile(`[0-9][0-9,]*`).FindAllString(text, -1) {
			if number != "2,257,119" && number != "31" {
				t.Errorf("%d wide: %q", w, text)
			}
		}
	}
}

// TestNobodyIsDrained: a drain is offered where somebody runs, and else refused with the reason.
func TestNobodyIsDrained(t *testing.T) {
	w := sketch()
	newStage(t, 100, 30).show(w.snapshot()).press("down", "enter", "x", "enter").sees("drain first: pause 2 members")
	w.groups[0].consumers = nil
	s := newStage(t, 100, 30).show(w.snapshot()).press("end")
	s.m.overview.choose(elastic("TELEMETRY", "rollup"))
	s.press("enter", "x", "enter").sees("same as pcgtop elastic drop TELEMETRY rollup")
	if strings.Contains(s.plain(), "drain") {
		t.Errorf("a drain of nobody is offered:\n%s", s.plain())
	}
	s.press("d").sees("no member runs: there is nothing to drain")
}
