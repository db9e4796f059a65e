package tui

import (
	"fmt"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// eventsView is what happened, newest first: in one group or in all. The selection
// follows the event.
type eventsView struct {
	of     *model.Key    // nil: all groups
	group  *model.Key    // the group that tab goes back to
	rows   []model.Event // shown
	total  int           // without the filter
	chosen uint64        // the event that is selected, by its number; 0: the newest, whichever that is
	index  int
	top    int
	page   int
	filter input
	typing bool
	stead  stead[uint64]
}

// openEvents shows the events of the open group, or of all.
func (m *Model) openEvents() {
	v := &eventsView{}
	if m.group != nil {
		k := m.group.key
		v.of, v.group = &k, &k
	}
	m.events = v
	v.take(m.snap)
}

// take filters a snapshot's events.
func (v *eventsView) take(s *model.Snapshot) {
	v.rows, v.total = v.rows[:0:0], 0
	want, home := terms(v.filter.text()), v.stead.home(v.filter.text(), v.chosen)
	was, now := -1, -1 // where that stands among all, and what is selected so far
	var places []int   // and the rows
	for _, e := range s.Events {
		if v.of != nil && !e.Concerns(*v.of) {
			continue
		}
		if e.Seq == home {
			was = v.total
		}
		if e.Seq == v.chosen {
			now = v.total
		}
		if !slices.ContainsFunc(want, func(t term) bool { return t.tells(e) == t.not }) {
			v.rows, places = append(v.rows, e), append(places, v.total)
		}
		v.total++
	}
	if was < 0 { // it is told no more
		home, was = v.chosen, now
	}
	switch {
	case home == 0:
		v.pick(0, false)
	case was < 0:
		v.pick(v.index, true)
		home = v.chosen
	case len(places) == 0:
		v.index, v.chosen = 0, home
	default:
		v.pick(nearest(places, was), true)
	}
	v.stead.put(home, v.chosen)
}

func (v *eventsView) pick(i int, follow bool) {
	v.index, v.chosen = max(0, min(i, len(v.rows)-1)), 0
	if follow && v.index < len(v.rows) {
		v.chosen = v.rows[v.index].Seq
	}
}

func (v *eventsView) move(id keymap.ID, page int) {
	if i, ok := moved(id, v.index, len(v.rows), page); ok && len(v.rows) > 0 {
		v.pick(i, i > 0)
		v.stead.end(v.chosen)
	}
}

// selected is the event that keys act upon; nil when there is none.
func (v *eventsView) selected() *model.Event {
	if v.index < len(v.rows) {
		return &v.rows[v.index]
	}
	return nil
}

func (v *eventsView) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	if v.typing {
		v.typed(m, id, k)
		return nil
	}
	switch id {
	case keymap.Back:
		if v.filter.text() == "" {
			m.events = nil
		}
		v.filtered(m, "")
	case keymap.Search:
		v.typing = true
	case keymap.Scope:
		v.rescope(m)
	case keymap.Open:
		v.jump(m)
	default:
		v.move(id, v.page)
	}
	return nil
}

func (v *eventsView) typed(m *Model, id keymap.ID, k tea.KeyPressMsg) {
	switch id {
	case keymap.Close:
		v.typing = false
		v.filtered(m, "")
	case keymap.Open:
		v.typing = false
	case keymap.Up, keymap.Down:
		v.move(id, 1)
	default:
		if v.filter.key(k) {
			v.take(m.snap)
		}
	}
}

func (v *eventsView) filtered(m *Model, text string) {
	v.filter.value = text
	v.take(m.snap)
}

// rescope goes from one group's events to all, and back.
func (v *eventsView) rescope(m *Model) {
	switch {
	case v.of != nil:
		v.of = nil
	case v.group != nil:
		v.of = v.group
	default: // opened from the list of groups: the selected event's
		if e := v.selected(); e != nil && e.Key != (model.Key{}) {
			k := e.Key
			v.of, v.group = &k, &k
		}
	}
	v.take(m.snap)
}

// jump goes to what the selected event is about.
func (v *eventsView) jump(m *Model) {
	if e := v.selected(); e != nil {
		m.toEvent(e)
	}
}

// eventsBelow is how many lines say in full what the selected event is.
func eventsBelow(h int) int {
	if h < 14 {
		return 0
	}
	return 5
}

func (v *eventsView) settle(h int) {
	v.page = max(1, h-2-eventsBelow(h))
	if roomy(h) {
		v.page = max(1, v.page-2)
	}
	v.top = scrolled(v.top, v.index, len(v.rows), v.page)
}

