package observe

import (
	"context"
	"errors"
	"time"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// followPartitions counts what waits in each partition of the open group, again and
// again. Other groups' partitions are never counted.
func (l *link) followPartitions(ctx context.Context) error {
	if l.opts.Snapshot == nil {
		return nil
	}
	var last counted
	for {
		asked, err := pause.Until(ctx, time.Until(last.next), l.counts)
		if err != nil {
			return err
		}
		if asked && last.key == l.openKey() && (time.Until(last.next) > last.due || time.Since(last.begun) < l.opts.Refresh) {
			continue // it was counted a moment ago, or twice already without being paid for
		}
		last = l.countOpen(ctx, last)
	}
}

func (l *link) openKey() model.Key {
	if k := l.plan.openGroup(); k != nil {
		return *k
	}
	return model.Key{}
}

// counted is what is kept of a count for the next one.
type counted struct {
	key     model.Key
	begun   time.Time
	next    time.Time     // when to count again
	created time.Time     // of the stream
	looks   []look        // at each partition
	due     time.Duration // how long it takes to pay for it
}

// look is what a partition's own direct get said the last time.
type look struct {
	at      time.Time // server clock; zero: never
	seq     uint64    // the stream's last sequence then
	pending uint64
	first   uint64 // the sequence of the first that waited; 0: none did
	oldest  time.Time
	loose   bool // the first may be gone since
}

// notYet is how soon a group is looked for again whose config or stream was not read
// yet.
const notYet = 20 * time.Millisecond

// countOpen counts the open group's partitions and tells the result.
func (l *link) countOpen(ctx context.Context, last counted) counted {
	k := l.openKey()
	next := counted{key: k, begun: time.Now()}
	next.next = next.begun.Add(l.opts.Refresh)
	g := l.opts.Snapshot().Group(k)
	if k == (model.Key{}) {
		return next
	}
	if g != nil && !g.Pins() && !g.Countable() {
		return next // it never will be
	}
	if g == nil || !g.Countable() || g.ReadAt.IsZero() || !g.Stream.Known {
		next.next = next.begun.Add(notYet)
		return next
	}
	if last.key != k {
		last = counted{}
	}
	o, now, err := l.countPartitions(ctx, g, last)
	if p := (*PanicError)(nil); asPanic(err, &p) {
		panic(p) // the crew takes it
	}
	if err != nil {
		if ctx.Err() != nil || !l.nc.IsConnected() {
			return next
		}
		o.Counts.Error = plain(err)
		owed, _ := l.api.budget.owed()
		now.next = time.Now().Add(owed)
	}
	next.created, next.looks, next.due = now.created, now.looks, now.due
	if now.next.After(next.next) {
		next.next = now.next
	}
	o.Counts.Every = next.next.Sub(next.begun)
	if o.Counts.At.IsZero() {
		o.Counts.At = l.clock.now()
	}
	l.emit(o)
	return next
}

// errNoDirect says why partitions cannot be counted.
var errNoDirect = errors.New("no direct gets (allow_direct)")

// countPartitions counts what waits in each partition, and, for an elastic group, at
// its origin. How much waits is told by a work stream's subjects, and each partition in
// which anything does is asked for, or, where that is much, some are.
func (l *link) countPartitions(ctx context.Context, g *model.Group, last counted) (model.PartitionsCounted, counted, error) {
	o := model.PartitionsCounted{Key: g.Key}
	var now counted
	name := g.ConsumeStream()
	if !usable(name) {
		return o, now, errNotFound
	}
	info, err := l.api.streamInfo(ctx, name)
	if err != nil {
		return o, now, err
	}
	l.clock.set(info.TS)
	if !info.Config.AllowDirect {
		o.Counts.At = info.TS
		return o, now, errNoDirect
	}
	now.created, now.looks = info.Created, make([]look, len(g.Partitions))
	if last.created.Equal(info.Created) && len(last.looks) == len(now.looks) {
		copy(now.looks, last.looks)
	}
	t, err := l.totals(ctx, g, info)
	if err != nil {
		return o, now, err
	}
	if t != nil {
		info = t.info
	}
	o.Counts.At = info.TS
	loosen(now.looks, g, t)
	all, newer := &burst{link: l}, &burst{link: l}
	cells := make([]cell, len(g.Partitions))
	for _, p := range l.choose(t, now.looks) {
		cells[p].all = all.ask(name, floorOf(g, p)+1, filtersOf(g, p))
	}
	hop := l.askHop(ctx, all, g, info)
	if hop != nil {
		all.spare = g.Key.Stream
	}
	reach := askReach(all, g, name)
	begun := time.Now()
	if err := all.run(ctx, info.messageSize()); err != nil {
		return o, now, err
	}
	o.Counts.Took = time.Since(begun)
	if all.lacks {
		hop = nil
	}
	askNewer(newer, g, cells, now.looks)
	if err := newer.run(ctx, info.messageSize()); err != nil {
		return o, now, err
	}
	cost := all.cost + newer.cost
	switch {
	case t != nil && t.some:
		now.due = max(l.countsEvery(), l.atHalf(t.cost)) // the others were chosen so that they are paid for by then
	case t != nil:
		now.due = l.payFor(cost + t.cost)
	default:
		now.due = l.payFor(cost)
	}
	now.next = begun.Add(now.due)
	if owed, _ := l.api.budget.owed(); t == nil || !t.some {
		now.next = later(now.next, time.Now().Add(owed))
	}
	for p := range cells {
		if t != nil && cells[p].all == nil {
			o.Partitions = append(o.Partitions, now.looks[p].told(t.pending[p], info))
		} else {
			o.Partitions = append(o.Partitions, cells[p].counted(g, info, &now.looks[p]))
		}
	}
	if hop != nil {
		n, oldest := sum(hop)
		o.Counts.Hop = &model.HopCount{Behind: n, Oldest: oldest, Last: info.State.LastSeq}
	}
	if reach != nil {
		within, _ := sum(reach)
		o.Counts.Reach = &model.Reach{Stored: info.State.Messages, Within: within}
	}
	return o, now, nil
}

// counted is what the direct gets tell of a partition, which is remembered.
func (c cell) counted(g *model.Group, info *streamInfo, l *look) model.Counted {
	one := model.Counted{HasNewer: c.newer != nil, Before: l.before()}
	one.Pending, one.Oldest = sum(c.all)
	one.Newer, _ = sum(c.newer)
	if g.Queued() {
		one.Newer = min(one.Newer, one.Pending)
	}
	one.First = oldestSeq(c.all)
	*l = look{at: info.TS, seq: info.State.LastSeq, pending: one.Pending, first: one.First, oldest: one.Oldest}
	return one
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
