package observe

import (
	"container/heap"
	"time"
)

// queue is the targets of one rank, the one that is due first at the front, so that
// choosing costs the same however many streams there are.
type queue []*target

// nowhere is the place of a target in no queue.
const nowhere = -1

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }
func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].place, q[j].place = i, j
}

func (q *queue) Push(t any) {
	t.(*target).place = len(*q)
	*q = append(*q, t.(*target))
}

func (q *queue) Pop() any {
	last := len(*q) - 1
	t := (*q)[last]
	(*q)[last], t.place = nil, nowhere
	*q = (*q)[:last]
	return t
}

// put queues a target anew by when it is due, unless it is read right now or gone. The
// lock is held.
func (p *plan) put(t *target) {
	p.pull(t)
	if t.busy || p.targets[t.stream] != t {
		return
	}
	t.at, t.rank = p.due(t)
	heap.Push(&p.queues[t.rank], t)
}

// pull takes a target out of its queue. The lock is held.
func (p *plan) pull(t *target) {
	if t.place != nowhere {
		heap.Remove(&p.queues[t.rank], t.place)
	}
}

// turn is what of the streams that are not on the screen may be read now.
type turn int

const (
	noRest  turn = iota // nothing
	oldRest             // what has waited for too long
	anyRest
)

// choose finds the best target due and how it ranks now, or how long there is none. What
// has waited for too long ranks as if it were on the screen, but never twice running: in a
// large account there is always such a stream, and the screen would get no turn. The lock
// is held.
func (p *plan) choose(now time.Time, rest turn) (best *target, as rank, wait time.Duration) {
	wait = time.Minute
	if p.awaited != nil {
		if wait = p.awaited.until.Sub(now); wait <= 0 {
			p.awaitNothing()
			wait = time.Minute
		}
	}
	for r, q := range p.queues {
		if len(q) == 0 {
			continue
		}
		t, r := q[0], rank(r)
		off, old := r >= rankRest, now.Sub(t.at) > tooOld
		if off && old && !p.oldRead {
			r = rankSeen
		}
		switch {
		case off && (rest == noRest || rest == oldRest && !old), r >= rankRest && p.awaited != nil:
		case t.at.After(now):
			wait = min(wait, t.at.Sub(now))
		case best == nil, r < as, r == as && t.at.Before(best.at):
			best, as = t, r
		}
	}
	if best != nil {
		wait = 0
	}
	return best, as, wait
}
