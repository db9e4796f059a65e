package tui

import (
	"fmt"
	"strings"
	"testing"

	"pcgtop/model"
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
