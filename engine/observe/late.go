package observe

import (
	"context"
	"fmt"
	"strings"
	"time"

	"pcgtop/model"
)

// lateAfter is how long an answer may take before the screen says that none comes, which
// in a cluster without a quorum is the first sign of it.
const lateAfter = 1200 * time.Millisecond

// late lists the requests that have waited for too long, each once, and tells of them
// before any of them is answered. One whose last answer was slow may take twice as long.
func (a *api) late(now time.Time, tell func(operation string, waited time.Duration)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.calls {
		operation, ours := strings.CutPrefix(c.subject, a.prefix+".")
		if !ours || c.sent.IsZero() || c.told || now.Sub(c.sent) < max(a.over(lateAfter), 2*a.slow[c.subject]) {
			continue
		}
		c.told = true
		tell(operation, now.Sub(c.sent))
	}
}

// took remembers how long an answer took, when that was long.
func (a *api) took(subject string, d time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if d > a.over(lateAfter)/2 {
		a.slow[subject] = d
	} else {
		delete(a.slow, subject)
	}
}

// tellLate says of what is read that no answer comes, as long as none does. What is read
// of it next takes that back.
func (l *link) tellLate() {
	l.api.late(time.Now(), func(operation string, waited time.Duration) {
		why := fmt.Sprintf("%v for %v to %s", errNoAnswer, waited.Round(100*time.Millisecond), operation)
		for _, prefix := range []string{"CONSUMER.LIST.", "STREAM.INFO."} {
			if stream, ok := strings.CutPrefix(operation, prefix); ok && l.plan.cares(stream) {
				l.emit(model.ConsumersRead{Stream: stream, Error: why})
				l.doubt(stream, nil)
			}
		}
	})
}

// doubt is a stream whose leader is to be asked, and the servers of a consumer that told of
// the trouble, if one did.
type doubt struct {
	stream string
	by     *replicas
}

// doubt has the stream's leader asked soon which of the other servers are down.
func (l *link) doubt(stream string, by *replicas) {
	select {
	case l.doubted <- doubt{stream, by}:
	default: // what is one of so many is asked at its next turn
	}
}

// doubtByConsumers doubts the stream of consumers that have lost their quorum, unless it
// is known: their leader may know before anybody waits for an answer in vain.
func (l *link) doubtByConsumers(stream string, infos []*consumerInfo) {
	for _, i := range infos {
		if i.Cluster.lost() && !l.told.lost(stream) {
			l.doubt(stream, i.Cluster)
			return
		}
	}
}

// maxDoubted is how many streams may wait to be asked why nobody answers for them.
const maxDoubted = 16

// askDoubted asks the leaders of streams that are doubted: where one is left it knows
// which of the other servers are down.
func (l *link) askDoubted(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case d := <-l.doubted:
			short, end := context.WithTimeout(ctx, l.api.over(lateAfter))
			info, err := l.api.streamInfo(short, d.stream)
			end()
			switch {
			case ctx.Err() != nil:
			case err == nil && !info.leaderless():
				facts := info.facts()
				l.told.note(d.stream, facts)
				l.emit(model.StreamRead{Name: d.stream, Facts: facts})
			case d.by != nil || err == nil || lacksLeader(err):
				l.tellLeaderless(d.stream, d.by)
			}
		}
	}
}

// tellLeaderless tells of a stream that nobody leads it, until an answer of its leader
// says otherwise. The leader of a consumer, if that one is left, knows who is down.
func (l *link) tellLeaderless(stream string, by *replicas) {
	facts := l.told.of(stream)
	facts.Leader, facts.Leaderless = "", true
	if by != nil {
		facts.Replicas, facts.Down = 1+len(by.Replicas), by.down()
	}
	if facts.Exists && l.told.note(stream, facts) {
		l.emit(model.StreamRead{Name: stream, Facts: facts})
	}
}
