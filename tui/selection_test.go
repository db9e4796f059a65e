package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"pcgtop/keymap"
	"pcgtop/model"
)

// The selection stays on the group while rows come, go and change their places.
func TestSelectionFollowsTheGroup(t *testing.T) {
	s := newStage(t, 80, 24).show(many().snapshot()).press("down", "down", "down")
	want := s.m.overview.selected
	for i := range 40 {
		w := many()
		rng := rand.New(rand.NewPCG(uint64(i), 1))
		for j := range w.groups { // verdicts change, so rows move
			if w.groups[j].key != want && rng.IntN(2) == 0 {
				w.groups[j].consumers = nil
			}
		}
		for j := range i % 4 { // and new ones come above
			w.groups = append(w.groups, fixture{key: elastic("AAA", fmt.Sprint(j)), revision: 1, config: model.Config{Partitions: 2}})
		}
		rng.Shuffle(len(w.groups), func(a, b int) { w.groups[a], w.groups[b] = w.groups[b], w.groups[a] })
		s.show(w.snapshot())
		if s.m.overview.selected != want {
			t.Fatalf("%d: the selection moved from %s to %s", i, want, s.m.overview.selected)
		}
		if g := s.m.overview.rows[s.m.overview.index]; g.Key != want {
			t.Fatalf("%d: the bar is on %s", i, g.Key)
		}
	}
	s.press("enter")
	if s.m.group.key != want {
		t.Fatalf("opened %s", s.m.group.key)
	}
}

// A group that vanishes leaves the selection near.
func TestSelectionStaysNearWhenTheGroupVanishes(t *testing.T) {
	w := sketch()
	s := newStage(t, 80, 24).show(w.snapshot()).press("down", "down")
	w.groups = append(w.groups[:2:2], w.groups[3:]...)
	s.show(w.snapshot())
	if got := s.m.overview.selected; got != elastic("ORDERS", "fulfillment") {
		t.Fatalf("selected %s", got)
	}
	s.show(world{}.snapshot()).press("enter")
	if s.m.group != nil {
		t.Fatal("opened a group that is gone")
	}
}

// Until somebody moves, the worst is what is selected.
func TestSelectionStartsAtTheWorst(t *testing.T) {
	w := sketch()
	s := newStage(t, 80, 24).show(world{groups: w.groups[2:]}.snapshot()).show(w.snapshot())
	if got := s.m.overview.selected; got != static("PAYMENTS", "settlement") {
		t.Fatalf("selected %s", got)
	}
}

func TestMemberSelectionFollowsTheName(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "down", "down")
	w := sketch()
	w.groups[0].revision, w.groups[0].config.Members = 42, []string{"m0", "m3", "a", "m2", "m1"} // stored in any order
	s.show(w.snapshot())
	if got := s.m.group.members.selected; got != "m3" {
		t.Fatalf("selected %s", got)
	}
	w.groups[0].revision, w.groups[0].config.Members = 43, []string{"a", "m0"}
	w.groups[0].consumers = nil
	s.show(w.snapshot())
	if got := s.m.group.members.selected; got != "m0" {
		t.Fatalf("selected %s", got)
	}
}

// The drop list checks names, not places.
func TestDropListFollowsTheName(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "g", "down", "x")
	w := changed()
	w.groups[0].config.Members = []string{"a", "b", "m1", "m2", "m3"}
	s.show(w.snapshot()).press("enter", "tab", "enter")
	if got := s.admin.plans[0].Intent.Members; len(got) != 1 || got[0] != "m2" {
		t.Fatalf("dropped %v", got)
	}
}

// Unchanged data draws an identical frame, however it was stored.
func TestFramesAreStable(t *testing.T) {
	a := newStage(t, 120, 40).show(many().snapshot())
	before := a.m.View().Content
	w := many()
	for i := range w.groups {
		m := w.groups[i].config.Members
		for x, y := 0, len(m)-1; x < y; x, y = x+1, y-1 {
			m[x], m[y] = m[y], m[x]
		}
	}
	for range 5 {
		a.show(w.snapshot())
		if got := a.m.View().Content; got != before {
			t.Fatalf("the frame changed:\n%s", got)
		}
	}
}

