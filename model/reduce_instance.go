package model

import (
	"maps"
	"slices"
	"time"
)

func (o InstancesSeen) apply(r *reduction) {
	r.heard()
	old := r.stream(o.Stream)
	s := *old
	s.watch, s.instances = o.Watch, o.Consumers
	if o.Watch == nil {
		s.instances, s.heirs = nil, nil
	}
	for name, list := range s.instances {
		s.heirs = s.unnamed(name, list)
		s.pins = s.attributed(name).pins
	}
	r.putStream(&s)
	if o.Watch == nil || old.watch == nil || !old.watch.Since.Equal(o.Watch.Since) {
		return
	}
	names := slices.Sorted(maps.Keys(o.Consumers))
	for name := range old.instances {
		if _, still := o.Consumers[name]; !still {
			names = append(names, name)
		}
	}
	for _, name := range names {
		r.instanceEvents(old, &s, name)
	}
}

// instanceEvents tells who came, who went, and who turned out to have the pin.
func (r *reduction) instanceEvents(old, s *Stream, consumer string) {
	say := func(text string) { r.memberEvent(s.Name, consumer, Event{Kind: EventInstance, Text: text}) }
	find := func(list []Instance, id string) *Instance {
		if n := slices.IndexFunc(list, func(i Instance) bool { return i.ID == id }); n >= 0 {
			return &list[n]
		}
		return nil
	}
	c := s.consumer(consumer)
	for n := range s.instances[consumer] {
		i := &s.instances[consumer][n]
		was := find(old.instances[consumer], i.ID)
		if i.Asked && (was == nil || !was.Asked) && i.Seen.Sub(s.watch.Since) > i.Expires+time.Second {
			say("instance seen: " + i.described())
		}
	}
	for at, p := range s.pins[consumer] {
		if p.unnamed && p.By != "" && at < len(old.pins[consumer]) && old.pins[consumer][at].By != p.By {
			o := PinSeen{Stream: s.Name, Consumer: consumer, PinID: p.PinID, At: p.At}
			r.memberEvent(s.Name, consumer, o.event(s, at)) // instead of the one without the name
		}
	}
	for n := range old.instances[consumer] {
		if i := &old.instances[consumer][n]; find(s.instances[consumer], i.ID) == nil {
			text := "instance gone: " + i.described()
			if c != nil && i.PinID != "" && i.PinID == c.PinID {
				text += ", it was pinned"
			}
			if i.Silent {
				text += ", silent for " + took(r.now.Sub(i.LastPull))
			}
			say(text)
		}
	}
}

// described names an instance and where it runs.
func (i *Instance) described() string {
	text := i.Name()
	if c := i.Conn; c != nil && c.Address != "" {
		text += " " + c.Address
	}
	return text
}

// inherited returns the stream with who can have a new pin, heard of at a time by the
// local clock. The change is the one at a place in the history.
func (s *Stream) inherited(consumer string, place int, at time.Time) *Stream {
	list, log := s.instances[consumer], s.pins[consumer]
	if place < 0 || s.watch == nil || !s.watch.Settled(at, longest(list)) && !s.heardAll(consumer) || s.fresh(consumer, log[place].At) {
		return s // somebody may not have been heard yet
	}
	next := *s
	if next.heirs = maps.Clone(s.heirs); next.heirs == nil {
		next.heirs = map[string]heirs{}
	}
	next.heirs[consumer] = heirsOf(list, log[place].PinID, at, steady(log, place, longest(list)))
	return &next
}

// unnamed is who can have new pins, without a consumer's whose pin a pull names.
func (s *Stream) unnamed(consumer string, list []Instance) map[string]heirs {
	h, open := s.heirs[consumer]
	if !open || !slices.ContainsFunc(list, func(i Instance) bool { return i.PinID == h.pinID }) {
		return s.heirs
	}
	others := maps.Clone(s.heirs)
	delete(others, consumer)
	return others
}

// steady tells whether nothing was delivered for a while before a pin: nobody had one,
// or he that had it did not pull for the consumer's priority timeout.
func steady(log []PinChange, place int, while time.Duration) bool {
	if place == 0 || log[place-1].PinID != "" {
		return false
	}
	lost := log[place-1]
	return lost.Reason == PinTimeout || log[place].At.Sub(lost.At) >= while
}

// fresh tells whether a consumer is so new that not everybody has pulled from it: those
// heard may be those of the one of that name before.
func (s *Stream) fresh(consumer string, at time.Time) bool {
	c := s.consumer(consumer)
	return c == nil || at.Sub(c.Created) < longest(s.instances[consumer])+time.Second
}

// heardAll tells whether as many instances were heard as pulls wait at the consumer: only
// a pull that waits can be pinned.
func (s *Stream) heardAll(consumer string) bool {
	c := s.consumer(consumer)
	return c != nil && c.Waiting > 0 && len(s.instances[consumer]) >= c.Waiting
}

// longest is the longest time between two pulls of the same instance.
func longest(list []Instance) time.Duration {
	var d time.Duration
	for _, i := range list {
		d = max(d, i.Expires)
	}
	return d
}

// attributed returns the stream with the names of who got each pin in a consumer's
// history, as far as they are known now: they are remembered when the instance is gone.
func (s *Stream) attributed(consumer string) *Stream {
	log, list, h := s.pins[consumer], s.instances[consumer], s.heirs[consumer]
	left := h.left(list, h.pinID)
	cloned := false
	for n := range list {
		i := &list[n]
		for at, p := range log {
			named := p.PinID == i.PinID
			deduced := p.PinID == i.Served || p.PinID == h.pinID && len(left) == 1 && left[0] == i.ID
			if p.PinID == "" || !named && !deduced || p.Instance == i.ID && p.By == i.Name() {
				continue
			}
			if !cloned {
				log, cloned = slices.Clone(log), true
			}
			log[at].Instance, log[at].By = i.ID, i.Name()
		}
	}
	if !cloned {
		return s
	}
	next := *s
	next.pins = maps.Clone(s.pins)
	next.pins[consumer] = log
	return &next
}

// holderName is the instance that has or had a pin, by name if it is known.
func (s *Stream) holderName(consumer, pinID string) string {
	for _, p := range s.pins[consumer] {
		if p.PinID == pinID && p.By != "" {
			return p.By
		}
	}
	return ShortID(pinID)
}

// heirNames names those who can have a new pin.
func (s *Stream) heirNames(consumer, pinID string) []string {
	list := s.instances[consumer]
	left := s.heirs[consumer].left(list, pinID)
	var names []string
	for n := range list {
		if slices.Contains(left, list[n].ID) {
			names = append(names, list[n].Name())
		}
	}
	return names
}

// run gives the member its instances.
func (m *Member) run(stream *Stream, consumer string) {
	if m.Elsewhere == "" {
		m.Running = running(stream.instances[consumer], m.Consumer, !stream.Read.IsZero(), stream.heirs[consumer])
	}
}
