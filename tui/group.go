package tui

import (
	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// panelID names a part of the group's screen.
type panelID int

const (
	panelMembers panelID = iota
	panelMap
	panelTable // where there is room for it beside the map
	panelFindings
	panelEvents
	panels
)

func (p panelID) title() string {
	return [panels]string{"MEMBERS", "PARTITIONS", "WAITING", "FINDINGS", "EVENTS"}[p]
}

// groupView is one group opened.
type groupView struct {
	key     model.Key
	shown   *model.Group // the last that was known
	gone    bool         // it was deleted meanwhile
	focused panelID
	members memberList
	chart   partMap
	parts   *partTable  // a row a partition
	table   *partTable  // the same, open as a screen of its own; nil: it is not
	wide    bool        // the table has a panel
	lent    bool        // the map has the focus until the table is there again
	scroll  [panels]int // first line of findings and events
	events  []model.Event
	page    int  // lines of the focused panel
	said    bool // the first lines hold all of the worst finding
}

func newGroupView(k model.Key) *groupView {
	return &groupView{key: k, chart: partMap{again: keymap.Open}}
}

// take follows the group by its key. When it is deleted its last picture stays.
func (v *groupView) take(s *model.Snapshot) {
	g := s.Group(v.key)
	v.gone = g == nil && v.shown != nil
	if g != nil {
		v.shown = g
	}
	v.events = v.events[:0:0]
	for _, e := range s.Events {
		if e.Concerns(v.key) {
			v.events = append(v.events, e)
		}
	}
	if v.shown != nil {
		v.members.take(v.shown)
		v.chart.take(v.shown)
		if v.parts == nil {
			v.parts = newPartTable(&v.chart)
		}
		v.parts.take()
	}
}

// press carries an action out that has to do with the open group.
func (v *groupView) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch {
	case id == keymap.Where:
		m.where(v.shown)
		return nil
	case v.table != nil:
		v.table.press(m, v, id, k)
		return nil
	}
	switch id {
	case keymap.Back:
		m.group = nil
	case keymap.Open:
		if v.shown != nil {
			v.table = v.parts
		}
	case keymap.Next:
		v.turn(1)
	case keymap.Previous:
		v.turn(panels - 1)
	case keymap.StepDown, keymap.AddTo, keymap.DropFrom, keymap.Remapped, keymap.Balance, keymap.Undo, keymap.EditSource, keymap.RemoveID:
		v.start(m, id)
	case keymap.Worst:
		v.worst(m)
	case keymap.Remove:
		return m.remove(m.snap.Group(v.key))
	case keymap.Done:
		m.push(newHistory(m, v.key))
	default:
		v.move(v.focused, id)
	}
	return nil
}

// typing tells whether a filter is being typed.
func (v *groupView) typing() bool { return v.table != nil && v.table.typing }

// turn gives the focus to the panel n further on, of those there are.
func (v *groupView) turn(n panelID) {
	v.focused, v.lent = (v.focused+n)%panels, false
	if v.focused == panelTable && !v.wide {
		v.focused = (v.focused + n) % panels
	}
}

// worst goes to the member that the worst finding is about.
func (v *groupView) worst(m *Model) {
	if v.shown == nil {
		return
	}
	if name := culprit(v.shown); name != "" {
		v.choose(name)
		return
	}
	m.say(plainly, "no finding is about one member")
}

// move moves the selection of a panel, or scrolls it.
func (v *groupView) move(p panelID, id keymap.ID) {
	switch p {
	case panelMembers:
		v.members.move(id, v.page)
	case panelMap:
		v.chart.move(id, v.page)
	case panelTable:
		v.parts.step(id)
	default:
		if top, ok := moved(id, v.scroll[p], 1<<20, v.page); ok {
			v.scroll[p] = top
		}
	}
}

// remapped is the partition that a remap begins with: the first of the selected member, or
// the one under the cursor where partitions are looked at.
func (v *groupView) remapped() int {
	onMap := v.table != nil || v.focused == panelMap || v.focused == panelTable
	if mem := v.shown.Member(v.members.selected); !onMap && mem != nil && len(mem.Partitions) > 0 {
		return mem.Partitions[0]
	}
	return v.chart.cursor
}

// start opens the window that an action begins with, or says why it cannot be done.
func (v *groupView) start(m *Model, id keymap.ID) {
	g := m.snap.Group(v.key)
	action := actions()[id]
	switch why := m.writeRefusal(); {
	case why != "":
		m.say(sorry, why)
		return
	case g == nil:
		m.say(sorry, "the group is gone")
		return
	case g.Refusal(action) != "":
		m.say(sorry, g.Refusal(action))
		return
	}
	switch action {
	case model.ActionUndo:
		in, err := m.snap.Undo(g)
		if err != nil {
			m.say(sorry, reason(err))
			return
		}
		m.plan(g, in)
	case model.ActionStepDown, model.ActionRemoveID:
		m.plan(g, model.Intent{Action: action, Members: []string{v.members.selected}})
	case model.ActionBalance:
		m.plan(g, model.Intent{Action: action})
	case model.ActionAdd:
		m.push(newAddWindow(m, g))
	case model.ActionDrop:
		m.push(newDropWindow(m, g, v.members.selected))
	case model.ActionEditSource:
		m.push(newSourceWindow(m, g))
	case model.ActionRemap:
		m.push(newRemapWindow(m, g, v.remapped()))
	}
}

// choose selects a member, if there is one of that name.
func (v *groupView) choose(member string) {
	for n := range v.members.table {
		if mem, i := v.members.at(n); i == nil && mem.Name == member {
			v.focused, v.lent = panelMembers, false
			v.members.pick(n)
		}
	}
}
