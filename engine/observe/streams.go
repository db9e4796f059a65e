package observe

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"time"

	"pcgtop/model"
)

// At most so many streams are read at the same time, and fewer of what is not on the
// screen, so that slow streams there hold up nobody who is looked at.
const (
	maxReads     = 8
	maxRestReads = 6
)

// fewStreams is how many streams one cheap list holds, which is then asked for at every
// refresh.
const fewStreams = 64

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
		wait := max(l.opts.Health, time.Duration(float64(pages)/l.opts.MaxRequests*float64(5*time.Second)))
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
			l.tellStreams(list, missing, offline, started)
			l.listings.publish(list, missing)
		case errors.Is(err, errDenied):
			wait = maxWait
		case ctx.Err() == nil:
			l.opts.Log.Warn("streams not listed", "error", err)
		}
		l.streamsListed(err == nil)
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-l.streams:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// tellStreams tells of the streams that groups have to do with, as far as anything
// about them changed.
func (l *link) tellStreams(list []*streamInfo, missing []string, offline map[string]string, started time.Time) {
	wanted := l.plan.wanted()
	many := len(list) > fewStreams || len(wanted) > fewStreams // else each is read soon enough
	var changed []model.Observation
	var known []string
	for _, info := range list {
		name := info.Config.Name
		if _, ok := wanted[name]; !ok {
			continue
		}
		delete(wanted, name)
		known = append(known, name)
		l.clock.set(info.TS)
		if f := info.facts(); l.told.note(name, f) {
			changed = append(changed, model.StreamRead{Name: name, Facts: f})
		}
		if many && l.plan.listed(name, started, info.pulse()) {
			changed = append(changed, model.ConsumersRead{Stream: name, TS: info.TS})
		}
	}
	for name := range wanted {
		if why, off := offline[name]; off {
			if f := (model.StreamFacts{Known: true, Exists: true, Offline: why}); l.told.note(name, f) {
				changed = append(changed, model.StreamRead{Name: name, Facts: f})
			}
			continue
		}
		if !slices.Contains(missing, name) && l.told.noteGone(name, started) {
			known = append(known, name)
			changed = append(changed, model.StreamRead{Name: name})
		}
		if many && !slices.Contains(missing, name) && l.plan.listed(name, started, pulse{}) {
			changed = append(changed, model.ConsumersRead{Stream: name, Missing: true, TS: l.clock.now()})
		}
	}
	if len(changed) > 0 {
		l.emit(changed...)
	}
	for _, name := range known {
		l.plan.knows(name)
	}
}

// dispatch reads the plan's streams, as many at a time as may be, whenever the budget
// has something left.
func (l *link) dispatch(ctx context.Context) error {
	crew, ctx := newCrew(ctx)
	crew.run(func() error { return l.startReads(ctx, crew) })
	return crew.wait()
}

func (l *link) startReads(ctx context.Context, crew *crew) error {
	var mu sync.Mutex
	reads, restReads := 0, 0
	for {
		mu.Lock()
		full, restOK := reads >= maxReads, restReads < maxRestReads
		mu.Unlock()
		wait := time.Minute
		var t *target
		var rest, urgent bool
		if !full && l.isListed() {
			// Waiting for the budget before the choice lets the choice be made by what
			// is known then.
			if wait = l.api.budget.wait(); wait == 0 {
				if t, rest, urgent = l.plan.take(time.Now(), restOK); t == nil {
					wait = l.plan.peek(time.Now(), restOK)
				}
			}
		}
		if t == nil {
			timer := time.NewTimer(wait)
			select {
			case <-ctx.Done():
				timer.Stop()
				return ctx.Err()
			case <-l.plan.wake:
			case <-timer.C:
			}
			timer.Stop()
			continue
		}
		mu.Lock()
		reads++
		if rest {
			restReads++
		}
		mu.Unlock()
		crew.run(func() error {
			failed := l.read(ctx, t, urgent)
			mu.Lock()
			reads--
			if rest {
				restReads--
			}
			mu.Unlock()
			l.plan.done(t, failed)
			l.progress()
			return nil
		})
	}
}

