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
		s := newStage(t, z.w, z.h).show(sketch().snapshot()).press("enter", "down", "down")
		s.golden("group-"+z.String(), true)
	}
}

func TestPlanFrames(t *testing.T) {
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(sketch().snapshot()).press("enter", "down", "s")
		s.golden("plan-step-down-"+z.String(), true)
	}
}
