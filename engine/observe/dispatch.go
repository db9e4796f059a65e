package observe

import (
	"context"
	"sync"
	"time"

	"pcgtop/internal/pause"
)

// At most so many streams are read at the same time, and fewer of what is not on the
// screen, so that slow streams there hold up nobody who is looked at.
const (
	maxReads     = 8
	maxRestReads = 6
)

// restBatch is how many streams that are not on the screen are read one after the other,
// where the budget allows it: each by itself would wake the program as often.
const restBatch = 5

// dispatch reads the plan's streams, as many at a time as may be, whenever the budget
// has something left.
func (l *link) dispatch(ctx context.Context) error {
	crew, ctx := newCrew(ctx)
	crew.run(func() error { return l.startReads(ctx, crew) })
	return crew.wait()
}

func (l *link) startReads(ctx context.Context, crew *crew) error {
	var places places
	batches := newBatches(l.api.budget, l.opts.MaxRequests)
	for {
		t, rest, urgent, wait := l.nextRead(&places, batches)
		if t == nil {
			if _, err := pause.Until(ctx, wait, l.plan.wake); err != nil {
				return err
			}
			continue
		}
		places.take(rest)
		if rest {
			batches.left = max(0, batches.left-1)
		}
		crew.run(func() error {
			failed := l.read(ctx, t, urgent)
			places.leave(rest)
			l.plan.done(t, failed)
			l.progress()
			return nil
		})
	}
}

// nextRead takes the stream to read now from the plan. Where there is none it tells for how
// long at most.
func (l *link) nextRead(places *places, batches *batches) (t *target, rest, urgent bool, wait time.Duration) {
	const long = time.Minute // something else wakes it before
	open := batches.open()
	full, restFull := places.full()
	if full || !l.isListed() {
		return nil, false, false, long
	}
	// Waiting for the budget before the choice lets the choice be made by what is known
	// then.
	if wait := l.api.budget.wait(); wait > 0 {
		return nil, false, false, wait
	}
	rests := anyRest
	switch {
	case restFull:
		rests = noRest
	case !open:
		rests = oldRest
	}
	if t, rest, urgent = l.plan.take(time.Now(), rests); t != nil {
		return t, rest, urgent, 0
	}
	wait = l.plan.peek(time.Now(), rests)
	if !open {
		wait = min(wait, max(batches.wait(), time.Millisecond))
	}
	return nil, false, false, wait
}

// places counts the reads that go on, and those among them of what is not on the screen.
type places struct {
	mu        sync.Mutex
	all, rest int
}

func (p *places) take(rest bool)  { p.add(rest, 1) }
func (p *places) leave(rest bool) { p.add(rest, -1) }

func (p *places) add(rest bool, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all += n; rest {
		p.rest += n
	}
}

// full tells whether no more may begin, and whether none of what is not on the screen.
func (p *places) full() (all, rest bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all >= maxReads, p.rest >= maxRestReads
}

// batches lets what is not on the screen be read some at a time.
type batches struct {
	budget *budget
	size   int
	apart  time.Duration // from the begin of one to that of the next, at least

	left int       // of the batch that is open
	next time.Time // when the next one opens, at the earliest: reads that were just begun have not taken their tokens yet
}

func newBatches(b *budget, perSecond float64) *batches {
	size := max(1, min(restBatch, int(perSecond/4)))
	return &batches{budget: b, size: size, apart: time.Duration(float64(size) / perSecond * float64(time.Second))}
}

// open tells whether one more may be read now. It begins the next batch when its time has come.
func (b *batches) open() bool {
	if b.left == 0 && b.wait() <= 0 {
		b.left, b.next = b.size, time.Now().Add(b.apart)
	}
	return b.left > 0
}

// wait is how long it is until the next batch.
func (b *batches) wait() time.Duration {
	return max(time.Until(b.next), b.budget.waitFor(float64(b.size)))
}
