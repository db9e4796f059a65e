package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pcgtop/model"
)

// read reads one stream's consumers, and its facts where they are needed. What is not
// urgent is told a little later, together with more of the kind.
func (l *link) read(ctx context.Context, t *target, urgent bool) (failed bool) {
	if !usable(t.stream) {
		l.emit(model.ConsumersRead{Stream: t.stream, Missing: true, TS: l.clock.now()})
		return false
	}
	tell := l.later
	if urgent {
		tell = l.emit
	}
	var seen []model.Observation
	if origin := l.plan.feeds(t); origin != "" { // before the work stream: nothing counts as on its way that has arrived
		seen = l.readOrigin(ctx, origin)
	}
	if l.plan.needsFacts(t) || !l.told.exists(t.stream) || l.told.lost(t.stream) {
		info, err := l.factsOf(ctx, t.stream)
		switch {
		case err == nil:
			l.clock.set(info.TS)
			facts := info.facts()
			l.told.note(t.stream, facts)
			seen = append(seen, model.StreamRead{Name: t.stream, Facts: facts})
		case errors.Is(err, errNotFound):
			return l.readMissing(t, tell)
		case !errors.Is(err, errDenied): // denied facts do without
			return l.readFailed(ctx, t, err)
		}
	}
	read, err := l.kept.take(t.stream), error(nil)
	if read == nil {
		read, err = l.api.consumers(ctx, t.stream)
	}
	switch {
	case errors.Is(err, errNotFound):
		return l.readMissing(t, tell)
	case err != nil:
		l.emit(seen...)
		return l.readFailed(ctx, t, err)
	}
	l.clock.set(newest(read.infos))
	l.doubtByConsumers(t.stream, read.infos)
	consumers, err := l.fillIn(read)
	if err != nil {
		l.emit(seen...)
		return l.readFailed(ctx, t, err)
	}
	tell(append(seen, model.ConsumersRead{Stream: t.stream, Consumers: consumers, TS: l.listedAt(read.infos)})...)
	l.plan.knows(t.stream)
	return false
}

// factsOf asks for a stream, unless nothing was told of it yet and it was listed just now.
func (l *link) factsOf(ctx context.Context, stream string) (*streamInfo, error) {
	if !l.told.exists(stream) {
		if info := l.listings.recent(stream); info != nil {
			return info, nil
		}
	}
	return l.api.streamInfo(ctx, stream)
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
func (l *link) fillIn(read *consumerList) ([]*model.Consumer, error) {
	consumers := read.list()
	for _, name := range read.missing {
		var before *model.Consumer
		if l.opts.Snapshot != nil {
			before = l.opts.Snapshot().Consumer(read.stream, name)
		}
		if why, off := read.offline[name]; off {
			c := model.Consumer{Name: name, Filters: []string{}}
			if before != nil {
				c = *before
			}
			c.Offline, c.TS = why, l.clock.now()
			consumers = append(consumers, &c)
			continue
		}
		if before == nil {
			return nil, fmt.Errorf("%w for consumer %s", errNoAnswer, name)
		}
		c := *before
		c.Unheard = true
		consumers = append(consumers, &c)
	}
	return consumers, nil
}

func (l *link) readMissing(t *target, tell func(...model.Observation)) (failed bool) {
	l.told.note(t.stream, model.StreamFacts{Known: true})
	tell(model.ConsumersRead{Stream: t.stream, Missing: true, TS: l.clock.now()})
	return false
}

func (l *link) readFailed(ctx context.Context, t *target, err error) (failed bool) {
	if ctx.Err() == nil && l.nc.IsConnected() { // a lost connection is not the stream's fault
		l.emit(model.ConsumersRead{Stream: t.stream, Error: plain(err)})
		if lacksLeader(err) && !l.told.lost(t.stream) { // it may be the cluster that has none
			l.doubt(t.stream, nil)
		}
	}
	return true
}
