package model

import "slices"

// lightest knows, for every set of members that some partition may be on, the one of them
// with the least load, then the fewest partitions, then the first name. It is a tree of
// matches for each set: a member that gets or gives up a partition plays its matches
// anew, so that a deal costs little even with a hundred thousand members.
type lightest struct {
	l     *loads
	trees [][]int // by class; the winners, the root at 1 and the members' places at the end; nobody is -1
}

// newLightest plays all matches.
func newLightest(l *loads) *lightest {
	x := &lightest{l: l}
	for _, may := range l.t.may {
		n := len(may)
		tree := slices.Repeat([]int{-1}, 2*n)
		for m, ok := range may {
			if ok {
				tree[n+m] = m
			}
		}
		for i := n - 1; i > 0; i-- {
			tree[i] = x.winner(tree[2*i], tree[2*i+1])
		}
		x.trees = append(x.trees, tree)
	}
	return x
}

func (x *lightest) winner(a, b int) int {
	switch {
	case a < 0:
		return b
	case b < 0:
		return a
	}
	switch l := x.l; {
	case l.load[a] != l.load[b]:
		return pick(a, b, l.load[a] < l.load[b])
	case l.count[a] != l.count[b]:
		return pick(a, b, l.count[a] < l.count[b])
	}
	return min(a, b)
}

func pick(a, b int, first bool) int {
	if first {
		return a
	}
	return b
}

// changed plays the matches of a member anew.
func (x *lightest) changed(m int) {
	for c, may := range x.l.t.may {
		if !may[m] {
			continue
		}
		tree := x.trees[c]
		for i := (len(may) + m) / 2; i > 0; i /= 2 {
			tree[i] = x.winner(tree[2*i], tree[2*i+1])
		}
	}
}

// of is the lightest member that a class of partitions may be on; -1: there is none.
func (x *lightest) of(class int) int { return x.trees[class][1] }
