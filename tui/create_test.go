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

// TestTheHintsOfTheFormFit: what is to be typed into an empty field is said whole, at 80 columns
// too.
func TestTheHintsOfTheFormFit(t *testing.T) {
	for _, kind := range []string{"e", "s"} {
		s := newStage(t, 80, 24).show(sketch().snapshot()).press("n", "shift+tab", "shift+tab", kind)
		for _, f := range s.m.window().(*createWindow).fields {
			if f.text() == "" {
				s.sees(s.m.window().(*createWindow).hint(&f))
			}
		}
	}
}

// TestAGroupThatWasMadeIsSelected: when it comes into the list, unless the selection was moved
// meanwhile.
func TestAGroupThatWasMadeIsSelected(t *testing.T) {
	with := sketch()
	with.groups = append(with.groups, fixture{key: elastic("TELEMETRY", "alerts"), revision: 1, config: model.Config{Partitions: 2, Filters: filter("telemetry.*", 1)}})
	for want, keys := range map[string][]string{"alerts": nil, "analytics": {"down"}} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "n").typed("alerts").act("enter").press("tab").act("enter")
		if len(s.admin.plans) != 1 || s.m.window() != nil || s.m.overview.selected.Group != "rollup" {
			t.Fatalf("%+v, %s is selected:\n%s", s.admin.plans, s.m.overview.selected, s.plain())
		}
		if s.press(keys...).show(with.snapshot()); s.m.overview.selected.Group != want {
			t.Errorf("%v: %s is selected, want %s", keys, s.m.overview.selected, want)
		}
		if want == "alerts" { // and the keys move on from there
			if s.press("a"); s.m.group != nil {
				t.Error("opened")
			}
			if s.press("down"); s.m.overview.selected.Group == "alerts" {
				t.Error("the selection stays")
			}
		}
	}
}
