package tui

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
)

// Keys that were changed work, the usual ones do not, and everything that names a key
// names the one there is.
func TestChangedKeys(t *testing.T) {
	keys, err := keymap.New().Rebind(map[keymap.ID][]string{
		keymap.DropFrom: {"ctrl+x"}, keymap.StepDown: {"z"}, keymap.ShowHelp: {"H"}, keymap.Mark: {"t"}, keymap.Quit: {"Q"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, 120, 60, func(o *Options) { o.Keys = keys }).show(sketch().snapshot()).press("down", "enter")
	s.sees("z step down").sees("^x drop").sees("or drop it (^x)")
	if s.press("s", "x", "?"); len(s.m.windows) != 0 {
		t.Fatal("a key that was changed still works as it did")
	}
	if cmd := s.send(press("q")); cmd != nil {
		t.Fatal("q still does something")
	}
	s.press("H").sees("z Unpin the selected member's pinned instance").press("esc")
	s.press(":").typed("drop").sees("drop ^x").press("esc")
	s.press("ctrl+x", "t").sees("nobody is marked: t marks").press("t", "enter")
	if _, open := s.m.window().(*planWindow); !open {
		t.Fatalf("the new keys lead to no plan:\n%s", s.plain())
	}
	if s.press("esc", "esc", "esc", "/").typed("Qz"); !strings.Contains(s.plain(), "Qz") {
		t.Errorf("letters are not text in a filter:\n%s", s.plain())
	}
}

// Two escapes that arrive together, as over a slow line, are two.
func TestTwoEscapesAtOnce(t *testing.T) {
	s := newStage(t, 100, 30).show(sketch().snapshot())
	s.press("enter", "?")
	s.send(tea.KeyPressMsg{Code: tea.KeyEscape, Mod: tea.ModAlt})
	s.sees("4 groups")
}
