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

// In the partitions of a group and among the events it is as in the list of groups.
func TestFilterKeepsOtherSelectionsNear(t *testing.T) {
	s := rollup(newStage(t, 120, 60).show(eventful().snapshot())).press("enter")
	c := &s.m.group.chart
	c.cursor = 12
	for filter, want := range map[string]int{"2": 2, "0,8": 8, "3-9": 9, "m1": 15, "m3": 12} {
		if s.press("/").typed(filter); c.cursor != want {
			t.Errorf("partitions by %s: %d, want %d", filter, c.cursor, want)
		}
		if s.press("esc"); c.cursor != 12 {
			t.Errorf("partitions after %s: %d", filter, c.cursor)
		}
	}
	s.press("/").typed("0,8,9").press("up")
	if moved := c.cursor; moved != 8 || s.press("esc").m.group.chart.cursor != moved {
		t.Errorf("moved to %d, and then on %d", moved, c.cursor)
	}
	s.press("/").typed("0").press("down", "enter") // there is no other, and it was meant
	if s.show(eventful().snapshot()).press("esc"); c.cursor != 0 {
		t.Errorf("%d", c.cursor)
	}

	s = newStage(t, 120, 60).show(eventful().snapshot()).press("e")
	v := s.m.events
	all := slices.Clone(v.rows)
	at := slices.IndexFunc(all, func(e model.Event) bool { return e.Kind == model.EventQuorum })
	for range at {
		s.press("down")
	}
	home, above, below := v.chosen, all[at-1].Seq, all[at+1].Seq
	if home == 0 || home != all[at].Seq {
		t.Fatalf("at %d", home)
	}
	if s.press("/").typed("-quorum"); v.chosen != below {
		t.Errorf("events: %d, want %d", v.chosen, below)
	}
	if s.typed(" zzz").show(eventful().snapshot()); len(v.rows) > 0 || v.selected() != nil {
		t.Errorf("events: %v", v.rows)
	}
	if s.press("ctrl+w"); v.chosen != below {
		t.Errorf("events: %d, want %d again", v.chosen, below)
	}
	if s.press("esc"); v.chosen != home || v.rows[v.index].Seq != home {
		t.Errorf("events: back on %d, want %d", v.chosen, home)
	}
	if s.press("/").typed("-quorum").press("up", "esc"); v.chosen != above {
		t.Errorf("events: moved, and then on %d, want %d", v.chosen, above)
	}
}

// orderly is who runs a group that is well.
func orderly(w world, k model.Key) ([]string, map[string]model.Consumer) {
	i := slices.IndexFunc(w.groups, func(f fixture) bool { return f.key == k })
	return w.groups[i].config.Members, w.groups[i].consumers
}
