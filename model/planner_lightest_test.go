package model

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// The lightest is who a look at everybody would find, whatever is given and taken.
func TestLightest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 20; n++ {
		const partitions = 60
		table := &table{n: partitions, members: seqNames(n), class: make([]int, partitions), weights: make([]float64, partitions), may: [][]bool{make([]bool, n), make([]bool, n)}}
		for m := range n {
			table.may[0][m], table.may[1][m] = true, r.IntN(3) > 0
		}
		owner := make([]int, partitions)
		for p := range owner {
			owner[p], table.weights[p] = -1, float64(r.IntN(3))
		}
		l := newLoads(table, owner)
		for range 300 {
			if p := r.IntN(partitions); owner[p] < 0 {
				l.give(p, r.IntN(n))
			} else {
				l.take(p)
			}
			for class, may := range table.may {
				want := -1
				for m, ok := range may {
					if ok && (want < 0 || l.load[m] < l.load[want] || l.load[m] == l.load[want] && l.count[m] < l.count[want]) {
						want = m
					}
				}
				if got := l.least.of(class); got != want {
					t.Fatalf("%d of %d, want %d: %v %v", got, n, want, l.load, l.count)
				}
			}
		}
	}
}

// The largest group is dealt while somebody waits, whichever way.
func TestTheLargestDealEnds(t *testing.T) {
	for _, c := range []struct{ before, after int }{{2, MaxPartitions}, {100_000, 100_001}, {100_000, 3}} {
		for _, s := range Strategies() {
			begun := time.Now()
			d, err := Propose(Ask{Strategy: s, Before: Assign(MaxPartitions, seqNames(c.before), nil), Members: seqNames(c.after), Isolate: 5})
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("%s from %d to %d members: %v", s, c.before, c.after, took)
			}
			if len(d.Owner) != MaxPartitions {
				t.Errorf("%s: %d partitions are dealt", s, len(d.Owner))
			}
		}
	}
}

func seqNames(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("m%05d", i)
	}
	return list
}
