package tui

import (
	"fmt"

	"pcgtop/keymap"
	"pcgtop/model"
)

// planOf is the plan that a window shows; nil when it shows none.
func planOf(w window) *planWindow {
	switch w := w.(type) {
	case *planWindow:
		return w
	case *deleteWindow:
		return &w.planWindow
	case *confirmWindow:
		return &w.planWindow
	}
	return nil
}

// again makes the plan anew: from the same intent, or for an undo from what was done
// since.
func (d *planWindow) again(m *Model, g *model.Group) (*model.Plan, error) {
	in := d.plan.Intent
	if in.Action == model.ActionUndo {
		var err error
		if in, err = m.live.Undo(g); err != nil {
			return nil, err
		}
	}
	p, err := m.newPlan(g, in)
	if err != nil || p.Edit != nil {
		return p, err
	}
	return p.WithDrain(d.plan.Drain), nil
}

// toggle turns draining on or off.
func (d *planWindow) toggle(m *Model) {
	if why := d.drainRefusal(m); why != "" {
		m.say(sorry, why)
		return
	}
	longest := model.DefaultDrain
	if d.plan.Drain > 0 {
		longest = 0
	}
	d.plan = d.plan.WithDrain(longest)
}

// drainRefusal says why the plan cannot be handed over drained, or nothing.
func (d *planWindow) drainRefusal(m *Model) string {
	if _, ok := m.opts.Admin.(Handing); !ok {
		return "there is nothing that could drain"
	}
	switch {
	case d.applying:
		return "it is being applied"
	case !d.plan.Drainable():
		return "no partition changes hands: there is nothing to drain"
	}
	if n, _ := d.running(); n == 0 && d.plan.Drain == 0 {
		return "no member runs: there is nothing to drain"
	}
	return ""
}

// running is how many members run, and what they have not acknowledged.
func (d *planWindow) running() (members int, unacked uint64) {
	for _, mem := range d.group.Members {
		if mem.Configured && mem.Consumer != nil && mem.Elsewhere == "" {
			members++
			unacked += mem.Consumer.AckPending
		}
	}
	return members, unacked
}

// handover says how the partitions are handed over, where there is a choice.
func (d *planWindow) handover(m *Model, w int) []*row {
	if d.drainRefusal(m) != "" && !d.applying || !d.plan.Drainable() {
		return nil
	}
	t := m.theme
	box, st := "[ ] ", t.dim
	if d.plan.Drain > 0 {
		box, st = "[x] ", t.text
	}
	n, unacked := d.running()
	longest := model.DefaultDrain
	if d.plan.Drain > 0 {
		longest = d.plan.Drain
	}
	text := fmt.Sprintf("%sdrain first: pause %s, wait for what is unacknowledged (%s now), at most %s, then write", box, model.Count(n, "member"), model.Thousands(unacked), longest)
	rows := labelled(t, "handover", text, st, w)
	for _, r := range rows {
		r.on(&target{action: keymap.Drain})
	}
	return append([]*row{t.row()}, rows...)
}

// undoes says what an undo takes back.
func (d *planWindow) undoes(t *theme, w int) []*row {
	if d.plan.Intent.Undoes == "" {
		return nil
	}
	return append(labelled(t, "undoes", d.plan.Intent.Undoes, t.text, w), t.row())
}

// priceRow says how even the loads are before and after, and how much stays.
func priceRow(t *theme, p model.Price) *row {
	by := "partitions"
	if p.Weighed {
		by = "load"
	}
	r := t.row().gap(2).put(t.dim, "heaviest ").put(t.text, times(p.Before)).put(t.line, " ▸ ").put(t.text, times(p.After))
	return r.put(t.dim, fmt.Sprintf(" the mean by %s, %.0f %% stay", by, 100*p.Locality))
}

// times is the heaviest against the mean.
func times(s model.Spread) string {
	if s.Mean <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f×", s.Ratio())
}
