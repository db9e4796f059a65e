package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"pcgtop/keymap"
)

func withMouse(o *Options) { o.Mouse = true }

// click presses and releases the left button; commands are carried out as press does.
func (s *stage) click(x, y int) *stage {
	s.m.View() // what is clicked on is what was drawn
	s.clock = s.clock.Add(s.pace)
	cmd := s.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft})
	s.send(tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
	if cmd == nil {
		return s
	}
	switch msg := cmd().(type) {
	case appliedMsg, foundMsg:
		s.send(msg)
	}
	return s
}

func (s *stage) wheel(x, y int, button tea.MouseButton) *stage {
	s.m.View()
	s.send(tea.MouseWheelMsg{X: x, Y: y, Button: button})
	return s
}

// clickOn clicks on the n-th place where a text stands, counted from 0.
func (s *stage) clickOn(text string, n int) *stage {
	s.t.Helper()
	x, y, ok := s.find(text, n)
	if !ok {
		s.t.Fatalf("%q is not on the screen %d times:\n%s", text, n+1, s.plain())
	}
	return s.click(x, y)
}

func (s *stage) find(text string, n int) (x, y int, ok bool) {
	for y, line := range strings.Split(s.plain(), "\n") {
		for at := 0; ; {
			i := strings.Index(line[at:], text)
			if i < 0 {
				break
			}
			if at += i; n == 0 {
				return ansi.StringWidth(line[:at]), y, true
			}
			n--
			at += len(text)
		}
	}
	return 0, 0, false
}

func TestClicksSelectAndOpen(t *testing.T) {
	s := newStage(t, 120, 40, withMouse).show(sketch().snapshot())
	if s.clickOn("TELEMETRY/rollup", 0); s.m.overview.selected.Group != "rollup" || s.m.group != nil {
		t.Fatalf("one click: %s", s.plain())
	}
	if s.clickOn("TELEMETRY/rollup", 0); s.m.group == nil || s.m.group.key.Group != "rollup" {
		t.Fatalf("another click: %s", s.plain())
	}
	if s.clickOn("PARTITIONS", 0); s.m.group.focused != panelMap {
		t.Fatalf("the title does not focus its panel: %d", s.m.group.focused)
	}
	if s.clickOn(" 6 B", 0); s.m.group.chart.cursor != 6 {
		t.Fatalf("the cell is not chosen: %d", s.m.group.chart.cursor)
	}
	s.clickOn("m2", 1)
	if v := s.m.group; v.focused != panelMembers || v.members.selected != "m2" {
		t.Fatalf("the member is not chosen:\n%s", s.plain())
	}
	s.clickOn(" 6 B", 0).clickOn(" 6 B", 0).sees("wait in 16 partitions").clickOn("PENDING", 0)
	if got := s.m.group.table.rows[0]; got != 6 || s.m.group.table.sort.by != keymap.SortPending {
		t.Fatalf("not sorted by the head: %s", s.plain())
	}
	if s.clickOn("PENDING", 0); s.m.group.table.rows[0] != 2 {
		t.Fatalf("not sorted the other way round: %s", s.plain())
	}
	s.clickOn("✗ absent", 0).clickOn("✗ absent", 0)
	if s.m.group.table != nil || s.m.group.members.selected != "m3" {
		t.Fatalf("not at the owner: %s", s.plain())
	}
	if s.clickOn("pcgtop", 0); s.m.group != nil {
		t.Fatal("the name does not lead home")
	}
	s.clickOn("LAG", 0)
	if s.m.overview.order.by != keymap.SortLag || s.names() != "rollup settlement analytics fulfillment" {
		t.Fatalf("not sorted by the head: %s", s.plain())
	}
	s.clickOn("m2 unpinned", 0)
	if s.m.group == nil || s.m.group.members.selected != "m2" {
		t.Fatalf("not at what the event is about: %s", s.plain())
	}
}

