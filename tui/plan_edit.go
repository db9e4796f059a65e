package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// newPlan works an intent out: by the model, or where only the kind of the group knows how,
// by what is to carry it out.
func (m *Model) newPlan(g *model.Group, in model.Intent) (*model.Plan, error) {
	if !in.Action.OfKind() {
		return model.NewPlan(g, in)
	}
	if why := g.Refusal(in.Action); why != "" {
		return nil, fmt.Errorf("%w: %s", model.ErrRefused, why)
	}
	p, ok := m.opts.Admin.(Planning)
	if !ok {
		return nil, fmt.Errorf("%w: there is nothing here that could do it", model.ErrRefused)
	}
	return p.Plan(g.Key, in)
}

// editDrift says in what a change would no longer come to what was shown.
func (d *planWindow) editDrift(m *Model, now *model.Group) string {
	if now == nil {
		return "the group is gone"
	}
	switch p, err := m.newPlan(now, d.plan.Intent); {
	case err != nil:
		return reason(err)
	case p.Revision != d.plan.Revision:
		return fmt.Sprintf("%s: revision %d ▸ %d", p.Edit.Target, d.plan.Revision, p.Revision)
	case !p.Edit.Same(d.plan.Edit):
		return p.Edit.Target + " is not what it was"
	}
	return ""
}

// edit says what changes, line by line, and what becomes of it.
func (d *planWindow) edit(t *theme, w int) []*row {
	e := d.plan.Edit
	rows := labelled(t, "writes", e.Target, t.text.strong(), w)
	rows = append(rows, labelled(t, "leaves", e.Counted(), t.text, w)...)
	for _, note := range e.Notes {
		rows = append(rows, labelled(t, "note", note, t.dim, w)...)
	}
	rows = append(rows, t.row())
	for _, line := range e.Lines {
		st := t.text
		if strings.HasPrefix(line, "-") {
			st = t.warn
		}
		for i, s := range glyph.Wrap(t.row().safe(line), w-4) {
			rows = append(rows, t.row().gap(2+2*min(i, 1)).put(st, s))
		}
	}
	return rows
}

// confirmWindow is a plan that takes something away for good: its words have to be typed.
type confirmWindow struct {
	planWindow
	words input
}

func (d *confirmWindow) screen() keymap.Screen { return keymap.Confirm }

// Words that are pasted were not thought about.
func (d *confirmWindow) paste(m *Model, _ string) {
	m.say(sorry, "type the words: a paste confirms nothing")
}

func (d *confirmWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Up:
		d.top = max(0, d.top-1)
	case keymap.Down:
		d.top++
	case keymap.Press:
		switch why := d.refusal(m); {
		case d.applying:
		case d.renewable():
			d.words = input{}
			d.anew(m)
		case why != "":
			m.say(sorry, "nothing was written: "+why)
		case !d.confirmed():
			m.say(sorry, "type the words to do it: "+d.plan.Edit.Confirm)
		case !d.deliberate(m):
			m.say(sorry, "too quick to have been read: press it again")
		default:
			return d.apply(m)
		}
	default:
		if !d.applying {
			d.words.key(k)
		}
	}
	return nil
}

// confirmed tells whether the words were typed.
func (d *confirmWindow) confirmed() bool { return d.words.text() == d.plan.Edit.Confirm }

func (d *confirmWindow) settle(m *Model) {
	inner := windowWidth(m.width) - 4
	d.top = scrollEnd(d.top, len(d.lines(m, inner)), max(1, m.windowHeight()-4-len(d.status(m, inner))))
}

func (d *confirmWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	enter := m.keys.Key(keymap.Confirm, keymap.Press)
	var ask *row
	if d.renewable() {
		ask = t.row().put(t.focus, "[ "+enter+" plans anew ]").on(&target{action: keymap.Press})
	} else {
		ask = t.row().put(t.head, "type \"").put(t.text.strong(), d.plan.Edit.Confirm).put(t.head, "\" to do it  ")
		d.words.draw(ask, t, max(4, inner-ask.width), true)
		if d.confirmed() {
			ask.gap(2).join(t.row().put(t.focus, "[ "+enter+" writes ]").on(&target{action: keymap.Press}))
		}
	}
	rows, status, gap := d.lines(m, inner), d.status(m, inner), t.row()
	if room := max(1, h-4-len(status)); len(rows) > room {
		gap = t.row().put(t.line, fmt.Sprintf("lines %d-%d of %d", d.top+1, min(len(rows), d.top+room), len(rows)))
		rows = portion(rows, d.top, room)
	}
	return boxed(t, d.title(), fmt.Sprintf("revision %d", d.plan.Revision), append(append([]*row{}, rows...), append(status, gap, ask)...), inner+4)
}
