package tui

import (
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// partMap draws who owns each partition, a cell a partition. Cells carry the partition's
// name, if it has one, or its number where there is room, and are packed into numbered lines
// where there is not.
type partMap struct {
	group   *model.Group
	trouble map[string]model.Severity            // the worst that was found of a member
	heat    heat                                 // what waits where
	cursor  int                                  // partition number
	top     int                                  // first visible line
	across  int                                  // cells a line, as last settled
	cells   cellForm                             // as last settled
	names   int                                  // widest name of a partition; 0: they have none
	bar     int                                  // cells of the bar of what waits, as last settled
	owned   string                               // a member whose partitions stand out
	again   keymap.ID                            // what a click on the cursor does
	letters int                                  // members there are letters for; 0: the group's
	marked  map[int]bool                         // in the remap editor
	edited  func(p int) (letter int, moved bool) // in the remap editor: who is to own it
}

func (c *partMap) take(g *model.Group) {
	if was := c.group; was != nil && was.Named() && c.cursor < len(was.Partitions) { // numbers may shift
		name := was.Partitions[c.cursor].Told().Name
		if at := slices.IndexFunc(g.Partitions, func(p model.Partition) bool { return p.Told().Name == name }); at >= 0 {
			c.cursor = at
		}
	}
	c.group, c.trouble, c.names = g, worst(g), 0
	for _, p := range g.Partitions {
		c.names = max(c.names, glyph.Width(glyph.Clean(p.Told().Name)))
	}
	c.cursor = max(0, min(c.cursor, len(g.Partitions)-1))
	c.heat = newHeat(g)
}

func (c *partMap) move(id keymap.ID, page int) {
	to := c.cursor
	n := max(1, c.across)
	switch id {
	case keymap.Left:
		to--
	case keymap.Right:
		to++
	case keymap.Up:
		to -= n
	case keymap.Down:
		to += n
	case keymap.Top:
		to = 0
	case keymap.Bottom:
		to = c.count() - 1
	case keymap.PageUp:
		to -= n * page
	case keymap.PageDown:
		to += n * page
	case keymap.HalfUp:
		to -= n * max(1, page/2)
	case keymap.HalfDown:
		to += n * max(1, page/2)
	}
	if to >= 0 && to < c.count() || id == keymap.PageUp || id == keymap.PageDown || id == keymap.HalfUp || id == keymap.HalfDown {
		c.cursor = max(0, min(to, c.count()-1))
	}
}

// about says in words what the cursor is on, or, without it, how much of the map is in
// trouble and how old the counts are.
func (c *partMap) about(cursor bool) string {
	if c.count() == 0 {
		return "none"
	}
	if !cursor {
		bad := 0
		for _, p := range c.group.Partitions {
			if !p.Owned() && !p.Unknown || p.Owned() && c.idle(p.Member) {
				bad++
			}
		}
		text := model.Count(len(c.group.Members), "member")
		if bad > 0 {
			text = fmt.Sprintf("%d of %d not consumed", bad, c.count())
		}
		if s := c.heat.counted(); s != "" {
			text += " · " + s
		}
		return text
	}
	p := c.group.Partitions[c.cursor]
	text := p.Title() + ": " + p.Whose()
	if p.Owned() {
		text = fmt.Sprintf("%s: %s, %s", p.Title(), p.Owner, c.group.Members[p.Member].State)
	}
	told := p.Told()
	if told.Note != "" {
		text += ", " + told.Note
	}
	if p.Count != nil {
		text += ", " + c.heat.words(p.Count)
	}
	if told.Weight != 0 {
		text += fmt.Sprintf(", weight %d", told.Weight)
	}
	if told.Label != "" {
		text += ", label " + told.Label
	}
	return text
}

// noOwner is what is said of a partition without an owner, and its look.
func noOwner(t *theme, p model.Partition) (style, string) {
	if p.Unknown {
		return t.warn, p.Whose()
	}
	return t.bad, p.Whose()
}

// idle tells whether nobody consumes for a member.
func (c *partMap) idle(member int) bool {
	m := c.group.Members[member]
	switch m.State {
	case model.StatePinned, model.StateWaiting, model.StateUnknown:
		return false
	}
	return !m.Live
}

// view draws the visible lines.
func (c *partMap) view(t *theme, w, h int, focused bool) []*row {
	n := max(1, c.across)
	var rows []*row
	for first := c.top * n; first < c.count() && len(rows) < h; first += n {
		r := t.row()
		if c.cells == packed {
			r.right(t.dim, strconv.Itoa(first), c.digits()+1).put(t.line, "│")
		}
		for p := first; p < min(first+n, c.count()); p++ {
			r.join(c.cell(t, p, focused && p == c.cursor))
		}
		rows = append(rows, r)
	}
	return rows
}

// cell draws one partition: name or number, owner's letter, and a sign when the owner does not
// consume. What waits there goes after it, in a bar, once that is counted.
func (c *partMap) cell(t *theme, p int, cursor bool) *row {
	letter, sign, st, sst := c.owner(t, p)
	r := t.row()
	if c.cells != packed {
		lead := " "
		if c.marked[p] {
			lead = "■"
		}
		r.put(t.accent, lead)
		if c.cells == named {
			r.name(t.dim, c.group.Partitions[p].Told().Name, min(c.names, mostName))
		} else {
			r.right(t.dim, strconv.Itoa(p), c.digits())
		}
		r.gap(1)
	}
	r.put(st, letter).put(sst, sign)
	if w := c.bar; w > 0 {
		bar, bst := c.heat.bar(t, p, w)
		r.left(bst, bar, w)
	}
	r.gap(c.letterWidth() - glyph.Width(letter))
	if c.cells != packed {
		r.gap(1)
	}
	if c.owned != "" && c.edited == nil && c.group.Partitions[p].Owner == c.owned {
		tail := 0
		if c.cells != packed {
			tail = 1
		}
		r = r.cut(tail, r.width-tail).restyle(t.related)
		r = t.row().gap(tail).join(r).gap(tail)
	}
	if c.cells == packed && c.marked[p] {
		r = r.restyle(func(s style) style { s.underline = true; return s })
	}
	if cursor {
		width := r.width
		if c.cells != packed {
			width--
		}
		r = r.cut(0, width).restyle(func(style) style { return t.focus }).join(r.cut(width, r.width))
	}
	return r.on(&target{click: func(m *Model) tea.Cmd {
		if cursor {
			return m.do(c.again)
		}
		c.cursor = p
		return nil
	}})
}

// owner is how the owner of p is drawn.
func (c *partMap) owner(t *theme, p int) (letter, sign string, st, sst style) {
	if c.edited != nil {
		i, moved := c.edited(p)
		sign = " "
		if moved {
			sign = "▸"
		}
		if i < 0 {
			return "·", "✗", t.bad, t.bad
		}
		return model.Letter(i), sign, t.member(i), t.accent
	}
	part := c.group.Partitions[p]
	switch {
	case part.Unknown:
		return "·", "?", t.warn, t.warn
	case !part.Owned():
		return "·", "✗", t.bad, t.bad
	}
	sign, sst = memberLook(t, c.group.Members[part.Member], c.trouble)
	if sign == " " && c.heat.long(p) { // the bar says it by its colour alone
		sign, sst = "!", t.warn
	}
	return model.Letter(part.Member), sign, t.member(part.Member), sst
}