// The tabs of a low window, the fields of a form, the boxes of a list.
func TestClicksInWindows(t *testing.T) {
	s := newStage(t, 40, 12, withMouse).show(sketch().snapshot()).press("down", "enter").clickOn("FINDINGS", 0)
	if s.m.group.focused != panelFindings {
		t.Error("the tab is not in front")
	}
	s = newStage(t, 100, 30, withMouse).show(sketch().snapshot()).press("n").clickOn("kind ", 0).clickOn("kind ", 0).sees("static")
	s.clickOn("partitions", 0)
	if d := s.m.window().(*createWindow); d.fields[d.at].id != fieldPartitions {
		t.Errorf("in field %s", d.fields[d.at].id)
	}
	s = newStage(t, 100, 30, withMouse).show(sketch().snapshot()).press("down", "enter", "x").clickOn("[ ]", 0).sees("2 marked").clickOn("[x]", 0)
	if d := s.m.window().(*dropWindow); len(d.intent().Members) != 1 || d.intent().Members[0] != "m3" {
		t.Errorf("marked %v", d.intent().Members)
	}
	s.clickOn("enter plan", 0).sees("Drop m3 from TELEMETRY/rollup").clickOn("Cancel", 0)
	if _, back := s.m.window().(*dropWindow); !back {
		t.Error("Cancel does not lead back")
	}
	s.press("esc", "m").clickOn("10 C", 0).clickOn("A m1 ", 1)
	if d := s.m.window().(*remapWindow); d.owner[10] != 0 {
		t.Errorf("partition 10 is not given: %v", d.owner)
	}
	if s.clickOn("11 C", 0).clickOn("11 C", 0); !s.m.window().(*remapWindow).chart.marked[11] {
		t.Error("not marked")
	}
}

// The button writes only after the plan stood for long enough, and only it writes.
func TestAClickConfirms(t *testing.T) {
	s := newStage(t, 100, 30, withMouse).show(sketch().snapshot()).press("down", "enter")
	s.clickOn("x drop", 0).clickOn("enter plan", 0)
	s.pace = 100 * time.Millisecond
	s.clickOn("Drop m3", 1).sees("too quick")
	if len(s.admin.plans) != 0 {
		t.Fatal("a click wrote before the plan could be read")
	}
	s.pace = time.Second
	s.clickOn("Drop m3", 1)
	if len(s.admin.plans) != 1 {
		t.Fatalf("not confirmed: %s", s.plain())
	}
}

// No single click writes: every cell of every screen, but for the action's button of a
// plan, which is there to be pressed.
func TestNoSingleClickWrites(t *testing.T) {
	t.Parallel()
	snap := sketch().snapshot()
	for name, way := range screens() {
		for _, pace := range []time.Duration{time.Second, 50 * time.Millisecond} {
			if pace < time.Second && !strings.Contains(name, "plan") && name != "drained" {
				continue
			}
			s := newStage(t, 100, 30, withMouse).show(snap).press(way...)
			for y, r := range s.m.cells {
				x := 0
				for _, span := range r.spans {
					at := x
					if x += span.width; span.at == nil {
						continue
					}
					one := newStage(t, 100, 30, withMouse)
					one.blind = true
					one.show(snap).press(way...)
					before := one.m.screen()
					one.pace = pace
					one.click(at, y)
					button := before == keymap.Plan && strings.Contains(span.text, planOf(s.m.window()).button())
					if n := len(one.admin.plans); n > 0 && (!button || pace < time.Second) {
						t.Fatalf("%s: a click on %q wrote", name, span.text)
					}
				}
			}
		}
	}
}

// Every action of every screen is reached with the mouse alone, in the least window too:
// it stands in the footer, or in the help that stands there. A click does there what the
// key does.
func TestEveryActionIsReachedByMouse(t *testing.T) {
	t.Parallel()
	snap := sketch().snapshot()
	for _, z := range []size{{40, 12}, {120, 40}} {
		for name, way := range screens() {
			fresh := func() *stage {
				s := newStage(t, z.w, z.h, withMouse)
				s.blind = true
				s.show(snap).press(way...)
				s.m.View()
				return s
			}
			s := fresh()
			screen := s.m.screen()
			if screen == keymap.Help {
				continue // below
			}
			for _, e := range s.m.keys.Entries(screen, s.m.disabled(screen)) {
				if e.ID == keymap.Give { // clicking on the member, tested above
					continue
				}
				byMouse := fresh()
				if !byMouse.reach(e.ID, z) {
					t.Errorf("%s, %s: %s is out of reach:\n%s", name, z, e.ID, byMouse.plain())
					continue
				}
				if e.Disabled != "" || e.ID == keymap.Quit || e.ID == keymap.Suspend || z.h > 12 {
					continue // or compared in the least window already
				}
				byKey := fresh().press(e.Binding.Keys()[0])
				if a, b := byKey.plain(), byMouse.plain(); a != b {
					t.Errorf("%s, %s: %s by mouse differs:\n%s\n---\n%s", name, z, e.ID, a, b)
				}
			}
		}
	}
}

