package tui

import (
	"time"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// memberRow is a line of the members' table: a member, or one of its instances.
type memberRow struct{ member, instance int } // instance -1: the member itself

// memberRows lists each member with its instances below.
func memberRows(g *model.Group) []memberRow {
	var rows []memberRow
	for i, m := range g.Members {
		rows = append(rows, memberRow{i, -1})
		for n := range m.Running {
			rows = append(rows, memberRow{i, n})
		}
	}
	return rows
}

// at is what a line of the table is about; the instance is nil on a member's own line.
func (l *memberList) at(n int) (*model.Member, *model.Instance) {
	r := l.table[n]
	m := l.group.Members[r.member]
	if r.instance < 0 {
		return m, nil
	}
	return m, &m.Running[r.instance]
}

// chosen is the instance that is selected; nil when a member is.
func (l *memberList) chosen() *model.Instance {
	if l.index >= len(l.table) {
		return nil
	}
	_, i := l.at(l.index)
	return i
}

// roleLook is an instance's sign and look. The sign alone tells them apart.
func roleLook(t *theme, i *model.Instance) (string, style) {
	switch i.Role {
	case model.RolePinned:
		return "●", t.ok.strong()
	case model.RolePerhaps:
		return "?", t.ok
	case model.RoleStale:
		return "!", t.warn
	case model.RoleSilent:
		return "○", t.warn
	case model.RoleUnknown:
		return "?", t.dim
	}
	return "○", t.dim
}

// roleWords is an instance's role, and since when.
func roleWords(m *model.Member, i *model.Instance) string {
	c := m.Consumer
	switch {
	case i.Role == model.RoleUnknown:
		return roleWord(i.Role)
	case c == nil:
		return "no consumer"
	case i.Role == model.RolePinned && i.Deduced:
		return "pinned, deduced"
	case i.Role == model.RolePinned:
		return "pinned " + since(c.PinnedAt, c.TS)
	}
	return roleWord(i.Role)
}

// roleWord is a role as short as it is shown.
func roleWord(r model.Role) string {
	switch r {
	case model.RoleStale:
		return "believes pinned"
	case model.RoleSilent:
		return "not pulling"
	}
	return string(r)
}

// instanceRow draws an instance below its member: name and role in the columns of the
// member's name and state, then what fits of the rest.
func (l *memberList) instanceRow(m *Model, tab, rest table, n int) *row {
	t := m.theme
	mem, i := l.at(n)
	sign, st := roleLook(t, i)
	r := t.row()
	for c, col := range tab.columns[:min(3, len(tab.columns))] {
		if c > 0 {
			r.gap(tab.gap)
		}
		switch end := r.width + col.want; c {
		case 0:
			r.gap(col.want)
		case 1:
			r.put(st, sign+" ").name(nameStyle(t, i), i.Name(), max(0, col.want-2)).gap(end - r.width)
		case 2:
			r.gap(2).left(st, roleWords(mem, i), max(0, col.want-2)).gap(end - r.width)
		}
	}
	if len(rest.columns) > 0 {
		rest.draw(r.gap(tab.gap), n)
	}
	return r
}

func nameStyle(t *theme, i *model.Instance) style {
	if i.Role == model.RolePinned {
		return t.text.strong()
	}
	return t.text
}

// instanceColumns fit what is known of an instance beyond name and role into w.
func (l *memberList) instanceColumns(m *Model, w int) table {
	t, now := m.theme, m.snap.Taken
	text := func(f func(*model.Instance) string) (int, func(*row, int, int)) {
		widest := 0
		for n, line := range l.table {
			if line.instance >= 0 {
				_, i := l.at(n)
				widest = max(widest, glyph.Width(glyph.Clean(f(i))))
			}
		}
		return widest, func(r *row, n, w int) {
			_, i := l.at(n)
			r.left(t.dim, f(i), w)
		}
	}
	var columns []column
	add := func(keep, least int, f func(*model.Instance) string) {
		want, cell := text(f)
		if want > 0 {
			want = max(want, least)
		}
		columns = append(columns, column{want: want, keep: keep, cell: cell})
	}
	add(7, 0, func(i *model.Instance) string { return address(i) })
	add(3, 0, func(i *model.Instance) string {
		if i.Conn == nil {
			return ""
		}
		return i.Conn.Lang + " " + i.Conn.Version
	})
	add(4, 0, conn(func(c *model.Connection) string { return serverName(c.Server) }))
	add(2, 0, conn(func(c *model.Connection) string { return rtt(c.RTT) }))
	add(5, len("up 99 m"), conn(func(c *model.Connection) string { return "up " + age(c.UpFor(now)) }))
	add(6, len("pulled 9.9 s"), func(i *model.Instance) string { return "pulled " + since(i.LastPull, now) })
	add(1, 0, conn(func(c *model.Connection) string {
		if c.Pending == 0 {
			return ""
		}
		return volume(c.Pending) + " to send"
	}))
	return fitted(columns, max(0, w))
}

func conn(f func(*model.Connection) string) func(*model.Instance) string {
	return func(i *model.Instance) string {
		if i.Conn == nil {
			return ""
		}
		return f(i.Conn)
	}
}

// address is where an instance runs, as far as it is known and may be shown.
func address(i *model.Instance) string {
	switch c := i.Conn; {
	case c == nil:
		return ""
	case c.Leaf:
		return "behind leaf node " + c.Name
	default:
		return c.Address
	}
}

func volume(n int64) string { return number(uint64(max(0, n)), 5) + " B" }

// listenFor is how long after a group is opened nobody need have been heard.
const listenFor = 5 * time.Second

// hearing says beside the title how far the instances are known.
func (l *memberList) hearing(t *theme, title *row, now time.Time) {
	w := l.group.Watch
	switch {
	case w == nil:
	case w.NoPulls != "":
		title.put(t.warn, "  instances are only counted: not permitted, "+w.NoPulls)
	case w.NoConnections != "":
		title.put(t.warn, "  no names: "+w.NoConnections)
	case len(l.table) == len(l.group.Members) && w.Settled(now, listenFor):
		title.put(t.dim, "  no instance was heard")
	case len(l.table) == len(l.group.Members):
		title.put(t.dim, "  hearing who pulls…")
	}
}
