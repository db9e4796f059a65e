package tui

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// disabled says, for each action that cannot be done on a screen now, why.
func (m *Model) disabled(s keymap.Screen) map[keymap.ID]string {
	off := m.recordingRefusals()
	if (s == keymap.Group || s == keymap.History) && m.group != nil {
		for id, action := range actions() {
			if why := m.writeRefusal(); why != "" {
				off[id] = why
			} else if m.group.gone {
				off[id] = "the group is gone"
			} else if g := m.group.shown; g != nil {
				off[id] = g.Refusal(action)
				if _, err := m.snap.Undo(g); id == keymap.Undo && off[id] == "" && err != nil {
					off[id] = reason(err)
				}
			}
		}
	}
	top := m.told()
	if d, ok := top.(*drainWindow); ok && s == keymap.Draining {
		if d.over {
			off[keymap.Close] = "it is over: there is nothing to stop; it closes the report"
		} else {
			off[keymap.Press] = "it is not over"
		}
	}
	if d, ok := top.(*remapWindow); ok && s == keymap.Remap && d.stale == "" && d.unchanged() {
		off[keymap.Make] = noChange
	}
	if why := m.contextRefusal(); why != "" {
		off[keymap.ChooseContext] = why
	}
	if s == keymap.Overview {
		off[keymap.NewGroup] = m.foundingRefusal()
	}
	if d := planOf(top); d != nil && s == keymap.Plan {
		off[keymap.Drain] = d.drainRefusal(m)
	}
	if d, ok := top.(*planWindow); ok && s == keymap.Plan && d.stale == "" && d.failed == "" {
		off[keymap.Anew] = "nothing has changed since it was made"
	}
	if s == keymap.Overview && m.overview.filter.text() == "" {
		off[keymap.Back] = "no filter is on"
	}
	if s == keymap.Overview && len(m.overview.rows) == 0 {
		off[keymap.Open] = "there is no group"
	}
	return off
}

// sayWhere says of a key that does nothing here where it does: what is typed next, as a
// group's name behind what was to delete it, would be taken for keys.
func (m *Model) sayWhere(here keymap.Screen, k tea.KeyPressMsg) {
	for _, there := range []keymap.Screen{keymap.Group, keymap.Overview} {
		for _, e := range m.keys.Entries(there, nil) {
			if !slices.Contains(e.Binding.Keys(), k.String()) || e.Section != keymap.Change && e.ID != keymap.Where {
				continue
			}
			what := e.Binding.Help().Desc + " (" + e.Key() + ")"
			if open := m.keys.Key(here, keymap.Open); here == keymap.Overview && len(m.overview.rows) > 0 {
				m.say(sorry, what+" needs an open group: "+open+" opens the selected one")
			} else if here == keymap.Overview {
				m.say(sorry, what+" needs an open group")
			} else {
				m.say(sorry, what+" can be done "+there.String()+", not here")
			}
			return
		}
	}
}

// actions maps keys to what they plan.
func actions() map[keymap.ID]model.Action {
	return map[keymap.ID]model.Action{
		keymap.StepDown: model.ActionStepDown,
		keymap.AddTo:    model.ActionAdd,
		keymap.DropFrom: model.ActionDrop,
		keymap.Remapped: model.ActionRemap,
		keymap.Balance:  model.ActionBalance,
		keymap.Undo:     model.ActionUndo,
		keymap.Remove:   model.ActionDelete,
		keymap.NewGroup: model.ActionCreate,

		keymap.EditSource: model.ActionEditSource,
		keymap.RemoveID:   model.ActionRemoveID,
	}
}
