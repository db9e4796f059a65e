package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// createWindow is the form for a new group. It checks what is typed against what is
// seen, and shows what would be made; enter checks it against the server too.
type createWindow struct {
	fields  []field
	at      int
	key     model.Key
	config  model.Config
	problem string
	asked   uint64 // counts what the server was asked, so that old answers are known
	waiting bool
}

// field is one line of the form.
type field struct {
	id     string
	label  string
	hint   string
	static string // the hint for a static group, where that is another
	input
}

// The ids of the fields.
const (
	fieldKind       = "kind"
	fieldStream     = "stream"
	fieldGroup      = "group"
	fieldPartitions = "partitions"
	fieldFilters    = "filters"
	fieldMembers    = "members"
	fieldMessages   = "messages"
	fieldBytes      = "bytes"
)

// surveyTimeout bounds how long the server is asked about a group to be made or deleted.
const surveyTimeout = 10 * time.Second

// surveyMsg is what the server says to a group that is to be made or deleted.
type surveyMsg struct {
	from  window
	asked uint64
	plan  *model.Plan
	err   error
}

// foundingRefusal says why no group can be made or deleted now, or nothing.
func (m *Model) foundingRefusal() string {
	if why := m.writeRefusal(); why != "" {
		return why
	}
	if _, ok := m.opts.Admin.(Founding); !ok {
		return "there is nothing that could make or delete groups"
	}
	return ""
}

// newGroup opens the form, with the stream of the group that is selected.
func (m *Model) newGroup(stream string) {
	if why := m.foundingRefusal(); why != "" {
		m.say(sorry, why)
		return
	}
	d := &createWindow{fields: []field{
		{id: fieldKind, label: "kind", hint: "← → or blank: elastic, whose members come and go, or static, fixed for good", input: input{string(model.Founded()[0])}},
		{id: fieldStream, label: "stream", hint: "the one whose messages are consumed", input: input{stream}},
		{id: fieldGroup, label: "group", hint: "its name"},
		{id: fieldPartitions, label: "partitions", hint: "how many, for good: the most members that can own one", input: input{"16"}},
		{id: fieldFilters, label: "filters", hint: "a.*.*:1,2 by the first two *; blanks between; none: all",
			static: "subjects without the partition in front; none: all"},
		{id: fieldMembers, label: "members", hint: "none: they are added afterwards", static: "names, or who owns what: m1:0-3 m2:4-7"},
		{id: fieldMessages, label: "buffer", hint: "most messages in the work stream; empty: no limit", static: "none: there is no work stream"},
		{id: fieldBytes, label: "bytes", hint: "most bytes in the work stream; empty: no limit", static: "none: there is no work stream"},
	}, at: 2}
	if stream == "" {
		d.at = 1
	}
	d.check(m)
	m.push(d)
}

// hint says what belongs into a field.
func (d *createWindow) hint(f *field) string {
	if f.static != "" && d.key.Kind.Fixed() {
		return f.static
	}
	return f.hint
}

func (d *createWindow) value(id string) string {
	for i := range d.fields {
		if d.fields[i].id == id {
			return strings.TrimSpace(d.fields[i].text())
		}
	}
	return ""
}

// check reads the form and says what is wrong with it, the first thing only.
func (d *createWindow) check(m *Model) {
	d.asked++
	d.waiting = false
	err := d.read()
	if err == nil {
		err = m.live.CheckCreation(d.key, d.config)
	}
	d.problem = ""
	if err != nil {
		d.problem = reason(err)
	} else if why := m.foundingRefusal(); why != "" {
		d.problem = why
	}
}

func (d *createWindow) screen() keymap.Screen { return keymap.Create }
func (d *createWindow) refresh(m *Model) {
	if waiting, asked := d.waiting, d.asked; waiting {
		d.check(m)
		d.waiting, d.asked = waiting && d.problem == "", asked
		return
	}
	d.check(m)
}
func (d *createWindow) settle(*Model) {}

func (d *createWindow) paste(m *Model, text string) {
	d.fields[d.at].insert(text)
	d.check(m)
}

func (d *createWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Next:
		d.at = (d.at + 1) % len(d.fields)
	case keymap.Previous:
		d.at = (d.at + len(d.fields) - 1) % len(d.fields)
	case keymap.Make:
		return d.survey(m)
	default:
		if f := &d.fields[d.at]; f.id == fieldKind {
			d.turnKind(k)
		} else if !f.key(k) {
			return nil
		}
		d.check(m)
	}
	return nil
}

// clicked goes to a field; on the kind once more, it is the other one.
func (d *createWindow) clicked(m *Model, i int) {
	if d.at == i && d.fields[i].id == fieldKind {
		d.turnKind(tea.KeyPressMsg{Code: tea.KeyRight})
		d.check(m)
	}
	d.at = i
}

// turnKind chooses the kind by its letter, or goes to the other one.
func (d *createWindow) turnKind(k tea.KeyPressMsg) {
	f := &d.fields[d.at]
	kinds := model.Founded()
	at := slices.Index(kinds, model.Kind(f.value))
	switch key := k.String(); key {
	case "space", "right":
		at++
	case "left":
		at += len(kinds) - 1
	default:
		if at = slices.IndexFunc(kinds, func(k model.Kind) bool { return strings.HasPrefix(string(k), key) }); at < 0 {
			return
		}
	}
	f.value = string(kinds[at%len(kinds)])
}

// survey asks the server whether the group could be made.
func (d *createWindow) survey(m *Model) tea.Cmd {
	admin, ok := m.opts.Admin.(Founding)
	if d.problem != "" || d.waiting || !ok {
		return nil
	}
	d.waiting = true
	parent, key, config, asked := m.ctx, d.key, d.config, d.asked
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(parent, surveyTimeout)
		defer cancel()
		p, err := admin.PlanCreation(ctx, key, config)
		return surveyMsg{d, asked, p, err}
	}
}

// surveyed shows what the server said: the plan, or why there is none.
func (m *Model) surveyed(msg surveyMsg) {
	if m.window() != msg.from {
		return
	}
	switch d := msg.from.(type) {
	case *createWindow:
		if !d.waiting || d.asked != msg.asked {
			return // it was edited since
		}
		d.waiting = false
		if msg.err != nil {
			d.problem = reason(msg.err)
			return
		}
		w := m.planned(msg.plan, nil)
		w.refresh(m)
		m.push(&w)
	case *deleteWindow:
		d.surveyed(m, msg)
	}
}
