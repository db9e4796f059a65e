package tui

import (
	"testing"

	"pcgtop/model"
)

// The kind is chosen by arrows, blank, its letter or a click, and what may be chosen is
// seen.
func TestTheKindIsChosen(t *testing.T) {
	for _, key := range []string{"right", "left", "space", "s"} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("n", "shift+tab", "shift+tab").sees("[elastic]").press(key).sees("[static]")
		if d := s.m.window().(*createWindow); d.key.Kind != model.KindStatic {
			t.Errorf("%s: %s", key, d.key.Kind)
		}
		if key != "s" {
			s.press(key).sees("[elastic]")
		}
	}
	newStage(t, 100, 30, withMouse).show(sketch().snapshot()).press("n").clickOn("[elastic]", 0).clickOn("[elastic]", 0).sees("[static]")
}
