package tui

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// Esc stops a handover, and so does leaving the program; nothing else does.
func TestHandoverIsStopped(t *testing.T) {
	for _, key := range []string{"esc", "q", "ctrl+c"} {
		s, d := draining(t, 100, 30, step(model.PhaseWaiting, nil))
		for _, other := range []string{"enter", "d", "tab", "y", "space"} {
			s.send(press(other))
		}
		if d.stopping {
			t.Fatal("stopped by another key")
		}
		if cmd := s.send(press(key)); cmd != nil || !d.stopping {
			t.Fatalf("%s: stopping %v, or it quit", key, d.stopping)
		}
		s.sees("stopping the handover")
		s.send(appliedMsg{from: d.plan, err: errors.New("remap: stopped: nothing was written, and no member stays paused")})
		s.sees("not done: remap: stopped: nothing was written")
		if _, ok := s.m.window().(*planWindow); !ok {
			t.Fatal("the plan is not shown again")
		}
	}
	s, _ := draining(t, 100, 30, step(model.PhaseWaiting, nil))
	s.send(press("q"))
	if cmd := s.send(press("q")); cmd == nil {
		t.Fatal("asked twice, it does not quit")
	} else if _, ok := cmd().(tea.QuitMsg); !ok {
		t.Fatal("asked twice, it does not quit")
	}
}

// A handover that is over goes on no longer: what did not come to flow is marked so.
func TestHandoverEndsWithout(t *testing.T) {
	s, d := draining(t, 100, 30, step(model.PhaseWatching, watched))
	s.sees("… flowing")
	s.send(handoverMsg{d, step(model.PhaseDone, watched)})
	s.send(appliedMsg{from: d.plan, text: "remap: revision 41 ▸ 42"})
	s.sees("! flowing")
	if strings.Contains(s.plain(), "… flowing") {
		t.Error(s.plain())
	}
}

// The context that the handover runs with ends with Esc, and the report closes.
func TestHandoverContextEnds(t *testing.T) {
	a := &slow{began: make(chan struct{})}
	s := newStage(t, 100, 30, func(o *Options) { o.Admin = a }).show(sketch().snapshot()).press("down", "enter", "m").typed("BB").press("enter", "d", "tab")
	batch := s.send(press("enter"))().(tea.BatchMsg)
	result := make(chan tea.Msg, 1)
	go func() { result <- batch[0]() }()
	<-a.began
	s.send(press("esc"))
	s.send(<-result)
	s.sees("not done: context canceled")
	if batch[1]() == nil {
		t.Log("nothing more is heard")
	}
}

type slow struct {
	admin
	began chan struct{}
}

func (a *slow) Handover(ctx context.Context, _ *model.Plan, report func(model.Handover)) (string, error) {
	for range 100 { // nobody listens, and it does not wait
		report(model.Handover{Phase: model.PhaseWaiting})
	}
	close(a.began)
	<-ctx.Done()
	return "", ctx.Err()
}

// Draining is a choice, off at first, kept when the plan is made anew.
func TestDrainIsAChoice(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter").sees("[ ] drain first")
	s.press("d").sees("[x] drain first").sees("pcgtop elastic drop TELEMETRY rollup m3 --drain")
	s.show(changed().snapshot()).press("r").sees("[x] drain first")
	s.press("d").sees("[ ] drain first")
	s.press("tab").act("enter")
	if len(s.admin.plans) != 1 || s.admin.plans[0].Drain != 0 {
		t.Fatalf("%+v", s.admin.plans)
	}
	newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "g", "s", "d").sees("nothing to drain")
}

