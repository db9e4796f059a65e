package tui

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// Every verdict, state and role is told apart by a word, in the least window, without
// colours, and in ASCII.
func TestStatesAreToldApartInTheLeastWindow(t *testing.T) {
	for name, look := range poorLooks() {
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
		for _, state := range states() {
			snap := remade(func(g *model.Group) {
				mem := *g.Members[2]
				mem.State = state
				g.Members = []*model.Member{g.Members[0], g.Members[1], &mem}
			})
			if s := newStage(t, 40, 12, look).show(snap).press("down", "enter"); !strings.Contains(s.plain(), string(state)) {
				t.Errorf("%s: %q is not said:\n%s", name, state, s.plain())
			}
		}
		instances := map[string]model.Role{}
		for _, role := range roles() {
			snap := remade(func(g *model.Group) {
				mem := *g.Members[0]
				mem.Running = []model.Instance{{ID: "x", Role: role}}
				g.Members = []*model.Member{&mem, g.Members[1], g.Members[2]}
			})
			s := newStage(t, 40, 12, look).show(snap).press("down", "enter", "g")
			row, _, _ := strings.Cut(strings.Split(s.plain(), "\n")[7], "pulled")
			if !strings.Contains(row, roleWord(role)[:6]) {
				t.Errorf("%s: %q is not said: %q", name, role, row)
			}
			if other, twice := instances[row]; twice {
				t.Errorf("%s: %s looks like %s: %q", name, role, other, row)
			}
			instances[row] = role
		}
		found := map[string]model.Severity{}
		for _, severity := range []model.Severity{model.Critical, model.Warning, model.Info} {
			snap := remade(func(g *model.Group) { g.Findings = []model.Finding{{ID: "x", Severity: severity, Text: "so it is"}} })
			s := newStage(t, 40, 12, look).show(snap).press("down", "enter", "tab", "tab")
			_, y, ok := s.find("so it is", 0)
			if y < 4 { // at the top
				_, y, ok = s.find("so it is", 1)
			}
			if !ok {
				t.Fatalf("%s: the finding is not said:\n%s", name, s.plain())
			}
			sign := strings.Fields(strings.Split(s.plain(), "\n")[y])[0]
			if other, twice := found[sign]; twice {
				t.Errorf("%s: %s has the sign of %s: %s", name, severity, other, sign)
			}
			found[sign] = severity
		}
	}
}

// poorLooks are those with few signs or colours.
func poorLooks() map[string]func(*Options) {
	return map[string]func(*Options){
		"no colour":  func(o *Options) { o.NoColor = true },
		"ASCII":      func(o *Options) { o.NoColor, o.ASCII = true, true },
		"16 colours": func(o *Options) { o.Look = Terminal },
	}
}

// remade is the sketch with its troubled group changed.
func remade(change func(*model.Group)) *model.Snapshot {
	snap := sketch().snapshot()
	for i, g := range snap.Groups {
		if g.Key == elastic("TELEMETRY", "rollup") {
			changed := *g
			change(&changed)
			snap.Groups[i] = &changed
		}
	}
	return snap
}

// looks is the piece of the frame at a cell.
func (s *stage) looks(x, y int) span {
	s.m.View()
	for _, p := range s.m.cells[y].spans {
		if x -= p.width; x < 0 {
			p.at = nil
			return p
		}
	}
	return span{}
}

// The help says what every verdict, state and role looks like, in the colours that it has
// on the screen, and what the signs of the map and of the editor mean.
func TestHelpHasALegend(t *testing.T) {
	read := func(way ...string) string {
		s := newStage(t, 100, 200).show(sketch().snapshot()).press(way...).press("?")
		return s.plain()
	}
	overview, group, parts, editor := read(), read("down", "enter"), read("down", "enter", "enter"), read("down", "enter", "m")
	for _, v := range model.Verdicts() {
		if !strings.Contains(overview, string(v)+"  ") {
			t.Errorf("%s is not in the legend of the list:\n%s", v, overview)
		}
	}
	for _, state := range states() {
		for _, help := range []string{group, parts} {
			if !strings.Contains(help, string(state)+"  ") {
				t.Errorf("%s is not in the legend:\n%s", state, help)
			}
		}
	}
	for _, role := range roles() {
		if !strings.Contains(group, roleWord(role)+"  ") {
			t.Errorf("%s is not in the legend:\n%s", role, group)
		}
	}
	for _, sign := range []string{"A✗", "A!", "·✗", "███▌", "1 +2", "aab·", "no consumer"} {
		if !strings.Contains(group, sign) {
			t.Errorf("%s is not in the legend:\n%s", sign, group)
		}
	}
	if !strings.Contains(editor, "■") || !strings.Contains(editor, "another member than now") {
		t.Errorf("no legend of the editor:\n%s", editor)
	}
	s := newStage(t, 40, 12).show(sketch().snapshot()).press("down", "enter", "?", "G")
	s.sees("put together")
	s.press("esc", "?")
	for range 40 {
		if _, y, ok := s.find("✗ absent", 0); ok {
			if got, _ := s.m.theme.state(model.StateAbsent); !strings.HasPrefix(strings.TrimSpace(s.looks(6, y).text), got) || s.looks(6, y).style != s.m.theme.bad {
				t.Errorf("absent does not look as it does: %+v", s.looks(6, y))
			}
			return
		}
		s.press("ctrl+f")
	}
	t.Error("absent is not reached")
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

// TestALostLinkIsAlwaysInView: in the header, and with it that nothing can be written, however
// narrow the window and whatever else the header would say.
func TestALostLinkIsAlwaysInView(t *testing.T) {
	w := lost(sketch())
	w.groups[0].key = elastic("TELEMETRY", "rollup-of-all-the-measurements")
	w.more = append(w.more, model.ServerSeen{Server: model.Server{Context: "prod-eu", API: "$JS.some-leaf-domain.API", RTT: time.Millisecond}})
	for width := leastWidth; width <= 120; width++ {
		for _, keys := range [][]string{{}, {"down", "enter"}} {
			s := newStage(t, width, 12).show(w.snapshot()).press(keys...)
			lines := strings.Split(s.plain(), "\n")
			if !strings.Contains(lines[0], "✗ lost") && !strings.Contains(lines[0], "✗ disconnected") {
				t.Errorf("%d wide: no link in %q", width, lines[0])
			}
			s.sees("writes are off")
		}
	}
}
