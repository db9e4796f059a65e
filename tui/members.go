package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// memberList is the table of a group's members, with the instances of each. The
// selection follows the names.
type memberList struct {
	group    *model.Group
	table    []memberRow
	selected string // member
	instance string // of it, by id; empty: the member itself
	index    int
	top      int
	names    int                       // widest name
	states   int                       // widest state
	parts    int                       // widest list of partitions
	trouble  map[string]model.Severity // the worst that was found of a member
}

// worst is the worst finding about each member that needs somebody.
func worst(g *model.Group) map[string]model.Severity {
	found := map[string]model.Severity{}
	for _, f := range g.Findings { // the worst come first
		if _, known := found[f.Member]; !known && f.Severity != model.Info {
			found[f.Member] = f.Severity
		}
	}
	return found
}

// look is a member's sign and look: that of its state, or of what was found of it where
// its state alone would look well.
func (l *memberList) look(t *theme, m *model.Member) (string, style) {
	return memberLook(t, m, l.trouble)
}

func memberLook(t *theme, m *model.Member, trouble map[string]model.Severity) (string, style) {
	sign, st := t.state(m.State)
	if m.Live {
		sign, st = " ", t.ok
	}
	if s, bad := trouble[m.Name]; bad && (sign == " " || sign == "·") {
		return t.severity(s)
	}
	if sign == " " && m.Flapping() {
		return t.severity(model.Warning)
	}
	return sign, st
}

func (l *memberList) take(g *model.Group) {
	l.group, l.trouble, l.table = g, worst(g), memberRows(g)
	l.names, l.states, l.parts = len("MEMBER"), len("pinned 0.0 s"), len("PARTITIONS") // ages come and go: no jumping
	if l.selected == "" {
		l.selected = culprit(g)
	}
	found := -1
	for n := range l.table {
		m, i := l.at(n)
		if i != nil {
			l.names = max(l.names, glyph.Width(glyph.Clean(i.Name()))+2)
			l.states = max(l.states, glyph.Width(roleWords(m, i)))
			if m.Name == l.selected && i.ID == l.instance {
				found = n
			}
			continue
		}
		l.names = max(l.names, glyph.Width(glyph.Clean(m.Name)))
		l.states = max(l.states, glyph.Width(stateWords(m)))
		l.parts = max(l.parts, ownedWidth(g, m))
		if m.Name == l.selected {
			found = n // or one of its instances, below
		}
	}
	if found >= 0 {
		l.pick(found)
	} else {
		l.pick(l.index)
	}
}

// culprit is the member that the worst finding is about: the keys should act on it.
func culprit(g *model.Group) string {
	if len(g.Findings) > 0 && g.Findings[0].Severity != model.Info {
		return g.Findings[0].Member
	}
	return ""
}

func (l *memberList) pick(i int) {
	l.index = max(0, min(i, len(l.table)-1))
	l.selected, l.instance = "", ""
	if len(l.table) == 0 {
		return
	}
	m, in := l.at(l.index)
	l.selected = m.Name
	if in != nil {
		l.instance = in.ID
	}
}

func (l *memberList) move(id keymap.ID, page int) {
	if i, ok := moved(id, l.index, len(l.table), page-2); ok {
		l.pick(i)
	}
}

// lines is how many lines the table would like: the heads, the members with their
// instances, and what is said about the selected one.
func (l *memberList) lines() int { return max(1, len(l.table)) + 1 + memberDetail }

// memberDetail is the lines below the table, with the blank before them. In a low panel
// the last is missing, or all are.
const memberDetail = 4

// detailRoom is how many lines of detail there are in a panel of h lines.
func detailRoom(h int) int {
	switch {
	case h >= 12:
		return memberDetail
	case h >= 8:
		return memberDetail - 1
	}
	return 0
}

// rows is how many members and instances fit into h lines.
func (l *memberList) rows(h int) int { return max(1, h-detailRoom(h)-1) }

func (l *memberList) settle(h int) {
	l.top = scrolled(l.top, l.index, len(l.table), l.rows(h))
}

// stateWords is a member's state, and since when or for how long.
func stateWords(m *model.Member) string {
	s := string(m.State)
	if m.Flapping() && (m.State == model.StatePinned || m.State == model.StateWaiting) {
		return fmt.Sprintf("flapping %d/min", m.PinChangesPerMinute())
	}
	if c := m.Consumer; c != nil {
		switch {
		case m.State == model.StatePinned && !c.PinnedAt.IsZero():
			s += " " + since(c.PinnedAt, c.TS)
		case m.State == model.StatePaused:
			s += " " + age(c.PauseRemaining) + " more"
		case m.State == model.StateNoPull && !c.PullSeen.IsZero():
			s += " " + since(c.PullSeen, c.TS)
		}
	}
	return s
}

