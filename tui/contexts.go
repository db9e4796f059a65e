package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// Contexts are the NATS contexts that the screen can go over to.
type Contexts interface {
	// Names lists them; it reads a folder.
	Names() ([]string, error)
	// Switch connects by another and ends the connection there was. It returns what the
	// screen shows then, as Source, Admin, Finder and Inspector, and how: Look, NoColor,
	// ASCII, Mouse and Columns. When it fails, everything stays as it is.
	Switch(ctx context.Context, name string) (Options, error)
}

// switchedMsg says what became of a switch.
type switchedMsg struct {
	name string
	now  Options
	err  error
}

// heardMsg is what a source delivered. Of one that is left nothing is taken any more.
type heardMsg struct {
	from <-chan *model.Snapshot
	msg  tea.Msg
}

func (m *Model) listen() tea.Cmd {
	from := m.opts.Source.Snapshots()
	hear := listen(m.ctx, from)
	return func() tea.Msg { return heardMsg{from, hear()} }
}

// outdatedSource tells whether a message is from a source that is left, or about to be.
func (m *Model) outdatedSource(msg heardMsg) bool {
	_, ended := msg.msg.(endedMsg)
	return msg.from != m.opts.Source.Snapshots() || ended && m.switching != ""
}

// contextRefusal says why the context cannot be changed now.
func (m *Model) contextRefusal() string {
	switch {
	case m.opts.Contexts == nil:
		return "there is no other context to go to here"
	case m.switching != "":
		return "connecting by context " + m.switching + " already"
	case m.writing > 0:
		return "a change is being written: wait for it"
	}
	return ""
}

// switchTo begins to go over to another context. Until that is done the screens go on,
// and nothing can be written.
func (m *Model) switchTo(name string) tea.Cmd {
	if why := m.contextRefusal(); why != "" {
		m.say(sorry, why)
		return nil
	}
	m.switching = name
	m.say(plainly, "connecting by context "+name+"…")
	all, ctx := m.opts.Contexts, m.ctx
	return func() tea.Msg {
		now, err := all.Switch(ctx, name)
		return switchedMsg{name, now, err}
	}
}

// switched goes over: to the list of groups, with nothing left of what was before.
func (m *Model) switched(msg switchedMsg) tea.Cmd {
	m.switching = ""
	if msg.err != nil {
		m.say(sorry, "still connected as before: "+reason(msg.err))
		return nil
	}
	o, now := &m.opts, msg.now
	o.Source, o.Admin, o.Finder, o.Inspector, o.ReadOnlyBy = now.Source, now.Admin, now.Finder, now.Inspector, now.ReadOnlyBy
	o.Look, o.NoColor, o.ASCII, o.Mouse, o.Columns = now.Look, now.NoColor, now.ASCII, now.Mouse, now.Columns
	m.retheme()
	recorded := ""
	if m.recorder != nil { // it is of one account
		m.endRecording()
		recorded = "; " + m.message.text
	}
	order := m.overview.order
	m.overview, m.group, m.events, m.windows = overview{order: order}, nil, nil, nil
	m.live = model.Reduce(nil, o.Now())
	m.snap, m.ended, m.asked = m.live, false, askedDone
	m.openFocus, m.rowsFocus = nil, nil
	m.say(good, "connected by context "+msg.name+recorded)
	if o.Look.asks() && m.ground == unknown {
		return tea.Batch(m.listen(), tea.RequestBackgroundColor)
	}
	return m.listen()
}

// contextsWindow is the list of contexts to choose from.
type contextsWindow struct {
	names  []string
	chosen string
	top    int
	page   int
}

// chooseContext opens the list.
func (m *Model) chooseContext() {
	if why := m.contextRefusal(); why != "" {
		m.say(sorry, why)
		return
	}
	names, err := m.opts.Contexts.Names()
	switch {
	case err != nil:
		m.say(sorry, reason(err))
	case len(names) == 0:
		m.say(sorry, "there are no NATS contexts: nats context add makes one")
	default:
		d := &contextsWindow{names: names, chosen: m.live.Server.Context}
		if !slices.Contains(names, d.chosen) {
			d.chosen = names[0]
		}
		m.push(d)
	}
}

func (d *contextsWindow) screen() keymap.Screen { return keymap.Contexts }
func (d *contextsWindow) paste(*Model, string)  {}
func (d *contextsWindow) refresh(*Model)        {}

func (d *contextsWindow) press(m *Model, id keymap.ID, _ tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		m.pop()
		return m.switchTo(d.chosen)
	default:
		if i, ok := moved(id, slices.Index(d.names, d.chosen), len(d.names), d.page); ok {
			d.chosen = d.names[i]
		}
	}
	return nil
}

func (d *contextsWindow) settle(m *Model) {
	d.page = max(1, m.windowHeight()-2)
	d.top = scrolled(d.top, slices.Index(d.names, d.chosen), len(d.names), d.page)
}

func (d *contextsWindow) draw(m *Model, w, _ int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	var rows []*row
	for _, name := range portion(d.names, d.top, d.page) {
		r := t.row().put(t.text, glyph.Short(t.row().safe(name), inner-12))
		if name == m.live.Server.Context {
			r.gap(2).put(t.dim, "in use")
		}
		r.fit(inner).on(clicks(func(*Model) { d.chosen = name }))
		if name == d.chosen {
			r = t.selected(r)
		}
		rows = append(rows, r)
	}
	return boxed(t, "NATS contexts", more(d.top, len(d.names), d.page), rows, inner+4)
}

// contextChoices are the palette's: a context each, by name.
func (m *Model) contextChoices() []choice {
	if m.opts.Contexts == nil || m.told() != nil {
		return nil
	}
	names, err := m.opts.Contexts.Names()
	if err != nil {
		return nil // the list says why
	}
	var list []choice
	for _, name := range names {
		list = append(list, choice{name: "ctx " + name, note: "Connect by this NATS context.", off: m.contextRefusal(),
			do: func(m *Model, _ string) tea.Cmd { return m.switchTo(name) }})
	}
	return list
}
