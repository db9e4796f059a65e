package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// applyTimeout bounds how long a write may take before it counts as failed.
const applyTimeout = 90 * time.Second

// planWindow shows what a change would do and waits for confirmation. What it would
// write was frozen when it was made: when the group is no longer what it was then,
// nothing can be confirmed until the plan is made anew.
type planWindow struct {
	plan     *model.Plan
	group    *model.Group // as it was when the plan was made
	server   string       // which answered then: [model.Server.Moved]
	confirm  bool         // the focus is on the other button than Cancel
	refused  bool         // that one does not apply the plan, as last seen
	stale    string       // what changed since
	failed   string       // that Apply did not do it, or may not have, and why
	applying bool
	shownAt  time.Time
	top      int // first visible line
	page     int
}

// appliedMsg is what came of a plan.
type appliedMsg struct {
	from *planWindow
	text string
	err  error
}

// plan opens the window that shows what an intent would do, or says why it cannot be
// done.
func (m *Model) plan(g *model.Group, in model.Intent) {
	p, err := m.newPlan(g, in)
	if err != nil {
		m.say(sorry, reason(err))
		return
	}
	w := m.planned(p, g)
	w.refresh(m) // the picture may be held, and old
	if p.Edit != nil && p.Edit.Confirm != "" {
		m.push(&confirmWindow{planWindow: w})
		return
	}
	m.push(&w)
}

// planned is a window for a plan made just now.
func (m *Model) planned(p *model.Plan, g *model.Group) planWindow {
	return planWindow{plan: p, group: g, server: m.live.Server.Moved(), shownAt: m.opts.Now()}
}

// reason is an error without the word that says that it is one.
func reason(err error) string { return strings.TrimPrefix(err.Error(), model.ErrRefused.Error()+": ") }

// failure says that a plan was not carried out, or that it is not known.
func failure(err error) string {
	if errors.Is(err, model.ErrUnsure) {
		return reason(err)
	}
	return "not done: " + reason(err)
}

func (d *planWindow) screen() keymap.Screen { return keymap.Plan }

func (d *planWindow) paste(*Model, string) {} // a paste confirms nothing

// refresh compares what the plan was made for with what is. A difference stays, even
// if the group changes back: somebody is at work there.
//
// When that takes the button away that had the focus, the focus goes back to Cancel.
func (d *planWindow) refresh(m *Model) {
	if !d.applying && d.stale == "" {
		d.stale = d.drift(m, m.live.Group(d.plan.Key))
	}
	if refused := d.refusal(m) != ""; refused != d.refused {
		d.refused, d.confirm, d.shownAt = refused, false, m.opts.Now()
	}
}

func (d *planWindow) press(m *Model, id keymap.ID, _ tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Next, keymap.Previous, keymap.Left, keymap.Right:
		d.confirm = !d.confirm && (d.refusal(m) == "" || d.renewable()) && !d.applying
	case keymap.Press:
		return d.enter(m)
	case keymap.Drain:
		d.toggle(m)
	case keymap.Anew:
		d.anew(m)
	case keymap.Copy:
		return m.copy("the command", model.Quote(d.plan.Command))
	default:
		if top, ok := moved(id, d.top, 1<<20, d.page); ok {
			d.top = top
		}
	}
	return nil
}

// enter presses the button that has the focus.
func (d *planWindow) enter(m *Model) tea.Cmd {
	switch {
	case d.applying:
	case d.refused && !d.deliberate(m): // it was meant for the button that was there before
		m.say(sorry, "it cannot be done any more: read why, then press again")
	case !d.confirm:
		m.pop()
		if d.refused {
			m.say(plainly, "cancelled: nothing was written")
		}
	case !d.deliberate(m):
		m.say(sorry, "too quick to have been read: press it again")
	case d.renewable():
		d.anew(m)
	default:
		return d.apply(m)
	}
	return nil
}

// clicked presses the action's button. Too early it does nothing, and the focus stays.
func (d *planWindow) clicked(m *Model) tea.Cmd {
	if !d.deliberate(m) {
		m.say(sorry, "too quick to have been read: press it again")
		return nil
	}
	d.confirm = true
	return d.enter(m)
}

