package tui

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
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
	id    string
	label string
	hint  string
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
		{id: fieldKind, label: "kind", hint: "elastic: members come and go; static: fixed for good", input: input{string(model.KindElastic)}},
		{id: fieldStream, label: "stream", hint: "the one whose messages are consumed", input: input{stream}},
		{id: fieldGroup, label: "group", hint: "its name"},
		{id: fieldPartitions, label: "partitions", hint: "how many, for good: the most members that can own one", input: input{"16"}},
		{id: fieldFilters, label: "filters", hint: "orders.*.*:1,2 partitions by the first two *; several by blanks; none: all subjects"},
		{id: fieldMembers, label: "members", hint: "names, by blanks; an elastic group gets its members afterwards"},
		{id: fieldMessages, label: "buffer", hint: "most messages in the work stream; empty: no limit"},
		{id: fieldBytes, label: "bytes", hint: "most bytes in the work stream; empty: no limit"},
	}, at: 2}
	if stream == "" {
		d.at = 1
	}
	d.check(m)
	m.push(d)
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
		d.problem = err.Error()
	} else if why := m.foundingRefusal(); why != "" {
		d.problem = why
	}
}

func (d *createWindow) read() error {
	d.key = model.Key{Kind: model.Kind(d.value(fieldKind)), Stream: d.value(fieldStream), Group: d.value(fieldGroup)}
	d.config = model.Config{}
	if d.key.Kind != model.KindElastic && d.key.Kind != model.KindStatic {
		return errors.New("the kind is elastic or static")
	}
	var err error
	if d.config.Partitions, err = strconv.Atoi(d.value(fieldPartitions)); err != nil {
		return fmt.Errorf("partitions: %q is not a number", d.value(fieldPartitions))
	}
	if d.config.Filters, err = readFilters(d.value(fieldFilters), d.key.Kind); err != nil {
		return err
	}
	d.config.Members = strings.Fields(strings.ReplaceAll(d.value(fieldMembers), ",", " "))
	if d.key.Kind == model.KindElastic && len(d.config.Members) > 0 {
		return errors.New("an elastic group gets its members afterwards: leave them out")
	}
	for id, to := range map[string]*int64{fieldMessages: &d.config.MaxBufferedMsgs, fieldBytes: &d.config.MaxBufferedBytes} {
		text := d.value(id)
		if text == "" {
			continue
		}
		if *to, err = strconv.ParseInt(text, 10, 64); err != nil || *to < 1 {
			return fmt.Errorf("%s: %q is no limit; leave it empty for none", id, text)
		}
		if d.key.Kind == model.KindStatic {
			return errors.New("a static group has no buffer: leave it empty")
		}
	}
	return nil
}

// readFilters reads subject:1,2 subject …
func readFilters(text string, kind model.Kind) ([]model.Filter, error) {
	var list []model.Filter
	for _, part := range strings.Fields(text) {
		f := model.Filter{Subject: part}
		if i := strings.LastIndexByte(part, ':'); i >= 0 && kind == model.KindElastic {
			f.Subject = part[:i]
			for _, n := range strings.Split(part[i+1:], ",") {
				w, err := strconv.Atoi(n)
				if err != nil {
					return nil, fmt.Errorf("filter %s: %q is not the position of a wildcard", part, n)
				}
				f.Wildcards = append(f.Wildcards, w)
			}
		}
		list = append(list, f)
	}
	return list, nil
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
	case keymap.Field:
		step := 1
		if s := k.String(); s == "shift+tab" || s == "up" {
			step = len(d.fields) - 1
		}
		d.at = (d.at + step) % len(d.fields)
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

// turnKind chooses the kind by its letter or by blank.
func (d *createWindow) turnKind(k tea.KeyPressMsg) {
	f := &d.fields[d.at]
	switch k.Text {
	case "e":
		f.value = string(model.KindElastic)
	case "s":
		f.value = string(model.KindStatic)
	case " ":
		if f.value == string(model.KindElastic) {
			f.value = string(model.KindStatic)
		} else {
			f.value = string(model.KindElastic)
		}
	}
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
			d.problem = msg.err.Error()
			return
		}
		w := &planWindow{plan: msg.plan, shownAt: m.opts.Now()}
		w.refresh(m)
		m.push(w)
	case *deleteWindow:
		d.surveyed(m, msg)
	}
}

func (d *createWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	const label = 11
	var rows []*row
	first, visible := 0, len(d.fields)
	if room := h - 2 - 3; visible > room {
		visible = max(1, room)
		first = scrolled(0, d.at, len(d.fields), visible)
	}
	for i := first; i < first+visible; i++ {
		f := &d.fields[i]
		r := t.row()
		if i == d.at {
			r.put(t.accent.strong(), "▌")
		} else {
			r.gap(1)
		}
		r.left(t.head, f.label, label)
		room := inner - r.width
		if f.text() == "" {
			if i == d.at {
				r.put(t.accent, "▏")
			}
			r.put(t.dim, glyph.Short(t.row().safe(f.hint), room-2))
		} else {
			f.draw(r, t, room, i == d.at)
		}
		rows = append(rows, r)
	}
	rows = append(rows, t.row())
	rest := h - 2 - len(rows)
	switch {
	case d.waiting:
		rows = append(rows, t.row().put(t.accent.strong(), "asking the server…"))
	case d.problem != "":
		for i, s := range glyph.Wrap(t.row().safe(d.problem), inner-2) {
			r := t.row().gap(2)
			if i == 0 {
				r = t.row().put(t.warn.strong(), "! ")
			}
			rows = append(rows, r.put(t.warn, s))
		}
	default:
		made := model.Creation{Config: d.config}
		if d.key.Kind == model.KindElastic {
			made.WorkStream, made.Transforms = d.key.ConsumeStream(), d.config.WorkTransforms()
		}
		rows = append(rows, founding(t, d.key, made, inner)...)
	}
	if rest > 0 && len(rows) > h-2 {
		rows = rows[:h-2]
	}
	return boxed(t, "New group", d.fields[d.at].hint, rows, inner+4)
}

// founding says what will be made for a group.
func founding(t *theme, k model.Key, c model.Creation, w int) []*row {
	rows := labelled(t, "config", fmt.Sprintf("%s, %s", k, model.Count(c.Config.Partitions, "partition")), t.text, w)
	if k.Kind == model.KindStatic {
		rows = append(rows, labelled(t, "members", strings.Join(c.Config.Members, ", ")+"; they never change", t.text, w)...)
		return append(rows, labelled(t, "stamped", "by the stream itself: its subjects have to begin with the partition", t.dim, w)...)
	}
	stream := c.WorkStream + ", a work queue sourced from " + k.Stream
	if c.Replicas > 0 {
		stream += fmt.Sprintf(", %s in %s storage", model.Count(c.Replicas, "replica"), c.Storage)
	}
	limits := []string{}
	if n := c.Config.MaxBufferedMsgs; n > 0 {
		limits = append(limits, number(uint64(n), 26)+" messages")
	}
	if n := c.Config.MaxBufferedBytes; n > 0 {
		limits = append(limits, number(uint64(n), 26)+" bytes")
	}
	if len(limits) > 0 {
		stream += ", at most " + strings.Join(limits, " and ")
	}
	rows = append(rows, labelled(t, "stream", stream, t.text, w)...)
	for _, tr := range c.Transforms {
		rows = append(rows, labelled(t, "stamps", tr.From+" ▸ "+tr.To, t.text, w)...)
	}
	return rows
}
