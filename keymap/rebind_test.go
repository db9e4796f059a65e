package keymap

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRebind(t *testing.T) {
	table, err := New().Rebind(map[ID][]string{StepDown: {"Z"}, Quit: {"Q", "ctrl+q"}, Close: {"b"}, Down: {"ctrl+n"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		on   Screen
		key  string
		want ID
	}{
		{Group, "Z", StepDown}, {Group, "s", ""},
		{Overview, "Q", Quit}, {Overview, "ctrl+q", Quit}, {Overview, "ctrl+c", Quit}, {Overview, "q", ""},
		{Filter, "ctrl+c", Quit}, {Filter, "ctrl+q", Quit}, {Filter, "Q", ""}, // a letter is a letter
		{Remap, "Q", Give}, {Remap, "ctrl+q", Quit}, // and a capital a member
		{Help, "b", Close}, {Help, "esc", Close},
		{Add, "b", ""}, {Add, "esc", Close},
		{Overview, "ctrl+n", Down}, {Overview, "j", ""}, {Filter, "ctrl+n", Down},
	} {
		if got, _ := table.Match(c.on, c.key); got != c.want {
			t.Errorf("%q %s is %q, want %q", c.key, c.on, got, c.want)
		}
	}
	for _, h := range table.Hints(Group, nil) {
		if h.ID == StepDown && h.Binding.Help().Key != "Z" {
			t.Errorf("the hint is %q", h.Binding.Help().Key)
		}
	}
	if got := table.Renamed(Group).Replace("step it down (s), or drop it (x)"); got != "step it down (Z), or drop it (x)" {
		t.Errorf("renamed: %q", got)
	}
	if id, _ := New().Match(Group, "s"); id != StepDown {
		t.Error("the usual table was changed")
	}
}

func TestRefusedKeys(t *testing.T) {
	for _, c := range []struct {
		id   ID
		keys []string
		want string
	}{
		{"nothing", []string{"z"}, "nothing: there is no such action"},
		{StepDown, nil, "step-down: give it at least one key"},
		{Give, []string{"z"}, "give: its keys are the members' letters"},
		{StepDown, []string{"x"}, "step-down: x is the key of drop in a group"},
		{ShowHelp, []string{"enter"}, "help: enter is the key of open in the list of groups"},
		{AddTo, []string{"ctrl+c"}, "add: ctrl+c is the key of quit"},
		{AddTo, []string{"esc"}, "add: esc is the key of back"},
		{AddTo, []string{"ctrl+F"}, `"ctrl+F": write a small letter`},
		{AddTo, []string{"shift+a"}, `"shift+a": write the character`},
		{AddTo, []string{"entr"}, `"entr" is no key`},
		{AddTo, []string{""}, `"" is no key`},
		{AddTo, []string{"\x1b"}, `is no key`},
	} {
		_, err := New().Rebind(map[ID][]string{c.id: c.keys})
		var refused *RebindError
		if !errors.As(err, &refused) || refused.ID != c.id || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %q", c.id, c.keys, err, c.want)
		}
	}
	// Two that change places are no collision.
	if _, err := New().Rebind(map[ID][]string{StepDown: {"x"}, DropFrom: {"s"}}); err != nil {
		t.Error(err)
	}
}

// Whatever is changed, no key means two things, text can be typed, and there is a way
// out of every screen.
func TestReboundTablesHoldWhatTheUsualOneDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		changes := map[ID][]string{}
		for range rapid.IntRange(1, 4).Draw(t, "n") {
			a := rapid.SampledFrom(New()).Draw(t, "action")
			changes[a.ID] = rapid.SliceOfN(rapid.StringMatching(`(ctrl\+|alt\+|)[a-zA-Z0-9!?<>]|f[1-9]|tab|home`), 1, 3).Draw(t, "keys")
		}
		table, err := New().Rebind(changes)
		if err != nil {
			return
		}
		for s := Screen(1); s <= lastScreen; s <<= 1 {
			seen := map[string]ID{}
			for _, e := range table.Entries(s, nil) {
				for _, k := range e.Binding.Keys() {
					if seen[k] != "" && seen[k] != e.ID {
						t.Fatalf("%q is %s and %s %s", k, seen[k], e.ID, s)
					}
					seen[k] = e.ID
					if s&Typing != 0 && types(k) {
						t.Fatalf("%q is %s %s", k, e.ID, s)
					}
				}
			}
			if len(seen) == 0 {
				continue
			}
			if seen["ctrl+c"] != Quit || seen["esc"] != Close && seen["esc"] != Back {
				t.Fatalf("no way out %s", s)
			}
		}
	})
}

// Every screen that an action is for has a name, and is looked at for keys that collide.
func TestScreensHaveNames(t *testing.T) {
	for _, a := range New() {
		for rest := a.Where; rest != 0; rest &= rest - 1 {
			if s := rest & -rest; s.String() == "" || s > lastScreen {
				t.Errorf("%s: screen %b has no name", a.ID, s)
			}
		}
	}
}