// Less than that nobody reads a plan in, nor goes from one key to the next.
const (
	readingTime = 250 * time.Millisecond
	keyTime     = 40 * time.Millisecond
)

// deliberate tells keys that a person presses, and clicks, from a double click that went through, and from keys that were typed ahead or pasted
// into a terminal that does not mark a paste: those come all at once.
func (d *planWindow) deliberate(m *Model) bool {
	return m.keyAt.Sub(d.shownAt) >= readingTime && m.gap >= keyTime
}

// apply is the only place from which anything is written.
func (d *planWindow) apply(m *Model) tea.Cmd {
	d.refresh(m)
	if d.applying || d.refusal(m) != "" {
		return nil
	}
	d.applying, d.confirm = true, false
	m.writing++
	admin, plan, parent := m.opts.Admin, d.plan, m.ctx
	if h, ok := admin.(Handing); ok && plan.Drain > 0 {
		return m.handOver(d, h)
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, applyTimeout)
		defer cancel()
		text, err := admin.Apply(ctx, plan)
		return appliedMsg{from: d, text: text, err: err}
	}
}

// applied shows what came of a plan. It closes the windows that led to it; a failure
// stays in the window, if that is still there.
func (m *Model) applied(msg appliedMsg) {
	d := msg.from
	d.applying = false
	m.writing--
	at := -1
	for i, w := range m.windows {
		if planOf(w) == d {
			at = i
		}
	}
	m.handedOver(msg)
	switch {
	case msg.err == nil:
		if d.plan.Intent.Action == model.ActionCreate {
			m.overview.await(d.plan.Key)
		}
		m.windows = m.windows[at+1:]
		if msg.text == "" {
			msg.text = d.title() + ": done"
		}
		if _, report := m.window().(*drainWindow); !report { // that says it already
			m.say(good, msg.text)
		}
	case at < 0:
		m.say(sorry, d.title()+": "+reason(msg.err))
	default:
		d.failed = failure(msg.err)
		d.refresh(m)
	}
}

// anew makes the plan again, from the same intent and the group as it is now.
func (d *planWindow) anew(m *Model) {
	if !d.renewable() {
		return
	}
	g := m.live.Group(d.plan.Key)
	if g == nil {
		d.failed, d.stale = "", "the group is gone"
		return
	}
	p, err := d.again(m, g)
	if err != nil {
		d.failed, d.stale = "", reason(err)
		return
	}
	page := d.page
	*d = m.planned(p, g)
	d.page = page
	d.refresh(m)
}

// title says what is to be done to what.
func (d *planWindow) title() string {
	names, key := strings.Join(d.plan.Intent.Members, ", "), d.plan.Key.String()
	switch d.plan.Intent.Action {
	case model.ActionStepDown:
		return "Step down " + names + " of " + key
	case model.ActionAdd:
		return "Add " + names + " to " + key
	case model.ActionDrop:
		return "Drop " + names + " from " + key
	case model.ActionBalance, model.ActionMembers:
		return "Balance " + key
	case model.ActionUndo:
		return "Undo on " + key
	case model.ActionEditSource:
		return "Edit the source of " + key
	case model.ActionRemoveID:
		return "Remove the id " + names + " of " + key
	case model.ActionCreate:
		return "Create " + string(d.plan.Key.Kind) + " group " + key
	case model.ActionDelete:
		return "Delete " + string(d.plan.Key.Kind) + " group " + key
	}
	return "Remap " + key
}

// button is what the action is called.
func (d *planWindow) button() string {
	names := strings.Join(d.plan.Intent.Members, ", ")
	if glyph.Width(glyph.Clean(names)) > 20 {
		names = model.Count(len(d.plan.Intent.Members), "member")
	}
	switch d.plan.Intent.Action {
	case model.ActionStepDown:
		return "Step down " + names
	case model.ActionAdd:
		return "Add " + names
	case model.ActionDrop:
		return "Drop " + names
	case model.ActionBalance, model.ActionMembers:
		return "Balance"
	case model.ActionUndo:
		return "Undo"
	case model.ActionEditSource:
		return "Write"
	case model.ActionRemoveID:
		return "Remove " + names
	case model.ActionCreate:
		return "Create"
	}
	return "Remap"
}
