package tui

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// key hands a key press to the top window, or to the screen. Nothing here writes: the
// keys that lead to a write open a window that shows a plan first.
func (m *Model) key(k tea.KeyPressMsg) tea.Cmd {
	if second, two := m.apart(k); two {
		return tea.Batch(m.key(tea.KeyPressMsg{Code: tea.KeyEscape}), m.key(second))
	}
	m.pressed()
	screen := m.screen()
	id, _ := m.keys.Match(screen, k.String())
	return m.act(screen, id, k)
}

// apart tells whether alt and a key are escape and that key, which came at once as over a
// slow line: most terminals send the same for both. Where that key is bound with alt it is
// not, nor where text is typed: there alt and a letter is a habit from shells, and an escape
// would throw the text away.
func (m *Model) apart(k tea.KeyPressMsg) (second tea.KeyPressMsg, two bool) {
	switch {
	case k.Mod&tea.ModAlt == 0, m.tellsAlt, m.keys.Binds(k.String()):
		return k, false
	case k.Code > unicode.MaxRune: // arrows and such, which have words of their own with alt
		return k, false
	case m.screen()&keymap.Typing != 0 && k.Code != tea.KeyEscape:
		return k, false
	}
	k.Mod &^= tea.ModAlt
	if k.Mod&^tea.ModShift == 0 && unicode.IsPrint(k.Code) {
		r := k.Code
		if k.Mod != 0 {
			r = cmp.Or(k.ShiftedCode, unicode.ToUpper(r))
		}
		k.Text = string(r)
	}
	return k, true
}

// pressed is what every key and button does: the message goes, and how long it was
// since the one before is known.
func (m *Model) pressed() {
	m.message = message{}
	now := m.opts.Now()
	m.gap, m.keyAt = now.Sub(m.keyAt), now
}

// do carries an action of the screen in view out as its key would.
func (m *Model) do(id keymap.ID) tea.Cmd {
	return m.act(m.screen(), id, tea.KeyPressMsg{})
}

// act carries an action out; without one the key is text, where text is taken.
func (m *Model) act(screen keymap.Screen, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Quit:
		if m.stopHandover() {
			return nil
		}
		return tea.Quit
	case keymap.Suspend:
		return m.suspend
	}
	if m.tooSmall() { // what cannot be seen must not be acted upon
		return nil
	}
	switch id {
	case keymap.ShowHelp:
		m.push(newHelp(m, screen))
		return nil
	case keymap.Command:
		m.push(newPalette(m, screen))
		return nil
	}
	if w := m.window(); w != nil {
		return w.press(m, id, k)
	}
	if m.events != nil && m.events.typing {
		return m.events.press(m, id, k)
	}
	if m.overview.typing {
		m.typeFilter(id, k)
		return nil
	}
	if m.group != nil && m.group.typing() {
		return m.group.press(m, id, k)
	}
	switch id {
	case "":
		m.sayWhere(screen, k)
		return nil
	case keymap.ReadNow:
		if m.opts.Player != nil {
			m.say(sorry, m.recordingRefusals()[id])
			return nil
		}
		m.opts.Source.ReadNow()
		m.say(plainly, "reading…")
		return nil
	case keymap.Hold:
		m.hold()
		return nil
	case keymap.Happened:
		m.openEvents()
		return nil
	case keymap.Record:
		m.toggleRecording()
		return nil
	case keymap.Copy:
		return m.copyShown()
	case keymap.ShowRaw:
		return m.showRaw()
	case keymap.ChooseContext:
		m.chooseContext()
		return nil
	}
	if m.opts.Player != nil && m.play(id) {
		return nil
	}
	if m.events != nil {
		return m.events.press(m, id, k)
	}
	if m.group != nil {
		return m.group.press(m, id, k)
	}
	m.overviewKey(id)
	return nil
}

// screen is where keys go.
func (m *Model) screen() keymap.Screen {
	switch {
	case m.window() != nil:
		return m.window().screen()
	case m.events != nil && m.events.typing:
		return keymap.Filter
	case m.events != nil:
		return keymap.Events
	case m.group != nil && m.group.typing():
		return keymap.Filter
	case m.group != nil && m.group.table != nil:
		return keymap.Partitions
	case m.group != nil:
		return keymap.Group
	case m.overview.typing:
		return keymap.Filter
	}
	return keymap.Overview
}

