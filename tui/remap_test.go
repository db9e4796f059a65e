package tui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pcgtop/model"
)

// Whoever is left out of a plan that is shown is left out of the map at once: enter makes
// the plan that the map shows, whatever was pressed before.
func TestLeavingOutPlansAnew(t *testing.T) {
	for _, plan := range []string{"1", "2", "4"} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "m", "home", "right", plan)
		d := s.m.window().(*remapWindow)
		first := slices.Clone(d.owner)
		check := func(after string) {
			t.Helper()
			if d.plan == nil {
				t.Fatalf("plan %s %s: no plan: %s", plan, after, d.problem)
			}
			for p, o := range d.owner {
				if got, _ := d.plan.After().OwnerName(p); got != d.names[o] {
					t.Fatalf("plan %s %s: the map gives %d to %s, and enter to %s\n%s", plan, after, p, d.names[o], got, s.plain())
				}
			}
		}
		s.press("x").sees("m1 is left out; planned anew")
		if check("x"); len(d.assignment().Owned(0)) > 0 {
			t.Errorf("plan %s: m1 is left out and owns %d", plan, d.assignment().Owned(0))
		}
		s.press("right", "right") // to another partition, which plan 4 is not about
		d.chart.cursor = slices.Index(d.owner, 1)
		s.press("x", "x")
		check("x twice")
		d.out = map[int]bool{}
		if s.press(plan); plan != "4" && !slices.Equal(d.owner, first) {
			t.Errorf("plan %s with all: %v, want %v", plan, d.owner, first)
		}
	}
	// The partition that has a member to itself is the one it was, wherever the cursor is.
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "m", "home", "right", "4")
	d := s.m.window().(*remapWindow)
	d.chart.cursor = slices.IndexFunc(d.owner, func(o int) bool { return o != d.owner[1] })
	if s.press("x"); len(d.out) != 1 || len(d.assignment().Owned(d.owner[1])) != 1 {
		t.Errorf("%d are with partition 1, %d members left out\n%s", d.assignment().Owned(d.owner[1]), len(d.out), s.plain())
	}
	// There is no plan without anybody: nobody is left out then.
	w := world{groups: sketch().groups[:1]}
	w.groups[0].config.Members = []string{"m1"}
	s = newStage(t, 100, 30).show(w.snapshot()).press("enter", "m", "1", "x")
	if d = s.m.window().(*remapWindow); len(d.out) > 0 || d.plan == nil {
		t.Errorf("%v left out, %s\n%s", d.out, d.problem, s.plain())
	}
}

// TestARemapBeginsAtTheSelectedMember: with its first partition, so that x leaves that member
// out; from the map it begins with the partition under the cursor.
func TestARemapBeginsAtTheSelectedMember(t *testing.T) {
	for first, keys := range map[int][]string{10: {"G"}, 5: {"G", "up"}, 0: {"g"}, 2: {"tab", "right", "right"}} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter").press(keys...).press("m")
		if d, ok := s.m.window().(*remapWindow); !ok || d.chart.cursor != first {
			t.Errorf("%v: not at %d:\n%s", keys, first, s.plain())
		}
	}
	newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "G", "m", "x").sees("m3 is left out")
}

// Members go by capitals, which whoever types a small letter is told.
func TestASmallLetterGivesNothing(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "m", "home", "b").sees("b does nothing: the letters of members are capitals, B is m2").sees("no partition moves yet")
	if s.press("d"); strings.Contains(s.plain(), "does nothing") {
		t.Errorf("there is no D:\n%s", s.plain())
	}
}

// A remap in which nothing is another's than before is not even planned: written, it would make
// a balanced group mapped and take every pin.
func TestARemapWithoutAMoveWritesNothing(t *testing.T) {
	mapped := sketch()
	mapped.groups[0].config.Members = nil
	for i, share := range sketch().groups[0].config.Assignment().Shares() {
		mapped.groups[0].config.Mappings = append(mapped.groups[0].config.Mappings, model.Mapping{Member: fmt.Sprintf("m%d", i+1), Partitions: share})
	}
	for what, w := range map[string]world{"balanced": sketch(), "mapped": mapped} {
		for _, keys := range [][]string{nil, {"B", "left", "A"}, {"home", "]", "["}} {
			s := newStage(t, 100, 30).show(w.snapshot()).press("down", "enter", "m", "home").press(keys...)
			s.sees("stays " + what).sees("no partition moves yet")
			s.press("?").sees("Not now: nothing to").press("esc")
			s.press("enter").sees("nothing to write: no partition moves")
			if _, ok := s.m.window().(*remapWindow); !ok {
				t.Fatalf("%s, %v: it is planned\n%s", what, keys, s.plain())
			}
		}
	}
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "m", "1").sees("stays balanced").press("enter")
	if _, ok := s.m.window().(*remapWindow); !ok {
		t.Errorf("balanced, dealt evenly, is planned\n%s", s.plain())
	}
	s = newStage(t, 100, 30).show(mapped.snapshot()).press("down", "enter", "m", "1").sees("becomes balanced").press("enter")
	if _, ok := s.m.window().(*planWindow); !ok {
		t.Errorf("mapped, dealt evenly, is not planned\n%s", s.plain())
	}
}
