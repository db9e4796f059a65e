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

// Measured over some time, a message that waits at a moment decides nothing, and what comes
// where nobody consumes counts.
func TestMeasure(t *testing.T) {
	k := elastic("S", "g")
	start := Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: 1, Config: config(6, "a", "b", "c")})
	look := func(seconds int, arrived, waits [2]uint64, pending ...uint64) *Group {
		at := epoch().Add(time.Duration(seconds) * time.Second)
		work := facts("S")
		var list []*Consumer
		for i, name := range []string{"a", "b"} {
			c := consumer(name, "id", at, 2*i, 2*i+1)
			c.AckFloor, c.Pending = arrived[i]-waits[i], waits[i]
			list = append(list, c)
		}
		counts := PartitionsCounted{Key: k, Counts: Counts{At: at, Every: time.Second}}
		for _, n := range pending {
			counts.Partitions = append(counts.Partitions, Counted{Pending: n})
			work.Messages += n
		}
		return Reduce(start, at, StreamRead{Name: "S-g", Facts: work}, ConsumersRead{Stream: "S-g", TS: at, Consumers: list}, counts).Group(k)
	}
	before := look(0, [2]uint64{1000, 1000}, [2]uint64{0, 1}, 0, 0, 0, 1, 100, 0)
	after := look(10, [2]uint64{1200, 1400}, [2]uint64{1, 0}, 0, 1, 0, 0, 400, 50)
	weights, messages := Measure(before, after)
	want := []float64{10, 10, 20, 20, 30 + 400/60.0, 5 + 50/60.0} // per second, and what waits over a minute
	for p, w := range want {
		if math.Abs(weights[p]-w) > 0.05*w+0.2 {
			t.Errorf("partition %d: %v, want %v", p, weights[p], w)
		}
	}
	if want := 200 + 400 + 300 + 50 + 451.0; math.Abs(messages-want) > 1 {
		t.Errorf("%v messages, want %v", messages, want)
	}
	if p, clear := HeaviestOf(weights); p != 4 || !clear {
		t.Errorf("%d, %v", p, clear)
	}
	for _, w := range [][]float64{{1, 1}, {5, 1, 4.5}, {1, 1.2}, nil} {
		if _, clear := HeaviestOf(w); clear {
			t.Errorf("%v: none stands out", w)
		}
	}
}
