package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
)

// tabs goes round the panels and returns the titles that had the focus, as the screen
// shows it.
func (s *stage) round() string {
	var seen []string
	for range int(panels) + 1 {
		for _, line := range strings.Split(s.plain(), "\n") {
			if i := strings.Index(line, "▸"); i >= 0 && !strings.Contains(line, "pcgtop") {
				seen = append(seen, strings.Fields(line[i+len("▸"):])[0])
				break
			}
		}
		s.press("tab")
	}
	return strings.Join(seen, " ")
}

// Wide windows show the table of partitions beside the rest, and tab goes there; in
// others it does not.
func TestPanelsAreThoseThatFit(t *testing.T) {
	for _, c := range []struct {
		size
		want string
	}{
		{size{200, 60}, "MEMBERS PARTITIONS WAITING FINDINGS EVENTS MEMBERS"},
		{size{120, 40}, "MEMBERS PARTITIONS FINDINGS EVENTS MEMBERS PARTITIONS"},
		{size{80, 24}, "MEMBERS PARTITIONS FINDINGS EVENTS MEMBERS PARTITIONS"},
		{size{40, 12}, "MEMBERS PARTITIONS FINDINGS EVENTS MEMBERS PARTITIONS"},
	} {
		s := newStage(t, c.w, c.h)
		if got := s.show(flows()["stalled"].snapshot()).press("enter").round(); got != c.want {
			t.Errorf("%s: %s, want %s", c.size, got, c.want)
		}
		s.press("shift+tab", "shift+tab")
	}
}

// The table beside the map is the one of the screen of partitions: the cursor, the order
// and the filter are the same. When the window shrinks the focus goes to what is left.
func TestTableBesideTheMap(t *testing.T) {
	s := newStage(t, 200, 60, withMouse).show(sketch().snapshot()).press("down", "enter", "tab", "tab")
	if s.m.group.focused != panelTable {
		t.Fatalf("focus on %d", s.m.group.focused)
	}
	if s.press("down", "down"); s.m.group.chart.cursor != 2 {
		t.Errorf("cursor on %d", s.m.group.chart.cursor)
	}
	s.clickOn("OLDEST", 0).clickOn("PENDING", 1).press("g")
	if s.m.group.chart.cursor != 6 {
		t.Errorf("not at the fullest, but at %d", s.m.group.chart.cursor)
	}
	s.press("enter").sees("6: m2, pinned, 4,211 wait").sees("sorted by pending").press("esc")
	s.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	if s.m.group.focused != panelMap {
		t.Errorf("focus on %d", s.m.group.focused)
	}
	s.press("right", "left").sees("6: m2, pinned, 4,211 wait")
	if s.send(tea.WindowSizeMsg{Width: 200, Height: 60}); s.m.group.focused != panelTable {
		t.Errorf("focus on %d, not back on the table", s.m.group.focused)
	}
}
