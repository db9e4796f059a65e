package tui

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// Inspector reads what there is about a group as it is stored and as the server answers,
// and of one member's consumer if a member is named.
type Inspector interface {
	Inspect(ctx context.Context, k model.Key, member string) []model.Document
}

// inspectedMsg is what was read.
type inspectedMsg struct {
	from *rawWindow
	docs []model.Document
}

// rawWindow shows documents as they are, indented for reading: one at a time.
type rawWindow struct {
	key     model.Key
	docs    []model.Document
	waiting bool
	at      int
	lines   []string // of the document in view, for a width
	width   int
	top     int
	page    int
}

// showRaw shows what is selected as it is.
func (m *Model) showRaw() tea.Cmd {
	switch {
	case m.group != nil:
		return m.raw(m.group.key, m.group.members.selected)
	case len(m.overview.rows) == 0:
		m.say(sorry, "there is no group")
		return nil
	}
	return m.raw(m.overview.selected, "")
}

// raw opens the window for a group, and for the member that is selected.
func (m *Model) raw(k model.Key, member string) tea.Cmd {
	g := m.snap.Group(k)
	if g == nil {
		m.say(sorry, "the group is gone")
		return nil
	}
	d := &rawWindow{key: k}
	if seen, err := json.Marshal(g); err == nil {
		d.docs = []model.Document{{Title: "as pcgtop sees it", From: model.Schema, Text: string(seen)}}
	}
	m.push(d)
	inspector, ctx := m.opts.Inspector, m.ctx
	if inspector == nil {
		return nil
	}
	d.waiting = true
	return func() tea.Msg { return inspectedMsg{d, inspector.Inspect(ctx, k, member)} }
}

// inspected takes what was read: it comes before what pcgtop sees.
func (m *Model) inspected(msg inspectedMsg) {
	d := msg.from
	d.waiting = false
	d.docs = append(msg.docs, d.docs...)
	d.turn(0)
}

func (d *rawWindow) screen() keymap.Screen { return keymap.Raw }
func (d *rawWindow) paste(*Model, string)  {}
func (d *rawWindow) refresh(*Model)        {}

func (d *rawWindow) press(m *Model, id keymap.ID, _ tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Next:
		d.turn(1)
	case keymap.Previous:
		d.turn(-1)
	case keymap.Copy:
		if n := len(d.docs); n > 0 {
			return m.copy(d.docs[d.at].Title, d.docs[d.at].Text)
		}
	default:
		if top, ok := moved(id, d.top, len(d.lines), d.page); ok {
			d.top = top
		}
	}
	return nil
}

// turn goes to another document.
func (d *rawWindow) turn(by int) {
	if n := len(d.docs); n > 0 {
		d.at = (d.at + by + n) % n
	}
	d.top, d.width = 0, 0
}

func (d *rawWindow) settle(m *Model) {
	d.page = max(1, m.windowHeight()-3)
	if w := windowWidth(m.width) - 4; d.width != w && len(d.docs) > 0 {
		d.lines, d.width = readable(m.theme, d.docs[d.at], w), w
	}
	d.top = scrollEnd(d.top, len(d.lines), d.page)
}

// readable is a document in lines of at most w cells. What is not JSON stays as it is.
func readable(t *theme, doc model.Document, w int) []string {
	text := doc.Text
	if doc.Problem != "" {
		text = "not read: " + doc.Problem
	}
	var indented bytes.Buffer
	if json.Indent(&indented, []byte(text), "", "  ") == nil {
		text = indented.String()
	}
	var lines []string
	for line := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		for line = t.row().signs(glyph.Clean(line)); ; {
			head, n := glyph.Cut(line, w)
			lines = append(lines, head)
			if n == 0 || len(head) == len(line) {
				break
			}
			line = line[len(head):]
		}
	}
	return lines
}

func (d *rawWindow) draw(m *Model, w, _ int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	if len(d.docs) == 0 {
		return boxed(t, d.key.String(), "", []*row{t.row().put(t.dim, "reading…")}, inner+4)
	}
	doc := d.docs[d.at]
	head := t.row().put(t.dim, doc.From)
	if d.waiting {
		head.put(t.dim, "  reading the rest…")
	}
	rows := []*row{ellipsis(t, head, inner)}
	st := t.text
	if doc.Problem != "" {
		st = t.warn
	}
	for _, line := range portion(d.lines, d.top, d.page) {
		rows = append(rows, t.row().put(st, line))
	}
	note := fmt.Sprintf("%d of %d", d.at+1, len(d.docs))
	if s := strings.TrimSpace(more(d.top, len(d.lines), d.page)); s != "" {
		note = "lines " + s + ", " + note
	}
	return boxed(t, d.key.String()+": "+doc.Title, note, rows, inner+4)
}
