package model

import "time"

// plight is what is known of how a member fares over all of its consumers: these come and
// go, and what is wrong with the member is not mended by that. All times are the server's.
type plight struct {
	unwell bool      // it was found to be, and was not seen to be well since
	found  time.Time // when it was
}

// ailment tells whether a member of which the rule finds something counts as unwell: it
// does not consume.
func ailment(rule string) bool {
	switch rule {
	case "stalled", "stuck-unacked", "no-pull", "absent", "not-pinned", "nothing-acked":
		return true
	}
	return false
}

// fare takes the plight over from the member as it was known before, nil if it was not,
// unless its consumer shows that it is well.
func (m *Member) fare(before *Member) {
	if before == nil || m.Elsewhere != "" || len(m.Partitions) == 0 {
		return
	}
	if m.plight = before.plight; m.recovered() {
		m.plight = plight{}
	}
}

// recovered tells whether the member was seen to be well since it was unwell: it
// acknowledged something, or nothing waits and somebody pulls.
func (m *Member) recovered() bool {
	c := m.Consumer
	if c == nil {
		return false
	}
	acked := c.trail.ackMoved.After(m.plight.found) || c.Created.After(m.plight.found) && c.AckFloor > 0
	return acked || c.Lag() == 0 && c.Pulls()
}

// unwell tells whether a member was found to be so before, and was not seen to be well since.
func (v *view) unwell(m *Member) bool {
	return m.plight.unwell && m.plight.found.Before(v.stream.TS)
}

// diagnose notes which members are unwell by what was found of them. Nobody else has the
// members yet.
func (g *Group) diagnose(found []Finding) {
	var members map[string]*Member
	for _, f := range found {
		if f.Member == "" || f.Severity == Info || !ailment(f.ID) {
			continue
		}
		if members == nil {
			members = byName(g.Members)
		}
		if m := members[f.Member]; !m.plight.unwell {
			m.plight = plight{unwell: true, found: g.TS}
		}
	}
}
