package model

import (
	"fmt"
	"time"
)

func (o PinSeen) apply(r *reduction) {
	r.heard()
	s := r.stream(o.Stream)
	c := s.consumer(o.Consumer)
	if c != nil && o.At.Before(c.PinChanged) {
		return
	}
	text := o.describe(s, c, r.now)
	s = s.withPin(o.Consumer, PinChange{At: o.At, PinID: o.PinID, Reason: o.Reason})
	if c != nil {
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
		s = s.guessing(o.Consumer, o.PinID, r.now)
	}
	r.putStream(s)
	r.memberEvent(o.Stream, o.Consumer, Event{At: o.At, Kind: EventPin, Text: text})
}

// describe says who lost the pin and why, or who got it and how long nobody had it.
func (o PinSeen) describe(s *Stream, c *Consumer, now time.Time) string {
	if o.PinID == "" {
		text := "unpinned (" + o.Reason + ")"
		if o.Reason == PinTimeout {
			text = "pin lost by timeout"
		}
		if c != nil && !c.PinnedAt.IsZero() {
			text += fmt.Sprintf(" after %s, was %s", o.At.Sub(c.PinnedAt).Round(time.Second), s.holderName(o.Consumer, c.PinID))
		}
		return text
	}
	text := "pinned " + ShortID(o.PinID)
	if name := s.guessing(o.Consumer, o.PinID, now).holderName(o.Consumer, o.PinID); name != ShortID(o.PinID) {
		text += ": " + name
	}
	log := s.pins[o.Consumer]
	if n := len(log); n > 1 && log[n-1].PinID == "" && !o.At.Before(log[n-1].At) {
		reason := "after the unpin"
		switch log[n-1].Reason {
		case "admin":
			reason = "after the step-down"
		case PinTimeout:
			reason = "after the timeout"
		}
		text += fmt.Sprintf(", %s %s", took(o.At.Sub(log[n-1].At)), reason)
		if was := s.holderName(o.Consumer, log[n-2].PinID); was != ShortID(log[n-2].PinID) {
			text += " of " + was
		}
	}
	return text
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
