package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pcgtop/keymap"
	"pcgtop/model"
)

func TestPaletteFrames(t *testing.T) {
	for _, z := range sizes() {
		open := func(keys ...string) *stage {
			return newStage(t, z.w, z.h).show(sketch().snapshot()).press(keys...)
		}
		open(":").golden("palette-"+z.String(), true)
		open(":").typed("rol").golden("palette-found-"+z.String(), true)
		open("down", "enter", ":").typed("bal").golden("palette-group-"+z.String(), false)
		newStage(t, z.w, z.h).show(hostile().snapshot()).press(":").typed("e").golden("palette-hostile-"+z.String(), false)
	}
}

// The best fit comes first: a word's beginning before its middle, letters together
// before letters apart.
func TestFuzzy(t *testing.T) {
	for _, c := range []struct{ typed, better, worse string }{
		{"sd", "step down", "sort by downstream"},
		{"rem", "remap", "go to the theorem"},
		{"roll", "TELEMETRY/rollup", "TROLL/x-and-many-more"},
		{"m3 roll", "m3 of TELEMETRY/rollup", "m13 of TELEMETRY/rollup"},
		{"lag", "sort by lag", "last again"},
	} {
		better, _, ok := fuzzy(strings.Fields(c.typed), c.better)
		worse, _, also := fuzzy(strings.Fields(c.typed), c.worse)
		if !ok || also && worse >= better {
			t.Errorf("%q: %q has %d, %q has %d", c.typed, c.better, better, c.worse, worse)
		}
	}
	for _, none := range [][2]string{{"xyz", "step down"}, {"ds", "ads-"[:2]}, {"pp", "p"}} {
		if _, _, ok := fuzzy(strings.Fields(none[0]), none[1]); ok {
			t.Errorf("%q fits %q", none[0], none[1])
		}
	}
	for _, name := range odd() { // whatever is typed
		for _, typed := range odd() {
			if _, hits, _ := fuzzy(strings.Fields(typed), name); len(hits) > 0 && hits[len(hits)-1] >= len(name) {
				t.Errorf("%q in %q: %v", typed, name, hits)
			}
		}
	}
}

// Every action of the screen is in the palette, found by its own name, with its key, or
// with the reason why not.
func TestPaletteHoldsEveryAction(t *testing.T) {
	for name, way := range map[string][]string{"overview": {}, "group": {"down", "enter"}, "partitions": {"down", "enter", "enter"}, "events": {"e"}, "remap": {"down", "enter", "m"}, "drop": {"down", "enter", "x"}} {
		s := newStage(t, 120, 40).show(sketch().snapshot()).press(way...)
		screen := s.m.screen()
		off := s.m.disabled(screen)
		s.press(":")
		d := s.m.window().(*paletteWindow)
		for _, e := range s.m.keys.Entries(screen, off) {
			if e.ID == keymap.Command || e.ID == keymap.Give {
				continue
			}
			found := false
			for _, c := range d.shown {
				found = found || c.note == e.Long && c.off == e.Disabled && c.key == e.Binding.Keys()[0]
			}
			if !found {
				t.Errorf("%s: %s is not there", name, e.ID)
			}
		}
	}
}

// What can be done on another screen only is found, with the word where, and not done.
func TestPaletteNamesTheOtherScreensActions(t *testing.T) {
	s := newStage(t, 120, 40).show(sketch().snapshot())
	s.press(":").typed("step down").sees("only in a group").press("enter").sees("step down: only in a group")
	if len(s.m.windows) != 1 || len(s.admin.plans) != 0 {
		t.Errorf("%d windows, %d writes", len(s.m.windows), len(s.admin.plans))
	}
	s.press("esc", "down", "enter", ":").typed("new group").sees("only in the list of groups").press("esc", ":")
	for _, c := range s.m.window().(*paletteWindow).shown {
		if c.kind == choiceElsewhere {
			t.Fatalf("%s of another screen is listed though nothing is typed", c.name)
		}
	}
}

