package keymap

import "charm.land/bubbles/v2/key"

// What can be done to the recording that is shown, and to make one.
const (
	Play     ID = "play"
	StepOn   ID = "step-on"
	StepBack ID = "step-back"
	Faster   ID = "faster"
	Slower   ID = "slower"
	SeekOn   ID = "seek-on"
	SeekBack ID = "seek-back"
	GoTo     ID = "go-to"

	Record ID = "record"
)

// Time is the section of what moves a recording.
const Time Section = "Recording"

// Typing a line: the name of a file, or a moment.
const Line Screen = 1 << 20

func recordings() Table {
	b := func(shown, short string, keys ...string) key.Binding {
		return key.NewBinding(key.WithKeys(keys...), key.WithHelp(shown, short))
	}
	return Table{
		{Play, b("space", "play / stop", "space"), "Play the recording, or stop it.", Time, false, lists, 1},
		{StepOn, b(".", "next", "."), "Stop, and go to the next picture.", Time, false, lists, 0},
		{StepBack, b(",", "previous", ","), "Stop, and go to the picture before.", Time, false, lists, 0},
		{Faster, b("]", "faster", "]"), "Play faster.", Time, false, lists, 3},
		{Slower, b("[", "slower", "["), "Play slower.", Time, false, lists, 0},
		{SeekOn, b("}", "10 s on", "}"), "Go on by 10 s.", Time, false, lists, 2},
		{SeekBack, b("{", "10 s back", "{"), "Go back by 10 s.", Time, false, lists, 0},
		{GoTo, b("@", "go to", "@"), "Go to a moment of the recording: a time of day, +90s from its start, -1m from its end, 50%.", Time, false, lists, 4},

		{Record, b("^r", "record", "ctrl+r"), "Record what is shown to a file, or end the recording.", Look, false, lists, 0},
		{Make, b("enter", "go on", "enter"), "Take the line.", Here, false, Line, 1},
		{Close, b("esc", "close", "esc"), "Close this window.", Here, false, Line, 9},
		{Quit, b("^c", "quit", "ctrl+c"), "Quit.", Look, false, Line, 11},
		{Suspend, b("^z", "suspend", "ctrl+z"), "Suspend; fg comes back.", Look, false, Line, 0},
	}
}

// Without leaves a section out.
func (t Table) Without(s Section) Table {
	var rest Table
	for _, a := range t {
		if a.Section != s {
			rest = append(rest, a)
		}
	}
	return rest
}
