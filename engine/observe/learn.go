package observe

import (
	"time"

	"pcgtop/model"
)

// learn adds a group: the stream that it consumes from will be read.
func (p *plan) learn(k model.Key, name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.streamOf(k) != name {
		p.remove(k)
	}
	if name != k.ConsumeStream() {
		if p.elsewhere[k] = name; name == "" {
			return // there is nothing to read
		}
	}
	t := p.targets[name]
	if t == nil {
		t = &target{stream: name, learned: time.Now(), place: nowhere}
		p.targets[name] = t
		p.left++
	}
	if _, known := p.groups[k]; known {
		return
	}
	p.groups[k] = struct{}{}
	t.groups++
	awaited := p.awaited != nil && p.awaited.is(k)
	if awaited {
		p.awaited.streams[name] = struct{}{}
	}
	if t.groups == 1 || awaited {
		p.put(t)
		p.signal()
	}
	if _, other := p.elsewhere[k]; !other { // else what it is called says nothing
		p.origins[k.Stream]++
	}
}

// unlearn removes a group, and its stream with the last one.
func (p *plan) unlearn(k model.Key) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.remove(k)
}

// remove is [plan.unlearn]. The lock is held.
func (p *plan) remove(k model.Key) {
	name := p.streamOf(k)
	_, other := p.elsewhere[k]
	delete(p.elsewhere, k)
	if _, known := p.groups[k]; !known {
		return
	}
	delete(p.groups, k)
	if p.awaited != nil && p.awaited.is(k) {
		p.awaitStreams()
	}
	if !other {
		if p.origins[k.Stream]--; p.origins[k.Stream] == 0 {
			delete(p.origins, k.Stream)
		}
	}
	t := p.targets[name]
	if t.groups--; t.groups == 0 {
		p.try(t)
		p.pull(t)
		delete(p.targets, name)
	}
}

// streamOf is the stream that a group consumes from. The lock is held.
func (p *plan) streamOf(k model.Key) string {
	if name, other := p.elsewhere[k]; other {
		return name
	}
	return k.ConsumeStream()
}

// wanted lists the streams that groups consume from or are fed by.
func (p *plan) wanted() map[string]struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	names := make(map[string]struct{}, len(p.targets))
	for name := range p.targets {
		names[name] = struct{}{}
	}
	for name := range p.origins {
		names[name] = struct{}{}
	}
	return names
}

// wants tells whether groups consume from a stream or are fed by it.
func (p *plan) wants(stream string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.targets[stream] != nil || p.origins[stream] > 0
}

// knows notes that a stream's facts were told.
func (p *plan) knows(stream string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.targets[stream]; t != nil {
		t.facts = true
	}
}

// hope has a stream that could not be read tried again now.
func (p *plan) hope(stream string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.targets[stream]
	if t == nil || t.failures == 0 {
		return
	}
	t.failures, t.retry = 0, time.Time{}
	p.put(t)
	p.signal()
}

// pulse is what moves in a stream when anything in it does.
type pulse struct {
	messages, first, last uint64
	consumers             int
}

// listed notes what a list of all streams, begun at a time, tells of one. It is all there
// is to know, and a read is saved, when the stream has no consumers or is not there, is
// not looked at, and was not read since; and again after a while, though nothing is new.
func (p *plan) listed(stream string, begun time.Time, now pulse) (all bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.targets[stream]
	if t == nil {
		return false
	}
	t.still, t.pulse, t.empty = t.pulse == now, now, now.consumers == 0
	defer p.put(t)
	if !t.empty || t.busy || !t.dirty.IsZero() || t.started.After(begun) || p.focused && p.onScreen(t) {
		return false
	}
	t.started, t.retry, t.failures = time.Now(), time.Time{}, 0
	if now == (pulse{}) && t.tried && t.started.Sub(t.told) < emptyWait {
		return false // nothing was there, and nothing is
	}
	p.try(t)
	t.told = t.started
	return true
}

// needsFacts tells whether to ask for the stream's facts along with its consumers.
func (p *plan) needsFacts(t *target) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !t.facts || t.stream == p.open
}

// feeds is the origin of the open group if the target is its work stream, else empty.
func (p *plan) feeds(t *target) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if k := p.opened; k != nil && k.Kind == model.KindElastic && t.stream == p.open && usable(k.Stream) {
		return k.Stream
	}
	return ""
}
