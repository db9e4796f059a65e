package model

import (
	"slices"
	"sort"
)

// byLoad deals so that the heaviest member is at most the tolerance above that of a
// longest-first plan made from scratch, and moves as little as it finds a way to: never
// more than that plan, which is what it falls back to.
func (t *table) byLoad(tolerance float64) ([]int, error) {
	best := t.longestFirst()
	limit := t.heaviest(best) * (1 + tolerance)
	if relabelled := t.relabelled(best); t.moves(relabelled) < t.moves(best) {
		best = relabelled
	}
	mean := 0.0
	for _, w := range t.weights {
		mean += w / float64(len(t.members))
	}
	const tries = 5 // shedding more at once makes it easier to fit, and costs moves
	for i := range tries {
		shed := limit - (limit-min(mean, limit))*float64(i)/tries
		if owner, fits := t.shed(shed, limit); fits {
			if better(t, owner, best) {
				best = owner
			}
			break
		}
	}
	return best, nil
}

// better prefers fewer moves, then the lighter heaviest member.
func better(t *table, a, b []int) bool {
	if x, y := t.moves(a), t.moves(b); x != y {
		return x < y
	}
	return t.heaviest(a) < t.heaviest(b)
}

// longestFirst gives the heaviest partition to the lightest member, and so on, without
// regard to who owns what now.
func (t *table) longestFirst() []int {
	owner := slices.Clone(t.fixed)
	l := newLoads(t, owner)
	for _, p := range t.heaviestFirst() {
		if owner[p] < 0 {
			l.give(p, l.least.of(t.class[p]))
		}
	}
	return owner
}

func (t *table) heaviestFirst() []int {
	order := make([]int, t.n)
	for p := range order {
		order[p] = p
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case t.weights[a] > t.weights[b]:
			return -1
		case t.weights[a] < t.weights[b]:
			return 1
		}
		return 0
	})
	return order
}

// shed starts from the present owners, takes from members above the shedding limit the
// fewest partitions that bring them below it, and gives those, and all without an
// owner, to the lightest. The second value is false when that ends above the limit.
func (t *table) shed(shedding, limit float64) ([]int, bool) {
	owner := slices.Clone(t.fixed)
	for p := range owner {
		if owner[p] < 0 {
			owner[p] = t.home[p]
		}
	}
	l := newLoads(t, owner)
	order := t.heaviestFirst()
	held := make([][]int, len(t.members)) // free ones, heaviest first
	for _, p := range order {
		if m := owner[p]; m >= 0 && t.fixed[p] < 0 {
			held[m] = append(held[m], p)
		}
	}
	for m := range t.members {
		for l.load[m] > shedding && len(held[m]) > 0 {
			over := l.load[m] - shedding
			enough := sort.Search(len(held[m]), func(i int) bool { return t.weights[held[m][i]] < over })
			i := max(0, enough-1) // the lightest that is enough alone, else the heaviest
			l.take(held[m][i])
			held[m] = slices.Delete(held[m], i, i+1)
		}
	}
	for _, p := range order {
		if owner[p] < 0 {
			l.give(p, l.least.of(t.class[p]))
		}
	}
	l.home(limit)
	return owner, t.heaviest(owner) <= limit
}

// relabelled gives each share of a deal to the member that already has most of it, as
// far as rules leave that open.
func (t *table) relabelled(owner []int) []int {
	if len(t.rules.Alone)+len(t.rules.Only)+len(t.rules.Keep) > 0 {
		return owner
	}
	type pair struct{ share, member, common int }
	common := map[[2]int]int{}
	for p, o := range owner {
		if h := t.home[p]; h >= 0 {
			common[[2]int{o, h}]++
		}
	}
	pairs := make([]pair, 0, len(common))
	for k, n := range common {
		pairs = append(pairs, pair{k[0], k[1], n})
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if a.common != b.common {
			return b.common - a.common
		}
		if a.share != b.share {
			return a.share - b.share
		}
		return a.member - b.member
	})
	to, taken := make([]int, len(t.members)), make([]bool, len(t.members))
	for i := range to {
		to[i] = -1
	}
	for _, c := range pairs {
		if to[c.share] < 0 && !taken[c.member] {
			to[c.share], taken[c.member] = c.member, true
		}
	}
	next := 0
	for i := range to {
		if to[i] >= 0 {
			continue
		}
		for taken[next] {
			next++
		}
		to[i], taken[next] = next, true
	}
	out := make([]int, t.n)
	for p, o := range owner {
		out[p] = to[o]
	}
	return out
}

func (t *table) moves(owner []int) int {
	n := 0
	for p, o := range owner {
		if o != t.home[p] {
			n++
		}
	}
	return n
}

func (t *table) heaviest(owner []int) float64 {
	load := make([]float64, len(t.members))
	for p, o := range owner {
		load[o] += t.weights[p]
	}
	return slices.Max(load)
}

// loads is a deal being made, with what each member has.
type loads struct {
	t     *table
	owner []int
	load  []float64
	count []int
	least *lightest
}

func newLoads(t *table, owner []int) *loads {
	l := &loads{t: t, owner: owner, load: make([]float64, len(t.members)), count: make([]int, len(t.members))}
	for p, o := range owner {
		if o >= 0 {
			l.load[o] += t.weights[p]
			l.count[o]++
		}
	}
	l.least = newLightest(l)
	return l
}

func (l *loads) give(p, m int) {
	l.owner[p] = m
	l.load[m] += l.t.weights[p]
	l.count[m]++
	l.least.changed(m)
}

func (l *loads) take(p int) {
	m := l.owner[p]
	l.owner[p] = -1
	l.load[m] -= l.t.weights[p]
	l.count[m]--
	l.least.changed(m)
}

// home sends back what fits within the limit after all.
func (l *loads) home(limit float64) {
	for p, h := range l.t.home {
		if h >= 0 && l.t.fixed[p] < 0 && l.owner[p] != h && l.load[h]+l.t.weights[p] <= limit {
			l.take(p)
			l.give(p, h)
		}
	}
}
