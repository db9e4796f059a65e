package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// choice is something that the palette offers.
type choice struct {
	name string // what is searched and shown
	note string // what it does, or what it is
	key  string
	off  string // why it cannot be done now
	kind choiceKind
	do   func(m *Model, argument string) tea.Cmd

	takes string // what may be typed behind the name, in a word; empty: nothing
	score int    // how well it fits what is typed
	hits  []int  // which bytes of the name fit
}

// choiceKind orders choices that fit equally well.
type choiceKind int

const (
	choiceAction choiceKind = iota
	choiceGroup
	choiceMember
	choiceElsewhere // an action of another screen
)

// paletteWindow finds what can be done, and groups and members, by a few letters.
type paletteWindow struct {
	of     keymap.Screen // the screen it was opened on
	query  input
	all    []choice        // actions, now
	snap   *model.Snapshot // whose groups and members are offered, too; nil: none
	shown  []choice        // that fit, the best first
	left   int             // how many more places fit
	chosen string          // the name that is selected; empty: the best
	index  int
	top    int
	page   int
}

func newPalette(m *Model, of keymap.Screen) window {
	d := &paletteWindow{of: of}
	d.refresh(m)
	return d
}

func (d *paletteWindow) screen() keymap.Screen { return keymap.Palette }

func (d *paletteWindow) paste(_ *Model, text string) {
	d.query.insert(text)
	d.find()
}

// refresh lists what there is anew: reasons come and go, and so do groups.
func (d *paletteWindow) refresh(m *Model) {
	d.all = d.actions(m)
	d.all = append(d.all, m.commands()...)
	d.snap = nil
	if m.told() == nil { // a window is left by its own keys
		d.snap = m.snap
		d.all = append(d.all, d.elsewhere(m)...)
	}
	d.keep()
}

// actions are those of the key table.
func (d *paletteWindow) actions(m *Model) []choice {
	var list []choice
	for _, e := range inSections(m.keys.Entries(d.of, m.disabled(d.of))) {
		if e.ID == keymap.Command || e.ID == keymap.Give {
			continue // it is here; a letter says whom to give to
		}
		id, name := e.ID, e.Binding.Help().Desc
		if e.Section == keymap.Sort && strings.HasPrefix(name, "by ") {
			name = "sort " + name
		}
		list = append(list, choice{name: name, note: e.Long, key: e.Binding.Keys()[0], off: e.Disabled, takes: m.asksFor(id),
			do: func(m *Model, argument string) tea.Cmd { return m.doWith(id, argument) }})
	}
	return list
}

// elsewhere are the actions of the other screens, with the word where they can be done.
func (d *paletteWindow) elsewhere(m *Model) []choice {
	var list []choice
	here := map[keymap.ID]bool{}
	for _, e := range m.keys.Entries(d.of, nil) {
		here[e.ID] = true
	}
	const screens = keymap.Overview | keymap.Group | keymap.Partitions | keymap.Events
	for _, a := range m.keys {
		if where := a.Where & screens; where != 0 && !here[a.ID] && a.Section != keymap.Move {
			list = append(list, choice{name: a.Binding.Help().Desc, note: a.Long, key: a.Binding.Keys()[0], kind: choiceElsewhere,
				off: "only " + where.String() + ": go there first"})
		}
	}
	return list
}

// commands are choices that are no action of one key.
func (m *Model) commands() []choice { return m.contextChoices() }

// whole is the score of a choice whose name is typed out, with something behind it.
const whole = 1 << 20

// find lists what fits the text that is typed now, and goes to the best.
func (d *paletteWindow) find() {
	d.chosen = ""
	d.keep()
}

// keep lists what fits, and stays on what is selected.
func (d *paletteWindow) keep() {
	d.shown = d.shown[:0:0]
	typed := d.query.text()
	words := strings.Fields(typed)
	for _, c := range d.all {
		if c.kind != choiceAction && len(words) == 0 { // too many to be read
			continue
		}
		look := words
		spelled, _ := c.argument(typed)
		if spelled = spelled && c.takes != ""; spelled { // what follows is not looked for
			look = nil
		}
		var ok bool
		if c.score, c.hits, ok = fuzzy(look, c.name); !ok && c.kind == choiceAction {
			ok = contains(c.note, look) // what it does, said in other words
		}
		if spelled {
			c.score = whole
		}
		if c.kind == choiceElsewhere { // in words that begin so, after all that can be done here
			c.score, c.hits, ok = -1, nil, contains(c.name+" "+c.note, look)
		}
		if ok {
			d.shown = append(d.shown, c)
		}
	}
	places, left := placesFor(words, d.snap)
	d.shown, d.left = append(d.shown, places...), left
	slices.SortStableFunc(d.shown, func(a, b choice) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.kind, b.kind))
	})
	d.index = max(0, slices.IndexFunc(d.shown, func(c choice) bool { return c.name == d.chosen }))
}

// contains tells whether words of a text begin with all that is looked for.
func contains(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(w string) bool {
		at := together(strings.ToLower(w), text)
		return at < 0 || !begins(text, at)
	})
}

// argument is what was typed behind the name of a choice that takes something.
func (c choice) argument(typed string) (named bool, rest string) {
	rest, named = strings.CutPrefix(strings.TrimLeft(typed, " "), c.name+" ")
	if !named {
		return false, ""
	}
	return true, strings.TrimSpace(rest)
}

func (d *paletteWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		if d.index < len(d.shown) {
			return d.take(m, d.shown[d.index])
		}
	default:
		if i, ok := moved(id, d.index, len(d.shown), d.page); ok {
			d.pick(i)
		} else if d.query.key(k) {
			d.find()
		}
	}
	return nil
}

func (d *paletteWindow) pick(i int) {
	if d.index = i; i < len(d.shown) {
		d.chosen = d.shown[i].name
	}
}

// take does what was chosen, on the screen that the palette was opened on.
func (d *paletteWindow) take(m *Model, c choice) tea.Cmd {
	_, argument := c.argument(d.query.text())
	if c.off != "" {
		m.say(sorry, c.name+": "+c.off)
		return nil
	}
	m.pop()
	return c.do(m, argument)
}
