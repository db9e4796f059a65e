package observe

import (
	"time"

	"pcgtop/model"
)

// awaitMost is how long at most what else there is to be read waits for a group.
const awaitMost = time.Second

// awaited is a group that somebody waits to see, of whatever kind: it is known by the name
// that people write.
type awaited struct {
	stream, group string
	until         time.Time
	streams       map[string]struct{} // that members of such groups consume from
}

func (a *awaited) is(k model.Key) bool { return k.Stream == a.stream && k.Group == a.group }

// reads tells whether the group's members consume from the target. The plan's lock is held.
func (a *awaited) reads(t *target) bool {
	_, reads := a.streams[t.stream]
	return reads
}

// Await says that somebody waits for a group of that name, which may have to be found
// first. Until it was read, for a second at most, the budget is for finding it: what else
// there is to be read waits.
func (o *Observer) Await(stream, group string) { o.plan.await(stream, group) }

func (p *plan) await(stream, group string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.awaited = &awaited{stream: stream, group: group, until: time.Now().Add(awaitMost)}
	p.awaitStreams()
	p.putAll()
}

// awaitStreams finds what the group that is waited for consumes from. The lock is held.
func (p *plan) awaitStreams() {
	p.awaited.streams = map[string]struct{}{}
	for k := range p.groups {
		if p.awaited.is(k) {
			p.awaited.streams[p.streamOf(k)] = struct{}{}
		}
	}
}

// allTold ends waiting for a group that is not there, or has nothing to be read: the groups
// of every kind were told.
func (p *plan) allTold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.awaited == nil {
		return
	}
	for _, t := range p.targets {
		if p.awaited.reads(t) {
			return
		}
	}
	p.awaitNothing()
}

// awaitNothing ends that. The lock is held.
func (p *plan) awaitNothing() {
	p.awaited = nil
	p.putAll()
}

// putAll queues every target anew. The lock is held.
func (p *plan) putAll() {
	for _, t := range p.targets {
		p.put(t)
	}
	p.signal()
}
