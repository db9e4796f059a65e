package tui

import (
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