func (m *Model) overviewKey(id keymap.ID) {
	o := &m.overview
	_, h := m.bodySize()
	switch {
	case o.move(id, o.tableRows(h)):
	case id == keymap.Open:
		if len(o.rows) > 0 {
			m.open(o.selected)
		}
	case id == keymap.Search:
		o.typing = true
	case id == keymap.Back && o.filter.text() != "":
		m.filtered("")
	case id == keymap.NewGroup:
		m.newGroup(o.selected.Stream)
	case id == keymap.Worst:
		m.worst()
	case id == keymap.Follow:
		m.follow()
	default:
		m.sortGroups(id)
	}
}

// sortGroups sorts the list of groups as an action says.
func (m *Model) sortGroups(id keymap.ID) {
	o := &m.overview
	if o.order.take(id, sortable(fitted(o.columns(m, m.width-2), m.width-2).columns)) {
		o.take(m.snap)
	}
}

// worst goes to the group in the worst state, whatever the order.
func (m *Model) worst() {
	if rows := m.overview.rows; len(rows) > 0 {
		m.overview.choose(slices.MinFunc(rows, func(a, b *model.Group) int {
			return cmp.Or(cmp.Compare(a.Verdict.Rank(), b.Verdict.Rank()), a.Key.Compare(b.Key))
		}).Key)
	}
}

// follow lets the selection stay on its group, or on the first row.
func (m *Model) follow() {
	o := &m.overview
	switch o.chosen = !o.chosen; {
	case !o.chosen:
		m.say(plainly, "the selection stays on the first row, whichever group that is")
	case len(o.rows) > 0:
		m.say(plainly, "the selection stays on "+o.selected.String()+", wherever it goes")
	}
	o.find()
}

func (m *Model) typeFilter(id keymap.ID, k tea.KeyPressMsg) {
	o := &m.overview
	switch {
	case id == keymap.Close:
		o.typing = false
		m.filtered("")
	case id == keymap.Open:
		o.typing = false
	case o.move(id, 1):
	default:
		if o.filter.key(k) {
			o.take(m.snap)
		}
	}
}

func (m *Model) filtered(text string) {
	m.overview.filter.value = text
	m.overview.take(m.snap)
}

// paste gives pasted text to whatever is being typed. A paste is never a key press, so
// it confirms nothing. A line end that came along with what was copied goes.
func (m *Model) paste(text string) {
	if strings.ContainsAny(text, "\r\n") {
		text = strings.TrimSpace(text)
	}
	if m.tooSmall() {
		return
	}
	if w := m.window(); w != nil {
		w.paste(m, text)
		return
	}
	if m.events != nil && m.events.typing {
		m.events.filter.insert(text)
		m.events.take(m.snap)
		return
	}
	if m.group != nil && m.group.typing() {
		m.group.table.filter.insert(text)
		m.group.table.take()
		return
	}
	if m.overview.typing {
		m.overview.filter.insert(text)
		m.overview.take(m.snap)
	}
}

// hold stops the picture, or lets it move again.
func (m *Model) hold() {
	if m.held() {
		m.show(m.live)
		return
	}
	still := *m.live // another pointer: what is shown is no longer what is newest
	m.snap = &still
}

// writeRefusal says why nothing can be written now, whatever it is.
func (m *Model) writeRefusal() string {
	switch {
	case m.opts.Admin == nil && m.opts.Player != nil: // a picture of a recording has plans, which change nothing
		return "read-only: this is a recording"
	case m.opts.Admin == nil:
		return "read-only: there is nothing to write to"
	case m.opts.Admin.ReadOnly() || m.live.ReadOnly:
		return "read-only: set by " + cmp.Or(m.opts.ReadOnlyBy, "--read-only")
	case m.switching != "":
		return "connecting by context " + m.switching + ": writes are off"
	case m.live.Link.State == model.LinkStarting:
		return "still reading: writes are off until everything was read"
	case m.live.Link.State != model.LinkLive:
		return "link lost: writes are off until everything was read again"
	}
	return ""
}
