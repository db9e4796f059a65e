package tui

import (
	"fmt"
	"strings"
	"time"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// part is a piece of the header. When there is no room the least wanted goes first.
type part struct {
	keep  int
	right bool
	draw  func(*row)
}

// header is the first line: where we are, and how far what is shown can be trusted.
func (m *Model) header() *row {
	t, s := m.theme, m.snap
	parts := []part{{keep: 100, draw: func(r *row) {
		r.join(t.row().put(t.accent.strong(), "pcgtop").on(clicks((*Model).home)))
	}}}
	where := s.Server.Context
	if where == "" {
		where = s.Server.Name
	}
	if g := m.group; g != nil {
		parts = append(parts, part{keep: 95, draw: func(r *row) {
			if where != "" && m.width >= 80 {
				r.put(t.dim, where+" ▸ ")
			}
			r.left(t.title, g.key.String(), min(glyph.Width(r.safe(g.key.String())), m.width/2))
		}})
	} else {
		parts = append(parts, text(80, false, t.title, where))
		if s.Server.Context != "" {
			parts = append(parts, text(40, false, t.dim, s.Server.Name))
		}
		parts = append(parts, text(30, false, t.dim, s.Server.Version))
	}
	if api := s.Server.API; api != "" && api != plainAPI { // another domain's
		parts = append(parts, text(75, false, t.warn, api))
	}
	switch trip := s.Server.RTT; {
	case trip >= slowLink:
		parts = append(parts, text(78, false, t.warn, "slow link, "+rtt(trip)))
	case trip > 0:
		parts = append(parts, text(50, false, t.dim, rtt(trip)))
	}
	parts = append(parts, m.rights())
	if m.group == nil && s.Link.State != model.LinkStarting {
		parts = append(parts, part{keep: 85, right: true, draw: m.need})
	}
	parts = append(parts, part{keep: 90, right: true, draw: m.link})
	if m.recorder != nil {
		parts = append(parts, part{keep: 88, right: true, draw: m.recorder.draw(m)})
	}
	if m.opts.Player != nil {
		parts = append(parts, part{keep: 98, right: true, draw: m.playback})
	}
	if s.Requests.Budget > 0 && s.Link.State != model.LinkLost { // then nothing is asked
		parts = append(parts, text(20, true, t.dim, fmt.Sprintf("%.0f req/s of %.0f", s.Requests.PerSecond, s.Requests.Budget)))
	}
	return m.arrange(parts)
}

// slowLink is the round trip from which the header says why everything takes so long.
const slowLink = time.Second

// home goes to the list of groups, unless a window is open.
func (m *Model) home() {
	if m.window() == nil {
		m.group, m.events = nil, nil
	}
}

// arrange drops parts until the rest fits, and puts the right ones to the right.
func (m *Model) arrange(parts []part) *row {
	gap := 2
	if m.width >= 110 {
		gap = 3
	}
	for {
		left, right := m.theme.row().gap(1), m.theme.row()
		weakest := -1
		for i, p := range parts {
			one := m.theme.row()
			p.draw(one)
			if one.width == 0 {
				continue
			}
			if weakest < 0 || p.keep < parts[weakest].keep {
				weakest = i
			}
			if p.right {
				if right.width > 0 {
					right.gap(gap)
				}
				right.join(one)
			} else {
				if left.width > 1 {
					left.gap(2)
				}
				left.join(one)
			}
		}
		if room := m.width - 1 - left.width - right.width; room >= 2 || weakest < 0 || len(parts) <= 2 {
			return left.gap(max(2, room)).join(right)
		}
		parts = append(parts[:weakest:weakest], parts[weakest+1:]...)
	}
}

func text(keep int, right bool, st style, s string) part {
	return part{keep: keep, right: right, draw: func(r *row) { r.put(st, s) }}
}

// rights says whether anything can be written.
func (m *Model) rights() part {
	if m.opts.Player != nil || m.opts.Admin == nil || m.opts.Admin.ReadOnly() || m.live.ReadOnly {
		return text(70, false, m.theme.info.strong(), "RO")
	}
	if m.snap.WritesRefused() { // which the server tells of no sooner
		return text(70, false, m.theme.warn, "RW refused")
	}
	return text(70, false, m.theme.dim, "RW")
}

// need counts the groups that want somebody.
func (m *Model) need(r *row) {
	t, n := m.theme, m.overview.need
	groups := model.Count(len(m.snap.Groups), "group")
	switch failed := m.overview.failed; {
	case n == 0 && failed > 0: // nobody knows
		r.put(t.dim, groups+", ").put(t.warn, number(uint64(failed), 7)+" not read")
		return
	case n == 0:
		r.put(t.dim, groups+", ").put(t.ok, "none unwell")
		return
	}
	r.put(t.dim, groups+", ").put(t.warn.strong(), number(uint64(n), 7)+" unwell")
}

// plainAPI is the API prefix that is not worth a word.
const plainAPI = "$JS.API"

// fullWidth is from which width on the state of the link is said in full.
const fullWidth = 76

// liveWithin is for how long nothing need be heard before the header says so.
const liveWithin = 2 * time.Second

// link says how far the picture can be trusted.
func (m *Model) link(r *row) {
	t, l := m.theme, m.snap.Link
	switch {
	case m.held():
		r.join(t.row().put(t.alarm, " held "+m.clock(m.snap.Taken)+" ").on(&target{action: keymap.Hold}))
	case m.ended:
		r.put(t.dim, "■ ended "+m.clock(m.snap.Taken))
	case l.State == model.LinkLive && m.opts.Player != nil: // where the recording stands is said instead
	case l.State == model.LinkLive:
		r.put(t.ok, "● ").put(t.text, "live")
		if old := m.snap.Taken.Sub(l.Heard); m.width >= 60 && old >= liveWithin && !l.Heard.IsZero() { // a picture of nothing new stands still
			r.put(t.dim, " "+age(old))
		}
	case l.State == model.LinkLost && m.width < fullWidth:
		r.put(t.alarm, " ✗ lost ")
	case l.State == model.LinkLost:
		r.put(t.alarm, " ✗ disconnected ")
	case l.State == model.LinkRereading && m.width < fullWidth:
		r.put(t.alarm, " … old ")
	case l.State == model.LinkRereading:
		r.put(t.alarm, " … re-reading ")
	default:
		r.put(t.dim, "○ reading…")
	}
}

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
