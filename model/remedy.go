package model

import (
	"fmt"
	"strings"
)

// silent describes the member's instances that are known to be there and do not pull.
func (m *Member) silent() []string {
	var names []string
	for n := range m.Running {
		if i := &m.Running[n]; i.Silent && !i.Left {
			names = append(names, i.described())
		}
	}
	return names
}

// remedy says what to do about a member that nobody pulls for: look at the instances that are
// there, as far as it is known that any are, and start one where none is.
func (m *Member) remedy() string {
	c, names := m.Consumer, m.silent()
	switch {
	case len(names) > 0:
		const most = 2
		text := strings.Join(names[:min(most, len(names))], " and ")
		if n := len(names) - most; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		return "look at " + text + ": connected, and not pulling"
	case c != nil && c.AckPending > 0:
		return "see whether its instance hangs, or its handler is slower than the ack wait; if none runs, start one"
	}
	return "start an instance of " + m.Name
}

// hangs tells whether somebody is there for the member who does not get to acknowledge what
// was delivered, and why that is as a rule; empty where it is not known that anybody is.
func (m *Member) hangs() string {
	c, d := m.Consumer, m.plight.drought
	if !d.slow() && (c == nil || c.AckPending == 0 || len(m.silent()) == 0) {
		return ""
	}
	wait := d.ackWait
	if c != nil {
		wait = c.AckWait
	}
	return fmt.Sprintf("its handler hangs, or is slower than the ack wait of %s", wait)
}
