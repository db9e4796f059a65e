package tui

import (
	"context"
	"fmt"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// deleteWindow lists what goes with a group, and asks for its name typed out. Like a
// plan it is about the state that was seen: when that changes nothing is deleted.
type deleteWindow struct {
	planWindow
	name input
}

// remove asks the server what would go.
func (m *Model) remove(g *model.Group) tea.Cmd {
	switch why := m.foundingRefusal(); {
	case why != "":
		m.say(sorry, why)
		return nil
	case g == nil:
		m.say(sorry, "the group is gone")
		return nil
	case g.Refusal(model.ActionDelete) != "":
		m.say(sorry, g.Refusal(model.ActionDelete))
		return nil
	}
	d := &deleteWindow{planWindow: m.planned(model.NewDeletion(g.Key, model.Deletion{Revision: g.Stored()}), g)}
	d.plan.Deletion = nil // not known yet
	m.push(d)
	return d.survey(m)
}

func (d *deleteWindow) survey(m *Model) tea.Cmd {
	admin, ok := m.opts.Admin.(Founding)
	if !ok {
		return nil
	}
	parent, key := m.ctx, d.plan.Key
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, surveyTimeout)
		defer cancel()
		p, err := admin.PlanDeletion(ctx, key)
		return surveyMsg{d, 0, p, err}
	}
}

// surveyed takes what would go.
func (d *deleteWindow) surveyed(m *Model, msg surveyMsg) {
	switch {
	case msg.err != nil:
		d.failed = failure(msg.err)
	case msg.plan.Revision != d.plan.Revision:
		d.stale = fmt.Sprintf("revision %d ▸ %d", d.plan.Revision, msg.plan.Revision)
	default:
		d.plan = msg.plan
	}
	d.shownAt = m.opts.Now()
	d.refresh(m)
}

func (d *deleteWindow) screen() keymap.Screen { return keymap.Delete }

// A name that is pasted was not thought about.
func (d *deleteWindow) paste(m *Model, _ string) {
	m.say(sorry, "type the name: a paste deletes nothing")
}

// named tells whether the name was typed.
func (d *deleteWindow) named() bool { return d.name.text() == d.plan.Key.Group }

func (d *deleteWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Up:
		d.top = max(0, d.top-1)
	case keymap.Down:
		d.top++
	case keymap.Press:
		switch {
		case d.applying:
		case d.refusal(m) != "":
			m.say(sorry, "nothing was deleted: "+d.refusal(m))
		case d.plan.Deletion == nil:
			m.say(sorry, "what would go is not known yet")
		case !d.named():
			m.say(sorry, "type the group's name to delete it: "+d.plan.Key.Group)
		case !d.deliberate(m):
			m.say(sorry, "too quick to have been read: press it again")
		default:
			return d.apply(m)
		}
	default:
		if !d.applying {
			d.name.key(k)
		}
	}
	return nil
}

func (d *deleteWindow) settle(m *Model) {
	inner := windowWidth(m.width) - 4
	d.top = scrollEnd(d.top, len(d.lines(m, inner)), max(1, m.windowHeight()-2-len(d.status(m, inner))-2))
}

func (d *deleteWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	ask := t.row().put(t.head, "type ").put(t.text.strong(), glyph.Short(t.row().safe(d.plan.Key.Group), inner/2)).put(t.head, " to delete it  ")
	d.name.draw(ask, t, max(4, inner-ask.width), true)
	if d.named() {
		ask.gap(2).join(t.row().put(t.focus, "[ "+m.keys.Key(keymap.Delete, keymap.Press)+" deletes ]").on(&target{action: keymap.Press}))
	}
	rows := d.lines(m, inner)
	status, gap := d.status(m, inner), t.row()
	if room := h - 2 - len(status) - 2; len(rows) > room {
		room = max(1, room)
		gap = t.row().put(t.line, fmt.Sprintf("lines %d-%d of %d", d.top+1, min(len(rows), d.top+room), len(rows)))
		rows = portion(rows, d.top, room)
	}
	rows = append(rows, append(status, gap, ask)...)
	return boxed(t, d.title(), fmt.Sprintf("revision %d", d.plan.Revision), rows, inner+4)
}

// lines is what goes and what stays.
func (d *deleteWindow) lines(m *Model, w int) []*row {
	t := m.theme
	del := d.plan.Deletion
	if del == nil {
		if d.failed != "" {
			return nil
		}
		return []*row{t.row().put(t.accent, "asking the server what would go…")}
	}
	var rows []*row
	list := func(label string, items []string, st style) {
		for i, s := range items {
			if i > 0 {
				label = ""
			}
			rows = append(rows, labelled(t, label, s, st, w)...)
		}
	}
	list("goes", del.Removed, t.text)
	if del.Waiting > 0 {
		rows = append(rows, labelled(t, "", number(del.Waiting, 26)+" messages that wait in it go with it; the origin keeps its own", t.warn, w)...)
	}
	list("stays", del.LeftAlone, t.dim)
	list("is gone", del.AlreadyGone, t.dim)
	if n := len(d.group.Members); n > 0 {
		pulling, _ := d.group.Pulling()
		rows = append(rows, labelled(t, "ends", fmt.Sprintf("%s, of which %d are pulling now", model.Count(n, "member"), pulling), t.text, w)...)
	}
	return append(rows, labelled(t, "same as", model.Quote(d.plan.Command), t.text, w)...)
}
