package observe

import (
	"iter"
	"slices"
	"sync"
	"time"

	"pcgtop/model"
)

// How eagerly streams are read.
const (
	coalesce  = 30 * time.Millisecond  // after news of a stream, for more of the kind
	minGap    = 100 * time.Millisecond // between two reads of one stream
	restEvery = 2                      // refreshes between two reads of what is not on the screen
	tooOld    = 10 * time.Second       // what is not on the screen waits its turn no longer
	emptyWait = 15 * time.Second       // between two reads of what the list of streams tells all about
	stillWait = 10 * time.Second       // and of what is not on the screen, where it is one of many or does not move
	firstWait = 500 * time.Millisecond // before a stream that failed is read again, doubling
	maxWait   = 30 * time.Second
)

// rank orders the streams that are due.
type rank int

const (
	rankDirty   rank = iota // on the screen, and something happened there
	rankOpen                // the open group's
	rankSeen                // on the screen
	rankRest                // not on the screen: something happened, or never read
	rankRegular             // not on the screen: in turn
)

// target is one stream whose consumers are to be read. A stream with many static
// groups is one target.
type target struct {
	stream   string
	groups   int  // how many
	facts    bool // the stream's facts are known
	dirty    time.Time
	learned  time.Time // when it was first wanted
	started  time.Time // the last read; zero: never
	busy     bool
	tried    bool // read, or failed, since the connection began
	failures int
	retry    time.Time // not before
	pulse    pulse     // as listed last
	still    bool      // it did not move between the last two lists
	empty    bool      // it has no consumers, or is not there, as listed last
	told     time.Time // when it was told last that the list says all

	at    time.Time // when it is due
	rank  rank      // and how it ranks then
	place int       // among those of that rank, see [queue]
}

// plan decides which stream to read next. It knows nothing of the network.
type plan struct {
	refresh time.Duration
	wake    chan struct{}

	mu        sync.Mutex
	targets   map[string]*target
	queues    [rankRegular + 1]queue // of targets that nobody reads
	left      int                    // targets not tried yet
	origins   map[string]int         // how many groups each stream feeds, or may
	groups    map[model.Key]struct{} // of the targets
	elsewhere map[model.Key]string   // the streams of groups that their keys do not tell
	open      string                 // the open group's stream
	opened    *model.Key             // the open group
	seen      map[string]struct{}    // on the screen
	focused   bool
	oldRead   bool     // the last one read was not on the screen and had waited for too long
	awaited   *awaited // nil: nobody waits for a group
}

func newPlan(refresh time.Duration) *plan {
	return &plan{refresh: refresh, wake: make(chan struct{}, 1), targets: map[string]*target{}, groups: map[model.Key]struct{}{}, elsewhere: map[model.Key]string{}, origins: map[string]int{}, seen: map[string]struct{}{}}
}

func (p *plan) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// focus says which groups are on the screen, and tells whether another one is open.
func (p *plan) focus(open *model.Key, visible []model.Key) (another bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	another = open != nil && (p.opened == nil || *p.opened != *open)
	changed := slices.Collect(p.watched()) // ranks as what is not on the screen from now on
	p.open, p.opened, p.seen = "", nil, make(map[string]struct{}, len(visible))
	if open != nil {
		k := *open
		p.open, p.opened = p.streamOf(k), &k
	}
	for _, k := range visible {
		p.seen[p.streamOf(k)] = struct{}{}
	}
	p.focused = open != nil || len(visible) > 0
	for _, t := range slices.AppendSeq(changed, p.watched()) {
		p.put(t)
	}
	p.signal()
	return another
}

// openGroup is the one that is looked at in depth; nil: none.
func (p *plan) openGroup() *model.Key {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.opened
}

// news marks a stream as changed; stale says that its facts are, too. It tells
// whether anybody cares about the stream.
func (p *plan) news(stream string, stale bool) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.targets[stream]
	if t == nil {
		return false
	}
	if t.dirty.IsZero() {
		t.dirty = time.Now()
		p.put(t)
	}
	if stale {
		t.facts = false
	}
	p.signal()
	return true
}

// cares tells whether groups consume from the stream.
func (p *plan) cares(stream string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.targets[stream] != nil
}

