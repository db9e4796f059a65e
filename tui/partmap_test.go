package tui

import (
	"fmt"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// Bars are as long as the map's room lets them: they fill its width, and take lines that
// would be empty instead of getting shorter.
func TestBarsUseTheirRoom(t *testing.T) {
	for _, c := range []struct {
		size
		partitions, lines, bar int // at least
	}{
		{size{120, 40}, 4, 2, 10}, {size{120, 40}, 8, 4, 10}, {size{120, 40}, 12, 4, 10}, {size{120, 40}, 16, 4, 10},
		{size{80, 24}, 8, 1, 3}, {size{80, 24}, 16, 4, 10}, {size{200, 60}, 16, 4, 10}, {size{40, 12}, 8, 2, 10},
	} {
		f := sketch().groups[0]
		f.config.Partitions, f.waits = c.partitions, counted(0, make([]uint64, c.partitions)...)
		f.waits[1].Pending = 900
		s := newStage(t, c.w, c.h).show(world{groups: []fixture{f}}.snapshot()).press("enter", "tab")
		chart := &s.m.group.chart
		w, h := 0, 0
		h0 := s.m.height - 2 - len(s.m.group.facts(nil, c.w, s.m.height-2))
		areas, _ := s.m.group.layout(c.w, h0)
		for _, a := range areas {
			if a.panel == panelMap {
				w, h = a.w, a.h
			}
		}
		rows := chart.view(s.m.theme, w, h, true)
		name := fmt.Sprintf("%s, %d partitions", c.size, c.partitions)
		if len(rows) < c.lines || len(rows)*chart.across < c.partitions || chart.bar < c.bar {
			t.Errorf("%s: %d lines of %d, bars of %d\n%s", name, len(rows), chart.across, chart.bar, s.plain())
		}
		for _, r := range rows {
			if r.width > w || r.width < w*2/3 && chart.bar < mostBar && len(rows) > 1 {
				t.Errorf("%s: a line of %d in %d: %q", name, r.width, w, ansi.Strip(r.String()))
			}
		}
	}
}
