package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// leftover is what an instance left behind.
type leftover struct {
	left int   // messages that it had and did not handle
	err  error // why it did not, when it was drained
}

// drainError ends a member that is to be drained until the context ends.
type drainError struct{ until context.Context }

func (*drainError) Error() string { return "drained" }

const (
	// flushPause is what the client takes to notice that a buffer is empty (nats.go
	// v1.55 looks every 100 ms), and some more.
	flushPause = 500 * time.Millisecond

	// stepDownTimeout bounds giving up the pin. If it is refused or lost, the pin
	// expires by itself.
	stepDownTimeout = time.Second
)

// leave ends consuming for good. Unless the consumer goes anyway, nothing that this
// instance holds may delay the next one: what is buffered is handed back, or handled
// first when the member is drained, and the pin is given up, which the next instance
// would otherwise wait for until the priority timeout.
func (m *member) leave(why error) leftover {
	s := m.stint
	if s == nil {
		return leftover{}
	}
	var drain *drainError
	if errors.As(why, &drain) || errors.Is(why, errRemoved) {
		defer m.endStint(nil)
	} else {
		defer m.endStint(why)
	}
	var changed *configError
	var r leftover
	if errors.Is(why, errRemoved) || errors.As(why, &changed) {
		return r
	}
	if !m.js.Conn().IsConnected() {
		if drain != nil {
			r.err = fmt.Errorf("drain: %w", nats.ErrDisconnected)
		}
		return r
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.patience())
	defer cancel()
	if drain != nil {
		ctx = drain.until
		s.consume.Drain()
		finished := s.finished(ctx)
		if !finished {
			r.err = fmt.Errorf("drain: %w", ctx.Err())
			late, cancel := context.WithTimeout(context.Background(), flushPause)
			defer cancel()
			ctx = late
		}
	}
	s.mode.CompareAndSwap(handing, handingBack)
	s.consume.Drain()
	if !s.finished(ctx) {
		r.left = m.held(s)
		if r.err != nil {
			r.err = fmt.Errorf("%w while the handler has a message in hand", r.err)
		}
		// The handler still works, so nobody else may yet. What waits behind it goes
		// back when it is done.
		go func() {
			s.finished(context.Background())
			s.handBack()
		}()
		return r
	}
	r.left = s.handBack()
	if drain != nil {
		r.err = m.drained(s, r.left, r.err)
	}
	m.stepDown(s)
	m.options.log.Info("left", "returned", r.left)
	return r
}

// drained tells whether a drain did what it should: everything was handled, and what was
// acknowledged is recorded.
func (m *member) drained(s *stint, left int, why error) error {
	switch {
	case left > 0 && why == nil:
		return fmt.Errorf("drain: %w", context.Canceled) // stopped meanwhile
	case left > 0:
		return why
	case m.js.Conn().IsClosed():
		return fmt.Errorf("drain: %w", nats.ErrConnectionClosed)
	}
	ctx, cancel := context.WithTimeout(context.Background(), m.patience())
	defer cancel()
	if err := s.settle(ctx); errors.Is(err, nats.ErrNoResponders) {
		return fmt.Errorf("drain: %w, and the last acknowledgements perhaps not recorded", ErrConsumerGone)
	}
	return nil
}

// finished waits until all that the client has buffered was handled or handed back.
func (s *stint) finished(ctx context.Context) bool {
	select {
	case <-s.closed:
	case <-ctx.Done():
		return false
	}
	if s.queue == nil {
		return true
	}
	s.queue.close()
	select {
	case <-s.queue.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// held is how many messages the server counts as delivered and not acknowledged. Of
// a member's instances at most one holds any.
func (m *member) held(s *stint) int {
	ctx, cancel := context.WithTimeout(context.Background(), stepDownTimeout)
	defer cancel()
	info, err := s.consumer.Info(ctx)
	if err != nil {
		return 1
	}
	return info.NumAckPending
}

// stepDown gives up the pin, if this instance has it.
func (m *member) stepDown(s *stint) {
	if s.pin.Load() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stepDownTimeout)
	defer cancel()
	info, err := s.consumer.Info(ctx)
	if err == nil && m.isPinned(info) {
		err = m.stream.UnpinConsumer(ctx, info.Name, s.group)
	}
	if err != nil && !errors.Is(err, nats.ErrConnectionClosed) {
		m.options.log.Info("could not give up the pin; it expires", "err", err)
	}
}
