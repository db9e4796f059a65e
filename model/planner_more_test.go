package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A whale gets a member to itself and the rest stays where it can.
func TestIsolateKeepsTheWhaleWhereItIs(t *testing.T) {
	weights := slices.Repeat([]float64{1}, 12)
	weights[5] = 300
	before := Assign(12, []string{"m1", "m2", "m3"}, nil)
	d, err := Propose(Ask{Strategy: StrategyIsolate, Before: before, Weights: weights, Isolate: Heaviest})
	if err != nil {
		t.Fatal(err)
	}
	if d.Owner[5] != 1 || len(d.Assignment().Owned(1)) != 1 || d.Price.Moves != 3 {
		t.Errorf("%v, %+v", d.Owner, d.Price)
	}
	d, err = Propose(Ask{Strategy: StrategyIsolate, Before: before, Members: []string{"m1", "m2", "m3", "m4"}, Weights: weights, Isolate: 0})
	if err != nil {
		t.Fatal(err)
	}
	if d.Owner[0] != 3 || d.Price.Moves > 2 {
		t.Errorf("%v, %+v", d.Owner, d.Price)
	}
}

func TestRefusedDeals(t *testing.T) {
	before := Assign(4, []string{"a1", "b1"}, nil)
	for want, a := range map[string]Ask{
		"there is no member to deal to":                       {Strategy: StrategyFewest, Before: before, Members: []string{}},
		"there is no partition":                               {Strategy: StrategyFewest},
		"3 weights for 4 partitions":                          {Strategy: StrategyLoad, Before: before, Weights: []float64{1, 2, 3}},
		`no strategy "best"`:                                  {Strategy: "best", Before: before},
		"no partition 4":                                      {Strategy: StrategyIsolate, Before: before, Isolate: 4},
		"none that is free matches c*":                        {Strategy: StrategyFewest, Before: before, Rules: Constraints{Only: []Only{{[]int{1}, "c*"}}}},
		"syntax error in pattern":                             {Strategy: StrategyFewest, Before: before, Rules: Constraints{Only: []Only{{[]int{1}, "["}}}},
		"there is no such member":                             {Strategy: StrategyFewest, Before: before, Rules: Constraints{Alone: []Alone{{1, "x"}}}},
		"two partitions alone on a1":                          {Strategy: StrategyFewest, Before: before, Rules: Constraints{Alone: []Alone{{1, "a1"}, {2, "a1"}}}},
		"partition 3 cannot be kept on b1":                    {Strategy: StrategyFewest, Before: before, Members: []string{"a1"}, Rules: Constraints{Keep: []int{3}}},
		"which the rules forbid: take another":                {Strategy: StrategyBalanced, Before: before, Rules: Constraints{Only: []Only{{[]int{0}, "b*"}}}},
		"partition 1 may not be alone on b1":                  {Strategy: StrategyFewest, Before: before, Rules: Constraints{Alone: []Alone{{1, "b1"}}, Only: []Only{{[]int{1}, "a*"}}}},
		"partition 0 has no member left: each has another":    {Strategy: StrategyFewest, Before: before, Rules: Constraints{Alone: []Alone{{1, "b1"}, {2, "a1"}}}},
		"partition 1 has no member left: none that is free m": {Strategy: StrategyFewest, Before: before, Rules: Constraints{Alone: []Alone{{0, "a1"}}, Only: []Only{{[]int{1}, "a*"}}}},
	} {
		if _, err := Propose(a); !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// The bound that the README gives: 1,024 partitions and 256 members.
func BenchmarkPropose(b *testing.B) {
	for name, change := range map[string]func(*Ask){
		"one more": func(*Ask) {},
		"all on one": func(a *Ask) {
			for p := range a.Before.Owner {
				a.Before.Owner[p] = 0
			}
		},
		"rules": func(a *Ask) {
			for p := range 512 {
				a.Rules.Only = append(a.Rules.Only[:0], Only{append([]int(nil), seq(p+1)...), "m??[0-4]"})
			}
			a.Rules.Keep = []int{700, 701, 702}
		},
	} {
		for _, s := range Strategies() {
			if s == StrategyBalanced && name == "rules" {
				continue
			}
			b.Run(name+"/"+string(s), func(b *testing.B) {
				a := large(s)
				change(&a)
				for b.Loop() {
					if _, err := Propose(a); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func seq(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// large is the largest group that plans are bounded for, with one member more.
func large(s Strategy) Ask {
	names := make([]string, 256)
	for i := range names {
		names[i] = fmt.Sprintf("m%03d", i)
	}
	a := Ask{Strategy: s, Before: Assign(1024, names[:255], nil), Members: names, Isolate: Heaviest}
	for p := range 1024 {
		a.Weights = append(a.Weights, float64(p*7919%97+1))
	}
	return a
}

// Whatever the weights are, there is a deal, it is within its bound, and it can be
// written down: nothing, less than nothing, no number at all, or more than can be added.
func TestOddWeights(t *testing.T) {
	odd := []float64{0, math.Copysign(0, -1), -1, 1, 5e-324, 1e-300, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)}
	rapid.Check(t, func(t *rapid.T) {
		n, names := rapid.IntRange(1, 30).Draw(t, "partitions"), []string{"m1", "m2", "m3"}
		a := Ask{Before: Assign(n, names, nil), Members: append(names, "m4"), Isolate: Heaviest,
			Strategy:  rapid.SampledFrom(Strategies()).Draw(t, "strategy"),
			Weights:   rapid.SliceOfN(rapid.SampledFrom(odd), n, n).Draw(t, "weights"),
			Tolerance: rapid.SampledFrom([]float64{0, 1e-9, 1, 1e4, math.NaN(), -1}).Draw(t, "tolerance")}
		d, err := Propose(a)
		if err != nil {
			t.Fatal(err)
		}
		checkDeal(t, a, d)
		if _, err := json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		if d.Price.Weighed != slices.ContainsFunc(a.Weights, func(w float64) bool { return w > 0 }) {
			t.Fatalf("weighed %v by %v", d.Price.Weighed, a.Weights)
		}
		if table, _ := newTable(a); a.Strategy == StrategyLoad && !(table.heaviest(d.Owner) <= table.heaviest(table.longestFirst())*(1+tolerance(a.Tolerance))*(1+1e-9)) {
			t.Fatalf("heaviest %g", table.heaviest(d.Owner))
		}
	})
}
