package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
	"pcgtop/tui/glyph"
)

// detail says about the selected member or instance what a row has no room for.
func (l *memberList) detail(screen *Model, w int) []*row {
	t, at := screen.theme, l.table[l.index].member
	m, i := l.at(l.index)
	if i != nil {
		return l.instanceDetail(screen, m, i, w)
	}
	r := t.row().gap(1).put(t.member(at), model.Letter(at)+" ").put(t.text.strong(), m.Name)
	var say []string
	if m.Why != "" {
		say = append(say, m.Why)
	} else {
		say = append(say, stateMeans(m))
	}
	say = append(say, m.Facts...)
	if c := m.Consumer; c != nil {
		if c.PinID != "" {
			say = append(say, "pin "+c.PinID)
		}
		if c.Durables > 0 {
			say = append(say, model.Count(c.Durables, "consumer"))
		} else {
			say = append(say, "consumer made "+since(c.Created, c.TS)+" ago")
		}
		if c.Redelivered > 0 {
			say = append(say, number(c.Redelivered, 9)+" redelivered")
		}
	}
	most := 1
	if len(m.Facts) > 0 { // of another kind, which has no instances to tell of
		most = 2
	}
	r.put(t.line, " · ")
	lines := append([]*row{t.row()}, flowing(t, r, say, w, most)...)
	owns := "owns nothing"
	if l.group.Unsure {
		owns = "what it owns is not known"
	}
	if n := len(m.Partitions); n > 0 {
		owns = "owns " + model.Count(n, "partition") + ": " + owned(l.group, m, ", ")
	}
	second := t.row().gap(3)
	if trouble := pinTrouble(m); trouble != "" {
		second.put(t.warn.strong(), "! ").put(t.warn, trouble).put(t.line, " · ")
	}
	lines = append(lines, ellipsis(t, second.put(t.dim, owns), w-1))
	if strip := l.pinStrip(t, m, w); strip != nil {
		lines = append(lines, strip)
	}
	return lines
}

// owned lists a member's partitions as people know them: by their names, or by their numbers
// where they have none.
func owned(g *model.Group, m *model.Member, between string) string {
	if !g.Named() {
		return model.Ranges(m.Partitions)
	}
	names := make([]string, 0, len(m.Partitions))
	for _, p := range m.Partitions {
		names = append(names, g.Partitions[p].ID())
	}
	return strings.Join(names, between)
}

// ownedWidth is how many cells the list takes in a row. Numbers are a cell each: there may be
// very many members.
func ownedWidth(g *model.Group, m *model.Member) int {
	text := owned(g, m, ",")
	if !g.Named() {
		return len(text)
	}
	return glyph.Width(glyph.Clean(text))
}

// ownedIn is the list for w cells. Of names that do not all fit it says how many they are.
func ownedIn(g *model.Group, m *model.Member, w int) string {
	text := owned(g, m, ",")
	if g.Named() && len(m.Partitions) > 1 && ownedWidth(g, m) > w {
		return fmt.Sprintf("%d: %s", len(m.Partitions), text)
	}
	return text
}

// stateMeans is a member's state with what a row has no room to say about it.
func stateMeans(m *model.Member) string {
	c := m.Consumer
	switch {
	case c != nil && c.Waiting == 0 && (c.AckPending == 0 || c.PinID == "") && c.Inactive > 0 && !c.PullSeen.IsZero() && m.State != model.StatePaused:
		return "no waiting pull, its consumer expires in ~" + age(c.Inactive-c.TS.Sub(c.PullSeen))
	case m.State == model.StateWaiting:
		return "no pin yet: waits for the next message"
	}
	return stateWords(m)
}

