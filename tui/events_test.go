package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// eventful is the sketch with an event of every kind.
func eventful() world {
	w := heard()
	k := elastic("TELEMETRY", "rollup")
	at := moment().Add(-5 * time.Second)
	for i, e := range []model.Event{
		{Kind: model.EventConsumer, Key: k, Member: "m2", Text: "consumer created"},
		{Kind: model.EventStream, Key: k, Text: "work stream TELEMETRY-rollup changed"},
		{Kind: model.EventPause, Key: k, Member: "m2", Text: "paused until 14:05:00"},
		{Kind: model.EventLeader, Key: k, Member: "m2", Text: "leader is nats-3"},
		{Kind: model.EventQuorum, Key: k, Member: "m2", Text: "consumer lost its quorum"},
		{Kind: model.EventDeliver, Key: k, Member: "m1", Text: "message 4711 was delivered 5 times, as often as allowed"},
		{Kind: model.EventDeliver, Key: k, Member: "m1", Text: "message 4712 was delivered 5 times, as often as allowed"},
		{Kind: model.EventInstance, Key: k, Member: "m2", Text: "instance gone: roll-0000 10.1.4.4:4000"},
		{Kind: model.EventLink, Text: "connection lost"},
		{Kind: model.EventConfig, Key: k, Text: "+m3, 6-7 m1▸m2, 11-15 m2▸m3", Detail: "revision 41, m1 0-5, m2 6-10, m3 11-15"},
	} {
		e.At = at.Add(time.Duration(i) * 100 * time.Millisecond)
		w.events = append(w.events, e)
	}
	return w
}

func TestEventFrames(t *testing.T) {
	for _, z := range sizes() {
		newStage(t, z.w, z.h).show(eventful().snapshot()).press("e").golden("events-"+z.String(), true)
		rollup(newStage(t, z.w, z.h).show(eventful().snapshot())).press("e", "down").golden("events-group-"+z.String(), false)
		newStage(t, z.w, z.h).show(eventful().snapshot()).press("e", "/").typed("pinned").golden("events-filter-"+z.String(), false)
		newStage(t, z.w, z.h).show(world{}.snapshot()).press("e").golden("events-none-"+z.String(), false)
		newStage(t, z.w, z.h).show(hostile().snapshot()).press("e").golden("events-hostile-"+z.String(), false)
		newStage(t, z.w, z.h).show(eventful().snapshot()).press("e", "?").golden("help-events-"+z.String(), false)
	}
}

// The open group's own panel tells of the link too: what it shows stood still then.
func TestALostLinkIsAmongTheGroupsEvents(t *testing.T) {
	s := rollup(newStage(t, 200, 60).show(eventful().snapshot()))
	s.sees("connection lost").press("e").sees("EVENTS of TELEMETRY/rollup").sees("connection lost")
}

func TestEventsAreFilteredAndScoped(t *testing.T) {
	s := newStage(t, 120, 40).show(eventful().snapshot()).press("e").sees("EVENTS of all groups").sees("ORDERS/fulfillment").sees("connection lost")
	s.press("/").typed("step").sees("1 of 14 shown").press("backspace", "backspace", "backspace", "backspace").typed("zz").sees("no event has this text").press("esc").sees("connection lost")
	s.press("/").typed("QUORUM").press("enter", "tab").sees("EVENTS of TELEMETRY/rollup").press("esc")
	s.sees("EVENTS of TELEMETRY/rollup").sees("+m3, 6-7 m1▸m2").sees("revision 41, m1 0-5, m2 6-10, m3 11-15").sees("as often as allowed ×2")
	s.sees("connection lost") // which concerns every group
	if strings.Contains(s.plain(), "ORDERS/fulfillment") {
		t.Errorf("another group's events:\n%s", s.plain())
	}
	s.press("tab").sees("EVENTS of all groups").press("esc").sees("VERDICT")
	for r := ' '; r <= '~'; r++ { // text is text while a filter is typed
		s = newStage(t, 120, 40).show(eventful().snapshot()).press("e", "/").typed(string(r))
		if s.m.events == nil || s.m.events.filter.text() != string(r) || len(s.m.windows) > 0 {
			t.Errorf("%q did something", r)
		}
	}
}

func TestEventsJump(t *testing.T) {
	s := newStage(t, 120, 40).show(eventful().snapshot()).press("e", "/").typed("quorum").press("enter", "enter")
	if s.m.events != nil || s.m.group == nil || s.m.group.key != elastic("TELEMETRY", "rollup") || s.m.group.members.selected != "m2" {
		t.Fatalf("not there:\n%s", s.plain())
	}
	s = newStage(t, 120, 40).show(eventful().snapshot()).press("e", "/").typed("connection").press("enter", "enter")
	s.sees("that concerns no group")
	s.press("esc", "/").typed("step").press("enter").show(world{events: eventful().events}.snapshot()).press("enter").sees("ORDERS/fulfillment is gone")
}

func TestEventsAreCopied(t *testing.T) {
	s := newStage(t, 120, 40).show(eventful().snapshot()).press("e", "/").typed("6-7 m1").press("enter")
	cmd := s.send(press("c"))
	s.sees("copied: 2026-03-04T14:03:17.9Z config TELEMETRY/rollup +m3")
	if got, want := fmt.Sprint(cmd()), fmt.Sprint(tea.SetClipboard("2026-03-04T14:03:17.9Z config TELEMETRY/rollup +m3, 6-7 m1▸m2, 11-15 m2▸m3 (revision 41, m1 0-5, m2 6-10, m3 11-15)")()); got != want {
		t.Errorf("copied %s, want %s", got, want)
	}
}

// The selection stays on its event while newer ones come; on the newest it stays there.
func TestEventSelectionFollows(t *testing.T) {
	s := newStage(t, 120, 40).show(eventful().snapshot()).press("e", "down", "down")
	want := *s.m.events.selected()
	snap := s.m.snap
	for i := range 5 {
		snap = model.Reduce(snap, moment(), model.EventSeen{Event: model.Event{Kind: model.EventLink, Text: fmt.Sprint(i)}})
		s.show(snap)
	}
	if got := *s.m.events.selected(); got != want {
		t.Errorf("selected %+v, want %+v", got, want)
	}
	s.press("g").show(model.Reduce(snap, moment(), model.EventSeen{Event: model.Event{Kind: model.EventLink, Text: "newest"}}))
	if got := s.m.events.selected().Text; got != "newest" {
		t.Errorf("selected %q", got)
	}
}

func TestEventsAreFilteredByWords(t *testing.T) {
	for typed, want := range map[string]int{"": 5, "kind:pin": 3, "kind:pin orders": 1, "member:m2 -kind:pin": 1, "stream:tele": 3, "pinned m2": 3, "[": 0, "-kind:": 0} {
		s := newStage(t, 100, 30).show(sketch().snapshot()).press("e", "/").typed(typed)
		if got := len(s.m.events.rows); got != want {
			t.Errorf("%q shows %d, want %d", typed, got, want)
		}
	}
}
