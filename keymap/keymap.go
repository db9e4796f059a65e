// Package keymap is the one table of what can be done with keys. Help, the hints in
// the footer, and the matching of key presses are made from it, so that none of them
// can promise what another does not do.
package keymap

import "charm.land/bubbles/v2/key"

// Screen is where an action applies; several are or-ed together.
type Screen uint

const (
	Overview   Screen = 1 << iota // the list of groups
	Group                         // one group
	Filter                        // typing a filter
	Plan                          // a plan waits for confirmation
	Add                           // typing the names of members to add
	Drop                          // choosing members to drop
	Remap                         // giving partitions to members
	Name                          // typing one member's name in the remap editor
	Help                          // the help itself
	Partitions                    // the partitions of one group
	Seek                          // asking where a subject goes
	Events                        // what happened
	Draining                      // a drained handover goes on
	Create                        // typing what a new group is to be
	Delete                        // typing the name of a group that is to go
	History                       // what was done to a group from here
	Marking                       // typing which partitions to mark in the remap editor
	Palette                       // typing what is to be done
	Raw                           // what is stored and answered, as it is
	Contexts                      // choosing another NATS context
)

// Section is the heading an action is listed under.
type Section string

const (
	Move   Section = "Move"
	Look   Section = "Look"
	Change Section = "Change"
	Sort   Section = "Sort"
	Here   Section = "In this window"
)

// Action is one thing that can be done.
type Action struct {
	ID      ID
	Binding key.Binding // the keys, and the short help
	Long    string      // the long help, a sentence
	Section Section
	Danger  bool   // it leads to a write, once its plan is confirmed
	Where   Screen // the screens it applies to
	Hint    int    // its place in the footer, from 1; 0: it is in the help only
}

// Key is how the action's own key is shown. The footer may name it together with those of
// its like: 1-4, [ ].
func (a Action) Key() string {
	if keys := a.Binding.Keys(); len(keys) == 1 {
		return Shown(keys[0])
	}
	return a.Binding.Help().Key
}

// Entry is an action as help shows it: with the reason why it cannot be done now, or
// an empty one.
type Entry struct {
	Action
	Disabled string
}

// Table is every action.
type Table []Action

const (
	lists   = Overview | Group | Partitions | Events
	windows = Plan | Add | Drop | Remap | Name | Help | Seek | Draining | Create | Delete | History | Marking | Palette | Raw | Contexts | Editing | Confirm
	typing  = Filter | Add | Name | Seek | Create | Delete | Marking | Palette | Editing | Confirm
	browse  = lists | Plan | Drop | Remap // where letters are keys

	// Typing is where letters are text.
	Typing = typing | Line
)

