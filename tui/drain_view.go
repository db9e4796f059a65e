package tui

import (
	"context"
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// drainWindow follows a drained handover: first what goes on, then what it came to.
type drainWindow struct {
	plan     *planWindow
	now      model.Handover
	steps    chan model.Handover // the newest step that was not shown yet
	cancel   context.CancelFunc
	stopping bool
	over     bool
	text     string // what it came to
}

// handoverMsg is a step of a handover.
type handoverMsg struct {
	from *drainWindow
	now  model.Handover
}

// handOver carries a plan out drained, under a window that shows it.
func (m *Model) handOver(d *planWindow, admin Handing) tea.Cmd {
	ctx, cancel := context.WithTimeout(m.ctx, applyTimeout+d.plan.Drain)
	w := &drainWindow{plan: d, cancel: cancel, steps: make(chan model.Handover, 1), now: model.Handover{Key: d.plan.Key, Phase: model.PhasePausing}}
	m.push(w)
	plan := d.plan
	run := func() tea.Msg {
		defer cancel()
		defer close(w.steps)
		text, err := admin.Handover(ctx, plan, w.offer)
		return appliedMsg{from: d, text: text, err: err}
	}
	return tea.Batch(run, w.listen())
}

// offer takes a step from the handover's goroutine; one that nobody has seen is replaced.
func (d *drainWindow) offer(now model.Handover) {
	for {
		select {
		case d.steps <- now:
			return
		default:
		}
		select {
		case <-d.steps:
		default:
		}
	}
}

func (d *drainWindow) listen() tea.Cmd {
	return func() tea.Msg {
		now, more := <-d.steps
		if !more {
			return nil
		}
		return handoverMsg{d, now}
	}
}

// heard shows a step and waits for the next.
func (m *Model) heard(msg handoverMsg) tea.Cmd {
	msg.from.now = msg.now
	return msg.from.listen()
}

// handedOver turns the window into a report; a failure is shown by the plan below it.
func (m *Model) handedOver(msg appliedMsg) {
	d, ok := m.window().(*drainWindow)
	if !ok || d.plan != msg.from {
		return
	}
	if msg.err != nil {
		m.pop()
		return
	}
	d.over, d.text = true, msg.text
}

// stopHandover stops one that goes on, instead of leaving the program with members
// paused, and tells whether there was one. Asked again, it lets go.
func (m *Model) stopHandover() bool {
	d, ok := m.window().(*drainWindow)
	if !ok || d.over || d.stopping {
		return false
	}
	d.stop(m)
	return true
}

func (d *drainWindow) stop(m *Model) {
	d.stopping = true
	d.cancel()
	m.say(plainly, "stopping the handover…")
}

func (d *drainWindow) screen() keymap.Screen { return keymap.Draining }
func (d *drainWindow) paste(*Model, string)  {}
func (d *drainWindow) refresh(*Model)        {}
func (d *drainWindow) settle(*Model)         {}

func (d *drainWindow) press(m *Model, id keymap.ID, _ tea.KeyPressMsg) tea.Cmd {
	switch {
	case d.over && (id == keymap.Close || id == keymap.Press):
		m.pop()
	case id == keymap.Close && !d.stopping:
		d.stop(m)
	}
	return nil
}

func (d *drainWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	rows := d.lines(m, inner)
	if room := h - 2 - 2; len(rows) > room { // the report's end matters most
		rows = rows[len(rows)-max(1, room):]
	}
	end := t.row().put(t.key, "esc").put(t.dim, " stops and takes the pauses back")
	switch {
	case d.over:
		end = t.row().put(t.focus, "[ Close ]")
	case d.stopping:
		end = t.row().put(t.warn, "stopping…")
	case d.now.Revision > 0:
		end = t.row().put(t.key, "esc").put(t.dim, " stops watching; it is written")
	}
	rows = append(rows, t.row(), t.row().gap(inner-end.width).join(end.on(&target{action: keymap.Close})))
	return boxed(t, d.plan.title(), "drained", rows, inner+4)
}

// lines is a line or more for each step.
func (d *drainWindow) lines(m *Model, w int) []*row {
	t, now := m.theme, d.now
	var rows []*row
	step := func(reached, done bool, label, text string) {
		sign, st, look := "·", t.dim, t.dim
		switch {
		case done:
			sign, st, look = "✓", t.ok, t.text
		case reached && d.over: // it ended without that
			sign, st, look = "!", t.warn, t.text
		case reached:
			sign, st, look = "…", t.accent, t.text
		}
		for i, r := range labelled(t, label, text, look, w-2) {
			lead := t.row().gap(2)
			if i == 0 {
				lead = t.row().put(st.strong(), sign).gap(1)
			}
			rows = append(rows, lead.join(r))
		}
	}
	at := func(p model.Phase) int {
		for i, phase := range []model.Phase{model.PhasePausing, model.PhaseWaiting, model.PhaseWriting, model.PhaseWatching, model.PhaseDone} {
			if phase == p {
				return i
			}
		}
		return -1
	}
	phase := at(now.Phase)
	who := brief(now.Paused)
	if len(now.Paused) == 0 {
		who = "nobody yet"
	}
	if !now.Deadline.IsZero() {
		who += "; that ends by itself at " + m.clock(now.Deadline)
	}
	step(phase >= 0, phase > 0, "paused", who)
	waits := fmt.Sprintf("%s unacknowledged, of %s at first", model.Thousands(now.Unacked), model.Thousands(now.AtFirst))
	if now.Drained > 0 {
		waits += ", after " + brisk(now.Drained)
	}
	step(phase >= 1, phase > 1, "drained", waits)
	wrote := fmt.Sprintf("revision %d ▸ …", d.plan.plan.Revision)
	if now.Revision > 0 {
		wrote = fmt.Sprintf("revision %d ▸ %d", d.plan.plan.Revision, now.Revision)
	}
	step(phase >= 2, phase > 2, "written", wrote)
	flows := "not yet"
	if phase >= 3 {
		flows = fmt.Sprintf("%d of %s at their owner", now.Flowing, model.Count(now.Total, "partition"))
		if now.Stood > 0 {
			flows += ", after " + brisk(now.Stood)
		}
	}
	step(phase >= 3, phase > 3 && now.Flowing == now.Total, "flowing", flows)
	if len(now.Waits) > 0 {
		rows = append(rows, labelled(t, "", strings.Join(now.Waits, ", "), t.warn, w)...)
	}
	if now.Phase == model.PhaseUndoing {
		rows = append(rows, t.row(), t.row().put(t.warn, "taking the pauses back"))
	}
	if len(now.Left) > 0 {
		rows = append(rows, labelled(t, "alone", brief(now.Left)+" paused by somebody else, left so", t.warn, w)...)
	}
	if d.over && d.text != "" {
		rows = append(rows, t.row())
		rows = append(rows, labelled(t, "report", d.text, t.text, w)...)
	}
	return rows
}

// brisk writes a short time to the millisecond.
func brisk(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
