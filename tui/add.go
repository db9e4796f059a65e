package tui

import (
	"slices"
	"strings"
	"unicode"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// addWindow takes the names of new members and shows at once what they would get.
type addWindow struct {
	draft
	names input
}

// draft is what the editors of a membership share: the group as it is now, and the plan
// that the edit would make, or why it would make none.
type draft struct {
	key     model.Key
	group   *model.Group // nil: it is gone
	plan    *model.Plan
	problem string
}

// work makes the draft's plan.
func (d *draft) work(m *Model, in model.Intent) {
	d.group, d.plan, d.problem = m.live.Group(d.key), nil, ""
	switch {
	case d.group == nil:
		d.problem = "the group is gone"
	case m.writeRefusal() != "":
		d.problem = m.writeRefusal()
	case len(in.Members)+len(in.Edits) == 0:
	default:
		p, err := m.newPlan(d.group, in)
		if err != nil {
			d.problem = reason(err)
		}
		d.plan = p
	}
}

// preview draws the plan or the problem in at most h lines.
func (d *draft) preview(t *theme, w, h int) []*row {
	switch {
	case d.problem != "":
		var rows []*row
		for i, s := range glyph.Wrap(t.row().safe(d.problem), w-2) {
			r := t.row().gap(2)
			if i == 0 {
				r = t.row().put(t.warn.strong(), "! ")
			}
			rows = append(rows, r.put(t.warn, s))
		}
		return rows[:min(len(rows), h)]
	case d.plan == nil:
		return nil
	}
	rows := effect(t, d.plan, d.group, w, 2)
	if len(rows) > h && h > 0 {
		rows = append(rows[:h-1:h-1], t.row().put(t.dim, "… the plan shows the rest"))
	}
	return rows
}

func newAddWindow(m *Model, g *model.Group) window {
	d := &addWindow{draft: draft{key: g.Key}}
	d.refresh(m)
	return d
}

func (d *addWindow) screen() keymap.Screen { return keymap.Add }

func (d *addWindow) paste(m *Model, text string) {
	d.names.insert(text)
	d.refresh(m)
}

func (d *addWindow) refresh(m *Model) { d.work(m, d.intent()) }
func (d *addWindow) settle(*Model)    {}

func (d *addWindow) intent() model.Intent {
	names := strings.FieldsFunc(d.names.text(), func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	slices.Sort(names)
	return model.Intent{Action: model.ActionAdd, Members: slices.Compact(names)}
}

func (d *addWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		if d.plan != nil {
			m.plan(d.group, d.intent())
		}
	default:
		if d.names.key(k) {
			d.refresh(m)
		}
	}
	return nil
}

func (d *addWindow) draw(m *Model, w, h int) []*row {
	t := m.theme
	inner := windowWidth(w) - 4
	line := t.row().put(t.head, "names  ")
	d.names.draw(line, t, inner-line.width, true)
	rows := []*row{line, t.row().gap(7).put(t.dim, "separated by blanks or commas"), t.row()}
	rows = append(rows, d.preview(t, inner, h-len(rows)-2)...)
	return boxed(t, "Add members to "+d.key.String(), "", rows, inner+4)
}
