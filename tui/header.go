package tui

import (
	"fmt"
	"strings"
	"time"

	"pcgtop/keymap"
	"pcgtop/model"
)

// part is a piece of the header. When there is no room the least wanted is cut as far as it
// can be, and then goes.
type part struct {
	keep  int
	right bool
	least int             // cells it can be cut to; 0: it is there whole, or not at all
	leads bool            // what comes after it follows without a gap
	draw  func(*row, int) // in that many cells, where it can be cut
}

// How much the parts of the header are wanted. What can be written and how far the picture can
// be trusted are never given up for a name.
const (
	keepLink   = 99
	keepRights = 97
	keepGroup  = 95
)

// header is the first line: where we are, and how far what is shown can be trusted.
func (m *Model) header() *row {
	t, s := m.theme, m.snap
	parts := []part{{keep: 100, draw: func(r *row, _ int) {
		r.join(t.row().put(t.accent.strong(), "pcgtop").on(clicks((*Model).home)))
	}}}
	server := serverName(s.Server.Name)
	where, ofGroup, ofAll := s.Server.Context, 72, 80
	if where == "" {
		where, ofGroup, ofAll = server, 45, 45
	}
	if g := m.group; g != nil {
		if where != "" && m.width >= 80 {
			parts = append(parts, part{keep: ofGroup, least: 12, leads: true, draw: func(r *row, w int) {
				r.put(t.dim, r.short(r.safe(where), min(w-3, m.width/4))+" ▸ ")
			}})
		}
		parts = append(parts, part{keep: keepGroup, least: 6, draw: func(r *row, w int) {
			r.put(t.title, r.short(r.safe(g.key.String()), min(w, m.width/2)))
		}})
	} else {
		parts = append(parts, name(ofAll, 8, t.title, where, m.width/4))
		if s.Server.Context != "" {
			parts = append(parts, name(40, 8, t.dim, server, m.width/4))
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
		parts = append(parts, part{keep: 85, right: true, least: 8, draw: m.need})
	}
	parts = append(parts, part{keep: keepLink, right: true, draw: func(r *row, _ int) { m.link(r) }})
	if m.recorder != nil {
		draw := m.recorder.draw(m)
		parts = append(parts, part{keep: 88, right: true, draw: func(r *row, _ int) { draw(r) }})
	}
	if m.opts.Player != nil {
		parts = append(parts, part{keep: 98, right: true, draw: func(r *row, _ int) { m.playback(r) }})
	}
	if s.Requests.Budget > 0 && s.Link.State != model.LinkLost { // then nothing is asked
		parts = append(parts, text(20, true, t.dim, fmt.Sprintf("%.0f req/s of %.0f", s.Requests.PerSecond, s.Requests.Budget)))
	}
	return m.arrange(parts)
}

// serverName is what a server is called. One without a name goes by its id, of which the
// beginning has to do.
func serverName(name string) string {
	const id, begins = 56, 8
	if len(name) == id && name[0] == 'N' && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == "" {
		return name[:begins] + "…"
	}
	return name
}

// slowLink is the round trip from which the header says why everything takes so long.
const slowLink = time.Second

// home goes to the list of groups, unless a window is open.
func (m *Model) home() {
	if m.window() == nil {
		m.group, m.events = nil, nil
	}
}

// arrange cuts and drops parts until the rest fits, and puts the right ones to the right.
func (m *Model) arrange(parts []part) *row {
	gap := 2
	if m.width >= 110 {
		gap = 3
	}
	cut := make([]int, len(parts)) // to how many cells; negative: it is not there
	for i := range cut {
		cut[i] = m.width
	}
	for {
		left, right := m.theme.row().gap(1), m.theme.row()
		weakest, width, led := -1, 0, true
		for i, p := range parts {
			one := m.theme.row()
			if cut[i] >= 0 {
				p.draw(one, cut[i])
			}
			if one.width == 0 {
				continue
			}
			if weakest < 0 || p.keep < parts[weakest].keep {
				weakest, width = i, one.width
			}
			if p.right {
				if right.width > 0 {
					right.gap(gap)
				}
				right.join(one)
				continue
			}
			if !led {
				left.gap(2)
			}
			left.join(one)
			led = p.leads
		}
		room := m.width - 1 - left.width - right.width
		switch {
		case room >= 2 || weakest < 0:
			return left.gap(max(2, room)).join(right)
		case width > parts[weakest].least && parts[weakest].least > 0:
			cut[weakest] = max(parts[weakest].least, width-(2-room))
		default:
			cut[weakest] = -1
		}
	}
}

func text(keep int, right bool, st style, s string) part {
	return part{keep: keep, right: right, draw: func(r *row, _ int) { r.put(st, s) }}
}

// name is a text that can be cut, and is never longer than most.
func name(keep, least int, st style, s string, most int) part {
	return part{keep: keep, least: least, draw: func(r *row, w int) { r.put(st, r.short(r.safe(s), min(w, max(least, most)))) }}
}

// rights says whether anything can be written.
func (m *Model) rights() part {
	if m.opts.Player != nil || m.opts.Admin == nil || m.opts.Admin.ReadOnly() || m.live.ReadOnly {
		return text(keepRights, false, m.theme.info.strong(), "RO")
	}
	if m.snap.WritesRefused() { // which the server tells of no sooner
		return text(keepRights, false, m.theme.warn, "RW refused")
	}
	return text(keepRights, false, m.theme.dim, "RW")
}

// need counts the groups that want somebody, and where there is room all.
func (m *Model) need(r *row, w int) {
	t, n := m.theme, m.overview.need
	says, st := number(uint64(n), 7)+" unwell", t.warn.strong()
	switch failed := m.overview.failed; {
	case n == 0 && failed > 0: // nobody knows
		says, st = number(uint64(failed), 7)+" not read", t.warn
	case n == 0:
		says, st = "none unwell", t.ok
	}
	groups := model.Count(len(m.snap.Groups), "group") + ", "
	if len(m.snap.Unseen()) > 0 { // there may be others
		if groups = "at least " + groups; len(m.snap.Groups) == 0 {
			groups, says, st = "", "groups not known", t.warn
		}
	}
	if len(groups)+len(says) <= w {
		r.put(t.dim, groups)
	}
	r.put(st, r.short(says, w))
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
