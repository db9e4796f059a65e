package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"pcgtop/keymap"
	"pcgtop/model"
)

// chords is every single key and control chord that a terminal can send.
func chords() []string {
	keys := []string{"enter", "esc", "tab", "shift+tab", "up", "down", "left", "right", "home", "end", "pgup", "pgdown", "backspace", "delete", "space", "f1"}
	for r := '!'; r <= '~'; r++ {
		keys = append(keys, string(r))
	}
	for r := 'a'; r <= 'z'; r++ {
		keys = append(keys, "ctrl+"+string(r))
	}
	return keys
}

// screens are ways to each screen and window.
func screens() map[string][]string {
	return map[string][]string{
		"overview":    {},
		"filter":      {"/"},
		"group":       {"down", "enter"},
		"map":         {"down", "enter", "tab"},
		"events tab":  {"down", "enter", "shift+tab"},
		"findings":    {"down", "enter", "tab", "tab"},
		"step-down":   {"down", "enter", "g", "s"},
		"add":         {"down", "enter", "a", "z"},
		"add plan":    {"down", "enter", "a", "z", "enter"},
		"drop":        {"down", "enter", "x"},
		"drop plan":   {"down", "enter", "x", "enter"},
		"remap":       {"down", "enter", "m", "B"},
		"remap plan":  {"down", "enter", "m", "B", "enter"},
		"remap name":  {"down", "enter", "m", "n", "z"},
		"partitions":  {"down", "enter", "enter"},
		"find parts":  {"down", "enter", "enter", "/", "m"},
		"heat":        {"down", "enter", "enter", "tab"},
		"where":       {"down", "enter", "w", "t"},
		"drained":     {"down", "enter", "x", "enter", "d"},
		"undo":        {"down", "enter", "u"},
		"history":     {"down", "enter", "U"},
		"delete":      {"down", "enter", "X"},
		"create":      {"n", "g"},
		"deal":        {"down", "enter", "m", "B", "2"},
		"marking":     {"down", "enter", "m", "/", "m"},
		"help":        {"?"},
		"raw":         {"y"},
		"raw, group":  {"down", "enter", "y"},
		"palette":     {":", "r"},
		"commands":    {"down", "enter", "m", "B", ":", "p"},
		"events":      {"e"},
		"events, one": {"down", "enter", "e"},
		"find events": {"e", "/"},
		"help, group": {"down", "enter", "?"},
	}
}

// Those ways lead to every screen that the table of keys knows of, so that what holds of
// all of them holds of each; contexts and handovers have tests of their own.
func TestScreensAreAll(t *testing.T) {
	reached := keymap.Contexts | keymap.Draining
	for _, way := range screens() {
		reached |= newStage(t, 80, 24).show(sketch().snapshot()).press(way...).m.screen()
	}
	for s := keymap.Screen(1); s <= keymap.Contexts; s <<= 1 {
		if reached&s == 0 {
			t.Errorf("no way leads to what is %s", s)
		}
	}
}

// No single key press and no paste writes, on whatever screen.
func TestNoSingleKeyWrites(t *testing.T) {
	snap := sketch().snapshot()
	for name, way := range screens() {
		for _, key := range chords() {
			s := newStage(t, 100, 30)
			s.blind = true
			s.show(snap).press(way...)
			before := s.m.screen()
			s.blind = false
			s.press(key)
			s.blind = true
			s.send(tea.PasteMsg{Content: "y\r\n\r\nenter\n"})
			if n := len(s.admin.plans); n != 0 {
				t.Fatalf("%s: %s wrote (screen %d)", name, key, before)
			}
		}
	}
}

// What is typed ahead meets Cancel.
func TestTypedAheadCancels(t *testing.T) {
	for _, keys := range [][]string{{"g", "s", "enter"}, {"g", "s", "enter", "enter", "enter"}, {"x", "enter", "enter"}, {"x", "enter", "enter", "enter", "enter"}, {"g", "s", "y"}, {"g", "s", "space"}, {"m", "B", "enter", "enter"}} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter").press(keys...)
		if len(s.admin.plans) != 0 {
			t.Errorf("%v wrote", keys)
		}
	}
}

