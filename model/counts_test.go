package model

import (
	"testing"
	"time"
)

// TestRatesOfPartitionsAskedInTurn: rates are of the time since the partition's own last
// count, and stay when only what waits was told.
func TestRatesOfPartitionsAskedInTurn(t *testing.T) {
	k := elastic("S", "g")
	s := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(2, "a")}, StreamRead{Name: "S-g", Facts: facts("S")})
	count := func(after time.Duration, c Counted) *PartitionCount {
		s = Reduce(s, epoch(), PartitionsCounted{Key: k, Counts: Counts{At: epoch().Add(after), Every: time.Second}, Partitions: []Counted{c, {}}})
		return s.Group(k).Partitions[0].Count
	}
	count(0, Counted{Pending: 100})
	if c := count(2*time.Second, Counted{Pending: 90, Kept: true}); c.Pending != 90 || c.RateSpan != 0 {
		t.Errorf("%+v", c)
	}
	// 100 waited 10 s ago, 40 came since, 80 wait: 60 are done.
	c := count(10*time.Second, Counted{Pending: 80, Newer: 40, HasNewer: true, Before: &Before{At: epoch(), Pending: 100}})
	if c.In != 4 || c.Out != 6 || c.RateSpan != 10*time.Second {
		t.Errorf("%+v", c)
	}
	if c := count(12*time.Second, Counted{Pending: 70, Kept: true}); c.In != 4 || c.Out != 6 || c.Pending != 70 {
		t.Errorf("%+v", c)
	}
}