// reach clicks on an action in the footer, or in the help after scrolling there.
func (s *stage) reach(id keymap.ID, z size) bool {
	if s.m.message.text != "" { // it hides the footer until the next click
		s.click(0, z.h-1)
	}
	if x, y, ok := s.targetOf(id, z.h-1); ok {
		s.click(x, y)
		return true
	}
	x, y, ok := s.targetOf(keymap.ShowHelp, z.h-1)
	if !ok {
		return false
	}
	s.click(x, y)
	for range 50 {
		if x, y, ok := s.targetOf(id, 0); ok {
			s.click(x, y)
			return true
		}
		for range 5 {
			s.send(tea.MouseWheelMsg{X: z.w / 2, Y: z.h / 2, Button: tea.MouseWheelDown})
		}
	}
	return false
}

// targetOf finds a cell that does an action, from a line on.
func (s *stage) targetOf(id keymap.ID, from int) (x, y int, ok bool) {
	s.m.View()
	for y := from; y < len(s.m.cells); y++ {
		x := 0
		for _, span := range s.m.cells[y].spans {
			if span.at != nil && span.at.action == id {
				return x, y, true
			}
			x += span.width
		}
	}
	return 0, 0, false
}

// The wheel moves what lies under the pointer, and the focus stays.
func TestWheel(t *testing.T) {
	s := newStage(t, 120, 40, withMouse).show(many().snapshot())
	for range 3 {
		s.wheel(10, 10, tea.MouseWheelDown)
	}
	if s.m.overview.index != 3 {
		t.Errorf("in row %d", s.m.overview.index)
	}
	s = newStage(t, 120, 40, withMouse).show(sketch().snapshot()).press("down", "enter", "g")
	x, y, _ := s.find("PARTITIONS", 0)
	s.wheel(x, y+1, tea.MouseWheelDown)
	if v := s.m.group; v.chart.cursor != v.chart.across || v.focused != panelMembers || v.members.selected != "m1" {
		t.Errorf("cursor %d, focus %d, member %s", v.chart.cursor, v.focused, v.members.selected)
	}
	s.press("?").wheel(60, 20, tea.MouseWheelDown)
	if d := s.m.window().(*helpWindow); d.top != 1 {
		t.Errorf("help from line %d", d.top)
	}
}

// Without --mouse the terminal keeps its mouse.
func TestMouseIsOffByDefault(t *testing.T) {
	if v := newStage(t, 80, 24).m.View(); v.MouseMode != tea.MouseModeNone {
		t.Error("the mouse is taken")
	}
	if v := newStage(t, 80, 24, withMouse).m.View(); v.MouseMode != tea.MouseModeCellMotion {
		t.Error("the mouse is not taken")
	}
}

// Clicks and keys at random, at any size, in a world that changes: nothing breaks, and
// only a plan's button writes.
func TestRandomClicks(t *testing.T) {
	keys := append(chords(), "enter", "down", "m", "x", "n", "e", ":", "?")
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, 80, 24, withMouse).show(sketch().snapshot())
		confirmed := 0
		for range rapid.IntRange(1, 50).Draw(rt, "steps") {
			x, y := rapid.IntRange(-1, s.m.width).Draw(rt, "x"), rapid.IntRange(-1, s.m.height).Draw(rt, "y")
			switch rapid.IntRange(0, 9).Draw(rt, "what") {
			case 0:
				s.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 130).Draw(rt, "w"), Height: rapid.IntRange(1, 45).Draw(rt, "h")})
			case 1:
				s.show(rapid.SampledFrom([]func() world{sketch, changed, mappedGroup, many, func() world { return lost(sketch()) }}).Draw(rt, "world")().snapshot())
			case 2, 3:
				s.wheel(x, y, rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown, tea.MouseWheelLeft}).Draw(rt, "wheel"))
			case 4, 5:
				key := rapid.SampledFrom(keys).Draw(rt, "key")
				if d, ok := s.m.window().(*planWindow); ok && d.confirm && key == "enter" {
					continue
				}
				s.press(key)
			default:
				s.m.View()
				d := planOf(s.m.window())
				if t := s.m.under(tea.Mouse{X: x, Y: y}); d != nil && t != nil && t.click != nil && d.refusal(s.m) == "" && !s.m.tooSmall() {
					confirmed++
				}
				s.click(x, y)
			}
			if len(s.admin.plans) > confirmed {
				rt.Fatalf("%d writes, %d confirmed", len(s.admin.plans), confirmed)
			}
		}
	})
}