func TestPaletteActs(t *testing.T) {
	s := newStage(t, 120, 40).show(sketch().snapshot()).press(":").typed("rollup").press("enter")
	if s.m.group == nil || s.m.group.key != elastic("TELEMETRY", "rollup") {
		t.Fatalf("the group was not opened:\n%s", s.plain())
	}
	s.press(":").typed("m2 fulf").press("enter")
	if s.m.group.key != elastic("ORDERS", "fulfillment") || s.m.group.members.selected != "m2" {
		t.Fatalf("the member was not gone to:\n%s", s.plain())
	}
	s.press(":").typed("step").press("enter").sees("Step down m2 of ORDERS/fulfillment")
	s.press("esc", ":").typed("balanced").press("enter").sees("balanced: ")
	if _, open := s.m.window().(*paletteWindow); !open {
		t.Error("choosing what cannot be done closed the palette")
	}
	s.press("esc", ":").typed("quite nothing").sees("nothing is called that").press("enter", "esc")
	if len(s.m.windows) != 0 || len(s.admin.plans) != 0 {
		t.Errorf("%d windows, %d writes", len(s.m.windows), len(s.admin.plans))
	}
	// Within a window it offers that window's actions, and acts on it.
	s.press("m", ":").typed("fewest").press("enter")
	if _, open := s.m.window().(*remapWindow); !open {
		t.Errorf("not back in the editor:\n%s", s.plain())
	}
	s.press(":").typed("rollup").sees("nothing is called that")
}

// A refresh neither moves the choice nor loses it.
func TestPaletteStaysOnItsChoice(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press(":").typed("o").press("down", "down", "down")
	d := s.m.window().(*paletteWindow)
	want := d.chosen
	for i := range 5 {
		w := sketch()
		for j := range i {
			w.groups = append(w.groups, fixture{key: elastic("A", fmt.Sprintf("o%d", j)), revision: 1})
		}
		if s.show(w.snapshot()); d.shown[d.index].name != want {
			t.Fatalf("%q, want %q", d.shown[d.index].name, want)
		}
	}
}

// Every group and member of a large account is found, at once; the best are listed.
func TestPaletteIsQuick(t *testing.T) {
	var w world
	for i := range 3000 {
		w.groups = append(w.groups, fixture{key: elastic("S", fmt.Sprintf("group-%04d", i)), revision: 1, config: model.Config{Partitions: 4, Members: []string{"a", "b", "c"}}})
	}
	s := newStage(t, 100, 30).show(w.snapshot()).press(":")
	s.typed("g").sees("11,500 more places fit: type on")
	d := s.m.window().(*paletteWindow)
	places := 0
	for _, c := range d.shown {
		if c.kind == choiceGroup || c.kind == choiceMember {
			places++
		}
	}
	if places != mostPlaces {
		t.Errorf("%d places are listed", places)
	}
	s.typed("roup 2999")
	if d.shown[0].name != "S/group-2999" {
		t.Errorf("found %q", d.shown[0].name)
	}
}

// What an action asks for can be typed behind its name: the question is not asked then.
func TestPaletteTakesArguments(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press(":").typed("rec").sees("record FILE")
	s.typed("ord tape.jsonl").press("enter").sees("recording to tape.jsonl")
	if s.taped.file != "tape.jsonl" || s.m.window() != nil {
		t.Errorf("recording to %q:\n%s", s.taped.file, s.plain())
	}
	s.press(":").typed("record").press("enter").sees("recorded")
	if s.taped.closed != 1 {
		t.Error("the recording goes on")
	}
	s.press(":").typed("record").press("enter").sees("compressed when").press("esc")

	s.taped.refuses = errors.New("there is no such folder")
	s.press(":").typed("record nowhere/x").press("enter").sees("there is no such folder").sees("nowhere/x").press("esc")

	s.press(":").typed("filter rollup").press("enter").sees("1 of 4 shown").press("enter", "enter")
	s.press(":").typed("add m7, m8").press("enter").sees("m7, m8").press("esc")
	s.press(":").typed("where telemetry.1.x").press("enter").sees("telemetry.1.x")
	if len(s.admin.plans) != 0 {
		t.Error("something was written")
	}
}
