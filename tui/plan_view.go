package tui

import (
	"fmt"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// windowWidth is how wide a window may be on a screen of w.
func windowWidth(w int) int {
	if w < 60 {
		return w
	}
	return min(w-6, 96)
}

func (d *planWindow) settle(m *Model) {
	lines, room := d.lines(m, windowWidth(m.width)-4), d.room(m)
	d.page = max(1, room)
	d.top = scrollEnd(d.top, len(lines), room)
}

// room is how many lines of what the plan does are visible at once.
func (d *planWindow) room(m *Model) int {
	return max(1, m.windowHeight()-2-2-len(d.status(m, windowWidth(m.width)-4)))
}

func (d *planWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	lines := d.lines(m, inner)
	room := min(d.room(m), len(lines))
	rows := append([]*row{}, portion(lines, d.top, room)...)
	rows = append(rows, d.status(m, inner)...)
	buttons := d.buttons(m, inner)
	if len(lines) > room {
		more := fmt.Sprintf("lines %d-%d of %d", d.top+1, min(len(lines), d.top+room), len(lines))
		rows = append(rows, t.row().put(t.line, more))
	} else {
		rows = append(rows, t.row())
	}
	rows = append(rows, buttons)
	note := fmt.Sprintf("revision %d", d.plan.Revision)
	if d.plan.Creation != nil {
		note = "new"
	}
	return boxed(t, d.title(), note, rows, inner+4)
}

// status says why the plan cannot be applied, or that it is being applied.
func (d *planWindow) status(m *Model, w int) []*row {
	t := m.theme
	var rows []*row
	switch why := d.refusal(m); {
	case d.applying:
		rows = append(rows, t.row(), t.row().put(t.accent.strong(), "applying…"))
	case why != "":
		rows = append(rows, t.row())
		words := glyph.Wrap(t.row().safe(why), w-2)
		for i, s := range words[:min(3, len(words))] {
			r := t.row().gap(2)
			if i == 0 {
				r = t.row().put(t.warn.strong(), "! ")
			}
			rows = append(rows, r.put(t.warn, s))
		}
	}
	return rows
}

// buttons draws the two of them; the one in brackets has the focus.
func (d *planWindow) buttons(m *Model, w int) *row {
	t := m.theme
	one := func(label string, focused bool, st style) *row {
		if focused {
			return t.row().put(t.focus, "[ "+label+" ]")
		}
		return t.row().put(st, "  "+label+"  ")
	}
	cancel := func(focused bool) *row {
		return one("Cancel", focused, t.button).on(&target{action: keymap.Close})
	}
	r := t.row()
	switch {
	case d.applying:
	case d.refusal(m) != "":
		r.join(cancel(!d.confirm))
		if d.renewable() {
			r.gap(3).join(one("Plan anew", d.confirm, t.button).on(&target{action: keymap.Anew}))
		}
	default:
		confirm := one(glyph.Short(t.row().safe(d.button()), w-22), d.confirm, t.button)
		r.join(cancel(!d.confirm)).gap(3).join(confirm.on(&target{click: d.clicked}))
	}
	return t.row().gap(w - r.width).join(r)
}

// lines is what the plan does, in full.
func (d *planWindow) lines(m *Model, w int) []*row {
	t := m.theme
	rows := d.warnings(t, w) // first, so that they are seen without scrolling
	switch {
	case d.plan.Edit != nil:
		rows = append(rows, d.edit(t, w)...)
	case d.plan.Creation != nil:
		rows = append(rows, founding(t, d.plan.Key, *d.plan.Creation, w)...)
	case d.plan.WritesConfig():
		rows = append(append(rows, d.undoes(t, w)...), effect(m.theme, d.plan, d.group, w, 6)...)
		rows = append(rows, d.handover(m, w)...)
	default:
		rows = append(rows, d.stepDown(m, w)...)
	}
	rows = append(rows, t.row())
	rows = append(rows, labelled(t, "same as", model.Quote(d.plan.Command), t.text, w)...)
	if s := m.snap.Server; s.Name != "" || s.Context != "" {
		on := serverName(s.Name)
		if s.Context != "" {
			on = s.Context + ", server " + on
		}
		rows = append(rows, labelled(t, "on", on, t.text, w)...)
	}
	if d.plan.WritesConfig() && d.plan.Moved() > 0 {
		rows = append(rows, t.row())
		rows = append(rows, partitionList(t, d.plan, w)...)
	}
	return rows
}

// warnings are what should be known before anything else.
func (d *planWindow) warnings(t *theme, w int) (rows []*row) {
	for _, warning := range d.plan.Warnings {
		for i, s := range glyph.Wrap(t.row().safe(warning), w-2) {
			r := t.row().gap(2)
			if i == 0 {
				r = t.row().put(t.warn.strong(), "! ")
			}
			rows = append(rows, r.put(t.warn, s))
		}
	}
	if len(rows) > 0 {
		rows = append(rows, t.row())
	}
	return rows
}

// stepDown says what becomes of the pin.
func (d *planWindow) stepDown(m *Model, w int) []*row {
	t := m.theme
	pin := d.plan.Pins[0]
	mem := d.group.Member(pin.Member)
	standby := d.group.InstancesOf(mem)
	var rows []*row
	if pin.Holder != "" {
		rows = labelled(t, "loses it", pin.Holder, t.text.strong(), w)
	}
	rows = append(rows, labelled(t, "unpin", pin.PinID+", pinned for "+since(pin.Since, mem.Consumer.TS), t.text, w)...)
	next := fmt.Sprintf("one of %d instances that stand by takes over", standby.Standby)
	switch {
	case standby.Standby == 0 || standby.AtMost:
		next = "whichever instance pulls next"
	case standby.Standby == 1:
		next = "the instance that stands by takes over"
	}
	switch known := d.plan.Standby; {
	case len(known) == 1:
		next = known[0] + " takes over"
	case len(known) > 1:
		next = "one of " + brief(known) + " takes over"
	}
	rows = append(rows, labelled(t, "then", next, t.text, w)...)
	owned := model.Count(len(mem.Partitions), "partition")
	if len(mem.Partitions) > 0 {
		owned += " (" + model.Ranges(mem.Partitions) + ")"
	}
	rows = append(rows, labelled(t, "serves", owned, t.text, w)...)
	return append(rows, labelled(t, "writes", "nothing to the config; what is unacknowledged is delivered again", t.dim, w)...)
}

// labelled draws a label and a text beside it, over as many lines as it takes.
func labelled(t *theme, label, text string, st style, w int) []*row {
	const field = 9
	var rows []*row
	for i, s := range glyph.Wrap(t.row().safe(text), w-field) {
		r := t.row()
		if i == 0 {
			r.left(t.head, label, field)
		} else {
			r.gap(field)
		}
		rows = append(rows, r.put(st, s))
	}
	return rows
}
