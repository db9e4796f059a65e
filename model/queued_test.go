package model

import (
	"slices"
	"testing"
	"time"
)

// filled is a group whose partitions lie under subjects of a work queue.
func filled() *script {
	return &script{Told{
		Members:    []ToldMember{{Name: "a", State: "live", Live: true, Consumer: "a"}},
		Partitions: []ToldPartition{{Owner: "a", Filter: "cg.0.>"}, {Filter: "cg.1.>"}},
		Stray:      40,
	}}
}

// What waits for nobody is what the kind says, and what was counted once it was.
func TestQueuedGroup(t *testing.T) {
	at := epoch()
	f := filled()
	s := told(nil, at, f, work(at, durable("a", 5, 1, at)), StreamRead{Name: "WORK", Facts: StreamFacts{Exists: true, Transforms: []Transform{{"o.*", "cg.{{partition(2,1)}}.o.{{wildcard(1)}}"}}}})
	g := s.Group(toldKey())
	if !g.Queued() || !g.Countable() || g.Counted() || g.Lag() != 46 || g.Stray() != 40 || !g.About() {
		t.Errorf("lag %d, stray %d: %+v", g.Lag(), g.Stray(), g)
	}
	counted := func(n int, pending ...uint64) Observation {
		o := PartitionsCounted{Key: toldKey(), Counts: Counts{At: at, Every: 2 * time.Second}}
		for _, p := range pending {
			o.Partitions = append(o.Partitions, Counted{Pending: p, HasNewer: true, Newer: uint64(n)})
		}
		return o
	}
	s = Reduce(s, at, counted(0, 6, 37))
	at = at.Add(2 * time.Second)
	s = Reduce(s, at, counted(4, 6, 37))
	s = told(s, at, f, work(at, durable("a", 5, 1, at)))
	g = s.Group(toldKey())
	if !g.Counted() || g.Lag() != 43 || g.Partitions[1].Count.Pending != 37 || g.Partitions[1].Count.In != 2 || g.Partitions[1].Count.AtLeast {
		t.Errorf("lag %d: %+v %+v", g.Lag(), g.Partitions[1].Count, g.Counts)
	}
	at = at.Add(time.Minute) // it is not open any more
	s = told(s, at, f, work(at, durable("a", 5, 1, at)))
	if g = s.Group(toldKey()); g.Counts != nil || g.Partitions[1].Count != nil {
		t.Errorf("old counts stay: %+v", g.Counts)
	}
}

// A subject goes where the stream's transform puts it, and a stored one is taken at its
// word.
func TestPlaceTold(t *testing.T) {
	at := epoch()
	tr := Transform{"o.*", "cg.{{partition(2,1)}}.o.{{wildcard(1)}}"}
	s := told(nil, at, filled(), work(at, durable("a", 0, 0, at)), StreamRead{Name: "WORK", Facts: StreamFacts{Exists: true, Transforms: []Transform{tr}}})
	g := s.Group(toldKey())
	want, _ := tr.Partition("o.x")
	for subject, p := range map[string]int{"o.x": want, "cg.1.o.x": 1, "cg.0.o.y": 0} {
		if got, why := g.Place(subject); why != "" || got.Partition != p || (got.Owner == "a") != (p == 0) {
			t.Errorf("%s: %+v, %s", subject, got, why)
		}
	}
	for _, subject := range []string{"cg.2.o.x", "1.o.x", "p.x"} {
		if got, why := g.Place(subject); why != "no filter of the group takes it" {
			t.Errorf("%s: %+v, %s", subject, got, why)
		}
	}
}

// A key that only chooses the partition is lost.
func TestLostTokens(t *testing.T) {
	for _, c := range []struct {
		from, to string
		lost     []int
	}{
		{"o.*", "cg.{{partition(8,1)}}.o.{{wildcard(1)}}", nil},
		{"o.*", "cg.{{partition(8,1)}}.o.$1", nil},
		{"o.*", "cg.{{Partition( 8 , 1 )}}.o.{{ Wildcard( 1 ) }}", nil},
		{"o.*", "cg.{{partition(8,1)}}.o", []int{1}},
		{"o.*.*", "cg.{{partition(8,1,2)}}.o.{{wildcard(1)}}", []int{2}},
		{"o.*.*", "cg.{{partition(8,1)}}.o.{{wildcard(1)}}", nil},
		{"o.*.*", "cg.{{partition(8,1,1)}}.o.{{wildcard(2)}}", []int{1}},
		{"o.*.*", "cg.{{partition(8)}}.o.{{wildcard(2)}}", []int{1}},
		{"o.*", "cg.{{partition(8,1)}}.o.{{left(1,3)}}", []int{1}},
		{"o.*", "cg.{{partition(8,1)}}.o.{{SplitFromLeft(1,3)}}", nil},
		{"o.>", "cg.{{partition(8)}}.o.>", nil},
		{"o.*", "o.{{wildcard(1)}}", nil},
	} {
		if got := (Transform{c.from, c.to}).Lost(); !slices.Equal(got, c.lost) {
			t.Errorf("%s to %s: %v, want %v", c.from, c.to, got, c.lost)
		}
	}
}
