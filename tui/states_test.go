package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// Every verdict, state and role is told apart by a word, in the least window, without
// colours, and in ASCII.
func TestStatesAreToldApartInTheLeastWindow(t *testing.T) {
	looks := map[string]func(*Options){
		"no colour": func(o *Options) { o.NoColor = true },
		"ASCII":     func(o *Options) { o.NoColor, o.ASCII = true, true },
	}
	for name, look := range looks {
		seen := map[string]model.Verdict{}
		for _, v := range model.Verdicts() {
			snap := sketch().snapshot()
			g := *snap.Groups[0]
			g.Verdict = v
			snap.Groups[0] = &g
			s := newStage(t, 40, 12, look).show(snap).press("N")
			row := strings.Split(s.plain(), "\n")[3]
			if !strings.Contains(row, string(v)) {
				t.Errorf("%s: %s is not said: %q", name, v, row)
			}
			if other, twice := seen[row]; twice {
				t.Errorf("%s: %s looks like %s: %q", name, v, other, row)
			}
			seen[row] = v
		}
		for _, state := range []model.State{model.StateUnknown, model.StateOffline, model.StateForeign, model.StateCannotRun, model.StateNoPartition, model.StateElsewhere,
			model.StatePaused, model.StateAbsent, model.StateNoPull, model.StateWaiting, model.StatePinned} {
			snap := sketch().snapshot()
			g := *snap.Group(elastic("TELEMETRY", "rollup"))
			mem := *g.Members[2]
			mem.State = state
			g.Members = []*model.Member{g.Members[0], g.Members[1], &mem}
			for i := range snap.Groups {
				if snap.Groups[i].Key == g.Key {
					snap.Groups[i] = &g
				}
			}
			if s := newStage(t, 40, 12, look).show(snap).press("down", "enter"); !strings.Contains(s.plain(), string(state)) {
				t.Errorf("%s: %q is not said:\n%s", name, state, s.plain())
			}
		}
	}
}

// What is typed into any filter or the palette is text: no action fires, and nothing
// breaks; ctrl+c still quits.
func TestTypedIntoFiltersIsText(t *testing.T) {
	for name, way := range map[string][]string{"groups": {"/"}, "partitions": {"down", "enter", "enter", "/"}, "events": {"e", "/"}, "palette": {":"}, "palette in a group": {"down", "enter", ":"}} {
		var all strings.Builder
		for r := ' '; r <= '~'; r++ {
			all.WriteRune(r)
		}
		for _, text := range []string{all.String(), "quit", "D", "[", "*foo", "(", `\`, "注文", strings.Repeat("long ", 1000)} {
			s := newStage(t, 80, 24).show(sketch().snapshot()).press(way...)
			s.blind = len(text) > 1000
			screen, windows := s.m.screen(), len(s.m.windows)
			if s.blind { // as quickly as a terminal brings it
				s.send(tea.PasteMsg{Content: text})
			} else {
				s.typed(text)
			}
			if s.m.screen() != screen || len(s.m.windows) != windows || len(s.admin.plans) > 0 {
				t.Errorf("%s: %.20q did something", name, text)
			}
			typed := map[string]string{"groups": s.m.overview.filter.text()}
			if v := s.m.group; v != nil && v.table != nil {
				typed["partitions"] = v.table.filter.text()
			}
			if s.m.events != nil {
				typed["events"] = s.m.events.filter.text()
			}
			if d, ok := s.m.window().(*paletteWindow); ok {
				typed[name] = d.query.text()
			}
			if typed[name] != text {
				t.Errorf("%s: %.20q became %.20q", name, text, typed[name])
			}
			s.blind = false
			s.press("esc")
			if s.m.screen() == screen {
				t.Errorf("%s: esc does not end it", name)
			}
		}
	}
}