func TestConfirmedPlanIsApplied(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		want string
	}{
		"step-down": {[]string{"g", "s"}, "pcgtop elastic step-down TELEMETRY rollup m1"},
		"add":       {[]string{"a", "z", ",", "q", "enter"}, "pcgtop elastic add TELEMETRY rollup q z"},
		"drop":      {[]string{"g", "x", "down", "space", "enter"}, "pcgtop elastic drop TELEMETRY rollup m1 m2"},
		"remap":     {[]string{"m", "home", "C", "enter"}, "pcgtop elastic create-mapping TELEMETRY rollup m1:1,2,3,4,15 m2:5,6,7,8,9 m3:0,10,11,12,13,14"},
	} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter").press(c.keys...)
		s.admin.text = "done, revision 42"
		for _, way := range [][]string{{"tab", "tab", "tab"}, {"enter"}} {
			s.press(way...)
		}
		if len(s.admin.plans) != 1 {
			t.Fatalf("%s: %d writes", name, len(s.admin.plans))
		}
		if got := strings.Join(s.admin.plans[0].Command, " "); got != c.want {
			t.Errorf("%s: applied %q, want %q", name, got, c.want)
		}
		if len(s.m.windows) != 0 {
			t.Errorf("%s: %d windows are left", name, len(s.m.windows))
		}
		if !strings.Contains(s.plain(), "done, revision 42") {
			t.Errorf("%s: the result is not shown:\n%s", name, s.plain())
		}
	}
}

func (s *stage) plain() string { return ansi.Strip(s.m.View().Content) }

// sees asserts that the frame holds a text.
func (s *stage) sees(text string) *stage {
	s.t.Helper()
	if !strings.Contains(strings.Join(strings.Fields(s.plain()), " "), text) {
		s.t.Errorf("%q is not on the screen:\n%s", text, s.plain())
	}
	return s
}

// While a plan is carried out nothing else starts, and its window may be closed.
func TestApplyingOnce(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab")
	cmd := s.send(press("enter"))
	s.sees("applying…")
	for range 3 {
		s.press("tab", "enter", "right", "r")
	}
	s.press("esc", "esc")
	msg := cmd()
	if len(s.admin.plans) != 1 {
		t.Fatalf("%d writes", len(s.admin.plans))
	}
	s.admin.text = "x"
	s.send(msg)
	s.sees("Drop m3 from TELEMETRY/rollup: done")
}

// A key that does nothing on a screen says where it does, and nothing else comes of it.
func TestKeysOfOtherScreensSaySo(t *testing.T) {
	for _, c := range []struct {
		way  []string
		key  string
		says string
	}{
		{nil, "X", "delete (X) needs an open group: enter opens the selected one"},
		{nil, "s", "step down (s) needs an open group: enter opens the selected one"},
		{nil, "w", "where (w) needs an open group: enter opens the selected one"},
		{[]string{"enter"}, "n", "new group (n) can be done in the list of groups, not here"},
		{[]string{"enter", "enter"}, "X", "delete (X) can be done in a group, not here"},
		{[]string{"e"}, "X", "delete (X) can be done in a group, not here"},
		{[]string{"e"}, "n", "new group (n) can be done in the list of groups, not here"},
		{nil, "h", ""},
		{nil, "tab", ""},
		{nil, "ctrl+y", ""},
	} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press(c.way...)
		screen := s.m.screen()
		if s.press(c.key); s.m.message.text != c.says || s.m.screen() != screen || len(s.m.windows) > 0 {
			t.Errorf("%v, %s: says %q, want %q", c.way, c.key, s.m.message.text, c.says)
		}
		if c.says != "" {
			s.sees(c.says)
		}
	}
	newStage(t, 100, 30).show(world{}.snapshot()).press("X").sees("delete (X) needs an open group")
}

func TestWritesAreOff(t *testing.T) {
	actions := []string{"s", "a", "x", "m", "b"}
	for name, c := range map[string]struct {
		option func(*Options)
		world  world
		why    string
	}{
		"read-only": {func(o *Options) { o.Admin = &admin{readOnly: true} }, sketch(), "read-only: set by --read-only"},
		"settings":  {func(o *Options) { o.Admin, o.ReadOnlyBy = &admin{readOnly: true}, "/etc/config.yaml:9, context prod" }, sketch(), "read-only: set by /etc/config.yaml:9, context prod"},
		"no admin":  {func(o *Options) { o.Admin = nil }, sketch(), "read-only"},
		"lost":      {func(*Options) {}, lost(sketch()), "link lost: writes are off"},
		"static":    {func(*Options) {}, world{groups: sketch().groups[1:2]}, "a static group never changes"},
	} {
		for _, key := range actions {
			if name == "static" && key == "s" {
				continue
			}
			s := newStage(t, 100, 30, c.option).show(c.world.snapshot()).press("enter", key)
			if len(s.m.windows) != 0 {
				t.Errorf("%s: %s opened a window", name, key)
			}
			s.sees(c.why)
			if s.press("?"); name != "static" && !strings.Contains(s.plain(), "Not now:") {
				t.Errorf("%s: help does not say why:\n%s", name, s.plain())
			}
		}
	}
	// Lost while the plan is shown: it cannot be confirmed, and can once it is back.
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab").show(lost(sketch()).snapshot())
	s.sees("link lost: writes are off").press("enter").sees("cancelled: nothing was written")
	if len(s.admin.plans) != 0 {
		t.Fatal("written over a lost link")
	}
	s.show(sketch().snapshot()).press("enter", "tab", "enter")
	if len(s.admin.plans) != 1 {
		t.Fatal("not written when the link was back")
	}
}

