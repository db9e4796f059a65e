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

// Escape and a key that arrive together, as over a slow line, are two.
func TestEscapeAndAKeyAtOnce(t *testing.T) {
	at := func(o ...func(*Options)) *stage {
		return newStage(t, 100, 30, o...).show(sketch().snapshot()).press("enter")
	}
	at().press("?", "alt+esc").sees("4 groups")
	if s := at().press("alt+j"); s.m.group != nil || s.m.overview.index != 1 {
		t.Errorf("escape and j:\n%s", s.plain())
	}
	s := at()
	s.send(tea.KeyPressMsg{Code: 'g', ShiftedCode: 'G', Mod: tea.ModAlt | tea.ModShift}) // as it is read from ESC G
	if s.m.group != nil || s.m.overview.index != 3 {
		t.Errorf("escape and G:\n%s", s.plain())
	}
	if s := at().press("?", "alt+enter"); s.m.group == nil || s.m.group.table == nil {
		t.Errorf("escape and enter:\n%s", s.plain())
	}
	if s := at().press("alt+up"); s.m.group == nil {
		t.Error("alt and an arrow are escape and an arrow")
	}
	if s := at().press("esc", "/").typed("rollup").press("alt+b"); s.m.overview.filter.text() != "rollup" || !s.m.overview.typing {
		t.Error("alt and a letter throw away what is typed")
	}
	s = at()
	s.send(tea.KeyboardEnhancementsMsg{Flags: 1})
	if s.press("alt+j"); s.m.group == nil {
		t.Error("where the terminal tells alt, it is taken for escape")
	}
	bound, err := keymap.New().Rebind(map[keymap.ID][]string{keymap.NewGroup: {"alt+n"}}) // which is for the list of groups
	if err != nil {
		t.Fatal(err)
	}
	if s := at(func(o *Options) { o.Keys = bound }).press("alt+n"); s.m.group == nil {
		t.Error("a key that is bound with alt is escape and that key")
	}
	if s := at(func(o *Options) { o.Keys = bound }).press("esc", "alt+n"); len(s.m.windows) != 1 {
		t.Errorf("alt+n:\n%s", s.plain())
	}
}
