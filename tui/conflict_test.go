package tui

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// changed is the sketch after somebody else wrote the group.
func changed() world {
	w := sketch()
	w.groups[0].revision, w.groups[0].config.Members = 42, []string{"m1", "m2", "m3", "m4"}
	return w
}

func TestPlanIsRefusedWhenTheGroupChanged(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab")
	s.show(changed().snapshot()).sees("changed meanwhile: revision 41 ▸ 42: +m4").sees("r plan anew")
	s.press("enter")
	if len(s.admin.plans) != 0 {
		t.Fatal("a stale plan was applied")
	}
	// It stays refused when the group changes back.
	s = newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab")
	s.show(changed().snapshot()).show(sketch().snapshot()).sees("changed meanwhile")
	// Made anew, it can be confirmed, and writes at the new revision.
	s.show(changed().snapshot()).press("r").press("enter")
	if len(s.admin.plans) != 0 {
		t.Fatal("the focus was not back on Cancel")
	}
	s = newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter")
	s.show(changed().snapshot()).press("r", "tab", "enter")
	if len(s.admin.plans) != 1 || s.admin.plans[0].Revision != 42 {
		t.Fatalf("applied %v", s.admin.plans)
	}
}

// The button that a change takes away is not the one that a key meant for it presses;
// the one in its place makes the plan anew, and does not write.
func TestPlanAnewIsAButton(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab").sees("[ Drop m3 ]")
	s.show(changed().snapshot()).sees("[ Cancel ] Plan anew")
	s.pace = 100 * time.Millisecond // on its way already
	s.press("enter").sees("it cannot be done any more: read why").sees("changed meanwhile")
	s.pace = time.Second
	s.press("tab").sees("Cancel [ Plan anew ]").press("enter").sees("[ Cancel ] Drop m3").sees("revision 42")
	if len(s.admin.plans) != 0 {
		t.Fatalf("planning anew wrote %v", s.admin.plans)
	}
	s.press("tab", "enter")
	if len(s.admin.plans) != 1 || s.admin.plans[0].Revision != 42 {
		t.Fatalf("applied %v", s.admin.plans)
	}
	// When the link is lost there is nothing to plan anew; when it is back, nothing has the focus but Cancel.
	s = newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab")
	s.show(lost(sketch()).snapshot()).press("tab").sees("[ Cancel ]")
	if strings.Contains(s.plain(), "Plan anew") {
		t.Error("planning anew is offered without a link")
	}
	s.show(sketch().snapshot()).sees("[ Cancel ] Drop m3")
}

func TestPlanIsRefusedWhenTheGroupVanishedOrWasMadeAnew(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab")
	s.show(world{}.snapshot()).sees("the group is gone").press("enter", "r", "tab", "enter")
	if len(s.admin.plans) != 0 {
		t.Fatal("a plan for a group that is gone was applied")
	}
	again := sketch()
	again.groups[0].config.MaxBufferedMsgs = 7 // another group of that name, at the same revision
	s = newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab")
	s.show(again.snapshot()).sees("changed meanwhile").press("enter")
	if len(s.admin.plans) != 0 {
		t.Fatal("a plan for another group was applied")
	}
}

func TestStepDownIsRefusedWhenThePinMoved(t *testing.T) {
	w := sketch()
	c := w.groups[0].consumers["m1"]
	c.PinID = "another"
	w.groups[0].consumers["m1"] = c
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "g", "s", "tab").show(w.snapshot())
	s.sees("the pin moved").press("enter")
	if len(s.admin.plans) != 0 {
		t.Fatal("another instance was stepped down than the one shown")
	}
	s.sees("cancelled: nothing was written").press("s", "tab", "enter")
	if len(s.admin.plans) != 1 || s.admin.plans[0].Pins[0].PinID != "another" {
		t.Fatal("the new pin could not be stepped down")
	}
}

func TestRemapEditIsRefusedWhenTheGroupChanged(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "m", "B").show(changed().snapshot())
	s.sees("changed meanwhile").press("enter")
	if _, open := s.m.window().(*remapWindow); !open {
		t.Fatal("an edit of an old group made a plan")
	}
	s.press("0", "B", "enter").sees("1 of 16 partitions moves")
}

func TestFailureStaysVisibleAndNeedsANewPlan(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter")
	s.admin.err = fmt.Errorf("%w: revision 42, not 41", errors.New("lost the compare-and-set"))
	s.press("tab", "enter").sees("not done: lost the compare-and-set: revision 42, not 41")
	s.admin.err = nil
	s.press("tab", "enter")
	if len(s.admin.plans) != 1 {
		t.Fatal("a plan that failed was applied again")
	}
}

// No single key writes where a plan cannot be applied any more (TUI-07).
func TestNoSingleKeyWritesInAConflict(t *testing.T) {
	for _, focus := range [][]string{{}, {"tab"}} {
		for _, key := range chords() {
			s := newStage(t, 100, 30)
			s.blind = true
			s.show(sketch().snapshot()).press("down", "enter", "x", "enter", "tab").show(changed().snapshot()).press(focus...).press(key)
			if len(s.admin.plans) != 0 {
				t.Fatalf("%s wrote", key)
			}
		}
	}
}

// A plan is for the server that it was made for: what looks the same on another one is not
// what was shown. It says so, and so does the editor; made anew, it is for that one.
func TestPlanIsForTheServerOfThen(t *testing.T) {
	there := sketch()
	there.more = []model.Observation{model.ServerSeen{Server: model.Server{Name: "WEST"}}}
	const why = "changed meanwhile: another server answers: WEST, at first it was nats-2"
	for name, keys := range map[string][]string{"a plan": {"x", "enter", "tab"}, "the editor": {"m"}, "deleting": {"X"}} {
		s := newStage(t, 120, 30).show(sketch().snapshot()).press("down", "enter").press(keys...)
		if s.show(there.snapshot()).sees(why); len(s.admin.plans) != 0 {
			t.Errorf("%s: it was applied", name)
		}
	}
	s := newStage(t, 120, 30).show(sketch().snapshot()).press("down", "enter", "x", "enter")
	s.show(there.snapshot()).sees(why).press("r")
	if strings.Contains(s.plain(), "changed meanwhile") {
		t.Error("made anew, it is not for the server of now")
	}
	s.show(sketch().snapshot()).sees("changed meanwhile: the server that answered at first answers again")
}
