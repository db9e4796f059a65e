package model

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// drawAsk draws a group that was dealt in some way, members that come and go, weights,
// and rules.
func drawAsk(t *rapid.T, mostPartitions, mostMembers int, rules bool) Ask {
	n := rapid.IntRange(1, mostPartitions).Draw(t, "partitions")
	names := make([]string, mostMembers)
	for i := range names {
		names[i] = fmt.Sprintf("%c%d", "ab"[i%2], i)
	}
	before := Assignment{Members: sortedUnique(names[:rapid.IntRange(1, mostMembers).Draw(t, "members")]), Owner: make([]int, n)}
	if rapid.Bool().Draw(t, "balanced") {
		before = Assign(n, before.Members, nil)
	} else {
		for p := range before.Owner {
			before.Owner[p] = rapid.IntRange(-1, len(before.Members)-1).Draw(t, "owner")
		}
	}
	a := Ask{Before: before, Members: rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, mostMembers, rapid.ID).Draw(t, "after"), Isolate: Heaviest}
	if rapid.Bool().Draw(t, "weighed") {
		for range n {
			a.Weights = append(a.Weights, float64(rapid.SampledFrom([]int{0, 1, 1, 2, 3, 5, 40}).Draw(t, "weight")))
		}
	}
	if !rules {
		return a
	}
	some := rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, n, rapid.ID)
	for range rapid.IntRange(0, 2).Draw(t, "only") {
		a.Rules.Only = append(a.Rules.Only, Only{Partitions: some.Draw(t, "only"), Pattern: rapid.SampledFrom([]string{"a*", "b*", "*1", "*", "?2"}).Draw(t, "pattern")})
	}
	if rapid.IntRange(0, 3).Draw(t, "alone") == 0 {
		a.Rules.Alone = []Alone{{rapid.IntRange(0, n-1).Draw(t, "p"), rapid.SampledFrom(names).Draw(t, "m")}}
	}
	if rapid.IntRange(0, 2).Draw(t, "keep") == 0 {
		a.Rules.Keep = some.Draw(t, "keep")
	}
	return a
}

// checkDeal asserts what holds of every deal.
func checkDeal(t *rapid.T, a Ask, d *Deal) {
	if len(d.Owner) != len(a.Before.Owner) {
		t.Fatalf("%d owners for %d partitions", len(d.Owner), len(a.Before.Owner))
	}
	for p, o := range d.Owner {
		if o < 0 || o >= len(d.Members) {
			t.Fatalf("partition %d is on member %d of %d", p, o, len(d.Members))
		}
	}
	if !slices.Equal(d.Members, sortedUnique(a.Members)) {
		t.Fatalf("members %v, asked for %v", d.Members, a.Members)
	}
	for _, r := range a.Rules.Alone {
		for p, o := range d.Owner {
			if (d.Members[o] == r.Member) != (p == r.Partition) {
				t.Fatalf("%v is not kept: %d is on %s", r, p, d.Members[o])
			}
		}
	}
	for p := range d.Owner {
		for _, r := range a.Rules.Only {
			if slices.Contains(r.Partitions, p) && !fits(r.Pattern, d.Members[d.Owner[p]]) {
				t.Fatalf("%v is not kept: %d is on %s", r, p, d.Members[d.Owner[p]])
			}
		}
	}
	for _, p := range a.Rules.Keep {
		if was, _ := a.Before.OwnerName(p); was != d.Members[d.Owner[p]] {
			t.Fatalf("%d was not kept on %s", p, was)
		}
	}
	moved := 0
	for p, o := range d.Owner {
		if was, ok := a.Before.OwnerName(p); !ok || was != d.Members[o] {
			moved++
		}
	}
	if d.Price.Moves != moved || d.Price.Forced > moved || math.Abs(d.Price.Locality-float64(len(d.Owner)-moved)/float64(len(d.Owner))) > 1e-9 {
		t.Fatalf("price %+v, %d moved of %d", d.Price, moved, len(d.Owner))
	}
	if d.Price.After.Mean > 0 && d.Price.After.Ratio() < 1-1e-9 {
		t.Fatalf("the heaviest is below the mean: %+v", d.Price.After)
	}
	if d.Balanced != slices.Equal(d.Owner, Assign(len(d.Owner), d.Members, nil).Owner) {
		t.Fatal("balanced is wrong")
	}
}

// fits is a matcher of its own for the patterns drawn.
func fits(pattern, name string) bool {
	switch {
	case pattern == "*":
		return true
	case strings.HasPrefix(pattern, "*"):
		return strings.HasSuffix(name, pattern[1:])
	case strings.HasPrefix(pattern, "?"):
		return len(name) == 2 && name[1:] == pattern[1:]
	}
	return strings.HasPrefix(name, pattern[:1])
}

