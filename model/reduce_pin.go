package model

import (
	"fmt"
	"strings"
	"time"
)

// lateAdvisory is how much older than an answer an advisory may be to be told still:
// the two come on different ways.
const lateAdvisory = 5 * time.Second

func (o PinSeen) apply(r *reduction) {
	r.heard()
	s := r.stream(o.Stream)
	c := s.consumer(o.Consumer)
	late := c != nil && o.At.Before(c.PinChanged) // an answer overtook it
	if late && c.PinChanged.Sub(o.At) > lateAdvisory || c != nil && o.stray(s.pins[o.Consumer], c.pinTimeout()) {
		return
	}
	s, at := s.withPin(o.Consumer, PinChange{At: o.At, PinID: o.PinID, Reason: o.Reason, told: true, unnamed: o.PinID != "" && s.watch != nil})
	if at < 0 && (late || len(s.pins[o.Consumer]) > 0) {
		return // it is known already
	}
	if c != nil && !late {
		n := *c
		n.PinID, n.PinnedAt, n.PinChanged = o.PinID, o.At, o.At
		if o.PinID == "" {
			n.PinnedAt = time.Time{}
		} else {
			n.PullSeen = o.At
		}
		if o.PriorityGroup != "" {
			n.PriorityGroup = o.PriorityGroup
		}
		s = s.with(o.Consumer, &n)
	}
	if o.PinID != "" {
		s = s.inherited(o.Consumer, at, o.heard(r.now)).attributed(o.Consumer)
	}
	r.putStream(s)
	r.memberEvent(o.Stream, o.Consumer, o.event(s, at))
}

// event tells of the change, which has that place in the history. What is told of a pin
// again, because it is known by now who got it, takes the place of what was told before.
func (o PinSeen) event(s *Stream, place int) Event {
	e := Event{At: o.At, Kind: EventPin, Text: o.describe(s, place)}
	if o.PinID != "" {
		e.about = "pin " + o.PinID
	}
	return e
}

// heard is when it came, by the local clock.
func (o PinSeen) heard(now time.Time) time.Time {
	if o.Heard.IsZero() {
		return now
	}
	return o.Heard
}

// stray tells whether the end of a pin is that of an earlier consumer of the same name:
// the one in force cannot have timed out yet.
func (o PinSeen) stray(log []PinChange, timeout time.Duration) bool {
	if o.PinID != "" || o.Reason != PinTimeout {
		return false
	}
	for n := len(log) - 1; n >= 0; n-- {
		if p := log[n]; !p.At.After(o.At) {
			return p.PinID != "" && o.At.Sub(p.At) < timeout
		}
	}
	return false
}

// describe says who lost the pin and why, or who got it and how long nobody had it. at
// is the change's place in the history.
func (o PinSeen) describe(s *Stream, at int) string {
	before := PinChange{}
	if log := s.pins[o.Consumer]; at > 0 {
		before = log[at-1]
	}
	if o.PinID == "" {
		text := "unpinned (" + o.Reason + ")"
		if o.Reason == PinTimeout {
			text = "pin lost by timeout"
		}
		if before.PinID != "" {
			text += fmt.Sprintf(" after %s, was %s", took(o.At.Sub(before.At)), s.holderName(o.Consumer, before.PinID))
		}
		return text
	}
	text := "pinned " + ShortID(o.PinID)
	if name := s.holderName(o.Consumer, o.PinID); name != ShortID(o.PinID) {
		text += ": " + name
	} else if names := s.heirNames(o.Consumer, o.PinID); len(names) > 0 {
		text += ": " + anyOf(names)
	}
	return text + s.afterWhat(o.Consumer, at)
}

// afterWhat says how long nobody had had the pin, why, and who had it before. at is the
// place in the history of the change by which somebody got it.
func (s *Stream) afterWhat(consumer string, at int) string {
	log := s.pins[consumer]
	if at < 1 || log[at-1].PinID != "" {
		return ""
	}
	what := map[string]string{"admin": "the step-down", PinTimeout: "the timeout"}[log[at-1].Reason]
	if what == "" {
		what = "the unpin"
	}
	text := fmt.Sprintf(", %s after %s", took(log[at].At.Sub(log[at-1].At)), what)
	if at < 2 {
		return text
	}
	if was := s.holderName(consumer, log[at-2].PinID); was != ShortID(log[at-2].PinID) {
		text += " of " + was
	}
	return text
}

// anyOf says that it is one of several.
func anyOf(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("one of %d", len(names))
	}
	return strings.Join(names, " or ")
}

// took writes how long something took, as exactly as anybody wants to know.
func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return d.Round(time.Second).String()
}
