package model

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// HopState is how the messages of an elastic group get from the origin to the work
// stream.
type HopState string

const (
	HopEven    HopState = "even"    // all are there
	HopBehind  HopState = "behind"  // some are still to come
	HopFull    HopState = "full"    // some are to come, and the work stream takes no more
	HopStopped HopState = "stopped" // some are to come, and none comes
	HopBroken  HopState = "broken"  // none can come
)

// Hop is the way from the origin to the work stream of an elastic group.
type Hop struct {
	State  HopState  `json:"state"`
	Behind uint64    `json:"behind"`          // messages of the origin that are still to be sourced
	About  bool      `json:"about,omitempty"` // put together from answers of different times
	Oldest time.Time `json:"oldest,omitzero"` // when the first of them was stored, server clock; zero: not counted
	Why    string    `json:"why,omitempty"`

	seq   uint64    // the source's, when it was last seen to move
	moved time.Time // when that was, server clock
	of    time.Time // when the origin was made that it counts in, as far as was seen
	on    passage
	ahead int64 // how far seq is ahead of the work stream's when nothing is between the two, as far as was seen
}

// passage is what the two sequences of a hop can be compared in.
type passage struct {
	work, origin time.Time // when they were made
	first        uint64    // of the origin: what is purged or expired is passed over
}

// arriveMost is how long a message may be on its way from the source to the stream.
const arriveMost = 2 * time.Second

// Waiting is how many messages wait at the origin; of no hop, none do.
func (h *Hop) Waiting() uint64 {
	if h == nil {
		return 0
	}
	return h.Behind
}

// stoppedAfter is how long nothing may be sourced, while something is to be, before
// sourcing counts as stopped. Sources hear a heartbeat of their origin every few
// seconds.
const stoppedAfter = 15 * time.Second

// hop compares the work stream's source with the origin. at is the server's time.
func (g *Group) hop(prev *Hop, origin StreamFacts, at time.Time) *Hop {
	work := g.Stream
	if g.Key.Kind != KindElastic || !work.Known || !work.Exists || len(work.Sources) != 1 || work.Sources[0].Name != g.Key.Stream {
		return nil
	}
	src := work.Sources[0]
	h := &Hop{State: HopEven, seq: src.Seq, moved: at, of: origin.Created}
	if prev != nil && prev.seq == src.Seq {
		h.of = prev.of
		if !prev.moved.IsZero() { // the server's time was known by then
			h.moved = prev.moved
		}
	}
	arriving := h.arriving(prev, work, origin, at)
	anew := origin.Known && origin.Created.After(work.Created) && !work.Created.IsZero()
	if lost := anew && (src.Seq > origin.LastSeq || !h.of.IsZero() && !h.of.Equal(origin.Created)); lost && origin.Exists {
		h.State, h.Behind, h.About = HopBroken, origin.Messages, true
		h.Why = fmt.Sprintf("the origin was made anew: its last message is %d, sourcing stands at %d", origin.LastSeq, src.Seq)
		return h
	}
	if g.startsEmpty(origin) {
		h.State, h.Why = HopBroken, "nothing that "+g.Key.Stream+" stores matches the filters"
		return h
	}
	if !origin.Known {
		h.Behind, h.About = src.Lag, true
	} else if !origin.Exists {
		h.State, h.Why = HopBroken, "the origin "+g.Key.Stream+" is gone"
		return h
	} else {
		var upTo uint64
		h.Behind, upTo, h.About = behind(src, work, origin)
		if !narrow(src, origin) && !origin.gaps() {
			h.Behind = min(h.Behind+arriving, origin.Messages)
			h.About = h.Behind > 0
		}
		if c := g.Counts; c != nil && c.Hop != nil && h.Behind+c.Hop.Behind > 0 {
			h.Oldest = c.Hop.Oldest
			if narrow(src, origin) || origin.gaps() {
				h.Behind = min(upTo, c.Hop.behind(work))
			}
		}
	}
	still := at.Sub(h.moved)
	switch {
	case h.Behind == 0:
		h.moved = at
	case work.full():
		h.State = HopFull
	case still >= stoppedAfter, src.Active > stoppedAfter:
		h.State, h.Why = HopStopped, src.Error
		if anew {
			h.Why = strings.TrimSuffix("the origin was made anew; "+h.Why, "; ")
		}
	default:
		h.State = HopBehind
	}
	return h
}

