package observe

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// pullRequest is the part of a pull that tells instances apart (nats-server,
// JSApiConsumerGetNextRequest). It holds no message.
type pullRequest struct {
	Expires   time.Duration `json:"expires"`
	Heartbeat time.Duration `json:"idle_heartbeat"`
	Group     string        `json:"group"`
	ID        string        `json:"id"` // the pin that the client believes to have
}

// Times of listening to pulls.
const (
	leastExpires = time.Second            // a pull that waits shorter, or not at all, counts as this
	mostExpires  = 24 * time.Hour         // and one that waits longer as this
	tellPulls    = time.Second            // how often the time of the last pull is told
	sweepEvery   = 200 * time.Millisecond // between two looks for instances that are gone
	tellGap      = 20 * time.Millisecond  // at least, between two times that something is told of pulls
	namedWithin  = 10 * time.Second       // a new pin is named by a pull, if ever
)

// pulls listens to the pull requests of one stream's consumers, and to nothing else:
// no message passes here.
type pulls struct {
	*link
	stream string
	since  time.Time
	wake   chan struct{} // somebody new, or something new about somebody
	pinned chan struct{} // a pin moved: look who is still there

	telling sync.Mutex // held while something is told: what is told later is newer
	ended   bool       // nothing more is told

	mu      sync.Mutex
	voices  map[voiceKey]*voice // by reply subject, and the families by theirs
	unnamed map[string]*newPin  // by consumer, the new pin that no pull named yet: each pull tells something
	changed bool                // there is something to tell
	noPulls string
	noConns string
}

func newPulls(l *link, stream string) *pulls {
	return &pulls{link: l, stream: stream, since: time.Now(), wake: make(chan struct{}, 1), pinned: make(chan struct{}, 1), voices: map[voiceKey]*voice{}, unnamed: map[string]*newPin{}}
}

// run listens until the context ends; then nothing of it is left, on the server neither.
func (p *pulls) run(ctx context.Context) error {
	defer p.end()
	listening, end := context.WithCancelCause(ctx)
	defer end(nil)
	for _, subject := range p.subjects(ctx) {
		forget := p.api.remember(&call{subject: subject, end: end, advise: true}) // a refusal ends it
		defer forget()
		sub, err := p.nc.Subscribe(subject, handler(end, p.hear))
		if err != nil {
			return nil // the connection is gone, and everything starts anew with the next
		}
		defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is gone, and the subscription with it
	}
	p.tell()
	crew, inner := newCrew(listening)
	crew.run(func() error { return p.connections(inner) })
	crew.run(func() error { return p.follow(inner) })
	err := crew.wait()
	if ctx.Err() == nil && errors.Is(context.Cause(listening), errDenied) {
		p.mu.Lock()
		p.noPulls = strings.TrimPrefix(context.Cause(listening).Error(), errDenied.Error()+": ")
		p.voices = map[voiceKey]*voice{}
		p.mu.Unlock()
		p.tell()
		<-ctx.Done()
		return nil
	}
	if fault := (*PanicError)(nil); asPanic(err, &fault) {
		return err
	}
	return nil
}

// end tells that nobody listens any more, which is the last that is told.
func (p *pulls) end() {
	p.telling.Lock()
	defer p.telling.Unlock()
	p.ended = true
	p.emit(model.InstancesSeen{Stream: p.stream})
}

// subjects are where pulls are heard. Requests to a domain's own prefix are heard under
// the plain one by those who are connected to that domain.
func (p *pulls) subjects(ctx context.Context) []string {
	const plain = "$JS.API"
	next := ".CONSUMER.MSG.NEXT." + p.stream + ".*"
	subjects := []string{p.opts.APIPrefix + next}
	if p.opts.Domain != "" && p.opts.APIPrefix != plain {
		if here, err := p.api.domainAt(ctx, plain); err == nil && here == p.opts.Domain {
			subjects = append(subjects, plain+next)
		}
	}
	return subjects
}

// hear takes one pull. It runs for every pull, so what says nothing new is done first.
func (p *pulls) hear(m *nats.Msg) {
	consumer := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
	now := time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.voices[voiceKey{consumer, m.Reply}]
	if v != nil && bytes.Equal(v.body, m.Data) {
		v.last = now
		v.pulls++
		v.silent, v.left = false, false
		p.weigh(consumer, v.pull.ID)
		return
	}
	var request pullRequest
	if m.Reply == "" || json.Unmarshal(m.Data, &request) != nil || request.Group == "" {
		return // nobody's instance: a consumer without a priority group
	}
	request.Expires = min(max(request.Expires, leastExpires), mostExpires)
	if v == nil {
		v = p.newcomer(consumer, m.Reply, request.ID, now)
	}
	if v.pulls == 0 || v.pull.ID != request.ID {
		p.changed = true
		p.signal()
	}
	v.pull, v.body, v.reply, v.last = request, m.Data, m.Reply, now
	v.pulls++
	v.silent, v.left = false, false
	p.weigh(consumer, request.ID)
}

