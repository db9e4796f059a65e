package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// dropWindow is a checklist of members, and what dropping those checked would do.
type dropWindow struct {
	draft
	dropped map[string]bool
	cursor  string
	index   int
	top     int
	rows    int // members visible at once
}

func newDropWindow(m *Model, g *model.Group, selected string) window {
	d := &dropWindow{draft: draft{key: g.Key}, dropped: map[string]bool{}, cursor: selected}
	if mem := g.Member(selected); mem != nil && mem.Configured {
		d.dropped[selected] = true
	}
	d.refresh(m)
	return d
}

func (d *dropWindow) screen() keymap.Screen { return keymap.Drop }
func (d *dropWindow) paste(*Model, string)  {}

// refresh follows the group; a member that has gone is no longer checked.
func (d *dropWindow) refresh(m *Model) {
	d.group = m.live.Group(d.key)
	for name := range d.dropped {
		if d.group == nil || d.group.Member(name) == nil {
			delete(d.dropped, name)
		}
	}
	d.work(m, d.intent())
	for i, mem := range d.members() {
		if mem.Name == d.cursor {
			d.index = i
			return
		}
	}
	d.pick(d.index)
}

// members are those that are configured: the others cannot be dropped.
func (d *dropWindow) members() []*model.Member {
	if d.group == nil {
		return nil
	}
	list := d.group.Members
	for len(list) > 0 && !list[len(list)-1].Configured {
		list = list[:len(list)-1]
	}
	return list
}

func (d *dropWindow) pick(i int) {
	list := d.members()
	d.index = max(0, min(i, len(list)-1))
	if len(list) > 0 {
		d.cursor = list[d.index].Name
	}
}

func (d *dropWindow) intent() model.Intent {
	in := model.Intent{Action: model.ActionDrop}
	for _, mem := range d.members() {
		if d.dropped[mem.Name] {
			in.Members = append(in.Members, mem.Name)
		}
	}
	return in
}

func (d *dropWindow) press(m *Model, id keymap.ID, _ tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Mark:
		if d.cursor != "" {
			d.dropped[d.cursor] = !d.dropped[d.cursor]
			d.refresh(m)
		}
	case keymap.Make:
		if d.plan != nil {
			m.plan(d.group, d.intent())
		}
	default:
		if i, ok := moved(id, d.index, len(d.members()), d.rows); ok {
			d.pick(i)
		}
	}
	return nil
}

func (d *dropWindow) settle(m *Model) {
	h := m.windowHeight() - 2
	d.rows = min(len(d.members()), max(2, h/2))
	d.top = scrolled(d.top, d.index, len(d.members()), d.rows)
}

func (d *dropWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	var rows []*row
	list := d.members()
	names, states := 6, 6
	for _, mem := range list {
		names = max(names, glyph.Width(glyph.Clean(mem.Name)))
		states = max(states, glyph.Width(stateWords(mem)))
	}
	names = min(names, inner/3)
	for i := d.top; i < min(len(list), d.top+d.rows); i++ {
		mem := list[i]
		box, st := "[ ]", t.dim
		if d.dropped[mem.Name] {
			box, st = "[x]", t.warn.strong()
		}
		r := t.row().put(st, box).gap(1).left(t.member(i), model.Letter(i), 2).gap(1).left(t.text.strong(), mem.Name, names).gap(2)
		_, st = memberLook(t, mem, worst(d.group))
		r.left(st, stateWords(mem), states).gap(2)
		r = r.left(t.dim, ranges(mem.Partitions), max(0, inner-r.width)).fit(inner)
		if mem.Name == d.cursor {
			r = t.selected(r)
		}
		rows = append(rows, r.on(clicks(func(m *Model) {
			d.cursor = mem.Name
			d.refresh(m)
			m.do(keymap.Mark)
		})))
	}
	rows = append(rows, t.row())
	if len(d.intent().Members) == 0 && d.problem == "" {
		rows = append(rows, t.row().put(t.dim, "nobody is marked: "+m.keys.Key(keymap.Drop, keymap.Mark)+" marks"))
	}
	rows = append(rows, d.preview(t, inner, h-len(rows)-2)...)
	note := strings.TrimSpace(more(d.top, len(list), d.rows))
	if n := len(d.intent().Members); n > 0 {
		note = fmt.Sprintf("%d marked", n)
	}
	return boxed(t, "Drop members from "+d.key.String(), note, rows, inner+4)
}