// New makes the table.
func New() Table {
	b := func(keys []string, shown, short string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, short))
	}
	table := Table{
		{Up, b([]string{"up", "k"}, "k ↑", "up"), "Move up, or scroll up.", Move, false, lists | Plan | Drop | Remap | Help | History | Raw | Contexts, 0},
		{Down, b([]string{"down", "j"}, "j ↓", "down"), "Move down, or scroll down.", Move, false, lists | Plan | Drop | Remap | Help | History | Raw | Contexts, 0},
		{Up, b([]string{"up"}, "↑", "up"), "Move up while typing.", Move, false, Filter | Add | Seek | Delete | Palette, 0},
		{Down, b([]string{"down"}, "↓", "down"), "Move down while typing.", Move, false, Filter | Add | Seek | Delete | Palette, 0},
		{Left, b([]string{"left", "h"}, "h ←", "left"), "Move left on the partition map, or to the other button.", Move, false, Group | Plan | Remap | Partitions, 0},
		{Right, b([]string{"right", "l"}, "l →", "right"), "Move right on the partition map, or to the other button.", Move, false, Group | Plan | Remap | Partitions, 0},
		{Top, b([]string{"g", "home"}, "g", "first"), "Go to the first.", Move, false, lists | Plan | Drop | Help | History | Raw | Contexts, 0},
		{Bottom, b([]string{"G", "end"}, "G", "last"), "Go to the last.", Move, false, lists | Plan | Drop | Help | History | Raw | Contexts, 0},
		{PageUp, b([]string{"pgup"}, "pgup", "page up"), "A page up while typing.", Move, false, Palette, 0},
		{PageDown, b([]string{"pgdown"}, "pgdn", "page down"), "A page down while typing.", Move, false, Palette, 0},
		{Top, b([]string{"home"}, "home", "first"), "Go to the first partition.", Move, false, Remap, 0},
		{Bottom, b([]string{"end"}, "end", "last"), "Go to the last partition.", Move, false, Remap, 0},
		{PageUp, b([]string{"ctrl+b", "pgup"}, "^b", "page up"), "A page up.", Move, false, lists | Plan | Drop | Remap | Help | History | Raw | Contexts, 0},
		{PageDown, b([]string{"ctrl+f", "pgdown"}, "^f", "page down"), "A page down.", Move, false, lists | Plan | Drop | Remap | Help | History | Raw | Contexts, 0},
		{HalfUp, b([]string{"ctrl+u"}, "^u", "half page up"), "Half a page up.", Move, false, lists | Plan | Drop | Remap | Help | History | Raw | Contexts, 0},
		{HalfDown, b([]string{"ctrl+d"}, "^d", "half page down"), "Half a page down.", Move, false, lists | Plan | Drop | Remap | Help | History | Raw | Contexts, 0},

		{Open, b([]string{"enter"}, "enter", "open"), "Open the selected group.", Look, false, Overview, 1},
		{Open, b([]string{"enter"}, "enter", "partitions"), "Show every partition: what waits there, how old it is, how fast it comes and goes.", Look, false, Group, 6},
		{Where, b([]string{"w"}, "w", "where"), "Ask where the messages of a subject go, and which subjects there are.", Look, false, Group | Partitions, 6},
		{Open, b([]string{"enter"}, "enter", "owner"), "Go to the member that owns the partition.", Look, false, Partitions, 2},
		{Search, b([]string{"/"}, "/", "filter"), "Show only partitions that match all words: numbers such as 0-4,15, part of an owner's name or state, is:absent, is:need; -WORD leaves out.", Look, false, Partitions, 2},
		{Next, b([]string{"tab"}, "tab", "table or map"), "Show the table, or the map in full.", Look, false, Partitions, 1},
		{Make, b([]string{"enter"}, "enter", "find"), "List subjects of the stream that contain the text.", Here, false, Seek, 1},
		{Open, b([]string{"enter"}, "enter", "go there"), "Go to the group and the member that the event is about.", Look, false, Events, 1},
		{Copy, b([]string{"c"}, "c", "copy"), "Copy the event as a line of text, through the terminal.", Look, false, Events, 3},
		{Copy, b([]string{"c"}, "c", "copy"), "Copy what is selected as a line of text, through the terminal.", Look, false, Overview | Group | Partitions, 0},
		{Copy, b([]string{"c"}, "c", "copy"), "Copy the plan as a command, through the terminal.", Here, false, Plan, 4},
		{Copy, b([]string{"c"}, "c", "copy"), "Copy it as it is, not indented, through the terminal.", Here, false, Raw, 1},
		{ChooseContext, b([]string{"ctrl+o"}, "^o", "contexts"), "Connect by another NATS context, without starting anew; in the palette: ctx NAME.", Look, false, lists, 0},
		{Make, b([]string{"enter"}, "enter", "connect"), "Connect by the selected context.", Here, false, Contexts, 1},
		{Next, b([]string{"tab"}, "tab", "next"), "Show the next: config, streams, the selected member's consumer, what pcgtop sees.", Here, false, Raw, 2},
		{Previous, b([]string{"shift+tab"}, "⇧tab", "before"), "Show the one before.", Here, false, Raw, 0},
		{ShowRaw, b([]string{"y"}, "y", "raw"), "Show the stored config and the server's answers about it as they are.", Look, false, Overview | Group | Partitions, 0},
		{Scope, b([]string{"tab"}, "tab", "all / one group"), "Show the events of all groups, or of one alone.", Look, false, Events, 4},
		{StepDown, b([]string{"s"}, "s", "step down"), "Unpin the selected member's pinned instance, so that another takes over.", Change, true, Group, 1},
		{AddTo, b([]string{"a"}, "a", "add"), "Add members to an elastic group.", Change, true, Group, 2},
		{DropFrom, b([]string{"x"}, "x", "drop"), "Drop members from an elastic group.", Change, true, Group, 3},
		{Remapped, b([]string{"m"}, "m", "remap"), "Say for each partition which member owns it.", Change, true, Group, 4},
		{Balance, b([]string{"b"}, "b", "balanced"), "Back from a mapping to a balanced membership.", Change, true, Group, 5},

		{Undo, b([]string{"u"}, "u", "undo"), "Undo the last change of this group that was made from here.", Change, true, Group, 5},
		{Undo, b([]string{"u"}, "u", "undo"), "Undo the last change that was made from here.", Here, true, History, 1},
		{Done, b([]string{"U"}, "U", "history"), "Show what was done to this group from here.", Change, false, Group, 0},
		{NewGroup, b([]string{"n"}, "n", "new group"), "Make a group: a form checks it as you type.", Change, true, Overview, 4},
		{Remove, b([]string{"X"}, "X", "delete"), "Delete this group: shows what goes and asks for its name.", Change, true, Group, 6},

		{Press, b([]string{"enter"}, "enter", "press"), "Press the button that has the focus.", Here, false, Plan, 1},
		{Next, b([]string{"tab"}, "tab", "switch"), "Go to the other button.", Here, false, Plan, 2},
		{Previous, b([]string{"shift+tab"}, "⇧tab", "switch"), "Go to the other button.", Here, false, Plan, 0},
		{Drain, b([]string{"d"}, "d", "drain"), "Hand over drained, or write at once: nothing is handled twice when it is drained.", Here, false, Plan, 2},
		{Anew, b([]string{"r"}, "r", "plan anew"), "Make the plan again from the group as it is now.", Here, false, Plan, 3},

		{Make, b([]string{"enter"}, "enter", "plan"), "Show the plan. Nothing is written before it is confirmed.", Here, false, Add | Drop | Remap, 1},
		{Make, b([]string{"enter"}, "enter", "take it"), "Take the name as a new member.", Here, false, Name, 1},
		{Mark, b([]string{"space"}, "space", "mark"), "Mark or unmark.", Here, false, Drop | Remap, 2},
		{OwnerNext, b([]string{"]"}, "[ ]", "owner"), "Give the partition, or all marked ones, to the member after.", Here, false, Remap, 3},
		{OwnerBefore, b([]string{"["}, "[", "owner before"), "Give the partition, or all marked ones, to the member before.", Here, false, Remap, 0},
		{Give, b(letters(), "A…Z", "give"), "Give the partition, or all marked ones, to the member of that letter.", Here, false, Remap, 4},
		{DealBalanced, b([]string{"1"}, "1-4", "deal"), "Start from the balanced plan: no mapping is needed.", Here, false, Remap, 2},
		{DealFewest, b([]string{"2"}, "2", "fewest moves"), "Start from the plan with even counts that moves least.", Here, false, Remap, 0},
		{DealLoad, b([]string{"3"}, "3", "by load"), "Start from the plan with even loads.", Here, false, Remap, 0},
		{DealAlone, b([]string{"4"}, "4", "isolate"), "Start from the plan that leaves the partition under the cursor alone on a member.", Here, false, Remap, 0},
		{Some, b([]string{"/"}, "/", "mark some"), "Mark partitions by number, such as 0-4,15, or by their owner, such as m*.", Here, false, Remap, 7},
		{Same, b([]string{"o"}, "o", "mark owner's"), "Mark all partitions of the member under the cursor.", Here, false, Remap, 8},
		{Leave, b([]string{"x"}, "x", "leave out"), "Leave the member under the cursor out of the plans 1 to 4, or take it back in.", Here, false, Remap, 8},
		{Named, b([]string{"n"}, "n", "new member"), "Name a new member to give partitions to.", Here, false, Remap, 5},
		{Make, b([]string{"enter"}, "enter", "do it"), "Do what is selected, or go there.", Here, false, Palette, 1},
		{Make, b([]string{"enter"}, "enter", "mark"), "Mark those partitions.", Here, false, Marking, 1},
		{Make, b([]string{"enter"}, "enter", "check"), "Check it against the server and show the plan. Nothing is written before it is confirmed.", Here, false, Create, 1},
		{Next, b([]string{"tab", "down"}, "tab", "next field"), "Go to the next field.", Here, false, Create, 2},
		{Previous, b([]string{"shift+tab", "up"}, "⇧tab", "field before"), "Go to the field before.", Here, false, Create, 0},
		{Press, b([]string{"enter"}, "enter", "delete"), "Delete the group, once its name is typed.", Here, false, Delete, 1},
		{Press, b([]string{"enter"}, "enter", "close"), "Close the report, when it is over.", Here, false, Draining, 1},
		{Reset, b([]string{"0", "r"}, "0", "reset"), "Start again from the group as it is now.", Here, false, Remap, 6},

		{Search, b([]string{"/"}, "/", "filter"), "Show only groups that match all words: part of a name, kind or verdict; is:stalled, is:need, kind:static, member:NAME; -WORD leaves out.", Look, false, Overview, 2},
		{Search, b([]string{"/"}, "/", "filter"), "Show only events that match all words: any of their text; kind:pin, member:NAME, stream:NAME; -WORD leaves out.", Look, false, Events, 2},
		{Open, b([]string{"enter"}, "enter", "keep"), "Keep the filter and go back to the list.", Look, false, Filter, 1},
		{Next, b([]string{"tab"}, "tab", "next panel"), "Go to the next panel.", Look, false, Group, 6},
		{Previous, b([]string{"shift+tab"}, "⇧tab", "previous panel"), "Go to the previous panel.", Look, false, Group, 0},
		{Happened, b([]string{"e"}, "e", "events"), "Show what happened: here in one group, from the list of groups in all.", Look, false, Overview | Group | Partitions, 5},
		{ReadNow, b([]string{"r"}, "r", "read now"), "Read everything shown again, now.", Look, false, lists, 7},
		{Hold, b([]string{"p"}, "p", "hold"), "Hold the picture; press again to let it move.", Look, false, lists, 8},
		{Back, b([]string{"esc"}, "esc", "clear filter"), "Clear the filter.", Look, false, Overview, 9},
		{Back, b([]string{"esc"}, "esc", "back"), "Go back to the list of groups.", Look, false, Group, 9},
		{Back, b([]string{"esc"}, "esc", "back"), "Go back to the group.", Look, false, Partitions, 9},
		{Back, b([]string{"esc"}, "esc", "back"), "Clear the filter, or go back to where you came from.", Look, false, Events, 9},
		{Close, b([]string{"esc"}, "esc", "clear"), "Clear the filter.", Here, false, Filter, 9},
		{Close, b([]string{"esc"}, "esc", "close"), "Close this window; nothing is written.", Here, false, windows &^ Draining, 9},
		{Close, b([]string{"esc"}, "esc", "stop"), "Stop the handover: before the write the pauses are taken back and nothing is written, after it the watching ends. Closes the report, when it is over.", Here, false, Draining, 9},
		{Command, b([]string{":"}, ":", "palette"), "Find any action, group or member by a few letters of its name.", Look, false, browse, 9},
		{ShowHelp, b([]string{"?", "f1"}, "?", "help"), "Show what the keys do.", Look, false, browse | Draining | History | Raw | Contexts, 10},
		{ShowHelp, b([]string{"f1"}, "f1", "help"), "Show what the keys do here.", Look, false, typing, 10},
		{Worst, b([]string{"!"}, "!", "worst"), "Go to the group in the worst state.", Look, false, Overview, 3},
		{Worst, b([]string{"!"}, "!", "worst"), "Go to the member that the worst finding is about.", Look, false, Group, 0},
		{Worst, b([]string{"!"}, "!", "worst"), "Go to the partition where the most waits.", Look, false, Partitions, 0},
		{Follow, b([]string{"f"}, "f", "follow"), "Keep the selection on this group wherever it goes, or on the first row whichever that is.", Look, false, Overview, 0},
		{Quit, b([]string{"q", "ctrl+c"}, "q", "quit"), "Quit; ctrl+c quits anywhere.", Look, false, lists | windows&^typing, 11},
		{Quit, b([]string{"ctrl+c"}, "^c", "quit"), "Quit.", Look, false, typing, 11},
		{Suspend, b([]string{"ctrl+z"}, "^z", "suspend"), "Suspend; fg comes back.", Look, false, lists | windows | typing, 0},
	}
	return append(append(append(table, sorts(b)...), recordings()...), edits()...)
}

