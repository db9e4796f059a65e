package tui

import (
	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
)

// target is what a click on a piece of the screen does. It travels with the text, so
// that whatever is drawn where can be clicked there.
type target struct {
	action keymap.ID // carried out as by its key; or
	click  func(*Model) tea.Cmd
	panel  *panelID // of the group's screen: it gets the focus, and the wheel scrolls it
}

// does is the target of an action on the screen in view.
func (m *Model) does(id keymap.ID) *target { return &target{action: id} }

// clicks is the target of anything else.
func clicks(f func(m *Model)) *target {
	return &target{click: func(m *Model) tea.Cmd { f(m); return nil }}
}

// under is what lies under the pointer in the frame that was drawn last: that is what
// was clicked on, whatever came since.
func (m *Model) under(at tea.Mouse) *target {
	if at.Y < 0 || at.Y >= len(m.cells) {
		return nil
	}
	return m.cells[at.Y].target(at.X)
}

// click does what a press of the left button means. Like a key it only chooses, opens,
// and presses buttons that are shown: nothing is written before a plan was on the
// screen for long enough to be read.
func (m *Model) click(at tea.Mouse) tea.Cmd {
	if at.Button != tea.MouseLeft {
		return nil
	}
	m.pressed()
	t := m.under(at)
	if t == nil || m.tooSmall() {
		return nil
	}
	if t.panel != nil && m.group != nil {
		m.group.focused, m.group.lent = *t.panel, false
	}
	switch {
	case t.click != nil:
		return t.click(m)
	case t.action != "":
		return m.do(t.action)
	}
	return nil
}

// wheel moves what lies under the pointer.
func (m *Model) wheel(at tea.Mouse) tea.Cmd {
	id := keymap.Down
	switch at.Button {
	case tea.MouseWheelUp:
		id = keymap.Up
	case tea.MouseWheelDown:
	default:
		return nil
	}
	if m.tooSmall() {
		return nil
	}
	if t := m.under(at); t != nil && t.panel != nil && m.group != nil {
		m.group.move(*t.panel, id)
		return nil
	}
	return m.do(id)
}

// in says which panel of the group's screen a row belongs to.
func (r *row) in(p panelID) *row {
	for i, s := range r.spans {
		t := target{}
		if s.at != nil {
			t = *s.at
		}
		t.panel = &p
		r.spans[i].at = &t
	}
	return r
}
