package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// planner is an admin that plans what a kind of groups offers, much as it would.
type planner struct {
	*admin
	revision *uint64
	why      *string // why nothing can be done
}

func (a planner) Plan(k model.Key, in model.Intent) (*model.Plan, error) {
	refuse := func(why string) error { return fmt.Errorf("%w: %s", model.ErrRefused, why) }
	if *a.why != "" {
		return nil, refuse(*a.why)
	}
	if in.Action == model.ActionRemoveID {
		if in.Members[0] != "worker-1" {
			return nil, refuse(in.Members[0] + " has a heartbeat: its stable id is not stale")
		}
		return model.NewEdit(k, in, *a.revision, model.Edit{Target: "fleet-stableid/worker-1", Lines: []string{"- worker-1"}, Before: 3, After: 2, Of: "stable id",
			Notes: []string{"not renewed for 4 m, counts for 75 s, and worker-1 has no heartbeat"}}, []string{"pcgtop", "parti", "remove-id", "fleet", "worker", "worker-1", "--apply"}), nil
	}
	e := model.Edit{Target: "fleet-source/partitions", Before: 6, After: 6, Of: "partition", Notes: []string{"the leader takes it up with its next version"}}
	for _, text := range in.Edits {
		if strings.HasPrefix(text, "-") {
			e.After--
			e.Confirm = fmt.Sprintf("remove %d", e.Before-e.After)
		}
		if strings.Contains(text, " ") {
			return nil, refuse(fmt.Sprintf("partition %s: the key has a blank in it", text))
		}
		e.Lines = append(e.Lines, text)
	}
	return model.NewEdit(k, in, *a.revision, e, append([]string{"pcgtop", "parti", "source", "fleet", "worker"}, in.Edits...)), nil
}

// onFleet is the group of the other kind, opened, with an admin that can plan for it.
func onFleet(t *testing.T, w, h int) (*stage, planner) {
	p := planner{&admin{}, new(uint64), new(string)}
	*p.revision = 7
	s := newStage(t, w, h, func(o *Options) { p.admin.text = "done"; o.Admin = p })
	s.admin = p.admin
	return s.show(fleet().snapshot()).press("/").typed("kind:parti").press("enter", "enter"), p
}

func TestSourceFrames(t *testing.T) {
	for _, z := range sizes() {
		edit := func() *stage { s, _ := onFleet(t, z.w, z.h); return s.press("E") }
		edit().golden("source-edit-empty-"+z.String(), false)
		edit().typed("+eu.7:3:gpu").press("enter").typed("eu.orders:5").press("enter").typed("-us").golden("source-edit-"+z.String(), z.w == 120)
		edit().typed("+a b").golden("source-edit-refused-"+z.String(), false)
		edit().typed("+eu.7:3:gpu").press("enter", "enter").golden("plan-source-"+z.String(), z.w == 120)
		edit().typed("-us.orders").press("enter").typed("+eu.7").press("enter", "enter").typed("remove").golden("confirm-source-"+z.String(), z.w == 120)
		s, _ := onFleet(t, z.w, z.h)
		s.press("g", "j", "D").golden("plan-remove-id-"+z.String(), z.w == 120)
	}
}

// Edits are taken a line each, planned, and written once the plan is confirmed.
func TestEditSource(t *testing.T) {
	s, _ := onFleet(t, 120, 40)
	s.press("E").typed("+a b").press("enter") // refused, so not taken
	if !strings.Contains(s.plain(), "has a blank in it") {
		t.Fatalf("%s", s.plain())
	}
	s.press("ctrl+u").typed("+eu.7:3").press("enter").typed("eu.8").press("enter", "backspace", "backspace", "enter") // back to the line, and one letter of it
	s.send(tea.PasteMsg{Content: "+eu.9:1\neu.orders:4\n"})
	s.press("enter", "enter", "tab", "enter")
	if len(s.admin.plans) != 1 {
		t.Fatalf("%d written:\n%s", len(s.admin.plans), s.plain())
	}
	if got := strings.Join(s.admin.plans[0].Intent.Edits, " "); got != "+eu.7:3 eu. +eu.9:1 eu.orders:4" {
		t.Error(got)
	}
	if s.m.window() != nil {
		t.Errorf("a window is left:\n%s", s.plain())
	}
}

// What takes partitions away wants its words typed: neither enter nor a paste will do.
func TestRemovalIsAskedForInWords(t *testing.T) {
	s, p := onFleet(t, 120, 40)
	s.press("E").typed("-us.orders").press("enter", "enter", "enter", "tab", "enter")
	s.send(tea.PasteMsg{Content: "remove 1"})
	s.press("enter").typed("remove 2").press("enter")
	if len(s.admin.plans) != 0 || s.m.screen() != keymap.Confirm {
		t.Fatalf("written, or closed:\n%s", s.plain())
	}
	s.press("backspace").typed("1")
	*p.revision = 8
	s.show(fleet().snapshot()).press("enter")
	if len(s.admin.plans) != 0 {
		t.Fatal("it was written though it changed meanwhile")
	}
	s.typed("remove 1").press("enter")
	if len(s.admin.plans) != 1 || s.admin.plans[0].Revision != 8 {
		t.Fatalf("%+v\n%s", s.admin.plans, s.plain())
	}
}

// A plan ends when what it is about has changed: the source was written, or the worker is back.
func TestEditsChangeMeanwhile(t *testing.T) {
	s, p := onFleet(t, 120, 40)
	s.press("g", "j", "D")
	*p.why = "worker-1 has a heartbeat: its stable id is not stale"
	s.show(fleet().snapshot())
	if !strings.Contains(s.plain(), "changed meanwhile: worker-1 has a heartbeat") {
		t.Errorf("%s", s.plain())
	}
	s.press("tab", "enter", "tab", "enter")
	if len(s.admin.plans) != 0 {
		t.Error("it was written")
	}
	s, p = onFleet(t, 120, 40)
	s.press("E").typed("+eu.7").press("enter", "enter")
	*p.revision = 9
	s.show(fleet().snapshot())
	if !strings.Contains(s.plain(), "fleet-source/partitions: revision 7 ▸ 9") {
		t.Errorf("%s", s.plain())
	}
	s.press("r", "tab", "enter")
	if len(s.admin.plans) != 1 || s.admin.plans[0].Revision != 9 {
		t.Errorf("planned anew: %+v", s.admin.plans)
	}
}

// Both keys say why they do nothing: another kind, nothing to do, no right to write.
func TestEditsAreRefused(t *testing.T) {
	s, _ := onFleet(t, 120, 40)
	if s.press("g", "D"); s.m.window() != nil || !strings.Contains(s.plain(), "worker-0 has a heartbeat") {
		t.Errorf("an id that is not stale:\n%s", s.plain())
	}
	s.admin.readOnly = true
	for _, key := range []string{"E", "D"} {
		if s.press(key); s.m.window() != nil || !strings.Contains(s.plain(), "read-only") {
			t.Errorf("%s, read-only:\n%s", key, s.plain())
		}
	}
	for _, key := range []string{"E", "D"} {
		s := newStage(t, 120, 40).show(sketch().snapshot()).press("down", "enter", key)
		if s.m.window() != nil || !strings.Contains(s.plain(), "not with elastic groups") {
			t.Errorf("%s:\n%s", key, s.plain())
		}
	}
}
