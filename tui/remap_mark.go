package tui

import (
	"fmt"
	"path"
	"strings"

	tea "charm.land/bubbletea/v2"

	"pcgtop/keymap"
	"pcgtop/model"
)

// markOwners marks all partitions of the member under the cursor, or unmarks them when
// all are marked.
func (d *remapWindow) markOwners() {
	if len(d.owner) == 0 {
		return
	}
	owner, all := d.owner[d.chart.cursor], true
	for p, o := range d.owner {
		all = all && (o != owner || d.chart.marked[p])
	}
	for p, o := range d.owner {
		switch {
		case o != owner:
		case all:
			delete(d.chart.marked, p)
		default:
			d.chart.marked[p] = true
		}
	}
}

// markWindow takes what to mark: numbers, or a pattern of owners' names.
type markWindow struct {
	editor *remapWindow
	text   input
}

func (d *markWindow) screen() keymap.Screen       { return keymap.Marking }
func (d *markWindow) paste(_ *Model, text string) { d.text.insert(text) }
func (d *markWindow) refresh(m *Model)            { d.editor.refresh(m) }
func (d *markWindow) settle(*Model)               {}

// matching lists the partitions that are meant, or says why none is.
func (d *markWindow) matching() ([]int, string) {
	text := strings.TrimSpace(d.text.text())
	if text == "" {
		return nil, ""
	}
	var list []int
	if numbers, err := model.ParseRanges(text); err == nil {
		for _, p := range numbers {
			if p >= len(d.editor.owner) {
				return nil, fmt.Sprintf("no partition %d: there are 0 to %d", p, len(d.editor.owner)-1)
			}
		}
		return numbers, ""
	}
	if _, err := path.Match(text, ""); err != nil {
		return nil, "a pattern cannot end like that"
	}
	for p, o := range d.editor.owner {
		if ok, _ := path.Match(text, d.editor.name(o)); ok {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return nil, "no owner matches " + text
	}
	return list, ""
}

func (d *markWindow) press(m *Model, id keymap.ID, k tea.KeyPressMsg) tea.Cmd {
	switch id {
	case keymap.Close:
		m.pop()
	case keymap.Make:
		if list, why := d.matching(); why == "" {
			for _, p := range list {
				d.editor.chart.marked[p] = true
			}
			m.pop()
		}
	default:
		d.text.key(k)
	}
	return nil
}

func (d *markWindow) draw(m *Model, w, _ int) []*row {
	t := m.theme
	inner := min(windowWidth(w)-4, 60)
	line := t.row().put(t.head, "mark  ")
	d.text.draw(line, t, inner-line.width, true)
	list, why := d.matching()
	say := t.row().left(t.dim, "partitions such as 0-4,15, or owners such as m*", inner)
	switch {
	case why != "":
		say = t.row().put(t.warn.strong(), "! ").left(t.warn, why, inner-2)
	case len(list) > 0:
		say = t.row().left(t.text, model.Count(len(list), "partition")+": "+model.Ranges(list), inner)
	}
	return boxed(t, "Mark partitions", "", []*row{line, t.row(), say}, inner+4)
}
