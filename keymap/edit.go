package keymap

import "charm.land/bubbles/v2/key"

// What can be done to groups whose kind offers it, and where it is typed.
const (
	EditSource ID = "edit-source"
	RemoveID   ID = "remove-id"
)

const (
	Editing Screen = 1 << 21 // typing changes of a source, a line each
	Confirm Screen = 1 << 22 // typing the words that let a plan be carried out
)

// edits are their keys.
func edits() Table {
	b := func(shown, short string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, short))
	}
	return Table{
		{EditSource, b("E", "edit source", "E"), "Edit the partition source: add, remove, weigh and label partitions.", Change, true, Group, 3},
		{RemoveID, b("D", "remove id", "D"), "Remove the selected member's id, where nobody renews it.", Change, true, Group, 4},
		{Make, b("enter", "take / plan", "enter"), "Take the line that is typed; with none, show the plan. Nothing is written before it is confirmed.", Here, false, Editing, 1},
		{Up, b("↑", "up", "up"), "Scroll up while typing.", Move, false, Editing | Confirm, 0},
		{Down, b("↓", "down", "down"), "Scroll down while typing.", Move, false, Editing | Confirm, 0},
		{Press, b("enter", "carry out", "enter"), "Carry the plan out, once its words are typed.", Here, false, Confirm, 1},
	}
}
