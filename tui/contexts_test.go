package tui

import (
	"context"
	"errors"
	"testing"

	"pcgtop/keymap"
)

// nearby is the contexts prod-eu, lab and dead; lab is read-only and has its own look.
type nearby struct {
	source *source
	asked  []string
}

func (n *nearby) Names() ([]string, error) { return []string{"dead", "lab", "prod-eu"}, nil }

func (n *nearby) Switch(_ context.Context, name string) (Options, error) {
	n.asked = append(n.asked, name)
	if name == "dead" {
		return Options{}, errors.New("cannot connect to nats://127.0.0.1:1: nobody answers")
	}
	n.source = newSource()
	return Options{Source: n.source, Admin: &admin{readOnly: true}, ReadOnlyBy: "config.yaml:9, context lab", Look: Light, ASCII: true}, nil
}

func withContexts(t *testing.T, w, h int) (*stage, *nearby) {
	n := &nearby{}
	return newStage(t, w, h, func(o *Options) { o.Contexts = n }).show(sketch().snapshot()), n
}

func TestSwitchOfContext(t *testing.T) {
	s, n := withContexts(t, 100, 30)
	s.press("p", "down", "enter", "e", "ctrl+o").sees("NATS contexts").sees("prod-eu in use")
	cmd := s.press("up").send(press("enter"))
	s.sees("connecting by context lab…")
	old := s.m.opts.Source.Snapshots()

	// Until it is done the screen goes on, without writes; the end of what is left is none.
	s.send(heardMsg{old, snapshotMsg{sketch().snapshot()}})
	s.send(heardMsg{old, endedMsg{}})
	s.press("esc", "x").sees("connecting by context lab: writes are off")
	if why := s.m.contextRefusal(); why != "connecting by context lab already" || s.m.ended {
		t.Errorf("refusal %q, ended %v", why, s.m.ended)
	}

	s.send(cmd())
	s.sees("connected by context lab").sees("RO").sees("reading")
	switch {
	case len(n.asked) != 1 || n.asked[0] != "lab":
		t.Errorf("asked for %q", n.asked)
	case s.m.screen() != keymap.Overview || len(s.m.overview.rows) != 0 || s.m.held() || len(s.m.snap.Applied) != 0:
		t.Error("something is left of the first context")
	case s.m.opts.Look != Light || !s.m.theme.ascii:
		t.Error("the settings of the other context are not in force")
	}
	s.send(heardMsg{old, snapshotMsg{sketch().snapshot()}})
	s.send(heardMsg{old, endedMsg{}})
	if len(s.m.overview.rows) != 0 || s.m.ended {
		t.Errorf("the source that was left is listened to:\n%s", s.plain())
	}
	w := many()
	w.context = "lab"
	s.send(heardMsg{n.source.Snapshots(), snapshotMsg{w.snapshot()}})
	s.sees("lab").sees("22 groups").press("n").sees("read-only: set by config.yaml:9, context lab")
	if n.source.focused == 0 {
		t.Error("the new source does not hear what is looked at")
	}
}

// Where it cannot connect everything stays, and it says why.
func TestSwitchThatFails(t *testing.T) {
	s, _ := withContexts(t, 120, 30)
	s.press("down", "enter")
	before := s.m.opts.Source
	s.press(":").typed("ctx dea").sees("ctx dead")
	cmd := s.send(press("enter"))
	s.send(cmd())
	s.sees("still connected as before: cannot connect to nats://127.0.0.1:1: nobody answers")
	if s.m.opts.Source != before || s.m.group == nil || s.m.switching != "" || s.m.writeRefusal() != "" {
		t.Error("something changed")
	}
	s.press("x", "enter", "tab", "enter")
	if len(s.admin.plans) != 1 {
		t.Error("writes are still off")
	}
}

// While a change is written nobody goes away from it.
func TestNoSwitchWhileWriting(t *testing.T) {
	s, n := withContexts(t, 100, 30)
	s.press("down", "enter", "x", "enter", "tab")
	cmd := s.send(press("enter"))
	s.press("esc", "esc").press("ctrl+o").sees("a change is being written: wait for it")
	s.press(":").typed("ctx lab").press("enter").sees("a change is being written")
	s.send(cmd())
	if s.press("esc", "ctrl+o", "enter"); len(n.asked) != 1 {
		t.Errorf("asked for %q:\n%s", n.asked, s.plain())
	}
	newStage(t, 100, 30).show(sketch().snapshot()).press("ctrl+o").sees("there is no other context to go to here")
}

func TestContextsFrames(t *testing.T) {
	for _, z := range sizes() {
		s, _ := withContexts(t, z.w, z.h)
		s.press("ctrl+o").golden("contexts-"+z.String(), z.h == 24)
	}
}

// A recording is of one account: going over to another ends it, and says so.
func TestSwitchEndsTheRecording(t *testing.T) {
	s, _ := withContexts(t, 120, 30)
	s.press("ctrl+r", "enter").sees("recording to")
	cmd := s.press("ctrl+o", "up").send(press("enter"))
	s.show(sketch().snapshot())
	kept := len(s.taped.snapshots)
	s.send(cmd())
	if s.taped.closed != 1 || s.m.recorder != nil {
		t.Errorf("closed %d times, recorder %v", s.taped.closed, s.m.recorder)
	}
	s.sees("connected by context lab; recorded")
	s.show(many().snapshot())
	if len(s.taped.snapshots) != kept || kept < 2 {
		t.Errorf("%d snapshots were recorded before, %d after", kept, len(s.taped.snapshots))
	}
}
