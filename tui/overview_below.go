package tui

import (
	"math"
	"time"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// wordsInTable is the width from which on the table has room for the verdict's word.
const wordsInTable = 60

// below says more about the selected group, and what happened lately.
func (o *overview) below(m *Model, w, h int) []*row {
	t := m.theme
	if h < 4 {
		return nil
	}
	var lines []*row
	if g := m.snap.Group(o.selected); g != nil && len(g.Findings) > 0 {
		lines = append([]*row{t.row()}, o.reasons(t, g, w, h/2)...)
		for _, r := range lines {
			r.on(&target{action: keymap.Open})
		}
	}
	lines = lines[:min(len(lines), h)]
	if room := h - len(lines); room >= 3 && len(m.snap.Events) > 0 {
		lines = append(lines, t.row(), t.row().gap(1).put(t.head, "EVENTS"))
		events := m.snap.Events[:min(len(m.snap.Events), room-2)]
		names := 1
		for _, e := range events {
			names = max(names, min(glyph.Width(glyph.Clean(e.Key.String())), w/4))
		}
		for _, e := range events {
			lines = append(lines, eventLine(m, e, names).on(clicks(func(m *Model) { m.toEvent(&e) })))
		}
	}
	return lines
}

// reasons says what is wrong with a group: the worst, and what else needs somebody, as
// far as there is room in h lines.
func (o *overview) reasons(t *theme, g *model.Group, w, h int) []*row {
	sign, st := t.severity(g.Findings[0].Severity)
	title := t.row().gap(1).put(st, sign+" ").put(t.title, g.Key.String())
	lines := []*row{title}
	said := 0
	for i, f := range g.Findings {
		text, _ := sentence(t, f, 3, w-4, 3)
		if i > 0 && (f.Severity == model.Info || len(lines)+len(text) > h) {
			break
		}
		if i > 0 {
			sign, st := t.severity(f.Severity)
			text[0] = t.row().gap(1).put(st, sign+" ").join(text[0].cut(3, max(3, text[0].width)))
		}
		lines = append(lines, text...)
		said++
	}
	switch n := len(g.Findings) - said; {
	case w < wordsInTable: // the table has the verdict's sign alone
		title.put(t.dim, "  "+string(g.Verdict))
	case n > 0:
		title.put(t.dim, "  and "+model.Count(n, "more finding"))
	}
	return lines
}

// sentence draws a finding and its hint in at most n lines, indented, and tells whether
// they are all. Names are cut for them where that helps.
func sentence(t *theme, f model.Finding, indent, w, n int) (lines []*row, whole bool) {
	text, hint := t.row().safe(f.Text), t.row().safe(f.Hint)
	for _, most := range mostOfNames() {
		f.Text, f.Hint = glyph.Names(text, most), glyph.Names(hint, most)
		if lines = spoken(t, f, indent, w); len(lines) <= n {
			return lines, true
		}
	}
	return lines[:n], false
}

// mostOfNames is how many cells names in a sentence take at most, at first as many as they
// like: one after the other until the sentence fits. No plain word is longer than the last.
func mostOfNames() []int { return []int{math.MaxInt, 40, 24, 16} }

// spoken is a finding and its hint in as many lines as it takes.
func spoken(t *theme, f model.Finding, indent, w int) []*row {
	var lines []*row
	words := glyph.Wrap(t.row().safe(f.Text+"."), w)
	for _, s := range words {
		lines = append(lines, t.row().gap(indent).put(t.text, s))
	}
	if f.Hint != "" {
		hint := t.row().safe("→ " + t.hint(f))
		if last := len(lines) - 1; last >= 0 && lines[last].width-indent+2+glyph.Width(hint) <= w {
			lines[last].gap(2).put(t.dim, hint)
		} else {
			for _, s := range glyph.Wrap(hint, w) {
				lines = append(lines, t.row().gap(indent).put(t.dim, s))
			}
		}
	}
	return lines
}

// eventLine draws one event. The group's name takes so many cells, none where the group
// is clear.
func eventLine(m *Model, e model.Event, names int) *row {
	t := m.theme
	st := t.text
	switch e.Kind {
	case model.EventAction:
		st = t.accent
	case model.EventLink:
		st = t.warn
	}
	r := t.row().gap(1).put(t.dim, m.clock(e.At)).gap(2)
	if names > 0 {
		r.left(t.dim, e.Key.String(), names).gap(2)
	}
	if e.Member != "" {
		r.put(t.text.strong(), e.Member).gap(1)
	}
	return r.put(st, e.Said())
}

// empty says in words why there is nothing to see.
func (o *overview) empty(m *Model, w int) []*row {
	t := m.theme
	say := func(title string, texts ...string) []*row {
		lines := []*row{t.row(), t.row().gap(2).put(t.title, title)}
		for _, text := range texts {
			for _, s := range glyph.Wrap(t.row().safe(text), w-4) {
				lines = append(lines, t.row().gap(2).put(t.dim, s))
			}
		}
		return lines
	}
	switch {
	case o.total > 0:
		why := unknownTerm(terms(o.filter.text()), m.snap.Kinds())
		if why == "" {
			why = "Each word has to be in a name, kind or verdict; is:stalled, is:need, kind:static, stream:NAME and member:NAME say where, -WORD leaves out"
		}
		return say("No group matches", why+". Esc clears the filter.")
	case m.snap.Link.State == model.LinkLost:
		return say("Not connected", "No group was read before the connection was lost.")
	case m.snap.Link.State != model.LinkLive:
		return say("Reading…", "The groups of this account are being read.")
	}
	var unknown []string
	for _, k := range model.Founded() {
		if why := m.snap.Unknown(k); why != "" {
			unknown = append(unknown, "The "+string(k)+" groups of this account cannot be read: "+why+".")
		}
	}
	if len(unknown) > 0 {
		return say("Groups not known", unknown...)
	}
	text := "The account has no partitioned consumer groups yet."
	for _, k := range model.Founded() {
		if b, known := m.snap.Bucket(k); known && !b.Exists {
			text += " The bucket of " + string(k) + " groups does not exist: it is made with the first one."
		}
	}
	return say("No groups yet", text)
}

// oldAfter is how old a group's values may be while the link is live before the row
// says so: groups off the screen are read in turn.
const oldAfter = 30 * time.Second

// outdated says in words that a group's values may no longer hold, or nothing.
func (m *Model) outdated(g *model.Group) string {
	switch {
	case m.stale():
		return "old"
	case g.Unreadable != "":
		return ""
	case g.Pushed(), g.ReadAt.IsZero() && g.ReadError == "":
		return ""
	case g.ReadAt.IsZero():
		return "not read"
	}
	if old := m.snap.Taken.Sub(g.ReadAt); g.ReadError != "" || old >= oldAfter {
		return "old " + age(old)
	}
	return ""
}

// stale tells whether nothing on the screen can be trusted to be so now.
func (m *Model) stale() bool {
	return m.snap.Link.State == model.LinkLost || m.snap.Link.State == model.LinkRereading
}
