package keymap

import "strings"

// lastScreen is the highest of the screens.
const lastScreen = Confirm

// String says where, in words that follow a sentence.
func (s Screen) String() string {
	var words []string
	for _, n := range []struct {
		of   Screen
		word string
	}{
		{Overview, "in the list of groups"}, {Group, "in a group"}, {Partitions, "in the partitions"}, {Events, "in the events"},
		{Filter, "in a filter"}, {Plan, "in a plan"}, {Add, "in adding members"}, {Drop, "in dropping members"},
		{Remap, "in the remap editor"}, {Name, "in naming a member"}, {Marking, "in marking partitions"}, {Help, "in the help"},
		{Seek, "in where"}, {Draining, "in a handover"}, {Create, "in a new group"}, {Delete, "in deleting"}, {History, "in the history"}, {Palette, "in the palette"}, {Raw, "in the raw view"}, {Contexts, "in the list of contexts"}, {Line, "in a line that is typed"}, {Editing, "in editing a source"}, {Confirm, "in confirming"},
	} {
		if s&n.of != 0 {
			words = append(words, n.word)
		}
	}
	return strings.Join(words, ", ")
}