// Undo restores what was before our last change, and refuses, saying what it would
// overwrite, when somebody else has written since.
func TestUndo(t *testing.T) {
	s := newStage(t, 100, 30).show(done()).press("down", "enter", "u").sees("undoes add m3 to TELEMETRY/rollup")
	s.press("tab").act("enter")
	if p := s.admin.plans; len(p) != 1 || p[0].Intent.Action != model.ActionUndo || !slices.Equal(p[0].Members, []string{"m1", "m2"}) || p[0].Revision != 41 {
		t.Fatalf("%+v", p)
	}
	now := done()
	theirs := now.Group(elastic("TELEMETRY", "rollup")).Config
	theirs.Members = append(slices.Clone(theirs.Members), "m9")
	s = newStage(t, 100, 30).show(model.Reduce(now, moment(), model.ConfigSeen{Key: elastic("TELEMETRY", "rollup"), Revision: 43, Config: &theirs}))
	s.press("down", "enter", "u")
	if len(s.m.windows) != 0 {
		t.Fatal("an undo over somebody else's change was offered")
	}
	s.sees("was changed by somebody else since (revision 41 ▸ 43)").sees("would overwrite: +m9")
	// What they did, they took back: there is nothing to overwrite.
	ours := done().Group(elastic("TELEMETRY", "rollup")).Config
	back := model.Reduce(now, moment(), model.ConfigSeen{Key: elastic("TELEMETRY", "rollup"), Revision: 43, Config: &theirs}, model.ConfigSeen{Key: elastic("TELEMETRY", "rollup"), Revision: 44, Config: &ours})
	s = newStage(t, 100, 30).show(back).press("down", "enter", "u").sees("undoes add m3 to TELEMETRY/rollup").press("tab").act("enter")
	if p := s.admin.plans; len(p) != 1 || p[0].Revision != 44 || !slices.Equal(p[0].Members, []string{"m1", "m2"}) {
		t.Fatalf("%+v", p)
	}
	newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "u").sees("nothing was done to TELEMETRY/rollup from here")
	// The list of what was done leads there too.
	s = newStage(t, 100, 30).show(done()).press("down", "enter", "U").sees("u undo add m3 to TELEMETRY/rollup").press("u").sees("Undo on TELEMETRY/rollup")
	s.press("tab").act("enter")
	if len(s.admin.plans) != 1 || len(s.m.windows) != 0 {
		t.Fatalf("%d plans, %d windows", len(s.admin.plans), len(s.m.windows))
	}
	newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "U", "u").sees("nothing was done to TELEMETRY/rollup from here").sees("nothing yet")
}

// Deleting needs the name typed, by keys, not at once, for the group that was seen.
func TestDeleteNeedsItsName(t *testing.T) {
	open := func() *stage {
		return newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter").act("X").sees("work stream TELEMETRY-rollup")
	}
	s := open()
	s.act("enter").typed("rollu").act("enter").sees("type the group's name")
	s.send(tea.PasteMsg{Content: "p"})
	s.act("enter")
	if len(s.admin.plans) != 0 {
		t.Fatal("deleted without its name")
	}
	s.typed("p").act("enter")
	if p := s.admin.plans; len(p) != 1 || p[0].Intent.Action != model.ActionDelete || p[0].Revision != 41 {
		t.Fatalf("%+v", p)
	}
	s = open()
	s.typed("rollup").show(changed().snapshot()).act("enter").sees("changed meanwhile")
	if len(s.admin.plans) != 0 {
		t.Fatal("another revision was deleted than the one that was shown")
	}
	s = open()
	s.pace = 1
	s.typed("rollup").act("enter").sees("too quick")
	if len(s.admin.plans) != 0 {
		t.Fatal("deleted by keys all at once")
	}
	s = newStage(t, 100, 30, func(o *Options) { o.Admin = &admin{readOnly: true} }).show(sketch().snapshot()).press("down", "enter", "X").sees("read-only")
	if len(s.m.windows) != 0 {
		t.Fatal("a window opened although nothing may be written")
	}
}

