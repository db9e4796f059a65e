package model

import (
	"slices"
	"time"
)

// heirs are the instances that can have got a new pin while no pull has named it yet.
type heirs struct {
	pinID string
	among []heir // in the order in which they pulled
	front int    // so many at the front come first: the server went by that order, as far as it is known
}

// heir is an instance whose pull can have got the pin.
type heir struct {
	instance string
	pulled   time.Time // the pull that can, local clock
}

// apart is how much earlier than another a pull must be heard to have come to the
// server earlier for sure: the two come on different ways.
const apart = 25 * time.Millisecond

// heirsOf finds who can have got a pin, at a time by the local clock; none when a pull
// names it. The server gives it to the first pull in its queue that names no pin and
// whose client is still there (nats-server, consumer.nextWaiting). steady says that
// nothing was delivered for as long as a pull waits: then the queue is in the order in
// which the pulls came. Messages that flow turn it round.
func heirsOf(list []Instance, pinID string, at time.Time, steady bool) heirs {
	h := heirs{pinID: pinID}
	var can, waiting []*Instance
	for n := range list {
		switch i := &list[n]; {
		case i.PinID == pinID:
			return h
		case i.PinID != "" || i.Left || i.Gone(at):
		case i.LastPull.After(at.Add(apart)), i.expires().Before(at.Add(-apart)):
			can = append(can, i) // its pull must have been on its way
		default:
			waiting = append(waiting, i)
		}
	}
	if len(waiting) > 0 {
		can = waiting
	}
	slices.SortStableFunc(can, func(a, b *Instance) int { return a.LastPull.Compare(b.LastPull) })
	for _, i := range can {
		h.among = append(h.among, heir{i.ID, i.LastPull})
	}
	h.front = len(can)
	for n := 1; steady && n < len(can); n++ {
		if can[n].LastPull.Sub(can[0].LastPull) >= apart && can[n-1].expires().After(at.Add(apart)) {
			h.front = n
			break
		}
	}
	return h
}

// expires is when the last pull does, by the local clock.
func (i *Instance) expires() time.Time { return i.LastPull.Add(i.Expires) }

// crossing is how long after a pull that got the pin another may come that does not name
// it: that one was on its way.
const crossing = 250 * time.Millisecond

// left lists the instances that can still have a pin, only the one that must where that
// is known: it is sent messages, or the server came to it first. One that pulls again without naming it is none of them; one that is
// gone is, for it may have had it.
func (h heirs) left(list []Instance, pinID string) []string {
	if pinID == "" {
		return nil
	}
	if n := slices.IndexFunc(list, func(i Instance) bool { return i.Served == pinID }); n >= 0 {
		return []string{list[n].ID}
	}
	if h.pinID != pinID {
		return nil
	}
	var ids []string
	for n, one := range h.among {
		if n == h.front && len(ids) > 0 {
			break
		}
		at := slices.IndexFunc(list, func(i Instance) bool { return i.ID == one.instance })
		if at < 0 || list[at].PinID == "" && list[at].LastPull.Sub(one.pulled) < crossing {
			ids = append(ids, one.instance)
		}
	}
	return ids
}
