package tui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// Without a link nothing is asked for, and no rate of it is shown.
func TestNoRateWithoutALink(t *testing.T) {
	s := newStage(t, 120, 40).show(sketch().snapshot()).sees("3 req/s of 20")
	s.show(lost(sketch()).snapshot()).sees("disconnected")
	if strings.Contains(s.plain(), "req/s") {
		t.Error("requests are counted without a link")
	}
}

// That nothing can be written is known once a write was refused; what only reading asks for
// says nothing of it.
func TestRefusedWritesAreSaid(t *testing.T) {
	for what, refused := range map[string]bool{
		"allow publish to $KV.elastic-consumer-groups.S.g":                                              true,
		"publish to $KV.elastic-consumer-groups.S.g: allow publish to $KV.elastic-consumer-groups.S.g":  true,
		"CONSUMER.UNPIN on ORDERS: allow publish to $JS.API.CONSUMER.UNPIN.ORDERS.m1":                   true,
		"$KV.elastic-consumer-groups on S: allow publish to JS.APP.API.$KV.elastic-consumer-groups.S.g": true,
		"CONSUMER.DELETE on ORDERS: allow publish to $JS.API.CONSUMER.DELETE.ORDERS.fixed-m1":           true,
		"CONSUMER.LIST on ORDERS: allow publish to $JS.API.CONSUMER.LIST.ORDERS":                        false,
		"advisories: allow subscribe to $JS.EVENT.ADVISORY.>":                                           false,
	} {
		w := sketch()
		s := newStage(t, 80, 24).show(w.snapshot())
		w.more = []model.Observation{model.DeniedSeen{What: what}}
		s.show(w.snapshot())
		if header, _, _ := strings.Cut(s.plain(), "\n"); !strings.Contains(header, "RW") || strings.Contains(header, "RW refused") != refused {
			t.Errorf("%s: %s", what, header)
		}
	}
}

// Whether anything can be written, and whether the picture is live, stands at every width,
// whatever the server, the context and the group are called.
func TestSafetyIsNeverGivenUpForAName(t *testing.T) {
	id := "N" + strings.Repeat("ABCDEFGHIJK", 5)
	long := strings.Repeat("eu-central-", 6)
	rights := map[string]func(*stage, *world){
		"RO": func(s *stage, _ *world) { s.admin.readOnly = true },
		"RW": func(*stage, *world) {},
		"RW refused": func(_ *stage, w *world) {
			w.more = []model.Observation{model.DeniedSeen{What: "CONSUMER.UNPIN on S: allow"}}
		},
	}
	for _, server := range []model.Server{{Name: id}, {Name: long}, {Context: long, Name: id}, {Context: "prod-eu", Name: "n1"}} {
		server.RTT, server.Version = 400*time.Microsecond, "2.15.3"
		for width := leastWidth; width <= 200; width += 1 + width/20 {
			for says, set := range rights {
				for _, gone := range []bool{false, true} {
					s, w := newStage(t, width, 24), sketch()
					s.blind = true
					w.groups[0].key.Group = strings.Repeat("rollup-", 1+width%9)
					if gone {
						w = lost(w)
					}
					set(s, &w)
					snap := w.snapshot()
					snap.Server = server
					live := map[bool]string{false: "● live", true: "✗ "}[gone]
					for screen, keys := range map[string][]string{"overview": nil, "group": {"down", "enter"}} {
						header, _, _ := strings.Cut(s.show(snap).press(keys...).plain(), "\n")
						if !strings.Contains(header, " "+says+" ") || !strings.Contains(header, live) || strings.Contains(header, id[:10]) || glyph.Width(header) > width {
							t.Fatalf("%s, %d wide, %s, lost %v:\n%s", screen, width, says, gone, header)
						}
						if short := width%9 < 2; short && width >= 80 && server.Name != long && !gone && says != "RW refused" && !strings.Contains(header, "0.4 ms") {
							t.Fatalf("%s, %d wide:\n%s", screen, width, header)
						}
					}
				}
			}
		}
	}
}