// The form says what is wrong as it is typed, and asks the server before it plans.
func TestCreateForm(t *testing.T) {
	for want, keys := range map[string][]string{
		"name the group": {},
		"elastic group TELEMETRY/rollup exists already":      {"rollup"},
		"no wildcard 3: it has 1 *":                          {"g", "tab", "tab", "a.*:3"},
		"a.* and a.> match the same subjects":                {"g", "tab", "tab", "a.* a.>"},
		"needs a * or a > at its end":                        {"g", "tab", "tab", "a.b"},
		"give at least 1 partition":                          {"g", "tab", "ctrl+u", "0"},
		`partitions: "many" is not a number`:                 {"g", "tab", "ctrl+u", "many"},
		"leave them out":                                     {"g", "tab", "tab", "tab", "m1"},
		`messages: "x" is no limit`:                          {"g", "tab", "tab", "tab", "tab", "x"},
		"but not 'ü'":                                        {"grün"},
		"it holds a dot or a slash":                          {"a.b"},
		"{{Partition(16,2,1)}}.a.{{Wildcard(1)}}":            {"g", "tab", "tab", "a.*.*:2,1"},
		"stream TELEMETRY-g, a work queue sourced from TELE": {"g"},
		"name them": {"g", "static"},
		"m1 0-7, m2 8-15; balanced, and they never": {"g", "static", "m2, m1"},
		"m1 0-7,9, m2 8,10-15; mapped, and they":    {"g", "static", "m2:8,10-15 m1:0-7,9"},
		"nobody is given partition 8":               {"g", "static", "m2:9-15 m1:0-7"},
		"partition 3 is given to m1 and to m2":      {"g", "static", "m1:0-7 m2:3"},
		"no partition 16: there are 0 to 15":        {"g", "static", "m1:0-16"},
		"m1 is listed twice":                        {"g", "static", "m1:0-7 m1:8-15"},
		`"" is no partition number or range`:        {"g", "static", "m1:"},
		`mapping "m2": want MEMBER:PARTITIONS`:      {"g", "static", "m1:0-15 m2"},
		"unusable name":                             {"g", "static", "m.1:0-15"},
	} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "n")
		for _, k := range keys {
			switch k {
			case "tab", "ctrl+u":
				s.press(k)
			case "static": // from the group to the kind, and to the members
				s.press("up", "up").typed("s").press("tab", "tab", "tab", "tab", "tab")
			default:
				s.typed(k)
			}
		}
		s.sees(want)
		if d := s.m.window().(*createWindow); d.problem != "" {
			if s.act("enter"); s.m.window().screen() != (&createWindow{}).screen() {
				t.Errorf("%s: went on", want)
			}
		}
	}
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "n").typed("held").act("enter").sees("a stream TELEMETRY-held exists")
	s.press("backspace", "backspace").typed("llo").act("enter").sees("Create elastic group TELEMETRY/hello").sees("pcgtop elastic create TELEMETRY hello 16")
	s.act("enter") // Cancel has the focus
	if len(s.admin.plans) != 0 {
		t.Fatal("made without being confirmed")
	}
	s.act("enter").press("tab").act("enter")
	if p := s.admin.plans; len(p) != 1 || p[0].Intent.Action != model.ActionCreate || p[0].Creation.Config.Partitions != 16 {
		t.Fatalf("%+v", p)
	}
	if len(s.m.windows) != 0 {
		t.Fatal("windows are left")
	}
	s = newStage(t, 100, 30).show(sketch().snapshot()).press("down", "n").typed("fixed").press("up", "up").typed("s").press("tab", "tab", "tab", "ctrl+u")
	s.typed("4").press("tab").typed("a.*").press("tab").typed("m2:1,3 m1:0,2").act("enter").sees("pcgtop static create mapped TELEMETRY fixed 4 m2:1,3 m1:0,2 --filter 'a.*'")
	s.press("tab").act("enter")
	if p := s.admin.plans; len(p) != 1 || len(p[0].Creation.Config.Mappings) != 2 || p[0].Creation.Config.Members != nil {
		t.Fatalf("%+v", p)
	}
}

// An answer of the server to what was typed before is not taken for one to what is
// typed now.
func TestCreateFormIgnoresOldAnswers(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "n").typed("hello")
	cmd := s.send(press("enter"))
	s.typed("x")
	s.send(cmd())
	if _, ok := s.m.window().(*createWindow); !ok {
		t.Fatal("a plan for what was typed before")
	}
}

