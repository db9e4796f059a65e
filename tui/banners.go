package tui

import (
	"fmt"
	"strings"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// banners are the lines below the header that nothing may hide: a lost link and denied
// permissions.
func (m *Model) banners() []*row {
	t, s := m.theme, m.snap
	var lines []*row
	switch lost, short := s.Link.State == model.LinkLost, m.width < fullWidth; {
	case lost && short:
		lines = append(lines, t.row().left(t.alarm, " disconnected "+m.clock(s.Link.Heard)+", writes are off", m.width))
	case lost:
		lines = append(lines, t.row().left(t.alarm, fmt.Sprintf(" disconnected, data from %s is old; writes are off", m.clock(s.Link.Heard)), m.width))
	case m.stale() && short:
		lines = append(lines, t.row().left(t.alarm, " reading everything; writes are off", m.width))
	case m.stale():
		lines = append(lines, t.row().left(t.alarm, " connected again, reading everything; what is shown is old, writes are off", m.width))
	}
	if moved := s.Server.Moved(); moved != "" {
		lines = append(lines, t.row().left(t.alarm, " "+moved+": is it the right one?", m.width))
	}
	for _, k := range model.Founded() {
		if why := s.Unknown(k); why != "" && s.Link.State != model.LinkLost && !strings.Contains(why, "not permitted") {
			lines = append(lines, t.row().left(t.alarm, " the configs of "+string(k)+" groups are not read: "+why, m.width))
		}
	}
	for _, n := range s.NotFound {
		lines = append(lines, m.wrapped(n.Text)...)
	}
	lines = append(lines, m.denied()...)
	for i, r := range lines {
		lines[i] = ellipsis(t, r, m.width)
	}
	return lines
}

// wrapped is a warning in as many lines as it takes, where there is room for them.
func (m *Model) wrapped(text string) (lines []*row) {
	t := m.theme
	if m.height < 24 {
		return []*row{t.row().gap(1).put(t.warn, text)}
	}
	for _, part := range glyph.Wrap(t.row().safe(text), m.width-2) {
		lines = append(lines, t.row().gap(1).put(t.warn, part))
	}
	return lines[:min(len(lines), 3)]
}

// denied names what this account may not do, in as many lines as there is room for.
func (m *Model) denied() []*row {
	t, all := m.theme, m.snap.Denied
	most := 1
	if m.height >= 24 {
		most = 3
	}
	if alone := m.group == nil && m.events == nil && m.window() == nil; alone && len(m.snap.Groups) == 0 && m.height >= 20 {
		most = m.height / 2 // there is little else to be seen
	}
	var lines []*row
	for i, d := range all {
		r := t.row().put(t.warn.strong(), " not permitted: ").put(t.warn, d)
		room := most - len(lines)
		if i < len(all)-1 {
			room-- // for the others
		}
		if texts := glyph.Wrap(r.safe("not permitted: "+d), m.width-2); len(texts) > 1 && len(texts) <= room {
			for _, text := range texts { // the subject to allow is at the end
				lines = append(lines, t.row().gap(1).put(t.warn, text))
			}
			continue
		}
		others := 0
		if len(lines) == most-1 {
			others = len(all) - 1 - i
		}
		more := t.row()
		if others > 0 {
			more.put(t.dim, fmt.Sprintf(" and %d more", others))
		}
		if m.width >= fullWidth && (others > 0 || r.width > m.width) {
			more.put(t.dim, ", see events") // which have them whole
		}
		lines = append(lines, ellipsis(t, r, m.width-more.width).join(more))
		if others > 0 {
			break
		}
	}
	return lines
}
