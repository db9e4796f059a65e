package model

import "time"

// plight is what is known of how a member fares over all of its consumers: these come and
// go, and what is wrong with the member is not mended by that. All times are the server's.
type plight struct {
	unwell bool      // it was found to be, and was not seen to be well since
	found  time.Time // when it was

	drought drought
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

// fare takes the plight over from the member as it was known before, nil if it was not, as
// far as its consumer does not show that it is well. at is the time of the last answer.
func (m *Member) fare(g *Group, before *Member, at time.Time) {
	if m.Elsewhere != "" || len(m.Partitions) == 0 {
		return
	}
	var lost time.Time
	if before != nil {
		m.plight, lost = before.plight, before.LostAt
	}
	if m.recovered() {
		m.plight.unwell, m.plight.found = false, time.Time{}
	}
	switch {
	case m.Consumer != nil:
		m.plight.drought = m.plight.drought.next(m.Consumer, lost, g)
	case at.Sub(m.LostAt) > anewWithin:
		m.plight.drought = drought{}
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
			m.plight.unwell, m.plight.found = true, g.TS
		}
	}
}
