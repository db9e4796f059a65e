package tui

import (
	"fmt"
	"testing"
)

type size struct{ w, h int }

func sizes() []size { return []size{{40, 12}, {80, 24}, {120, 40}, {200, 60}} }

func (s size) String() string { return fmt.Sprintf("%dx%d", s.w, s.h) }

func TestOverviewFrames(t *testing.T) {
	for _, z := range sizes() {
		newStage(t, z.w, z.h).show(sketch().snapshot()).golden("overview-"+z.String(), true)
	}
}

func TestGroupFrames(t *testing.T) {
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter", "down", "down")
		s.golden("group-"+z.String(), true)
	}
}

func TestPlanFrames(t *testing.T) {
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter", "down", "s")
		s.golden("plan-step-down-"+z.String(), true)
	}
}

func TestEditorFrames(t *testing.T) {
	for _, z := range sizes() {
		open := func() *stage {
			return newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter")
		}
		open().press("a").typed("m4, m5").golden("add-"+z.String(), false)
		open().press("a").typed("m1").golden("add-refused-"+z.String(), false)
		open().press("down", "down", "x").golden("drop-"+z.String(), true)
		open().press("down", "down", "x", "enter").golden("plan-drop-"+z.String(), true)
		open().press("m").typed("BB").press("down", "space", "right", "space", "]").golden("remap-"+z.String(), true)
		open().press("m").typed("BB").press("n").typed("m9").golden("remap-name-"+z.String(), false)
		open().press("m").typed("BBAC").press("enter").golden("plan-remap-"+z.String(), false)
		open().press("?").golden("help-group-"+z.String(), true)
		newStage(t, z.w, z.h).show(sketch().snapshot()).press("?").golden("help-"+z.String(), false)
		newStage(t, z.w, z.h).show(sketch().snapshot()).press("/").typed("orders").golden("filter-"+z.String(), true)
	}
}