// view draws the table into w by h, and gives the title what is said beside it.
func (l *memberList) view(m *Model, title *row, w, h int, focused bool) []*row {
	t := m.theme
	n := len(l.table)
	if n == 0 {
		return []*row{t.row().gap(1).put(t.dim, "no members")}
	}
	rows := l.rows(h)
	title.put(t.dim, more(l.top, n, rows))
	l.hearing(t, title, m.snap.Taken)
	tab := fitted(l.columns(t, w-2), w-2)
	rest := l.instanceColumns(m, w-2-tab.upTo(3)-tab.gap)
	lines := []*row{tab.head(t.row().gap(1), t.head)}
	for i := l.top; i < min(n, l.top+rows); i++ {
		sel := i == l.index
		r := t.row()
		if sel {
			r.put(t.accent.strong(), "▌")
		} else {
			r.gap(1)
		}
		if l.table[i].instance < 0 {
			tab.draw(r, l.table[i].member)
		} else {
			r.join(l.instanceRow(m, tab, rest, i))
		}
		r.fit(w)
		if sel && focused {
			r = t.selected(r)
		}
		lines = append(lines, r.on(l.clicked(i, sel && focused)))
	}
	if room := h - len(lines); room >= memberDetail-1 {
		lines = append(lines, portion(l.detail(m, w), 0, room)...)
	}
	return lines[:min(len(lines), h)]
}

// clicked selects the member or the instance of a line, and opens what is selected.
func (l *memberList) clicked(n int, again bool) *target {
	mem, in := l.at(n)
	return &target{click: func(m *Model) tea.Cmd {
		if again {
			return m.do(keymap.Open)
		}
		if l.selected, l.instance = mem.Name, ""; in != nil {
			l.instance = in.ID
		}
		l.take(l.group)
		return nil
	}}
}

// columns are the table's, fullest form.
func (l *memberList) columns(t *theme, w int) []column {
	member := func(i int) *model.Member { return l.group.Members[i] }
	consumer := func(f func(*model.Consumer) uint64) func(*row, int, int) {
		return func(r *row, i, w int) {
			if c := member(i).Consumer; c != nil {
				r.right(quiet(t, f(c)), number(f(c), w), w)
			} else {
				r.right(t.dim, "-", w)
			}
		}
	}
	flow := func(f func(*model.Consumer) float64) func(*row, int, int) {
		return func(r *row, i, w int) {
			c := member(i).Consumer
			switch {
			case c == nil, c.RateSpan == 0: // not measured is not zero
				r.right(t.dim, "-", w)
			case f(c) <= 0:
				r.right(t.dim, "0", w)
			default:
				r.right(t.text, rate(f(c), w), w)
			}
		}
	}
	letters := len(model.Letter(len(l.group.Members) - 1))
	pins := func(n int) int { // where no instance is pinned there is nothing to say of it
		if l.group.Pins() {
			return n
		}
		return 0
	}
	return []column{
		{title: " ", want: letters, cell: func(r *row, i, w int) { r.left(t.member(i), model.Letter(i), w) }},
		{title: "MEMBER", want: min(l.names, 40), least: min(l.names, max(8, w/4)), cell: func(r *row, i, w int) { r.name(t.text.strong(), member(i).Name, w) }},
		{title: "  STATE", want: l.states + 2, least: min(l.states+2, max(10, w/3)), cell: func(r *row, i, w int) {
			sign, st := l.look(t, member(i))
			r.sign(st, sign).left(st, stateWords(member(i)), w-2)
		}},
		{title: "PARTITIONS", want: min(l.parts, max(12, w/4)), least: min(l.parts, max(6, w/7)), keep: 9, cell: func(r *row, i, w int) {
			if len(member(i).Partitions) == 0 {
				r.left(t.dim, noneOf(l.group), w)
				return
			}
			r.left(t.text, ownedIn(l.group, member(i), w), w)
		}},
		{title: "PENDING", want: 7, keep: 10, right: true, cell: l.pending(t, consumer(func(c *model.Consumer) uint64 { return c.Pending }))},
		{title: "UNACKED", want: 7, keep: 6, right: true, cell: consumer(func(c *model.Consumer) uint64 { return c.AckPending })},
		{title: "OUT/S", want: 5, keep: 5, right: true, cell: flow(func(c *model.Consumer) float64 { return c.Out })},
		{title: "IN/S", want: 5, keep: 3, right: true, cell: flow(func(c *model.Consumer) float64 { return c.In })},
		{title: "INST", want: pins(5), keep: 4, right: true, cell: func(r *row, i, w int) {
			n := l.group.InstancesOf(member(i))
			text := n.String()
			if n.AtMost && len(member(i).Running) > 0 { // a bound would contradict the list
				text = fmt.Sprintf("%d +…", n.Pinned)
			}
			r.right(quiet(t, uint64(n.Pinned+n.Standby)), text, w)
		}},
		{title: "PIN", want: pins(7), keep: 2, cell: func(r *row, i, w int) {
			if c := member(i).Consumer; c != nil && c.PinID != "" {
				r.left(t.dim, model.ShortID(c.PinID), w)
			}
		}},
		{title: "WHY", want: l.whyWidth(), least: min(l.whyWidth(), 30), keep: 1, cell: func(r *row, i, w int) { r.left(t.dim, member(i).Why, w) }},
	}
}

// noneOf is what stands for the partitions of a member that has none.
func noneOf(g *model.Group) string {
	if g.Unsure {
		return "unknown"
	}
	return "none"
}

// whyWidth is 0 when there is nothing to be said.
func (l *memberList) whyWidth() int {
	w := 0
	for _, m := range l.group.Members {
		w = max(w, min(60, glyph.Width(glyph.Clean(m.Why))))
	}
	return w
}
