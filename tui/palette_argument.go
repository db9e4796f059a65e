package tui

import (
	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
)

// asksFor is what an action asks for when it is done, in a word: in the palette that can be
// typed behind its name. It is empty where nothing is asked for.
func (m *Model) asksFor(id keymap.ID) string {
	switch id {
	case keymap.Record:
		if m.recorder == nil { // else it ends the recording
			return "FILE"
		}
	case keymap.GoTo:
		return "TIME"
	case keymap.Where:
		return "SUBJECT"
	case keymap.AddTo:
		return "NAMES"
	case keymap.Search:
		return "WORDS"
	}
	return ""
}

// doWith does an action and types an argument into what it opens. A line is taken at once;
// what else opens shows first what comes of it.
func (m *Model) doWith(id keymap.ID, argument string) tea.Cmd {
	cmd := m.do(id)
	if argument == "" {
		return cmd
	}
	if d, line := m.window().(*lineWindow); line {
		d.input = input{argument}
		return tea.Batch(cmd, d.press(m, keymap.Make, tea.KeyPressMsg{}))
	}
	m.paste(argument)
	return cmd
}