// Random input never writes unless a plan's action button was focused and pressed.
func TestOnlyConfirmedPlansWrite(t *testing.T) {
	keys := append(chords(), "down", "down", "enter", "enter", "tab", "s", "x", "m", "a", "b", "esc", "r", "B", "C", "u", "U", "X", "n", "d", "1", "2", "3", "4", "/", "o")
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, 80, 24).show(sketch().snapshot())
		s.press("down", "enter")
		confirmed := 0
		for range rapid.IntRange(1, 60).Draw(rt, "steps") {
			switch rapid.IntRange(0, 12).Draw(rt, "what") {
			case 0:
				s.send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 130).Draw(rt, "w"), Height: rapid.IntRange(1, 45).Draw(rt, "h")})
			case 1:
				s.send(tea.PasteMsg{Content: rapid.StringN(0, 40, 200).Draw(rt, "paste")})
			case 2:
				w := rapid.SampledFrom([]func() world{sketch, changed, mappedGroup, many, func() world { return lost(sketch()) }}).Draw(rt, "world")
				s.show(w().snapshot())
			default:
				key := rapid.SampledFrom(keys).Draw(rt, "key")
				if d, ok := s.m.window().(*planWindow); ok && !s.m.tooSmall() && d.confirm && key == "enter" && d.refusal(s.m) == "" {
					confirmed++
				}
				s.press(key)
			}
			if len(s.admin.plans) != confirmed {
				rt.Fatalf("%d writes, %d confirmed", len(s.admin.plans), confirmed)
			}
		}
	})
}

// Nothing can be confirmed that cannot be seen.
func TestNothingHappensInAWindowTooSmall(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab")
	s.send(tea.WindowSizeMsg{Width: 39, Height: 30})
	s.press("enter").sees("window too small: 40x12 needed")
	if len(s.admin.plans) != 0 {
		t.Fatal("confirmed unseen")
	}
}

func TestApplyEndsWithTheProgram(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	s := newStage(t, 100, 30, func(o *Options) { o.Context, o.Admin = ctx, waiter{} }).show(sketch().snapshot())
	s.press("down", "enter", "x", "enter", "tab")
	cmd := s.send(press("enter"))
	cancel()
	if msg := cmd().(appliedMsg); !errors.Is(msg.err, context.Canceled) {
		t.Fatalf("%v", msg.err)
	}
}

type waiter struct{}

func (waiter) ReadOnly() bool { return false }
func (waiter) Apply(ctx context.Context, _ *model.Plan) (string, error) {
	<-ctx.Done()
	return "", ctx.Err()
}

// Every action of the key table has its window or its effect: no key is shown that does
// nothing.
func TestEveryDangerousKeyLeadsToAPlan(t *testing.T) {
	for _, a := range keymap.New() {
		if !a.Danger {
			continue
		}
		if _, planned := actions()[a.ID]; !planned {
			t.Errorf("%s plans nothing", a.ID)
		}
	}
}

// Keys that come all at once, typed ahead or pasted without being marked as a paste,
// write nothing; pressing the button again does.
func TestKeysAllAtOnceWriteNothing(t *testing.T) {
	for _, keys := range [][]string{{"g", "s", "tab", "enter"}, {"a", "z", "z", "enter", "tab", "enter"}, {"x", "enter", "tab", "enter"}} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter")
		s.pace = time.Millisecond
		s.press(keys...).press("enter", "enter")
		if len(s.admin.plans) != 0 {
			t.Errorf("%v wrote", keys)
		}
		s.sees("too quick")
		s.pace = time.Second
		if s.press("enter"); len(s.admin.plans) != 1 {
			t.Errorf("%v: %d writes when pressed again", keys, len(s.admin.plans))
		}
	}
}

// Where no size comes, as of a window that is too large, that is said instead of nothing; a
// size that is yet to come is waited for.
func TestWindowWithoutASize(t *testing.T) {
	m := New(Options{})
	if f := m.frame(); f != "" {
		t.Errorf("before anything was read: %q", f)
	}
	m.show(model.Reduce(nil, time.Now(), model.LinkSeen{State: model.LinkLive}))
	if f := m.frame(); !strings.Contains(f, "window too large") {
		t.Errorf("%q", f)
	}
}
