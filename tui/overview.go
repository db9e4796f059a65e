package tui

import (
	"strings"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// overview is the list of groups, worst first. Within a verdict the order is by name,
// so that a row moves only when its verdict changes.
type overview struct {
	rows     []*model.Group // shown, in order
	total    int            // all there are
	selected model.Key
	chosen   bool // the selection was moved by hand
	index    int  // where the selection is, to stay near it when it vanishes
	top      int
	filter   input
	typing   bool
	signs    int // widest verdict
	names    int // widest group name
}

// take sorts and filters a snapshot's groups.
func (o *overview) take(s *model.Snapshot) {
	o.rows, o.total, o.signs, o.names = o.rows[:0:0], len(s.Groups), len("VERDICT"), len("GROUP")
	byRank := map[int][]*model.Group{}
	worst, best := 0, 0
	want := strings.ToLower(o.filter.text())
	for _, g := range s.Groups {
		if want != "" && !matches(g, want) {
			continue
		}
		rank := g.Verdict.Rank()
		byRank[rank] = append(byRank[rank], g)
		worst, best = min(worst, rank), max(best, rank)
		o.signs = max(o.signs, len(g.Verdict)+2)
		o.names = max(o.names, glyph.Width(glyph.Clean(g.Key.String())))
	}
	for rank := worst; rank <= best; rank++ {
		o.rows = append(o.rows, byRank[rank]...)
	}
	o.find()
}

func matches(g *model.Group, want string) bool {
	return strings.Contains(strings.ToLower(g.Key.String()+" "+string(g.Key.Kind)+" "+string(g.Verdict)), want)
}

// find follows the selection by identity. When it is gone the neighbour takes over.
func (o *overview) find() {
	if o.chosen {
		for i, g := range o.rows {
			if g.Key == o.selected {
				o.index = i
				return
			}
		}
	} else {
		o.index = 0
	}
	o.pick(o.index)
}

// pick selects by position.
func (o *overview) pick(i int) {
	o.index = max(0, min(i, len(o.rows)-1))
	if o.index < len(o.rows) {
		o.selected = o.rows[o.index].Key
	}
}

// move handles what moves the selection.
func (o *overview) move(id keymap.ID, page int) bool {
	i, ok := moved(id, o.index, len(o.rows), page)
	if ok {
		o.chosen = true
		o.pick(i)
	}
	return ok
}

// moved is where a move leads in a list.
func moved(id keymap.ID, i, n, page int) (int, bool) {
	switch id {
	case keymap.Up:
		i--
	case keymap.Down:
		i++
	case keymap.Top:
		i = 0
	case keymap.Bottom:
		i = n - 1
	case keymap.PageUp:
		i -= max(1, page)
	case keymap.PageDown:
		i += max(1, page)
	case keymap.HalfUp:
		i -= max(1, page/2)
	case keymap.HalfDown:
		i += max(1, page/2)
	default:
		return i, false
	}
	return max(0, min(i, n-1)), true
}

// visible is the keys of the rows on the screen.
func (o *overview) visible(rows int) []model.Key {
	var keys []model.Key
	for _, g := range o.rows[min(o.top, len(o.rows)):min(o.top+max(0, rows), len(o.rows))] {
		keys = append(keys, g.Key)
	}
	return keys
}

// tableRows is how many groups fit into a body of h lines: a blank, the heads, and
// what is said below the table take the others.
func (o *overview) tableRows(h int) int {
	rows := h - 2
	if o.filtering() {
		rows--
	}
	if h >= 16 {
		rows -= overviewBelow
	}
	return max(1, rows)
}

func (o *overview) filtering() bool { return o.typing || o.filter.text() != "" }

// overviewBelow is the least that the selection's detail and the events get.
const overviewBelow = 7

// view draws the body.
func (o *overview) view(m *Model, w, h int) []*row {
	t := m.theme
	var lines []*row
	if o.filtering() {
		lines = append(lines, o.filterLine(t, w))
	} else {
		lines = append(lines, t.row())
	}
	if len(o.rows) == 0 {
		return append(lines, o.empty(m, w)...)
	}
	rows := min(o.tableRows(h), len(o.rows))
	tab := fitted(o.columns(m, w-2), w-2)
	heads := t.row().gap(1)
	lines = append(lines, tab.head(heads, t.head))
	for i := o.top; i < min(o.top+rows, len(o.rows)); i++ {
		g := o.rows[i]
		r := t.row()
		sel := g.Key == o.selected
		if sel {
			r.put(t.accent.strong(), "▌")
		} else {
			r.gap(1)
		}
		tab.draw(r, i)
		if m.outdated(g) != "" {
			r = t.old(r)
		}
		r.fit(w)
		if sel {
			r = t.selected(r)
		}
		lines = append(lines, r)
	}
	return append(lines, o.below(m, w, h-len(lines))...)
}

func (o *overview) filterLine(t *theme, w int) *row {
	r := t.row().gap(1).put(t.key, "/ ")
	count := number(uint64(len(o.rows)), 9) + " of " + number(uint64(o.total), 9) + " shown"
	o.filter.draw(r, t, max(4, w-len(count)-6), o.typing)
	return r.gap(2).put(t.dim, count)
}