// urge makes what is on the screen, or else everything, due now.
func (p *plan) urge() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for t := range p.watched() {
		t.dirty, t.retry = time.Now().Add(-coalesce), time.Time{}
		p.put(t)
	}
	p.signal()
}

// onScreen: without a focus, everything is. While a group is waited for, only that one is,
// and what is open. The lock is held.
func (p *plan) onScreen(t *target) bool {
	if p.awaited != nil {
		return t.stream == p.open || p.awaited.reads(t)
	}
	_, seen := p.seen[t.stream]
	return !p.focused || seen || t.stream == p.open
}

// watched goes through what is on the screen. The lock is held.
func (p *plan) watched() iter.Seq[*target] {
	return func(yield func(*target) bool) {
		if !p.focused {
			for _, t := range p.targets {
				if !yield(t) {
					return
				}
			}
			return
		}
		if t := p.targets[p.open]; t != nil && !yield(t) {
			return
		}
		for name := range p.seen {
			if t := p.targets[name]; t != nil && name != p.open && !yield(t) {
				return
			}
		}
	}
}

// due tells when the target is to be read, and how it ranks then. The lock is held.
func (p *plan) due(t *target) (time.Time, rank) {
	at, r := t.started.Add(p.refresh), rankSeen
	switch {
	case t.stream == p.open:
		r = rankOpen
	case p.onScreen(t):
		if t.empty {
			at = t.started.Add(max(p.refresh, emptyWait))
		}
	case t.started.IsZero():
		at, r = t.learned, rankRest
	default:
		every := restEvery * p.refresh
		if t.still || t.empty || len(p.targets) > fewStreams {
			every = max(every, stillWait)
		}
		at, r = t.started.Add(every), rankRegular
	}
	if !t.dirty.IsZero() {
		soon := t.dirty.Add(coalesce)
		if gap := t.started.Add(minGap); gap.After(soon) {
			soon = gap
		}
		if soon.Before(at) {
			at = soon
		}
		if p.onScreen(t) {
			r = rankDirty
		} else {
			r = min(r, rankRest)
		}
	}
	if t.retry.After(at) {
		at = t.retry
	}
	return at, r
}

// peek tells how long it is until a target is due.
func (p *plan) peek(now time.Time, rest turn) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _, wait := p.choose(now, rest)
	return wait
}

// take picks the target to read now and marks it busy; nil when none is due. off tells
// whether it is not on the screen, urgent whether somebody waits to see it.
func (p *plan) take(now time.Time, rest turn) (t *target, off, urgent bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t, as, _ := p.choose(now, rest)
	if t == nil {
		return nil, false, false
	}
	p.pull(t)
	t.busy, t.dirty, t.started = true, time.Time{}, now
	off = t.rank >= rankRest
	p.oldRead = off && as < rankRest
	return t, off, t.rank <= rankOpen || t.rank == rankSeen && !t.tried
}

// done gives a target back after it was read. One that failed waits longer each time.
func (p *plan) done(t *target, failed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.busy = false
	p.try(t)
	if !failed {
		t.failures, t.retry = 0, time.Time{}
	} else {
		t.retry = time.Now().Add(min(firstWait<<min(t.failures, 10), maxWait))
		t.failures++
	}
	p.put(t)
	p.signal()
}

// try notes that a target was read, or failed. The lock is held.
func (p *plan) try(t *target) {
	if !t.tried && p.targets[t.stream] == t {
		p.left--
	}
	t.tried = true
	if p.awaited != nil && p.awaited.reads(t) {
		p.awaitNothing()
	}
}

// restart forgets, for a new connection, what was read in the last one.
func (p *plan) restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.left = len(p.targets)
	for _, t := range p.targets {
		p.pull(t)
		*t = target{stream: t.stream, groups: t.groups, learned: time.Now(), place: nowhere}
		p.put(t)
	}
}

// untried counts the streams not tried yet since the connection began: all, and those
// on the screen.
func (p *plan) untried() (all, onScreen int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.focused && p.left > 0 {
		for t := range p.watched() {
			if !t.tried {
				onScreen++
			}
		}
	}
	return p.left, onScreen
}