func letters() []string {
	var l []string
	for r := 'A'; r <= 'Z'; r++ {
		l = append(l, string(r))
	}
	return l
}

// Binds tells whether a key does anything on any screen.
func (t Table) Binds(stroke string) bool {
	_, bound := t.Match(^Screen(0), stroke)
	return bound
}

// Match finds what a key does on a screen.
func (t Table) Match(s Screen, stroke string) (ID, bool) {
	for _, a := range t {
		if a.Where&s == 0 {
			continue
		}
		for _, k := range a.Binding.Keys() {
			if k == stroke {
				return a.ID, true
			}
		}
	}
	return "", false
}

// Key is how an action's key is shown on a screen; empty when it has none there.
func (t Table) Key(s Screen, id ID) string {
	for _, a := range t {
		if a.ID == id && a.Where&s != 0 {
			return a.Key()
		}
	}
	return ""
}

// Entries lists the actions of a screen in the table's order. disabled holds, by id,
// why an action cannot be done now.
func (t Table) Entries(s Screen, disabled map[ID]string) []Entry {
	var list []Entry
	for _, a := range t {
		if a.Where&s != 0 {
			list = append(list, Entry{Action: a, Disabled: disabled[a.ID]})
		}
	}
	return list
}

// Hints lists the actions that a screen's footer names, the most wanted first, without
// those that cannot be done now.
func (t Table) Hints(s Screen, disabled map[ID]string) []Entry {
	var list []Entry
	for _, e := range t.Entries(s, disabled) {
		if e.Hint == 0 || e.Disabled != "" {
			continue
		}
		i := len(list)
		for i > 0 && list[i-1].Hint > e.Hint {
			i--
		}
		list = append(list[:i], append([]Entry{e}, list[i:]...)...)
	}
	return list
}
