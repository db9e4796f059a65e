package model

import (
	"fmt"
	"slices"
	"time"
)

// PinChange is one moment in the history of a member's pin: an instance got it, or,
// with an empty PinID, lost it.
type PinChange struct {
	At       time.Time `json:"at"` // server clock
	PinID    string    `json:"pin_id,omitempty"`
	Reason   string    `json:"reason,omitempty"`   // why it was lost: admin, timeout; empty where nobody said
	Instance string    `json:"instance,omitempty"` // who got it, by its id, as far as that is known
	By       string    `json:"by,omitempty"`       // and by its name
	told     bool      // by an advisory; else it was noticed in an answer
	unnamed  bool      // it was told while instances were heard, but not whose it is
}

// PinTimeout is the reason that the server gives when the pinned instance did not pull
// for the consumer's priority timeout, which is its ack_wait but no less than a second.
const PinTimeout = "timeout"

// How much of a pin's history is kept, and from when on it moves too often.
const (
	PinWindow  = 10 * time.Minute
	MaxPins    = 128
	FlapsAbove = 3 // pins in a minute
)

// dealtAnew is for how long after a change of the config a member's first new pin is put
// down to it: members make their consumers anew, in some libraries after some seconds.
const dealtAnew = 10 * time.Second

// withPin puts a change in its place in the history and tells where that is; -1 when it
// tells nothing new. What was noticed in an answer is replaced by the advisory about it.
// Older changes than PinWindow go, but for the one that was in force then.
func withPin(log []PinChange, c PinChange) ([]PinChange, int) {
	at := len(log)
	if c.told {
		for at > 0 && log[at-1].At.After(c.At) && !(log[at-1].PinID == c.PinID && !log[at-1].told) {
			at--
		}
	}
	if at > 0 && log[at-1].PinID == c.PinID {
		if log[at-1].told || !c.told {
			return log, -1
		}
		log = slices.Clone(log)
		log[at-1] = c
		return log, at - 1
	}
	if at == 0 && c.PinID == "" {
		return log, -1 // of a pin that nobody knew
	}
	first := 0
	for first+1 < at && (c.At.Sub(log[first+1].At) > PinWindow || len(log)-first >= MaxPins) {
		first++
	}
	return slices.Insert(slices.Clone(log[first:]), at-first, c), at - first
}

// withPin returns a copy of the stream in whose history a consumer's pin changed. The
// history outlives the consumer: members make theirs anew when the membership changes.
func (s *Stream) withPin(consumer string, c PinChange) (*Stream, int) {
	log, at := withPin(s.pins[consumer], c)
	if at < 0 {
		return s, at
	}
	next := *s
	next.pins = make(map[string][]PinChange, len(s.pins)+1)
	for name, other := range s.pins {
		if s.consumer(name) != nil || c.At.Sub(other[len(other)-1].At) <= PinWindow {
			next.pins[name] = other
		}
	}
	next.pins[consumer] = log
	return &next, at
}

// recall gives the member the history of its consumer's pin.
func (m *Member) recall(g *Group, stream *Stream, consumer string) {
	if m.Elsewhere != "" {
		return
	}
	if m.Pins = stream.pins[consumer]; len(m.Pins) == 0 {
		return
	}
	now := m.pinClock(stream.TS)
	var pinned time.Time // the pin before
	for _, p := range m.Pins {
		switch ago := now.Sub(p.At); {
		case p.PinID != "":
			if ago <= time.Minute && !g.dealtBetween(pinned, p.At) {
				m.PinsPerMinute++
			}
			pinned = p.At
		case p.PinID == "" && p.Reason == PinTimeout && ago <= PinWindow:
			m.PinTimeouts++
		}
	}
}

// dealtBetween tells whether a pin is the first since the config was changed, shortly before.
func (g *Group) dealtBetween(pinned, at time.Time) bool {
	return slices.ContainsFunc(g.dealt, func(t time.Time) bool {
		ago := at.Sub(t)
		return ago >= 0 && ago <= dealtAnew && t.After(pinned)
	})
}

// pinClock sets and tells the time until which the history of the pin goes: that of the
// last answer, or of an advisory that is newer.
func (m *Member) pinClock(answer time.Time) time.Time {
	m.pinsNow = answer
	if n := len(m.Pins); n > 0 && m.Pins[n-1].At.After(answer) {
		m.pinsNow = m.Pins[n-1].At
	}
	return m.pinsNow
}

// PinChangesPerMinute counts how often an instance was pinned in the last minute, but for
// what a change of the config brought.
func (m *Member) PinChangesPerMinute() int { return m.PinsPerMinute }

// Flapping tells whether the pin moves more often than anybody would want.
func (m *Member) Flapping() bool { return m.PinsPerMinute > FlapsAbove }

// FlapHint says what to do about a pin that moves too often.
func (m *Member) FlapHint() string {
	if c := m.Consumer; c != nil && c.AckWait > 0 && c.AckWait < ackWaitLeast {
		return fmt.Sprintf("its ack wait of %s is below %s: join with a longer one", c.AckWait, ackWaitLeast)
	}
	return "a handler takes longer than the ack wait, or instances come and go"
}

// PinHeld is who held the pin in each of n equal parts of the last while, oldest first:
// the last pin id in force in the part, empty where nobody was pinned all through it.
func (m *Member) PinHeld(while time.Duration, n int) []string {
	held := make([]string, n)
	part := func(i int) time.Time { return m.pinsNow.Add(-while + while*time.Duration(i)/time.Duration(n)) }
	for i := range held {
		for _, p := range m.Pins {
			if p.At.After(part(i + 1)) {
				break
			}
			if p.PinID != "" || !p.At.After(part(i)) {
				held[i] = p.PinID
			}
		}
	}
	return held
}

// pinsRead notes the pins of consumers just read, as far as no advisory told of them.
func (s *Stream) pinsRead() *Stream {
	next := s
	for _, c := range s.Consumers {
		at := c.PinnedAt
		if c.PinID == "" || at.IsZero() {
			at = c.TS
		}
		if log := next.pins[c.Name]; len(log) > 0 && log[len(log)-1].At.After(at) {
			at = c.TS
		}
		next, _ = next.withPin(c.Name, PinChange{At: at, PinID: c.PinID})
	}
	return next
}
