package observe

import (
	"context"
	"sync"
	"time"

	"pcgtop/model"
)

// laterMost is how long what nobody waits for is kept back, at most: every picture costs
// the screen something, however little is new in it. It is less than the second after which
// there is one anyway, so that this is not one more.
const laterMost = 950 * time.Millisecond

// outbox sends observations on in the order in which they were made.
type outbox struct {
	send func(...model.Observation)

	sending sync.Mutex
	kept    []model.Observation
}

// emit sends observations now, after those that were kept.
func (o *outbox) emit(seen ...model.Observation) {
	o.sending.Lock()
	defer o.sending.Unlock()
	if len(o.kept)+len(seen) > 0 {
		o.send(append(o.kept, seen...)...)
	}
	o.kept = nil
}

// later keeps observations until the next ones are sent, or for a moment.
func (o *outbox) later(seen ...model.Observation) {
	o.sending.Lock()
	defer o.sending.Unlock()
	o.kept = append(o.kept, seen...)
}

// flush sends what is kept again and again.
func (o *outbox) flush(ctx context.Context, every time.Duration) error {
	tick := time.NewTicker(max(every, time.Millisecond))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			o.emit()
		}
	}
}