// read reads one stream's consumers, and its facts where they are needed. What is not
// urgent is told a little later, together with more of the kind.
func (l *link) read(ctx context.Context, t *target, urgent bool) (failed bool) {
	if !usable(t.stream) {
		l.emit(model.ConsumersRead{Stream: t.stream, Missing: true, TS: l.clock.now()})
		return false
	}
	var seen []model.Observation
	if origin := l.plan.feeds(t); origin != "" { // before the work stream: nothing counts as on its way that has arrived
		seen = l.readOrigin(ctx, origin)
	}
	if l.plan.needsFacts(t) || !l.told.exists(t.stream) {
		info, err := l.api.streamInfo(ctx, t.stream)
		switch {
		case err == nil:
			l.clock.set(info.TS)
			facts := info.facts()
			l.told.note(t.stream, facts)
			seen = append(seen, model.StreamRead{Name: t.stream, Facts: facts})
		case errors.Is(err, errNotFound):
			return l.readMissing(t)
		case !errors.Is(err, errDenied): // denied facts do without
			return l.readFailed(ctx, t, err)
		}
	}
	infos, missing, offline, err := l.api.consumers(ctx, t.stream)
	switch {
	case errors.Is(err, errNotFound):
		return l.readMissing(t)
	case err != nil:
		l.emit(seen...)
		return l.readFailed(ctx, t, err)
	}
	l.clock.set(newest(infos))
	l.doubtByConsumers(t.stream, infos)
	consumers := make([]*model.Consumer, 0, len(infos))
	for _, i := range infos {
		consumers = append(consumers, i.consumer())
	}
	if consumers, err = l.fillIn(t, consumers, missing, offline); err != nil {
		l.emit(seen...)
		return l.readFailed(ctx, t, err)
	}
	t.last = consumers
	tell := l.later
	if urgent {
		tell = l.emit
	}
	tell(append(seen, model.ConsumersRead{Stream: t.stream, Consumers: consumers, TS: l.listedAt(infos)})...)
	l.plan.knows(t.stream)
	return false
}

// readOrigin reads the facts of the stream that feeds the open group, so that what waits
// there is as new as the rest. Where it cannot be read the list of streams has to do.
func (l *link) readOrigin(ctx context.Context, origin string) []model.Observation {
	info, err := l.api.streamInfo(ctx, origin)
	facts := model.StreamFacts{Known: true}
	switch {
	case err == nil:
		facts = info.facts()
	case !errors.Is(err, errNotFound):
		return nil
	}
	l.told.note(origin, facts)
	return []model.Observation{model.StreamRead{Name: origin, Facts: facts}}
}

func (l *link) listedAt(infos []*consumerInfo) time.Time {
	if at := newest(infos); !at.IsZero() {
		return at
	}
	return l.clock.now()
}

// fillIn takes consumers that exist but did not answer, which happens in clusters, as
// they were before: they are not absent. Of those that are offline the server says why.
func (l *link) fillIn(t *target, consumers []*model.Consumer, missing []string, offline map[string]string) ([]*model.Consumer, error) {
	for _, name := range missing {
		i := slices.IndexFunc(t.last, func(c *model.Consumer) bool { return c.Name == name })
		if why, off := offline[name]; off {
			c := model.Consumer{Name: name, Filters: []string{}}
			if i >= 0 {
				c = *t.last[i]
			}
			c.Offline, c.TS = why, l.clock.now()
			consumers = append(consumers, &c)
			continue
		}
		if i < 0 {
			return nil, fmt.Errorf("%w for consumer %s", errNoAnswer, name)
		}
		c := *t.last[i]
		c.Unheard = true
		consumers = append(consumers, &c)
	}
	return consumers, nil
}

func (l *link) readMissing(t *target) (failed bool) {
	t.last = nil
	l.told.note(t.stream, model.StreamFacts{Known: true})
	l.emit(model.ConsumersRead{Stream: t.stream, Missing: true, TS: l.clock.now()})
	return false
}

func (l *link) readFailed(ctx context.Context, t *target, err error) (failed bool) {
	if ctx.Err() == nil && l.nc.IsConnected() { // a lost connection is not the stream's fault
		l.emit(model.ConsumersRead{Stream: t.stream, Error: plain(err)})
	}
	return true
}