// Every deal of every strategy owns each partition once and keeps the rules, or there is
// none and a reason.
func TestDealsKeepTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsk(t, 40, 9, true)
		a.Strategy = rapid.SampledFrom(Strategies()).Draw(t, "strategy")
		d, err := Propose(a)
		if err != nil {
			if !errors.Is(err, ErrRefused) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%v", err)
			}
			return
		}
		checkDeal(t, a, d)
		again, _ := Propose(a)
		if !slices.Equal(again.Owner, d.Owner) {
			t.Fatal("the same question, another answer")
		}
		if a.Strategy == StrategyIsolate {
			alone := d.Alone[len(d.Alone)-1]
			rules := a
			rules.Rules.Alone = d.Alone
			checkDeal(t, rules, d)
			if a.Weights != nil && slices.Max(a.Weights) > 0 && a.Weights[alone.Partition] != slices.Max(a.Weights) {
				t.Fatalf("partition %d is not the heaviest of %v", alone.Partition, a.Weights)
			}
		}
		g := &Group{Key: elastic("S", "g"), Revision: 1, Config: Config{Partitions: len(d.Owner), Members: a.Before.Members}}
		p, err := NewPlan(g, d.Intent())
		if len(d.Members) > len(d.Owner) && !d.Balanced && err != nil {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for n := range d.Owner {
			if who, _ := p.After().OwnerName(n); who != d.Members[d.Owner[n]] {
				t.Fatalf("the plan gives %d to %s, the deal to %s", n, who, d.Members[d.Owner[n]])
			}
		}
	})
}

// least looks through every deal within the rules: the least sum of squares of counts,
// and the least moves among those that have it.
func least(a Ask) (squares, moves int, ok bool) {
	table, err := newTable(a)
	if err != nil {
		return 0, 0, false
	}
	counts := make([]int, len(table.members))
	squares = far
	var deal func(p, moved int)
	deal = func(p, moved int) {
		if p == table.n {
			s := 0
			for _, c := range counts {
				s += c * c
			}
			if s < squares || s == squares && moved < moves {
				squares, moves = s, moved
			}
			return
		}
		for m := range counts {
			if f := table.fixed[p]; f >= 0 && f != m || f < 0 && !table.may[table.class[p]][m] {
				continue
			}
			cost := 0
			if was, owned := a.Before.OwnerName(p); !owned || was != table.members[m] {
				cost = 1
			}
			counts[m]++
			deal(p+1, moved+cost)
			counts[m]--
		}
	}
	deal(0, 0)
	return squares, moves, true
}

// Fewest moves is the provable minimum: no deal with counts as even moves less. Compared
// with all deals there are, with rules and without.
func TestFewestMovesIsTheMinimum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsk(t, 7, 4, rapid.Bool().Draw(t, "rules"))
		a.Strategy = StrategyFewest
		squares, moves, ok := least(a)
		d, err := Propose(a)
		if ok != (err == nil) {
			t.Fatalf("%v, but there are deals: %v", err, ok)
		}
		if !ok {
			return
		}
		checkDeal(t, a, d)
		got := 0
		for m := range d.Members {
			n := len(d.Assignment().Owned(m))
			got += n * n
		}
		if got != squares || d.Price.Moves != moves {
			t.Fatalf("squares %d, moves %d; the least are %d and %d", got, d.Price.Moves, squares, moves)
		}
	})
}

// The direct way and the flow agree where both apply, on sizes that cannot be looked
// through.
func TestFewestMovesBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsk(t, 200, 20, false)
		table, err := newTable(a)
		if err != nil {
			t.Fatal(err)
		}
		direct, flow := table.fewestFree(), newEvenFlow(table).run()
		if x, y := table.moves(direct), table.moves(flow); x != y {
			t.Fatalf("%d moves directly, %d by flow", x, y)
		}
	})
}

// From N to N+1 members the share that stays is at least N/(N+1), rounded for counts.
func TestOneMoreMemberMovesItsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, partitions := rapid.IntRange(1, 60).Draw(t, "members"), rapid.IntRange(1, 600).Draw(t, "partitions")
		var names []string
		for i := range n + 1 {
			names = append(names, fmt.Sprintf("m%03d", i))
		}
		before := Assign(partitions, names[:n], nil)
		d, err := Propose(Ask{Strategy: StrategyFewest, Before: before, Members: names})
		if err != nil {
			t.Fatal(err)
		}
		if most := partitions / (n + 1); d.Price.Moves > most {
			t.Fatalf("%d of %d moved for one more than %d members; the new one's share is %d", d.Price.Moves, partitions, n, most)
		}
		back, err := Propose(Ask{Strategy: StrategyFewest, Before: d.Assignment(), Members: names[:n]})
		if err != nil {
			t.Fatal(err)
		}
		if back.Price.Moves != back.Price.Forced {
			t.Fatalf("%d moved when a member left, %d had to", back.Price.Moves, back.Price.Forced)
		}
	})
}

// By load: the heaviest is within the tolerance of a longest-first plan made from
// scratch, and there are never more moves than in that plan.
func TestByLoadAgainstLongestFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAsk(t, 60, 9, rapid.Bool().Draw(t, "rules"))
		a.Strategy, a.Tolerance = StrategyLoad, rapid.SampledFrom([]float64{0, 0.01, 0.1, 0.5}).Draw(t, "tolerance")
		table, err := newTable(a)
		d, failed := Propose(a)
		if (err == nil) != (failed == nil) {
			t.Fatalf("%v, %v", err, failed)
		}
		if err != nil {
			return
		}
		checkDeal(t, a, d)
		scratch := table.longestFirst()
		if limit := table.heaviest(scratch) * (1 + tolerance(a.Tolerance)); table.heaviest(d.Owner) > limit*(1+1e-9) {
			t.Fatalf("heaviest %g, the limit is %g", table.heaviest(d.Owner), limit)
		}
		if x, y := table.moves(d.Owner), table.moves(scratch); x > y {
			t.Fatalf("%d moves, from scratch %d", x, y)
		}
	})
}
