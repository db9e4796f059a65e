package tui

import (
	"slices"
	"testing"

	"pcgtop/model"
)

// A filter that hides the selected group leaves the selection on the nearest that it shows,
// in the list of all, and without it the selection is where it was.
func TestFilterKeepsTheSelectionNear(t *testing.T) {
	for _, by := range []string{"N", "L", "V"} {
		s := newStage(t, 100, 40).show(many().snapshot()).press(by, "g")
		o := &s.m.overview
		all := slices.Clone(o.rows)
		for _, filter := range []string{"orders", "rollup", "job-1", "is:need", "static"} {
			want := terms(filter)
			for at, g := range all {
				s.m.overview.choose(g.Key)
				nearest := slices.MinFunc(all, func(a, b *model.Group) int {
					far := func(g *model.Group) int {
						n := 2 * (slices.Index(all, g) - at)
						if n < 0 {
							n = 1 - n // of two as near, the one below
						}
						return n + 1000*btoi(!matches(g, want))
					}
					return far(a) - far(b)
				})
				s.press("/").typed(filter)
				if o.selected != nearest.Key || o.rows[o.index] != nearest {
					t.Errorf("%s by %s: from %s to %s, want %s", filter, by, g.Key, o.selected, nearest.Key)
				}
				if s.press("esc"); o.selected != g.Key || o.rows[o.index] != g {
					t.Errorf("%s by %s: back on %s, want %s", filter, by, o.selected, g.Key)
				}
			}
		}
	}
}

// Only the filter takes the selection away and back: not where it was moved meanwhile, or a
// group was opened, nor by itself.
func TestFilterGivesTheSelectionBack(t *testing.T) {
	audit, orders := elastic("AUDIT", "job-03"), elastic("ORDERS", "fulfillment")
	begin := func() (*stage, *overview) {
		s := newStage(t, 100, 40).show(many().snapshot()).press("N")
		s.m.overview.choose(audit)
		return s, &s.m.overview
	}
	s, o := begin()
	if s.press("/").typed("zzz").press("backspace", "backspace", "backspace"); o.selected != audit {
		t.Errorf("after a filter that nothing matched: %s", o.selected)
	}
	if s.typed("orders").press("enter", "/", "ctrl+u").typed("audit"); o.selected != audit {
		t.Errorf("by the next filter: %s", o.selected)
	}
	s, o = begin()
	if s.press("/").typed("orders").press("down", "esc"); o.selected == audit || o.selected.Stream != "ORDERS" {
		t.Errorf("moved, and then on %s", o.selected)
	}
	s, o = begin()
	s.press("/").typed("orders").press("enter")
	if near := o.selected; s.press("enter").m.group == nil || s.press("esc", "esc").m.group != nil || o.selected != near || o.filter.text() != "" {
		t.Errorf("opened, and then on %s, want %s", o.selected, near)
	}
	s, o = begin()
	if s.press("/").typed("orders").press("enter", "f", "f", "esc"); o.selected == audit {
		t.Error("the selection stayed on the first row, and is given back all the same")
	}

	// It recovers, and is hidden; it is ill again, and nobody moved.
	w := sketch()
	s = newStage(t, 100, 40).show(w.snapshot())
	o = &s.m.overview
	o.choose(w.groups[0].key)
	s.press("/").typed("degraded").press("enter")
	well := sketch()
	well.groups[0].config.Members, well.groups[0].consumers = orderly(well, orders)
	s.show(well.snapshot())
	near := o.selected
	if near == w.groups[0].key {
		t.Fatalf("%s is not hidden", near)
	}
	if s.show(w.snapshot()); o.selected != near {
		t.Errorf("it went from %s to %s by itself", near, o.selected)
	}
	if s.press("esc"); o.selected != w.groups[0].key {
		t.Errorf("back on %s", o.selected)
	}
}

// orderly is who runs a group that is well.
func orderly(w world, k model.Key) ([]string, map[string]model.Consumer) {
	i := slices.IndexFunc(w.groups, func(f fixture) bool { return f.key == k })
	return w.groups[i].config.Members, w.groups[i].consumers
}
