package model

import (
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
)

// ring is a consistent-hash ring of 150 virtual nodes a member: what many systems deal
// partitions by, to compare with.
func ring(partitions int, members []string) Assignment {
	type point struct {
		at     uint64
		member int
	}
	const virtual = 150
	hash := func(text string) uint64 {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text))
		x := h.Sum64() // mixed on: FNV alone leaves the names of one member close together
		x ^= x >> 33
		x *= 0xff51afd7ed558ccd
		x ^= x >> 33
		x *= 0xc4ceb9fe1a85ec53
		return x ^ x>>33
	}
	var points []point
	for m, name := range members {
		for v := range virtual {
			points = append(points, point{hash(fmt.Sprintf("%s#%d", name, v)), m})
		}
	}
	slices.SortFunc(points, func(a, b point) int {
		if a.at < b.at {
			return -1
		}
		return 1
	})
	a := Assignment{Members: members, Owner: make([]int, partitions)}
	for p := range a.Owner {
		at := hash(fmt.Sprintf("partition-%d", p))
		i := sort.Search(len(points), func(i int) bool { return points[i].at >= at })
		a.Owner[p] = points[i%len(points)].member
	}
	return a
}

func named(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("m%03d", i+1)
	}
	return list
}

// ringTable compares strategies with the ring, on a group that grows or shrinks by a
// member: the share that stays, and the heaviest member against the mean.
func ringTable(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| partitions | members | ring | balanced | fewest moves | by load |\n|---|---|---|---|---|---|\n")
	for _, c := range []struct{ partitions, from, to int }{{16, 3, 4}, {64, 4, 5}, {64, 5, 4}, {256, 16, 17}, {1024, 64, 65}, {1024, 65, 64}} {
		fmt.Fprintf(&b, "| %d | %d ▸ %d |", c.partitions, c.from, c.to)
		before, after := ring(c.partitions, named(c.from)), ring(c.partitions, named(c.to))
		cell := func(p Price) { fmt.Fprintf(&b, " %.0f %%, %.2f× |", 100*p.Locality, p.After.Ratio()) }
		cell(PriceOf(before, after, nil))
		for _, s := range []Strategy{StrategyBalanced, StrategyFewest, StrategyLoad} {
			d, err := Propose(Ask{Strategy: s, Before: Assign(c.partitions, named(c.from), nil), Members: named(c.to)})
			if err != nil {
				t.Fatal(err)
			}
			cell(d.Price)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// The README's table is what comes out.
func TestRingTable(t *testing.T) {
	table := ringTable(t)
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), table) {
		t.Errorf("the README compares otherwise; this is what comes out:\n%s", table)
	}
}
