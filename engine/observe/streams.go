package observe

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"sync"
	"time"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// fewStreams is how many streams one cheap list holds, which is then asked for at every
// refresh.
const fewStreams = 64

// listShare is the part of the budget that the list of streams takes at most: of thousands it
// costs more to read than all the rest.
const listShare = 0.05

// toldFacts remembers the facts told of each stream, for telling only changes.
type toldFacts struct {
	mu    sync.Mutex
	facts map[string]toldFact
}

type toldFact struct {
	facts model.StreamFacts
	at    time.Time // local clock, when the answer came
}

func newToldFacts() *toldFacts { return &toldFacts{facts: map[string]toldFact{}} }

func (t *toldFacts) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.facts)
}

func (t *toldFacts) exists(stream string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.facts[stream].facts.Exists
}

// of is what was told of the stream last.
func (t *toldFacts) of(stream string) model.StreamFacts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.facts[stream].facts
}

// lost tells whether the stream is known to have lost its quorum.
func (t *toldFacts) lost(stream string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return !t.facts[stream].facts.Quorum()
}

// note records facts that are to be told; false when they were told already.
func (t *toldFacts) note(stream string, f model.StreamFacts) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, known := t.facts[stream]
	t.facts[stream] = toldFact{f, time.Now()}
	return !known || !reflect.DeepEqual(old.facts, f)
}

// noteListed is note for what a list begun at that time holds; false also when the stream
// was seen since.
func (t *toldFacts) noteListed(stream string, f model.StreamFacts, since time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, known := t.facts[stream]
	if known && old.at.After(since) {
		return false
	}
	t.facts[stream] = toldFact{f, time.Now()}
	return !known || !reflect.DeepEqual(old.facts, f)
}

// noteGone records that a list begun at that time did not hold the stream; false when
// that is nothing new, or when the stream was seen since.
func (t *toldFacts) noteGone(stream string, since time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	old, known := t.facts[stream]
	if known && (!old.facts.Exists || old.at.After(since)) {
		return false
	}
	t.facts[stream] = toldFact{model.StreamFacts{Known: true}, time.Now()}
	return true
}

// followStreams lists all streams of the account again and again, in an interval that
// grows with the number of pages, so that the list never takes much of the budget.
func (l *link) followStreams(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-l.haveBucket:
	}
	for {
		started := time.Now()
		list, missing, offline, pages, err := l.api.streams(ctx)
		answered := time.Now()
		wait := max(l.opts.Health, time.Duration(float64(pages)/(listShare*l.opts.MaxRequests)*float64(time.Second)))
		if pages > 1 {
			wait = max(wait, 2*l.opts.Health)
		}
		if pages == 1 && len(list) <= fewStreams {
			often := max(l.opts.Refresh, time.Second) // what lies in the work streams moves with the rest
			if l.plan.openGroup() != nil {
				often *= restEvery // the one on the screen is asked for itself
			}
			wait = min(wait, often)
		}
		switch {
		case err == nil:
			l.tellStreams(ctx, list, missing, offline, started)
			l.listings.publish(list, missing, started)
		case errors.Is(err, errDenied):
			wait = maxWait
		case ctx.Err() == nil:
			l.opts.Log.Warn("streams not listed", "error", err)
		}
		l.streamsListed(err == nil)
		if _, err := pause.Until(ctx, wait-time.Since(answered), l.streams); err != nil {
			return err
		}
	}
}

// portion is how many streams of many go into one picture: that takes long to make, and
// nobody waits for it. The next ones wait for the one after it.
const portion = 1024

// listing is a list of all streams while it is told.
type listing struct {
	*link
	started time.Time // when it was begun
	many    bool      // too many streams to read each soon
	first   bool      // nothing was told of most of them
	changed []model.Observation
	known   []string // streams whose facts are told with them
}

// tellStreams tells of the streams that groups have to do with, as far as anything
// about them changed: of those that came, went, or are led again or no more before the rest.
func (l *link) tellStreams(ctx context.Context, list []*streamInfo, missing []string, offline map[string]string, started time.Time) {
	wanted := l.plan.wanted()
	t := &listing{link: l, started: started, many: len(list) > fewStreams || len(wanted) > fewStreams, first: !l.listTold}
	defer t.tell()
	l.listTold = true
	absent := func(name string) {
		switch why, off := offline[name]; {
		case off:
			t.offline(name, why)
		case !slices.Contains(missing, name):
			t.gone(name)
		}
	}
	var rest []*streamInfo
	for _, info := range list {
		name := info.Config.Name
		if _, ok := wanted[name]; !ok {
			continue
		}
		delete(wanted, name)
		if !t.turned(name, info) {
			rest = append(rest, info)
		} else if t.there(name, info); !t.pace(ctx) {
			return
		}
	}
	for name := range wanted {
		if t.told.exists(name) {
			delete(wanted, name)
			if absent(name); !t.pace(ctx) {
				return
			}
		}
	}
	if !t.first {
		t.tell()
	}
	for _, info := range rest {
		if t.there(info.Config.Name, info); !t.pace(ctx) {
			return
		}
	}
	for name := range wanted {
		if absent(name); !t.pace(ctx) {
			return
		}
	}
}

// turned tells whether more is new of a stream than what moves all the time.
func (t *listing) turned(name string, info *streamInfo) bool {
	return !t.told.exists(name) || t.told.lost(name) != (info.leaderless() || info.Cluster.lost())
}

func (t *listing) there(name string, info *streamInfo) {
	t.known = append(t.known, name)
	t.clock.set(info.TS)
	lost, f := t.told.lost(name), info.facts()
	if t.told.noteListed(name, f, t.started) {
		t.changed = append(t.changed, model.StreamRead{Name: name, Facts: f})
	}
	if lost && f.Quorum() {
		t.plan.hope(name)
	}
	if t.many && t.plan.listed(name, t.started, info.pulse()) {
		t.changed = append(t.changed, model.ConsumersRead{Stream: name, TS: info.TS})
	}
}

func (t *listing) offline(name, why string) {
	if f := (model.StreamFacts{Known: true, Exists: true, Offline: why}); t.told.note(name, f) {
		t.changed = append(t.changed, model.StreamRead{Name: name, Facts: f})
	}
}

func (t *listing) gone(name string) {
	if t.told.noteGone(name, t.started) {
		t.known = append(t.known, name)
		t.changed = append(t.changed, model.StreamRead{Name: name})
	}
	if t.many && t.plan.listed(name, t.started, pulse{}) {
		t.changed = append(t.changed, model.ConsumersRead{Stream: name, Missing: true, TS: t.clock.now()})
	}
}

// pace tells a portion when there is one, and waits before the next; false when the
// connection is over. The first list is waited for, and told whole.
func (t *listing) pace(ctx context.Context) bool {
	if len(t.changed) < portion || t.first {
		return true
	}
	t.tell()
	return pause.For(ctx, laterMost) == nil
}

func (t *listing) tell() {
	tell := t.emit
	if t.many && !t.first {
		tell = t.later
	}
	if len(t.changed) > 0 {
		tell(t.changed...)
	}
	for _, name := range t.known {
		t.plan.knows(name)
	}
	t.changed, t.known = nil, nil
}
