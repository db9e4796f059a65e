package tui

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// act carries a key's command out, asking and applying included.
func (s *stage) act(keys ...string) *stage {
	for _, k := range keys {
		cmd := s.send(press(k))
		if cmd == nil {
			continue
		}
		msg := cmd()
		if batch, ok := msg.(tea.BatchMsg); ok { // a handover: it runs, and is listened to
			msg = batch[0]()
		}
		s.send(msg)
	}
	return s
}

// step is a handover at some point.
func step(phase model.Phase, change func(*model.Handover)) model.Handover {
	h := model.Handover{Key: elastic("TELEMETRY", "rollup"), Phase: phase, Began: moment(), Deadline: moment().Add(10 * time.Second),
		Paused: []string{"m1", "m2"}, AtFirst: 2, Unacked: 1}
	if change != nil {
		change(&h)
	}
	return h
}

func watched(h *model.Handover) {
	h.Unacked, h.Drained, h.Revision, h.Flowing, h.Total = 0, 24*time.Millisecond, 42, 11, 16
	h.Waits = []string{"m3 has no consumer"}
}

// draining is a stage on which a drained handover has begun.
func draining(t *testing.T, w, h int, now model.Handover) (*stage, *drainWindow) {
	s := newStage(t, w, h).show(sketch().snapshot()).press("down", "enter", "m").typed("BB").press("enter", "d", "tab")
	s.send(press("enter"))
	d, ok := s.m.window().(*drainWindow)
	if !ok {
		t.Fatalf("no handover goes on:\n%s", s.plain())
	}
	s.send(handoverMsg{d, now})
	return s, d
}

func TestHandoverFrames(t *testing.T) {
	for _, z := range sizes() {
		s, d := draining(t, z.w, z.h, step(model.PhaseWaiting, nil))
		s.golden("drain-waiting-"+z.String(), true)
		s.send(handoverMsg{d, step(model.PhaseWatching, watched)})
		s.golden("drain-watching-"+z.String(), false)
		s.send(handoverMsg{d, step(model.PhaseDone, func(h *model.Handover) {
			watched(h)
			h.Flowing, h.Waits, h.Stood, h.Left = 16, nil, 180*time.Millisecond, []string{"m2"}
		})})
		s.send(appliedMsg{from: d.plan, text: "remap TELEMETRY/rollup (2 moves): revision 41 ▸ 42; drained in 24ms (2 unacknowledged at first); all 16 partitions flow after 180ms"})
		s.golden("drain-report-"+z.String(), true)
		newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter", "m").typed("BB").press("enter", "d").golden("plan-drained-"+z.String(), true)
	}
}

func TestFoundingFrames(t *testing.T) {
	for _, z := range sizes() {
		form := func() *stage { return newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "n") }
		form().golden("create-empty-"+z.String(), true)
		s := form().typed("alerts").press("tab").typed("").press("tab").typed("telemetry.*.*:1,2 logs.>").press("tab", "tab").typed("50000")
		s.golden("create-"+z.String(), true)
		s.act("enter").golden("plan-create-"+z.String(), false)
		form().typed("rollup").golden("create-refused-"+z.String(), false)
		fixed := func(members string) *stage {
			return form().press("shift+tab", "shift+tab").typed("s").press("tab", "tab").typed("fixed").press("tab", "tab", "tab").typed(members)
		}
		fixed("m1 m2").golden("create-static-"+z.String(), false)
		fixed("m1:0-7,9 m2:8,10-15").golden("create-mapped-"+z.String(), false)
		s = newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter")
		s.act("X").typed("roll").golden("delete-"+z.String(), true)
		s.typed("up").golden("delete-named-"+z.String(), false)
	}
}

// done is the sketch after two actions from here, the first of which was undone.
func done() *model.Snapshot {
	s := sketch().snapshot()
	g := s.Group(elastic("TELEMETRY", "rollup"))
	before, between := g.Config, g.Config
	before.Members, between.Members = []string{"m1", "m2"}, []string{"m1", "m2", "m4"}
	return model.Reduce(s, moment(),
		model.AppliedSeen{Applied: model.Applied{At: moment().Add(-9 * time.Minute), Key: g.Key, Action: model.ActionAdd, Text: "add m4 to TELEMETRY/rollup", Before: before, After: between, From: 38, To: 39}},
		model.AppliedSeen{Applied: model.Applied{At: moment().Add(-8 * time.Minute), Key: g.Key, Action: model.ActionUndo, Text: "undo on TELEMETRY/rollup: add m4 to TELEMETRY/rollup", Before: between, After: before, From: 39, To: 40}},
		model.AppliedSeen{Applied: model.Applied{At: moment().Add(-7 * time.Minute), Key: g.Key, Action: model.ActionAdd, Text: "add m3 to TELEMETRY/rollup", Before: before, After: g.Config, From: 40, To: 41}})
}

func TestUndoFrames(t *testing.T) {
	for _, z := range sizes() {
		newStage(t, z.w, z.h).show(done()).press("down", "enter", "U").golden("history-"+z.String(), true)
		newStage(t, z.w, z.h).show(done()).press("down", "enter", "u").golden("plan-undo-"+z.String(), true)
	}
}

func TestRemapDealFrames(t *testing.T) {
	for _, z := range sizes() {
		open := func(keys ...string) *stage {
			return newStage(t, z.w, z.h).show(sketch().snapshot()).press("down", "enter", "m").press(keys...)
		}
		open("n").typed("m4").press("enter", "2").golden("remap-fewest-"+z.String(), true)
		open("3").golden("remap-load-"+z.String(), false)
		open("right", "right", "4").golden("remap-isolate-"+z.String(), false)
		open("/").typed("m2").golden("remap-marking-"+z.String(), false)
		open("x", "2").golden("remap-left-out-"+z.String(), false)
		newStage(t, z.w, z.h).show(mappedGroup().snapshot()).press("enter", "m", "1").golden("remap-balanced-"+z.String(), false)
	}
}
