package keymap

import (
	"testing"
)

func screens() []Screen {
	return []Screen{Overview, Group, Filter, Plan, Add, Drop, Remap, Name, Help, Partitions, Seek, Events, Draining, Create, Delete, History, Marking, Palette, Line, Editing, Confirm}
}

func TestNoKeyMeansTwoThingsOnAScreen(t *testing.T) {
	for _, s := range screens() {
		seen := map[string]ID{}
		for _, e := range New().Entries(s, nil) {
			for _, k := range e.Binding.Keys() {
				if other, twice := seen[k]; twice {
					t.Errorf("screen %d: %q is both %s and %s", s, k, other, e.ID)
				}
				seen[k] = e.ID
				if id, ok := New().Match(s, k); !ok || id != e.ID {
					t.Errorf("screen %d: %q matches %q, want %q", s, k, id, e.ID)
				}
			}
		}
	}
}

func TestEveryActionExplainsItself(t *testing.T) {
	for _, a := range New() {
		h := a.Binding.Help()
		if h.Key == "" || h.Desc == "" || a.Long == "" || a.Section == "" || a.Where == 0 || len(a.Binding.Keys()) == 0 {
			t.Errorf("%s: incomplete: %+v", a.ID, a)
		}
	}
}

func TestQuitAndCloseEverywhere(t *testing.T) {
	for _, s := range screens() {
		if id, _ := New().Match(s, "ctrl+c"); id != Quit {
			t.Errorf("screen %d: ctrl+c is %q", s, id)
		}
		if id, _ := New().Match(s, "ctrl+z"); id != Suspend {
			t.Errorf("screen %d: ctrl+z is %q", s, id)
		}
		if id, _ := New().Match(s, "esc"); id != Close && id != Back {
			t.Errorf("screen %d: esc is %q", s, id)
		}
	}
}

// While text is typed a letter is a letter, whatever it does elsewhere.
func TestTypingScreensBindNoPrintableKey(t *testing.T) {
	for _, s := range []Screen{Filter, Add, Name, Seek, Create, Delete, Marking, Palette, Line, Editing, Confirm} {
		for r := ' '; r < 0x7f; r++ {
			if id, ok := New().Match(s, string(r)); ok {
				t.Errorf("screen %d: %q does %s", s, r, id)
			}
		}
		if id, ok := New().Match(s, "space"); ok {
			t.Errorf("screen %d: space does %s", s, id)
		}
	}
}

// Half pages lie next to nothing harmful: no control chord leads to a write.
func TestNoControlChordIsDangerous(t *testing.T) {
	for _, a := range New() {
		for _, k := range a.Binding.Keys() {
			if a.Danger && len(k) > 1 {
				t.Errorf("%s is on %q", a.ID, k)
			}
		}
	}
}

func TestHintsAreInOrderAndLeaveOutWhatCannotBeDone(t *testing.T) {
	hints := New().Hints(Group, map[ID]string{AddTo: "a static group never changes"})
	for i, h := range hints {
		if h.ID == AddTo {
			t.Error("a disabled action is hinted at")
		}
		if i > 0 && hints[i-1].Hint > h.Hint {
			t.Errorf("%s before %s", hints[i-1].ID, h.ID)
		}
	}
	for _, e := range New().Entries(Group, map[ID]string{AddTo: "no"}) {
		if e.ID == AddTo && e.Disabled != "no" {
			t.Error("the reason is lost")
		}
	}
}

// TestKeysThatTheFooterNamesTogether: by itself each action is shown with its own key.
func TestKeysThatTheFooterNamesTogether(t *testing.T) {
	for id, want := range map[ID]string{DealBalanced: "1", DealFewest: "2", OwnerNext: "]", OwnerBefore: "["} {
		for _, a := range New() {
			if a.ID == id && a.Key() != want {
				t.Errorf("%s is shown as %s, want %s", id, a.Key(), want)
			}
		}
		if got := New().Key(Remap, id); got != want {
			t.Errorf("%s has the key %s, want %s", id, got, want)
		}
	}
	if got := New().Key(Overview, SortNext); got != ">" {
		t.Error(got)
	}
}