// instanceDetail says about the selected instance what its row has no room for.
func (l *memberList) instanceDetail(m *Model, mem *model.Member, i *model.Instance, w int) []*row {
	t, now := m.theme, m.snap.Taken
	sign, st := roleLook(t, i)
	r := t.row().gap(1).put(st, sign+" ").put(t.text.strong(), i.Name())
	say := []string{"instance of " + mem.Name}
	switch {
	case i.Deduced:
		say = append(say, "pinned, as the server's queue and counts tell; its next pull says so")
	case i.Role == model.RolePerhaps:
		say = append(say, "one of "+strings.Join(mem.Perhaps(), ", ")+" is pinned: its next pull says which")
	case i.Role == model.RoleStale:
		say = append(say, "believes it is pinned: its next pull is refused")
	case i.Role == model.RoleSilent:
		say = append(say, "not pulling, but connected: busy with a message, or frozen")
	default:
		say = append(say, roleWords(mem, i))
	}
	if i.PinID != "" {
		say = append(say, "pulls with pin "+i.PinID)
	}
	for _, s := range say {
		r.put(t.line, " · ").put(t.dim, s)
	}
	second := t.row().gap(3)
	facts := []string{}
	if c := i.Conn; c != nil {
		facts = append(facts, address(i), c.Lang+" "+c.Version, "on "+serverName(c.Server), "RTT "+rtt(c.RTT), "connected "+m.clock(c.Since), volume(c.Pending)+" to send")
	} else if w := l.group.Watch; w != nil && w.NoConnections != "" {
		facts = append(facts, w.NoConnections)
	} else if i.Asked {
		facts = append(facts, "no server told of its connection")
	}
	facts = append(facts, "pulled "+since(i.LastPull, now)+" ago for "+age(i.Expires))
	facts = slices.DeleteFunc(facts, func(s string) bool { return s == "" })
	for n, f := range facts {
		if n > 0 {
			second.put(t.line, " · ")
		}
		second.put(t.dim, f)
	}
	return []*row{t.row(), ellipsis(t, r, w-1), ellipsis(t, second, w-1)}
}

// stripWhile is the time that the strip of pins covers.
const stripWhile = 5 * time.Minute

// pinStrip draws who held the pin over the last minutes, by [holders], and how often it moved;
// nil when nothing is known.
func (l *memberList) pinStrip(t *theme, m *model.Member, w int) *row {
	if len(m.Pins) == 0 {
		return nil
	}
	r := t.row().gap(3).put(t.head, "pin, 5 min  ")
	cells := max(10, min(60, w-r.width-30))
	letters := holders(m)
	for _, id := range m.PinHeld(stripWhile, cells) {
		switch letter := letters[id]; {
		case id == "":
			r.put(t.line, "·")
		default:
			r.put(t.member(int(letter-'a')), string(letter))
		}
	}
	times := fmt.Sprintf("  %d in the last minute", m.PinChangesPerMinute())
	if m.PinChangesPerMinute() == 0 {
		times = "  steady"
	}
	st := t.dim
	if m.Flapping() {
		st = t.warn
	}
	r.put(st, times)
	if h := m.Holder(); h != nil {
		r.put(t.dim, fmt.Sprintf("  %c is %s", letters[m.Consumer.PinID], h.Name()))
	}
	return ellipsis(t, r, w-1)
}

// holders gives each pin in a member's history a letter, by the order in which they came. All
// that one instance is known to have had share theirs; whose the others were nobody can tell,
// for an instance gets another pin whenever its consumer is made anew.
func holders(m *model.Member) map[string]rune {
	letters, who := map[string]rune{}, map[string]rune{}
	for _, p := range m.Pins {
		if p.PinID == "" {
			continue
		}
		name := p.Instance
		if name == "" {
			name = p.PinID
		}
		if _, known := who[name]; !known {
			who[name] = 'a' + rune(len(who)%26)
		}
		letters[p.PinID] = who[name]
	}
	return letters
}

// pinTrouble says in a line what is wrong with a member's pin, or nothing.
func pinTrouble(m *model.Member) string {
	switch {
	case m.Flapping():
		return fmt.Sprintf("flapping: pinned %d times in a minute; %s", m.PinChangesPerMinute(), m.FlapHint())
	case m.PinTimeouts > 0 && m.Consumer != nil:
		return fmt.Sprintf("pin lost by timeout %s in 10 min: a handler slower than its ack wait (%s), or a process that died", model.Count(m.PinTimeouts, "time"), m.Consumer.AckWait)
	}
	return ""
}
