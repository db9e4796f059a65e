package model

import (
	"math"
	"testing"
	"time"
)

// Loads come from the counts where there are some, from the members where there are
// none, and from what nobody consumes.
func TestWeights(t *testing.T) {
	g := group(config(4, "m1", "m2"), 3, &Consumer{Name: "m1", Waiting: 1, In: 10, Pending: 120, RateSpan: time.Second})
	if Weights(&Group{Partitions: make([]Partition, 0)}) != nil || Weights(group(config(4, "m1", "m2"), 3)) != nil {
		t.Error("weights of what was not measured")
	}
	near := func(name string, got []float64, want ...float64) {
		t.Helper()
		total := sum(want)
		for p := range want {
			if w := want[p] + total/4/100; math.Abs(got[p]-w) > 1e-9 {
				t.Errorf("%s: partition %d weighs %g, want %g", name, p, got[p], w)
			}
		}
	}
	near("members", Weights(g), 5+1, 5+1, 0, 0)
	g.Stream = StreamFacts{Known: true, Exists: true, Messages: 360}
	near("stray", Weights(g), 6, 6, 2, 2)
	g.Counts = &Counts{}
	for p, c := range []PartitionCount{{Pending: 600, In: 7, RateSpan: time.Second}, {In: 1, RateSpan: time.Second, AtLeast: true}, {Pending: 60}, {}} {
		g.Partitions[p].Count = &c
	}
	near("counted", Weights(g), 7+10, 5, 1, 0)
}