// Equal sizes change nothing; any size is survived, with a window open too.
func TestResizes(t *testing.T) {
	for name, way := range screens() {
		s := newStage(t, 200, 50).show(world{groups: append(sketch().groups, crowd(1024, 300))}.snapshot()).press(way...)
		before := s.m.View().Content
		for range 1000 {
			if _, cmd := s.m.Update(tea.WindowSizeMsg{Width: 200, Height: 50}); cmd != nil || !s.m.fresh {
				t.Fatal("an equal size is a change")
			}
		}
		for _, z := range []size{{200, 50}, {60, 12}, {20, 3}, {1, 1}, {40, 12}, {200, 50}} {
			s.send(tea.WindowSizeMsg{Width: z.w, Height: z.h})
		}
		if got := s.m.View().Content; got != before {
			t.Errorf("%s: not the same after shrinking and growing:\n%s\n---\n%s", name, before, got)
		}
		rng := rand.New(rand.NewPCG(7, 7))
		for range 60 {
			s.send(tea.WindowSizeMsg{Width: 1 + rng.IntN(220), Height: 1 + rng.IntN(70)})
		}
	}
}

// The selected row is on the screen whatever the size and wherever one moves.
func TestSelectionIsVisible(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStage(t, 80, 24)
		if rapid.Bool().Draw(rt, "group") {
			s.show(world{groups: []fixture{crowd(300, 60)}}.snapshot()).press("enter")
		} else {
			s.show(many().snapshot())
		}
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			if rapid.IntRange(0, 3).Draw(rt, "what") == 0 {
				s.send(tea.WindowSizeMsg{Width: rapid.IntRange(40, 200).Draw(rt, "w"), Height: rapid.IntRange(12, 60).Draw(rt, "h")})
			} else {
				s.press(rapid.SampledFrom([]string{"up", "down", "g", "G", "ctrl+f", "ctrl+b", "ctrl+d", "ctrl+u", "k", "j"}).Draw(rt, "key"))
			}
			if !strings.Contains(s.plain(), "▌") {
				rt.Fatalf("no row is marked:\n%s", s.plain())
			}
		}
	})
}

// All text lands in the filter and no action fires.
func TestFilterTakesEveryCharacter(t *testing.T) {
	s := newStage(t, 80, 24).show(many().snapshot()).press("/")
	want := ""
	for r := ' '; r <= '~'; r++ {
		s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
		want += string(r)
	}
	s.typed("quitD[*foo(\\注文")
	want += "quitD[*foo(\\注文"
	s.send(tea.PasteMsg{Content: strings.Repeat("x[(", 1700)})
	want += strings.Repeat("x[(", 1700)
	if got := s.m.overview.filter.text(); got != want {
		t.Fatalf("the filter holds %q", got)
	}
	if s.m.group != nil || len(s.m.windows) != 0 || s.source.reads != 0 {
		t.Fatal("an action fired")
	}
	s.sees("0 of 22 shown").sees("No group matches")
	s.press("enter").sees("0 of 22 shown").press("esc")
	if s.m.overview.filter.text() != "" || s.m.overview.typing || len(s.m.overview.rows) != 22 {
		t.Fatal("esc does not clear")
	}
	if cmd := s.press("/").send(press("ctrl+c")); cmd == nil {
		t.Fatal("ctrl+c does not quit")
	} else if _, quit := cmd().(tea.QuitMsg); !quit {
		t.Fatal("ctrl+c does not quit")
	}
}

func TestFilterIsAPlainSubstring(t *testing.T) {
	for text, want := range map[string]int{"orders/": 6, "ROLLUP": 1, "static": 2, "degraded": 4, "unreadable": 1, ".*": 0, "[": 0, "elastic": 20} {
		s := newStage(t, 80, 24).show(many().snapshot()).press("/").typed(text)
		if got := len(s.m.overview.rows); got != want {
			t.Errorf("%q shows %d, want %d", text, got, want)
		}
		s.sees(fmt.Sprintf("%d of 22 shown", want))
	}
	s := newStage(t, 80, 24).show(many().snapshot()).press("/").typed("orders").press("backspace", "ctrl+w", "x", "ctrl+u")
	if s.m.overview.filter.text() != "" {
		t.Error("the filter cannot be edited")
	}
}

func TestOpensWhatWasAskedFor(t *testing.T) {
	k := elastic("TELEMETRY", "rollup")
	s := newStage(t, 80, 24, func(o *Options) { o.Open = &k }).show(sketch().snapshot())
	if s.m.group == nil || s.m.group.key != k {
		t.Error("not opened by key")
	}
	s = newStage(t, 80, 24, func(o *Options) { o.Stream, o.Group = "ORDERS", "analytics" })
	s.show(world{link: model.LinkStarting}.snapshot()).show(sketch().snapshot())
	if s.m.group == nil || s.m.group.key != elastic("ORDERS", "analytics") {
		t.Error("not opened by name")
	}
	s.press("esc").show(sketch().snapshot())
	if s.m.group != nil || len(s.m.overview.rows) != 4 {
		t.Error("opened again after going back")
	}
	s = newStage(t, 80, 24, func(o *Options) { o.Stream = "ORDERS" }).show(sketch().snapshot())
	if s.m.group != nil || len(s.m.overview.rows) != 2 {
		t.Error("not filtered by stream")
	}
	s = newStage(t, 80, 24, func(o *Options) { o.Stream, o.Group = "ORDERS", "nope" }).show(sketch().snapshot())
	s.sees("No group matches")
}

