package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// Finder looks for subjects.
type Finder interface {
	// Subjects lists at most n subjects of the group's messages that contain a text, in
	// order, and tells whether there may be more.
	Subjects(ctx context.Context, k model.Key, part string, n int) (found []string, more bool, err error)
}

// mostFound is how many subjects are asked for.
const mostFound = 200

// foundMsg is what a search brought.
type foundMsg struct {
	key   model.Key
	part  string
	found []string
	more  bool
	err   error
}

// whereWindow says where the messages of a subject go.
type whereWindow struct {
	key     model.Key
	subject input
	asked   string // what was searched for; found belongs to it
	waiting bool
	found   []string
	more    bool
	problem string
	top     int
}

// where opens the window for a group.
func (m *Model) where(g *model.Group) {
	if g == nil {
		m.say(sorry, "the group was not read yet")
		return
	}
	m.push(&whereWindow{key: g.Key})
}

func (d *whereWindow) screen() keymap.Screen       { return keymap.Seek }
func (d *whereWindow) paste(_ *Model, text string) { d.subject.insert(text) }
func (d *whereWindow) refresh(*Model)              {}
func (d *whereWindow) settle(*Model)               { d.top = max(0, min(d.top, len(d.found)-1)) }

func (d *whereWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		return d.search(m)
	case keymap.Up:
		d.top--
	case keymap.Down:
		d.top++
	default:
		d.subject.key(k)
	}
	return nil
}

// search asks for subjects that contain what is typed.
func (d *whereWindow) search(m *Model) tea.Cmd {
	finder, key, part := m.opts.Finder, d.key, d.subject.text()
	d.found, d.more, d.problem, d.asked = nil, false, "", part
	if finder == nil {
		d.problem = "subjects cannot be listed here"
		return nil
	}
	d.waiting = true
	ctx := m.ctx
	return func() tea.Msg {
		found, more, err := finder.Subjects(ctx, key, part, mostFound)
		return foundMsg{key, part, found, more, err}
	}
}

// found takes what a search brought, unless its window is gone or asks another question.
func (m *Model) found(msg foundMsg) {
	d, ok := m.window().(*whereWindow)
	if !ok || d.key != msg.key || d.asked != msg.part {
		return
	}
	d.waiting, d.found, d.more, d.top = false, msg.found, msg.more, 0
	switch {
	case msg.err != nil:
		d.problem = reason(msg.err)
	case len(msg.found) == 0:
		d.problem = "no stored subject contains " + msg.part
	}
}

func (d *whereWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	line := t.row().put(t.head, "subject  ")
	d.subject.draw(line, t, inner-line.width, true)
	rows := []*row{line, t.row()}
	g := m.snap.Group(d.key)
	if g == nil {
		rows = append(rows, t.row().put(t.bad, "the group is gone"))
		return boxed(t, "Where in "+d.key.String(), "", rows, inner+4)
	}
	rows = append(rows, d.answer(t, g, inner)...)
	switch {
	case d.waiting:
		rows = append(rows, t.row().put(t.dim, "looking for subjects…"))
	case d.problem != "":
		rows = append(rows, t.row().put(t.warn.strong(), "! ").left(t.warn, d.problem, inner-2))
	case len(d.found) > 0:
		rows = append(rows, d.list(t, g, inner, h-len(rows)-3)...)
	}
	return boxed(t, "Where in "+d.key.String(), "", rows, inner+4)
}

// answer says where what is typed goes.
func (d *whereWindow) answer(t *theme, g *model.Group, w int) []*row {
	text := d.subject.text()
	if text == "" {
		var rows []*row
		for _, s := range glyph.Wrap("Type a subject. Enter lists the subjects of the stream that contain what is typed.", w) {
			rows = append(rows, t.row().put(t.dim, s))
		}
		return rows
	}
	p, why := g.Place(text)
	if why != "" {
		return []*row{t.row().put(t.dim, "no partition: ").left(t.dim, why, max(0, w-14))}
	}
	r := t.row().put(t.title, fmt.Sprintf("partition %d", p.Partition)).put(t.line, "  ▸ ")
	switch {
	case p.Unknown:
		r.put(t.warn, "whose it is is not known")
	case p.Owner == "":
		r.put(t.bad, "nobody owns it")
	default:
		i := g.Partitions[p.Partition].Member
		sign, st := memberLook(t, g.Members[i], worst(g))
		if sign != " " {
			sign += " "
		} else {
			sign = ""
		}
		r.put(t.member(i), model.Letter(i)+" ").put(t.text.strong(), p.Owner).put(st, "  "+sign+stateWords(g.Members[i]))
	}
	second := t.row()
	if who := p.Pinned(); who != "" {
		sign := "● "
		if p.Instance == nil {
			sign = "? " // one of several
		}
		second.put(t.ok.strong(), sign).put(t.text.strong(), second.safe(who)).gap(2)
	}
	if p.PinID != "" {
		second.put(t.dim, "pin "+model.ShortID(p.PinID)).gap(2)
	}
	if p.Count != nil {
		second.put(t.text, newHeat(g).words(p.Count)+" before it")
	} else {
		second.put(t.dim, "what waits there was not counted")
	}
	return []*row{ellipsis(t, r, w), ellipsis(t, second, w), t.row()}
}

// list draws the subjects found, each with its partition and owner.
func (d *whereWindow) list(t *theme, g *model.Group, w, h int) []*row {
	about := fmt.Sprintf("%s with %q", model.Count(len(d.found), "subject"), d.asked)
	if d.more {
		about += ", and more"
	}
	rows := []*row{t.row().left(t.head, about, w)}
	for _, subject := range portion(d.found, d.top, max(1, h-1)) {
		r := t.row()
		p, why := g.Place(subject)
		switch {
		case why != "":
			r.right(t.dim, "-", 5).gap(2).left(t.dim, why, min(20, w/3))
		case p.Owner == "":
			st, whose := noOwner(t, g.Partitions[p.Partition])
			r.right(t.text, fmt.Sprint(p.Partition), 5).gap(2).left(st, whose, min(20, w/3))
		default:
			i := g.Partitions[p.Partition].Member
			r.right(t.text, fmt.Sprint(p.Partition), 5).gap(2).name(t.member(i), p.Owner, min(20, w/3))
		}
		r.gap(2).name(t.text, subject, max(4, w-r.width-2))
		rows = append(rows, r.on(clicks(func(*Model) { d.subject.value = subject })))
	}
	return rows
}
