package keymap

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"charm.land/bubbles/v2/key"
)

// RebindError says which change of keys cannot be made, and why.
type RebindError struct {
	ID  ID
	Why string
}

func (e *RebindError) Error() string { return string(e.ID) + ": " + e.Why }

// Rebind gives actions other keys, on every screen that they are for. Where text is
// typed a letter stays a letter, and in the remap editor a capital a member: there an
// action keeps its own keys unless it is given one that means nothing. Whatever is changed, ctrl+c quits and esc goes back. The
// error is a [RebindError].
func (t Table) Rebind(changes map[ID][]string) (Table, error) {
	ids := make([]ID, 0, len(changes))
	for id := range changes {
		ids = append(ids, id)
	}
	slices.Sort(ids) // the same mistake is always the one that is named
	for _, id := range ids {
		if why := t.refuse(id, changes[id]); why != "" {
			return nil, &RebindError{id, why}
		}
	}
	var table Table
	for _, a := range t {
		keys, changed := changes[a.ID]
		if !changed {
			table = append(table, a)
			continue
		}
		for _, g := range []struct {
			on   Screen
			text func(string) bool // keys that are text there
		}{{^(Typing | Remap), func(string) bool { return false }}, {Remap, isLetter}, {Typing, types}} {
			if on := a.Where & g.on; on != 0 {
				table = append(table, a.on(on, keys, g.text))
			}
		}
	}
	return table, table.collision(ids)
}

// on is the action on some of its screens, with other keys but for those that are text
// there; with its own when all are.
func (a Action) on(s Screen, keys []string, text func(string) bool) Action {
	a.Where = s
	if keys = slices.DeleteFunc(slices.Clone(keys), text); len(keys) == 0 {
		return a
	}
	switch {
	case a.ID == Quit:
		keys = append(keys, "ctrl+c")
	case a.ID == Back || a.ID == Close:
		keys = append(keys, "esc")
	}
	var all []string
	for _, k := range keys {
		if !slices.Contains(all, k) {
			all = append(all, k)
		}
	}
	a.Binding = key.NewBinding(key.WithKeys(all...), key.WithHelp(Shown(all[0]), a.Binding.Help().Desc))
	return a
}

// Renamed puts the keys that a screen's actions have now into text that names their
// usual ones in brackets, as hints of findings do: drop it (x).
func (t Table) Renamed(s Screen) *strings.Replacer {
	var pairs []string
	for _, usual := range New().Entries(s, nil) {
		for _, now := range t.Entries(s, nil) {
			if was, is := usual.Binding.Help().Key, now.Binding.Help().Key; now.ID == usual.ID && was != is {
				pairs = append(pairs, "("+was+")", "("+is+")")
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

func (t Table) refuse(id ID, keys []string) string {
	switch {
	case !slices.ContainsFunc(t, func(a Action) bool { return a.ID == id }):
		return "there is no such action; pcgtop config --keys lists them"
	case id == Give:
		return "its keys are the members' letters and cannot be changed"
	case len(keys) == 0:
		return "give it at least one key"
	}
	for _, k := range keys {
		if why := badKey(k); why != "" {
			return why
		}
	}
	return ""
}

// collision finds a key that means two things on one screen because of the changes.
func (t Table) collision(changed []ID) error {
	for s := Screen(1); s <= lastScreen; s <<= 1 {
		seen := map[string]ID{}
		for _, e := range t.Entries(s, nil) {
			for _, k := range e.Binding.Keys() {
				other, twice := seen[k]
				if twice && other != e.ID {
					a, b := other, e.ID
					if !slices.Contains(changed, a) {
						a, b = b, a
					}
					return &RebindError{a, fmt.Sprintf("%s is the key of %s %s: give one of the two another key", k, b, s)}
				}
				seen[k] = e.ID
			}
		}
	}
	return nil
}

// named are the keys that have a name, as Bubble Tea calls them.
func named() []string {
	names := []string{"enter", "esc", "tab", "space", "up", "down", "left", "right", "home", "end", "pgup", "pgdown", "insert", "delete", "backspace"}
	for i := range 20 {
		names = append(names, fmt.Sprintf("f%d", i+1))
	}
	return names
}

// badKey says why text names no key that a terminal sends; empty when it does.
func badKey(text string) string {
	rest, mods := text, ""
	for _, mod := range []string{"ctrl+", "alt+", "shift+"} {
		if s, ok := strings.CutPrefix(rest, mod); ok && s != "" {
			rest, mods = s, mods+mod
		}
	}
	one, size := utf8.DecodeRuneInString(rest)
	switch {
	case slices.Contains(named(), rest):
		return ""
	case size == 0 || size < len(rest) || one == utf8.RuneError || !unicode.IsGraphic(one) || unicode.IsSpace(one):
		return fmt.Sprintf("%q is no key: write a character, ctrl+x, alt+x, or one of %s", text, strings.Join(named()[:15], " "))
	case strings.Contains(mods, "shift+"):
		return fmt.Sprintf("%q: write the character that shift makes of it", text)
	case mods != "" && unicode.IsUpper(one):
		return fmt.Sprintf("%q: write a small letter behind ctrl+ or alt+", text)
	}
	return ""
}

// types tells whether a key means something while text is typed.
func types(k string) bool {
	return utf8.RuneCountInString(k) == 1 || slices.Contains([]string{"space", "backspace", "ctrl+u", "ctrl+w"}, k)
}

// isLetter tells whether a key may be a member's letter.
func isLetter(k string) bool { return slices.Contains(letters(), k) }

// Shown is how a key is written in hints.
func Shown(k string) string {
	if k == "+" || !strings.Contains(k, "+") {
		return cmp.Or(map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}[k], k)
	}
	for mod, sign := range map[string]string{"ctrl+": "^", "shift+": "⇧"} {
		if rest, ok := strings.CutPrefix(k, mod); ok {
			return sign + Shown(rest)
		}
	}
	return k
}
