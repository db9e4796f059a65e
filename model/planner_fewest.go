package model

import "container/heap"

// fewest deals even counts with the least movement. Where every free partition may go
// anywhere this is direct; otherwise it is a flow.
//
// Even means: the sum of the squares of the counts is the least that the rules allow,
// which without rules is every count rounded down or up from the mean.
func (t *table) fewest() ([]int, error) {
	for p, c := range t.class {
		if t.fixed[p] < 0 && c != 0 {
			return newEvenFlow(t).run(), nil
		}
	}
	return t.fewestFree(), nil
}

// fewestFree fills the members up level by level. Only in the last, partial level is
// there a choice, and those go first that keep a partition by it: so the number kept is
// the most that even counts allow.
func (t *table) fewestFree() []int {
	owner := make([]int, t.n)
	own, wants := make([]int, len(t.members)), make([]int, len(t.members))
	free := 0
	for p := range t.n {
		owner[p] = t.fixed[p]
		switch {
		case t.fixed[p] >= 0:
			own[t.fixed[p]]++
		default:
			free++
			if h := t.home[p]; h >= 0 {
				wants[h]++
			}
		}
	}
	room := make([]int, len(t.members))
	levels := &levelHeap{wants: wants, level: own}
	for m := range t.members {
		if !t.reserve[m] {
			levels.order = append(levels.order, m)
		}
	}
	heap.Init(levels)
	for range free {
		m := levels.order[0]
		room[m]++
		levels.level[m]++
		levels.wants[m]--
		heap.Fix(levels, 0)
	}
	for p, h := range t.home {
		if owner[p] < 0 && h >= 0 && room[h] > 0 {
			owner[p] = h
			room[h]--
		}
	}
	next := 0
	for p := range owner {
		if owner[p] >= 0 {
			continue
		}
		for room[next] == 0 {
			next++
		}
		owner[p] = next
		room[next]--
	}
	return owner
}

// levelHeap orders members by what they have, then those first that keep one more.
type levelHeap struct {
	order, level, wants []int
}

func (h *levelHeap) Len() int { return len(h.order) }
func (h *levelHeap) Less(i, j int) bool {
	a, b := h.order[i], h.order[j]
	switch {
	case h.level[a] != h.level[b]:
		return h.level[a] < h.level[b]
	case (h.wants[a] > 0) != (h.wants[b] > 0):
		return h.wants[a] > 0
	}
	return a < b
}
func (h *levelHeap) Swap(i, j int) { h.order[i], h.order[j] = h.order[j], h.order[i] }
func (h *levelHeap) Push(any)      {}
func (h *levelHeap) Pop() any      { return nil }
