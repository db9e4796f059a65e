package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// A server that freezes is noticed within pingEvery + pingTimeout, under 2 s, unless the
// link to it is slow.
const (
	pingEvery   = 500 * time.Millisecond
	pingTimeout = 1200 * time.Millisecond
	serverEvery = 4 // pings between two reports of the server

	// pingMost is how long the answer to a ping may take on any link. After it a connection
	// counts as dead: one whose other end is gone without a word never tells.
	pingMost = 5 * time.Second
)

// pingWithin is how long an answer may take where the last one took that long: a slow link
// is not a dead one.
func pingWithin(took time.Duration) time.Duration {
	return min(max(pingTimeout, 2*took), pingMost)
}

// pinged tells how long the answer to a ping took.
func (o *Observer) pinged(ctx context.Context, within time.Duration) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	start := time.Now()
	err := o.nc.FlushWithContext(ctx)
	now := time.Now()
	if err == nil {
		at := now.UTC()
		o.answered.Store(&at)
	}
	return now.Sub(start), err
}

// unanswered is why a connection counts as lost.
func unanswered(within time.Duration) string {
	return fmt.Sprintf("no answer to a ping within %v", within)
}

// awaitConnection waits until the server answers a ping, and tells how long that took. A
// connection on which nobody answers any more is given up for a new one. Where none
// answers, lose is told why, if that is known; what the connection reports is told, too.
func (o *Observer) awaitConnection(ctx context.Context, status <-chan nats.Status, emit func(...model.Observation), lose func(why string)) (rtt time.Duration, err error) {
	for {
		if o.nc.IsClosed() {
			return 0, fmt.Errorf("observe: %w", nats.ErrConnectionClosed)
		}
		why := ""
		if o.nc.IsConnected() {
			reconnects := o.nc.Stats().Reconnects
			rtt, err := o.pinged(ctx, pingMost)
			switch {
			case err == nil:
				return rtt, nil
			case ctx.Err() != nil:
				return 0, ctx.Err()
			case errors.Is(err, context.DeadlineExceeded):
				why = unanswered(pingMost)
				if o.nc.Stats().Reconnects == reconnects {
					_ = o.nc.ForceReconnect() // fails only when the connection is closed, which shows above
				}
			}
		}
		lose(why)
		if err := o.reportAll(emit); err != nil {
			return 0, err
		}
		if _, err := pause.Until(ctx, pingEvery, status); err != nil {
			return 0, err
		}
	}
}

// ping notices a server that does not answer any more although the connection stands. The
// first round trip, which took so long, says how slow the link is.
func (l *link) ping(ctx context.Context, took time.Duration) error {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	rtt, shortest := steady{}, lowest{}
	for n := 0; ; n++ {
		within := pingWithin(took)
		var err error
		if took, err = l.pinged(ctx, within); err != nil {
			return &lostError{unanswered(within)}
		}
		l.api.trip.Store(int64(took))
		trip := time.Duration(rtt.add(float64(shortest.add(took))))
		if n%serverEvery == 0 || took > pingEvery {
			l.later(l.server(trip)...)
		}
		l.tellLate()
		l.progress() // time alone may make the picture live
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