// The editor's plans: four to start from, some partitions kept, a member left out,
// balanced and mapped told apart.
func TestRemapDeals(t *testing.T) {
	open := func() *stage {
		return newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "m", "home")
	}
	s := open().press("n").typed("m4").press("enter", "0", "n").typed("m4").press("enter", "2").sees("4 of 16 move").sees("dealt with the fewest moves: becomes mapped")
	s.press("1").sees("dealt evenly: stays balanced").press("enter").sees("pcgtop elastic plan TELEMETRY rollup --strategy balanced --members m1,m2,m3,m4")
	open().press("x").sees("m1 is left out; 1 to 4 plan for 2 members").press("1").sees("stays balanced").press("enter").sees("--members m2,m3 --apply")
	s = open().press("/").typed("0-3").press("enter").sees("4 marked").press("x", "x", "2").sees("no partition moves yet")
	s.press("C").sees("becomes mapped")
	s = open().press("o").sees("6 marked").press("o")
	if strings.Contains(s.plain(), "marked") {
		t.Error("the owner's partitions are still marked")
	}
	newStage(t, 100, 30).show(mappedGroup().snapshot()).press("enter", "m", "1").sees("becomes balanced: members can be added and dropped again")
}

// A letter of the editor is the one that the member will have: a new one takes its place
// by name at once, with what was edited, marked and left out before still as it was.
func TestNewMembersHaveTheirLetters(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "m")
	d := s.m.window().(*remapWindow)
	s.press("C", "home", "down", "x", "home") // 0 to m3; the owner of the cell below is left out
	left := d.names[d.owner[d.chart.across]]
	s.press("n").typed("m0").press("enter").sees("m0 is A, and 3 letters after it moved on").sees("A m0 0 ▸ 1")
	s.press("right", "n").typed("m2b").press("enter").sees("m2b is D, and 1 letter after it moved on")
	s.press("right", "n").typed("z").press("enter").sees("z is F")
	if got := strings.Join(d.names, " "); got != "m0 m1 m2 m2b m3 z" {
		t.Errorf("%s", got)
	}
	for p, want := range map[int]string{0: "m0", 1: "m2b", 2: "z", 3: "m1", 6: "m2", 15: "m1"} {
		if got := d.names[d.owner[p]]; got != want {
			t.Errorf("partition %d is given to %s, want %s", p, got, want)
		}
	}
	if i := slices.Index(d.names, left); !d.out[i] || len(d.out) != 1 {
		t.Errorf("%s was left out, now %v", left, d.out)
	}
	s.press("enter").sees("A m1 0-4,15 ▸ 3-4,15")
	plan := s.m.window().(*planWindow).plan
	for p, o := range plan.After().Owner {
		if after := plan.After().Members[o]; model.Letter(o) != model.Letter(d.owner[p]) || after != d.names[d.owner[p]] {
			t.Fatalf("partition %d: letter %s in the editor, %s once written", p, model.Letter(d.owner[p]), model.Letter(o))
		}
	}
}

// TUI-08: whatever is typed into a form is text, and triggers nothing.
func TestTypedTextTriggersNothing(t *testing.T) {
	t.Parallel()
	printable := ""
	for r := ' '; r <= '~'; r++ {
		printable += string(r)
	}
	printable += "界ü"
	for name, keys := range map[string][]string{"create": {"n"}, "marking": {"enter", "m", "/"}, "delete": {"enter", "X"}, "name": {"enter", "m", "n"}, "add": {"enter", "a"}} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("down").act(keys...)
		before := s.m.window()
		s.typed(printable)
		if s.m.window() != before || len(s.admin.plans) != 0 {
			t.Fatalf("%s: a letter did something", name)
		}
		text := ""
		switch d := before.(type) {
		case *createWindow:
			text = d.fields[d.at].text()
		case *markWindow:
			text = d.text.text()
		case *deleteWindow:
			text = d.name.text()
		case *nameWindow:
			text = d.name.text()
		case *addWindow:
			text = d.names.text()
		}
		if text != printable {
			t.Errorf("%s: %q arrived", name, text)
		}
	}
}
