package model

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"time"
)

// TestRestored: what was read from JSON tells the same as what was written, with all
// that the screens ask for by methods.
func TestRestored(t *testing.T) {
	at := time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC)
	k := Key{Kind: KindStatic, Stream: "S", Group: "g"}
	s := Reduce(nil, at,
		ConfigSeen{Key: k, Revision: 3, Raw: "{}", Config: &Config{Partitions: 4, Members: []string{"a", "b"}}},
		ConsumersRead{Stream: "S", TS: at, Consumers: []*Consumer{{Name: "g-a", PinID: "x", PinnedAt: at.Add(-time.Minute), TS: at, Filters: []string{"0.>", "1.>"}}}},
		PinSeen{Stream: "S", Consumer: "g-a", PinID: "y", At: at.Add(time.Second)})
	s = Reduce(s, at, EventSeen{Event{At: at, Kind: EventAction, Text: "x"}},
		PartitionsCounted{Key: k, Counts: Counts{At: at, Every: time.Second}, Partitions: []Counted{{}, {}, {Pending: 5}, {Pending: 6}}})
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Snapshot
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if err := back.Restore(); err != nil {
		t.Fatal(err)
	}
	g, r := s.Groups[0], back.Groups[0]
	if g.Lag() != 11 || r.Lag() != g.Lag() || r.About() != g.About() || !r.Clock().Equal(g.Clock()) || r.Raw != "{}" {
		t.Errorf("lag %d, not %d; clock %v, not %v; raw %q", r.Lag(), g.Lag(), r.Clock(), g.Clock(), r.Raw)
	}
	if !reflect.DeepEqual(r.deal, g.deal) {
		t.Errorf("deal %+v, not %+v", r.deal, g.deal)
	}
	if was, is := g.Members[0].PinHeld(2*time.Minute, 9), r.Members[0].PinHeld(2*time.Minute, 9); !slices.Equal(was, is) || is[8] != "y" {
		t.Errorf("the pin was held by %q, not %q", is, was)
	}
	if len(s.EventsSince(0)) == 0 || !reflect.DeepEqual(back.EventsSince(0), s.EventsSince(0)) {
		t.Errorf("events %v, not %v", back.EventsSince(0), s.EventsSince(0))
	}
}
