package tui

import (
	"fmt"
	"slices"

	"pcgtop/model"
)

// flowFacts says how an elastic group is fed, and how long what waits will take.
func flowFacts(g *model.Group) []string {
	var facts []string
	if h := g.Hop; h != nil {
		facts = append(facts, "source "+string(h.State)+behindWords(h))
	}
	if left, ok := g.Drain(); ok && g.Lag() > 0 {
		facts = append(facts, "empty in "+age(left))
	}
	return facts
}

// behindWords is how much waits at the origin; ~ where that is put together from
// answers of different times.
func behindWords(h *model.Hop) string {
	if h.Behind == 0 {
		return ""
	}
	mark := ""
	if h.About {
		mark = "~"
	}
	return fmt.Sprintf(", %s%s at the origin", mark, number(h.Behind, 12))
}

// lagCell draws a group's lag, or what of it waits, with ~ where it is put together from
// answers of different times and ≥ where more may wait.
func lagCell(t *theme, group func(int) *model.Group, of func(*model.Group) uint64) func(*row, int, int) {
	return func(r *row, i, w int) {
		g := group(i)
		switch n := of(g); {
		case !g.LagKnown(), n == 0 && g.LagAtLeast():
			r.right(t.dim, "-", w)
		case g.LagAtLeast():
			r.right(t.text, "≥"+number(n, w-1), w)
		case n > 0 && g.About():
			r.right(t.text, "~"+number(n, w-1), w)
		default:
			r.right(quiet(t, n), number(n, w), w)
		}
	}
}

// history is how the lag went, where it is known.
func history(g *model.Group) []uint64 {
	if !g.LagKnown() {
		return nil
	}
	return g.History[max(0, len(g.History)-model.HistoryLen):]
}

// trend draws how the lag went, with a sign in the middle where there is nothing to draw:
// bars of no height look as if they were still to grow.
func trend(r *row, t *theme, st style, history []uint64, w int) {
	switch {
	case len(history) == 0:
		r.right(t.dim, "-", w/2+1)
	case slices.Max(history) == 0:
		r.right(t.dim, "0", w/2+1)
	default:
		r.right(st, spark(history, w), w)
	}
}

// pending draws what waits for members that have no consumer, where it was counted, and
// other members as they are.
func (l *memberList) pending(t *theme, cell func(*row, int, int)) func(*row, int, int) {
	counted := l.group.Counted()
	return func(r *row, i, w int) {
		m := l.group.Members[i]
		if m.Consumer != nil || !m.Configured || !counted {
			cell(r, i, w)
			return
		}
		n, _ := l.group.CountOf(m.Partitions)
		st := t.bad
		if n == 0 {
			st = t.dim
		}
		st.bold = false
		r.right(st, number(n, w), w)
	}
}