// arriving is how many messages the work stream's answer counts neither as stored nor as
// still to be sourced: the server looks at its messages first and at the source later
// (nats-server v2.15.3, jsStreamInfoRequest).
func (h *Hop) arriving(prev *Hop, work, origin StreamFacts, at time.Time) uint64 {
	seq := work.Sources[0].Seq
	h.on = passage{work: work.Created, origin: origin.Created, first: origin.FirstSeq}
	h.ahead = int64(seq) - int64(work.LastSeq)
	if prev == nil || prev.on != h.on || seq == 0 || at.Sub(h.moved) > arriveMost { // what did not arrive by then was left out
		return 0
	}
	more := max(0, h.ahead-prev.ahead)
	h.ahead -= more
	return uint64(more)
}

// startsEmpty tells whether nothing was ever sourced, and nothing can be: no subject that the
// origin stores matches what is sourced. What it stored before it had a transform may match.
func (g *Group) startsEmpty(origin StreamFacts) bool {
	work := g.Stream
	if work.LastSeq > 0 || len(work.Sources) != 1 || work.Sources[0].Seq > 0 || !origin.Known || !origin.Exists {
		return false
	}
	var filters []string
	for _, t := range work.Sources[0].Transforms {
		filters = append(filters, t.From)
	}
	return origin.matchesNone(filters)
}

// behind is how many of the origin's messages were not sourced yet, and how many it can
// be at most. The two streams are read at different times.
func behind(src Source, work, origin StreamFacts) (n, most uint64, about bool) {
	switch {
	case src.Seq > 0:
		first := max(src.Seq, beyond(origin.FirstSeq, 1)) // what was purged or expired is not to come any more
		most = min(beyond(origin.LastSeq, first), origin.Messages)
	case work.LastSeq == 0, origin.Created.After(work.Created): // nothing came yet, of this origin
		most = origin.Messages
	default: // a server that does not tell the sequence
		n = min(src.Lag, origin.Messages)
		return n, n, true
	}
	if narrow(src, origin) || origin.gaps() { // most holds what is filtered out, or gone, too
		lag := src.Lag
		if lag > 0 && work.full() {
			lag++ // it tells what is behind the message that did not fit
		}
		return min(most, lag), most, true
	}
	return most, most, most > 0
}

// narrow tells whether the origin may hold messages that the source does not take.
func narrow(src Source, origin StreamFacts) bool {
	subjects := origin.stored()
	if len(subjects) == 0 {
		subjects = origin.Subjects
	}
	for _, subject := range subjects {
		if !slices.ContainsFunc(src.Transforms, func(t Transform) bool { return Covers(t.From, subject) }) && len(src.Transforms) > 0 {
			return true
		}
	}
	return false
}

// gaps tells whether messages are missing between the first and the last, as limits by
// subject, rollups and deletes leave them.
func (f StreamFacts) gaps() bool {
	return f.Messages > 0 && f.Messages <= beyond(f.LastSeq, f.FirstSeq)
}

// full tells whether a stream takes no more: it is at a limit, or the next message of
// the usual size would not fit.
func (f StreamFacts) full() bool {
	if f.MaxMsgs > 0 && f.Messages >= uint64(f.MaxMsgs) {
		return true
	}
	return f.MaxBytes > 0 && f.Messages > 0 && f.Bytes+f.Bytes/f.Messages > uint64(f.MaxBytes)
}

// limit writes how full a stream is, in its own limit's unit.
func (f StreamFacts) limit() string {
	if f.MaxMsgs > 0 && (f.MaxBytes <= 0 || f.Messages >= uint64(f.MaxMsgs)) {
		return Thousands(f.Messages) + "/" + Thousands(f.MaxMsgs)
	}
	return Thousands(f.Bytes) + "/" + Thousands(f.MaxBytes) + " bytes"
}
