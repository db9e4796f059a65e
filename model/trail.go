package model

import (
	"time"
)

// trail is what several answers about one consumer tell together. All times are the
// server's.
type trail struct {
	lagSince    time.Time // lag was first seen then, and ever since; zero: there is none
	lagBegan    bool      // and the answer before had none: the lag is not older
	ackMoved    time.Time // the ack floor was last seen to move, or was acknowledged to
	againSince  time.Time // messages delivered more than once wait for their ack ever since
	standbySeen time.Time // the last answer in which more than one pull waited
	loneSeen    time.Time // the last in which at most one did, though nothing kept any from it
	spareMost   int       // the most pulls of late that may be of instances that stand by
	spareAt     time.Time // when there were so many
}

// follow continues the trail of the same consumer with its newest answer.
func (c *Consumer) follow(old *Consumer) {
	t := trail{}
	if old != nil {
		t = old.trail
		t.lagBegan = t.lagBegan || old.Lag() == 0
	}
	switch {
	case c.Lag() == 0:
		t.lagSince, t.lagBegan = time.Time{}, false
	case t.lagSince.IsZero():
		t.lagSince = c.TS
	}
	if old != nil && c.AckFloor != old.AckFloor {
		t.ackMoved = c.TS
	}
	if c.LastAck.After(t.ackMoved) {
		t.ackMoved = c.LastAck
	}
	switch {
	case c.Redelivered == 0:
		t.againSince = time.Time{}
	case t.againSince.IsZero():
		t.againSince = c.TS
	}
	if n := c.spare(); n >= t.spareMost || c.TS.Sub(t.spareAt) > standbyWindow {
		t.spareMost, t.spareAt = n, c.TS
	}
	switch { // a busy instance pulls or does not, by its library: one pull then says nothing
	case c.Waiting > 1:
		t.standbySeen = c.TS
	case c.AckPending == 0 || c.PinID == "":
		t.loneSeen = c.TS
	}
	c.trail = t
	c.SpareMost = t.spareMost
	made := c.TS.Sub(c.Created) > standbyWindow // long enough ago for a second instance to have come
	c.Lone = made && c.TS.Sub(t.standbySeen) > standbyWindow && t.loneSeen.After(t.standbySeen)
}

// idleFor is how long the consumer has had lag without any ack, see [Consumer.idleSince].
func (c *Consumer) idleFor(began time.Time) time.Duration {
	since := c.idleSince(began)
	if since.IsZero() {
		return 0
	}
	return max(0, c.TS.Sub(since))
}

// idleSince is since when the consumer has had lag without any ack, as far as is known for
// sure; zero where it has none. began is a time at which lag existed for sure, zero if none
// is known.
func (c *Consumer) idleSince(began time.Time) time.Time {
	if c.Lag() == 0 {
		return time.Time{}
	}
	since := c.trail.lagSince
	if !began.IsZero() && began.Before(since) {
		since = began
	}
	if c.AckPending > 0 && !c.LastDelivered.IsZero() && c.LastDelivered.Before(since) {
		since = c.LastDelivered // what was delivered then waits since
	}
	if since.IsZero() {
		return since
	}
	for _, at := range []time.Time{c.trail.ackMoved, c.Created} {
		if at.After(since) {
			since = at
		}
	}
	return since
}

// unackedFor is how long delivered messages have waited for their ack without any
// delivery or ack in between.
func (c *Consumer) unackedFor() time.Duration {
	if c.AckPending == 0 || c.LastDelivered.IsZero() {
		return 0
	}
	since := c.LastDelivered
	if c.trail.ackMoved.After(since) {
		since = c.trail.ackMoved
	}
	return max(0, c.TS.Sub(since))
}
