package tui

import (
	"fmt"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// columns are the overview's, fullest form. What is dropped first says least about
// whether somebody has to act.
func (o *overview) columns(m *Model, w int) []column {
	t := m.theme
	group := func(i int) *model.Group { return o.rows[i] }
	count := func(f func(*model.Group) uint64) func(*row, int, int) {
		return func(r *row, i, w int) {
			if g := group(i); unread(g) {
				r.right(t.dim, "-", w)
			} else {
				r.right(quiet(t, f(g)), number(f(g), w), w)
			}
		}
	}
	flow := func(f func(*model.Group) float64) func(*row, int, int) {
		return func(r *row, i, w int) {
			switch g := group(i); {
			case unread(g), g.RateSpan == 0: // not measured is not zero
				r.right(t.dim, "-", w)
			case f(g) <= 0:
				r.right(t.dim, "0", w)
			default:
				r.right(t.text, rate(f(g), w), w)
			}
		}
	}
	wide := w >= 130
	pending, lag := 0, 8
	if wide {
		pending, lag = 8, 0
	}
	if w < 60 {
		lag = 6
	}
	sign := o.signs
	if w < 60 {
		sign = 1
	}
	unacked := 0
	if wide {
		unacked = 7
	}
	return []column{
		{title: o.signTitle(sign), want: sign, cell: func(r *row, i, w int) {
			s, st := t.verdict(group(i).Verdict)
			if w > 1 {
				s += " " + string(group(i).Verdict)
			}
			r.left(st, s, w)
		}},
		{title: "GROUP", want: min(o.names, max(20, w/3)), least: min(o.names, max(12, w/4)), cell: func(r *row, i, w int) { groupName(r, t, group(i).Key, w) }},
		{title: "KIND", want: 7, keep: 2, cell: func(r *row, i, w int) { r.left(t.dim, string(group(i).Key.Kind), w) }},
		{title: "PARTS", want: 5, keep: 1, right: true, cell: func(r *row, i, w int) {
			r.right(t.dim, number(uint64(len(group(i).Partitions)), w), w)
		}},
		{title: "MEMBERS", want: 7, keep: 9, right: true, cell: func(r *row, i, w int) {
			pulling, configured := group(i).Pulling()
			st := t.text
			if unread(group(i)) {
				r.right(t.dim, fmt.Sprintf("-/%d", configured), w)
				return
			}
			if pulling < configured || configured == 0 {
				st = t.warn
			}
			r.right(st, fmt.Sprintf("%d/%d", pulling, configured), w)
		}},
		{title: "PINNED", want: 7, keep: 6, right: true, cell: func(r *row, i, w int) {
			pinned, standby := group(i).Instances()
			if unread(group(i)) {
				r.right(t.dim, "-", w)
				return
			}
			r.right(t.text, fmt.Sprintf("%d +%d", pinned, standby), w)
		}},
		{title: "PENDING", want: pending, keep: 10, right: true, cell: count(waiting)},
		{title: "LAG", want: lag, right: true, cell: lagCell(t, group)},
		{title: "UNACKED", want: unacked, keep: 3, right: true, cell: count(func(g *model.Group) uint64 { return g.AckPending })},
		{title: "OUT/S", want: 6, keep: 7, right: true, cell: flow(func(g *model.Group) float64 { return g.Out })},
		{title: "IN/S", want: 6, keep: 4, right: true, cell: flow(func(g *model.Group) float64 { return g.In })},
		{title: "LAG 2 MIN", want: 9, keep: 5, cell: func(r *row, i, w int) {
			st := t.shade
			if group(i).Verdict.InNeed() {
				_, st = t.verdict(group(i).Verdict)
				st.bold = false
			}
			r.right(st, spark(group(i).History, w), w)
		}},
		{title: "WHY", want: 80, least: max(8, min(36, w/4)), rest: true, cell: func(r *row, i, w int) {
			text, st := why(m, group(i))
			r.left(st, text, w)
		}},
	}
}

func (o *overview) signTitle(w int) string {
	if w == 1 {
		return " "
	}
	return "VERDICT"
}

// unread tells whether nothing was ever read of a group's consumers: then a zero would
// be a lie.
func unread(g *model.Group) bool { return g.ReadAt.IsZero() }

// waiting is what was not delivered yet, with what lies in the work stream for nobody.
func waiting(g *model.Group) uint64 { return g.Lag() - min(g.Lag(), g.AckPending) }

// quiet dims what is nothing.
func quiet(t *theme, n uint64) style {
	if n == 0 {
		return t.dim
	}
	return t.text
}

// groupName draws STREAM/GROUP with the stream in the second place.
func groupName(r *row, t *theme, k model.Key, w int) {
	if k.Stream == "" || glyph.Width(r.safe(k.String())) > w {
		r.name(t.text, k.String(), w)
		return
	}
	r.put(t.dim, k.Stream+"/").put(t.text, k.Group)
}

// why is the worst that is to be said about a group, and how bad it is.
func why(m *Model, g *model.Group) (string, style) {
	old := m.outdated(g)
	if len(g.Findings) == 0 {
		return old, m.theme.dim
	}
	f := g.Findings[0]
	_, st := m.theme.severity(f.Severity)
	if f.Severity == model.Info {
		st = m.theme.dim
	}
	st.bold = false
	if old != "" {
		return old + ": " + f.Text, st
	}
	return f.Text, st
}