// A server without a name goes by its id, which fills no header.
func TestNamelessServerFrames(t *testing.T) {
	for _, z := range sizes() {
		snap := sketch().snapshot()
		snap.Server.Context, snap.Server.Name = "", "NAHBLNKQEZZMYKJFVHWGZOZGUHAKTBMJEV4UQEUEKBSWWZUG4MVLTDJR"
		newStage(t, z.w, z.h).show(snap).golden("nameless-overview-"+z.String(), false)
		newStage(t, z.w, z.h).show(snap).press("down", "enter").golden("nameless-group-"+z.String(), false)
	}
}

// Groups that may not be read are not counted as none, and what to allow stands whole where
// there is room.
func TestUnknownGroupsAreNotCounted(t *testing.T) {
	denied := func(kinds ...model.Kind) []model.Observation {
		var seen []model.Observation
		for _, k := range kinds {
			what := fmt.Sprintf("STREAM.INFO on KV_%s-consumer-groups", k)
			seen = append(seen, model.DeniedSeen{What: what + ": allow publish to $JS.API." + strings.Replace(what, " on ", ".", 1)}, model.BucketSeen{Kind: k, Problem: "not permitted: " + what})
		}
		return seen
	}
	for _, z := range sizes() {
		s := newStage(t, z.w, z.h).show(world{more: denied(model.KindElastic, model.KindStatic)}.snapshot())
		s.sees("groups not known").golden("unknown-groups-"+z.String(), false)
		if strings.Contains(s.plain(), "0 groups") || strings.Contains(s.plain(), "none unwell") {
			t.Errorf("%s:\n%s", z, s.plain())
		}
		if z.h < 24 {
			continue
		}
		whole := strings.Join(strings.Fields(s.plain()), " ")
		for _, k := range model.Founded() {
			for _, says := range []string{"allow publish to $JS.API.STREAM.INFO.KV_" + string(k) + "-consumer-groups", "The " + string(k) + " groups of this account cannot be read: not permitted"} {
				if !strings.Contains(whole, says) {
					t.Errorf("%s: %q is not there, or not whole:\n%s", z, says, s.plain())
				}
			}
		}
	}
	w := sketch()
	w.groups, w.more = w.groups[1:2], denied(model.KindElastic)
	newStage(t, 80, 24).show(w.snapshot()).sees("at least 1 group, 1 unwell")
	newStage(t, 40, 12).show(w.snapshot()).sees("RW 1 unwell ● live")
}

// What there is no room for in the header is among the events, whole.
func TestEveryRefusalIsOnAScreen(t *testing.T) {
	var refused []string
	for i := range 9 {
		refused = append(refused, fmt.Sprintf("CONSUMER.CREATE on KV_stock-%[1]d-assignment: allow publish to $JS.API.CONSUMER.CREATE.KV_stock-%[1]d-assignment.>", i))
	}
	w := sketch()
	w.more = []model.Observation{model.DeniedSeen{What: refused[0]}}
	newStage(t, 80, 20).show(w.snapshot()).sees("not permitted: CONSUMER.CREATE on KV_stock-0").sees("…, see events")
	newStage(t, 200, 20).show(w.snapshot()).sees(refused[0])
	for _, z := range []size{{80, 20}, {80, 24}, {120, 40}} {
		w := sketch()
		for _, what := range refused {
			w.more = append(w.more, model.DeniedSeen{What: what})
		}
		s := newStage(t, z.w, z.h).show(w.snapshot()).sees(" more, see events").press("e", "g")
		for range len(refused) { // the newest first
			last := refused[len(refused)-1]
			refused = append([]string{last}, refused[:len(refused)-1]...)
			if whole := strings.Join(strings.Fields(s.plain()), ""); !strings.Contains(whole, strings.ReplaceAll("not permitted: "+last, " ", "")) {
				t.Fatalf("%v: %q is not whole:\n%s", z, last, s.plain())
			}
			s.press("down")
		}
	}
}