// The group that was asked for is opened when there is something to be seen of it, long before
// all others were read. That it is not the only one of its name can turn out later.
func TestOpensBeforeAllIsRead(t *testing.T) {
	asked := func(o *Options) { o.Stream, o.Group = "ORDERS", "analytics" }
	w := sketch()
	w.link = model.LinkStarting
	s := newStage(t, 80, 24, asked).show(w.snapshot())
	if s.m.group == nil {
		t.Error("the rest of the account is waited for")
	}
	twin := model.GroupTold{Key: model.Key{Kind: "parti", Stream: "ORDERS", Group: "analytics"}, Teller: asTold{}}
	w.more = append(w.more, twin)
	s.show(w.snapshot()).sees("there is another group of that name: / ORDERS/analytics lists both")
	s.press("esc").show(w.snapshot())
	if s.m.group != nil {
		t.Error("opened again after going back")
	}

	s = newStage(t, 80, 24, asked).show(w.snapshot())
	if s.m.group != nil {
		t.Error("one of two is opened")
	}
	unread := model.Reduce(nil, moment(), model.ConfigSeen{Key: elastic("ORDERS", "analytics"), Revision: 1})
	if s = newStage(t, 80, 24, asked).show(unread); s.m.group != nil {
		t.Error("opened with nothing in it")
	}
}

func TestSourceHearsWhatIsLookedAt(t *testing.T) {
	s := newStage(t, 80, 24).show(many().snapshot())
	if s.source.open != nil || len(s.source.visible) != 12 {
		t.Fatalf("open %v, visible %d", s.source.open, len(s.source.visible))
	}
	n := s.source.focused
	s.show(many().snapshot()).press("down", "up")
	if s.source.focused != n {
		t.Error("told again what did not change")
	}
	s.press("G")
	if s.source.focused != n+1 || s.source.visible[11] != s.m.overview.selected {
		t.Error("not told of the scroll")
	}
	s.press("enter")
	if s.source.open == nil || *s.source.open != s.m.overview.selected {
		t.Error("not told of the open group")
	}
	s.press("r")
	if s.source.reads != 1 {
		t.Error("read now does not read")
	}
}

func TestHold(t *testing.T) {
	s := newStage(t, 80, 24).show(sketch().snapshot()).press("p")
	before := s.plain()
	s.show(many().snapshot())
	if s.plain() != before {
		t.Error("a held picture moves")
	}
	s.sees("held 14:03:22").press("p").sees("22 groups")
	// A plan made on a held picture that is old is refused at once.
	s = newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "p").show(changed().snapshot()).press("b")
	s.press("g", "s").show(changed().snapshot()).sees("changed meanwhile").press("tab", "enter")
	if len(s.admin.plans) != 0 {
		t.Error("a plan made on an old picture was applied")
	}
}

// Every key of the help does something on its screen, or says why not.
func TestHelpIsComplete(t *testing.T) {
	s := newStage(t, 120, 60).show(sketch().snapshot()).press("down", "enter", "?")
	for _, e := range s.m.keys.Entries(keymap.Group, nil) {
		s.sees(e.Long)
	}
}

// Ten thousand groups are sorted when they arrive, and only what is visible is drawn.
func TestManyGroupsAreCheap(t *testing.T) {
	snap := *sketch().snapshot()
	base := snap.Groups
	snap.Groups = nil
	for i := range 10000 {
		g := *base[i%len(base)]
		g.Key.Group = fmt.Sprintf("g%05d", i)
		snap.Groups = append(snap.Groups, &g)
	}
	s := newStage(t, 120, 40).show(&snap)
	const frames = 40
	start := time.Now()
	for range frames {
		s.m.Update(press("down"))
		s.m.View()
	}
	if per := time.Since(start) / frames; per > 50*time.Millisecond { // 1.5 ms on a quiet machine
		t.Errorf("a key and a frame take %v", per)
	}
}

// A group that is opened because something is wrong with it opens at the member that it
// is about.
func TestOpensAtTheCulprit(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter")
	if got := s.m.group.members.selected; got != "m3" {
		t.Errorf("selected %s", got)
	}
}