func (v *eventsView) view(m *Model, w, h int) []*row {
	t := m.theme
	lines := []*row{v.title(t, w)}
	if roomy(h) {
		lines = []*row{t.row(), lines[0], t.row()}
	}
	if len(v.rows) == 0 {
		return append(lines, v.empty(m)...)
	}
	tab := fitted(v.columns(m, w-2), w-2)
	lines = append(lines, tab.head(t.row().gap(1), t.head))
	for i := v.top; i < min(len(v.rows), v.top+v.page); i++ {
		r := t.row()
		if i == v.index {
			r.put(t.accent.strong(), "▌")
		} else {
			r.gap(1)
		}
		if tab.draw(r, i).fit(w); i == v.index {
			r = t.selected(r)
		}
		lines = append(lines, r.on(v.clicked(i)))
	}
	if below := eventsBelow(h); below > 0 {
		for len(lines) < h-below {
			lines = append(lines, t.row())
		}
		lines = append(lines, v.detail(m, w, below)...)
	}
	return lines[:min(len(lines), h)]
}

// clicked selects the event of a line, and goes to what the selected one is about.
func (v *eventsView) clicked(i int) *target {
	seq, again := v.rows[i].Seq, i == v.index
	return clicks(func(m *Model) {
		if again {
			v.jump(m)
			return
		}
		v.chosen = seq
		v.stead.end(seq)
		v.take(m.snap)
	})
}

// title says whose events these are, and the filter.
func (v *eventsView) title(t *theme, w int) *row {
	r := t.row().gap(1).put(t.accent.strong(), "EVENTS")
	whose := "of all groups"
	if v.of != nil {
		whose = "of " + v.of.String()
	}
	count := number(uint64(v.total), 6)
	if v.typing || v.filter.text() != "" {
		count = fmt.Sprintf("%d of %d shown", len(v.rows), v.total)
	}
	room := w - r.width - glyph.Width(count) - 6
	r.gap(1).put(t.title, glyph.Short(r.safe(whose), max(4, room/2))).gap(2).put(t.dim, count)
	if v.typing || v.filter.text() != "" {
		r.gap(2).put(t.key, "/ ")
		v.filter.draw(r, t, max(4, w-r.width-1), v.typing)
	}
	return r
}

func (v *eventsView) empty(m *Model) []*row {
	t, say := m.theme, "nothing happened since "+m.began()
	if v.total > 0 {
		say = "no event has this text; esc clears the filter"
	}
	return []*row{t.row(), t.row().gap(2).put(t.dim, say)}
}

func (v *eventsView) columns(m *Model, w int) []column {
	t := m.theme
	groups, members := 0, 0
	for _, e := range v.rows {
		if v.of == nil {
			groups = max(groups, glyph.Width(glyph.Clean(e.Key.String())))
		}
		members = max(members, glyph.Width(glyph.Clean(e.Member)))
	}
	at := func(i int) model.Event { return v.rows[i] }
	if members > 0 {
		members = max(len("MEMBER"), min(members, 20))
	}
	return []column{
		{title: "TIME", want: 8, cell: func(r *row, i, w int) { r.left(t.dim, m.clock(at(i).At), w) }},
		{title: "KIND", want: 8, keep: 1, cell: func(r *row, i, w int) { r.left(kindLook(t, at(i).Kind), string(at(i).Kind), w) }},
		{title: "GROUP", want: min(groups, max(12, w/4)), keep: 3, cell: func(r *row, i, w int) { r.name(t.dim, at(i).Key.String(), w) }},
		{title: "MEMBER", want: members, least: min(members, 6), keep: 2, cell: func(r *row, i, w int) { r.name(t.text.strong(), at(i).Member, w) }},
		{title: "WHAT", want: 60, least: 10, rest: true, cell: func(r *row, i, w int) { r.left(t.text, at(i).Said(), w) }},
	}
}

// kindLook makes what somebody should look at stand out; its word stands beside.
func kindLook(t *theme, k model.EventKind) style {
	switch k {
	case model.EventAction:
		return t.accent
	case model.EventLink, model.EventDeliver, model.EventPause:
		return t.warn
	case model.EventQuorum:
		return t.bad
	}
	return t.dim
}

// detail says the selected event in full, in so many lines.
func (v *eventsView) detail(m *Model, w, h int) []*row {
	t, e := m.theme, v.selected()
	r := t.row().gap(1).put(kindLook(t, e.Kind), string(e.Kind)).gap(2).put(t.dim, e.At.In(m.opts.Zone).Format(time.DateOnly+" "+time.TimeOnly+".000"))
	if e.Key != (model.Key{}) {
		r.gap(2).put(t.title, e.Key.String())
	}
	if e.Member != "" {
		r.gap(1).put(t.text.strong(), e.Member)
	}
	lines := []*row{t.row(), ellipsis(t, r, w-1)}
	for _, part := range []struct {
		text string
		st   style
	}{{e.Said(), t.text}, {e.Detail, t.dim}} {
		for _, s := range glyph.Wrap(t.row().safe(part.text), w-4) {
			lines = append(lines, t.row().gap(3).put(part.st, s))
		}
	}
	return portion(lines, 0, h)
}