// weigh takes note of a pull that bears on who has a new pin. The lock is held.
func (p *pulls) weigh(consumer, pinID string) {
	pin := p.unnamed[consumer]
	if pin == nil {
		return
	}
	if pin.id == pinID || time.Since(pin.heard) > namedWithin {
		delete(p.unnamed, consumer)
		for _, v := range p.voices {
			if v.consumer == consumer {
				v.served = "" // the pull says it better
			}
		}
	}
	p.changed = true
	p.signal()
}

func (p *pulls) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// pinMoved tells when everybody pulled last, for that shows who can have a new pin, and
// asks who is still there. It may be called by anybody.
func (p *pulls) pinMoved(consumer, pinID string) {
	p.mu.Lock()
	delete(p.unnamed, consumer)
	if pinID != "" && !p.named(consumer, pinID) {
		p.unnamed[consumer] = &newPin{id: pinID, heard: time.Now()}
	}
	p.mu.Unlock()
	if pinID != "" {
		p.tell()
	}
	select {
	case p.pinned <- struct{}{}:
	default:
	}
}

// named tells whether a pull named a pin already. The lock is held.
func (p *pulls) named(consumer, pinID string) bool {
	for _, v := range p.voices {
		if v.consumer == consumer && v.pull.ID == pinID {
			return true
		}
	}
	return false
}

// follow tells what changed, and drops who is gone.
func (p *pulls) follow(ctx context.Context) error {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	told := time.Now()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-p.wake:
		case <-tick.C:
			p.sweep(time.Now())
		}
		if rest := tellGap - time.Since(told); rest > 0 {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(rest):
			}
		}
		p.mu.Lock()
		due := p.changed || len(p.voices) > 0 && time.Since(told) >= tellPulls
		p.mu.Unlock()
		if due {
			told = time.Now()
			p.tell()
		}
	}
}

// sweep drops instances that were not heard for too long.
func (p *pulls) sweep(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for k, v := range p.voices {
		since := v.last.Add(model.Missed * v.pull.Expires)
		switch {
		case now.Before(since):
		case v.conn == nil || v.family || v.left || p.noConns != "": // nobody can say that it is still there
			delete(p.voices, k)
			p.changed = true
		case now.Sub(since) > silentMost: // whoever freezes for so long is no instance, connected or not
			delete(p.voices, k)
			p.changed = true
		case v.asked.After(since): // it was there when it was silent already; asked again in a while
			if !v.silent {
				v.silent, p.changed = true, true
			}
		case now.Sub(since) > p.api.over(verdictWithin):
			delete(p.voices, k)
			p.changed = true
		}
	}
}

// silentMost is how long somebody silent is listed while it is connected: it may be busy
// with one message.
const silentMost = 2 * time.Minute

// verdictWithin is how long the servers may take to say whether somebody silent is there.
const verdictWithin = 2 * time.Second

// tell tells of everybody.
func (p *pulls) tell() {
	p.telling.Lock()
	defer p.telling.Unlock()
	if p.ended {
		return
	}
	p.mu.Lock()
	p.changed = false
	seen := model.InstancesSeen{Stream: p.stream, Consumers: map[string][]model.Instance{},
		Watch: &model.Watch{Since: p.since.UTC(), NoPulls: p.noPulls, NoConnections: p.noConns}}
	for k, v := range p.voices {
		if v.conn == nil && v.tries == 0 && p.noConns == "" && time.Since(v.seen) < patience {
			p.changed = true // its name is on its way
			continue
		}
		if v.conn == nil && v.pulls == 1 && (p.noConns == "" || p.sibling(k, v)) {
			continue // it was over before anybody could be asked whose it was, or it will pull again
		}
		i := model.Instance{
			ID: v.id, PinID: v.pull.ID, Seen: v.seen.UTC(), LastPull: v.last.UTC(), Expires: v.pull.Expires, Silent: v.silent,
			Asked: true, Served: v.served, Left: v.left, Conn: v.conn,
		}
		seen.Consumers[v.consumer] = append(seen.Consumers[v.consumer], i)
	}
	p.mu.Unlock()
	for _, list := range seen.Consumers {
		slices.SortFunc(list, func(a, b model.Instance) int {
			if c := a.Seen.Compare(b.Seen); c != 0 {
				return c
			}
			return strings.Compare(a.ID, b.ID)
		})
	}
	p.emit(seen)
}
