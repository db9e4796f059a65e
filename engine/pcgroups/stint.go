package pcgroups

import (
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// stint is consuming from one consumer, from its making to its end. A member has
// one after the other, never two: messages that still arrive for an old one are not
// handled.
type stint struct {
	consumer jetstream.Consumer
	filters  []string
	consume  jetstream.ConsumeContext
	closed   <-chan struct{} // closed when the client has given up consuming
	live     atomic.Bool
	pin      atomic.Pointer[string] // the pin id of the newest message
}

// event is what a stint reports to its member.
type event struct {
	from *stint
	err  error
}

// PanicError says that the message handler panicked, and where.
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // the trace of the goroutine, as from debug.Stack
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v: %v", ErrHandlerPanic, e.Value) }

// Is makes errors.Is(err, ErrHandlerPanic) true.
func (e *PanicError) Is(target error) bool { return target == ErrHandlerPanic }

// startStint begins to pull in the consumer's own priority group.
func (m *member) startStint(consumer jetstream.Consumer, filters []string) (*stint, error) {
	group, _, err := pinState(consumer.CachedInfo())
	if err != nil {
		return nil, err
	}
	s := &stint{consumer: consumer, filters: filters}
	s.live.Store(true)
	s.consume, err = consumer.Consume(
		func(msg jetstream.Msg) { m.handle(s, msg) },
		jetstream.PullExpiry(pullExpiry(m.template.AckWait)),
		jetstream.PullPriorityGroup(group),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { m.report(s, err) }),
	)
	if err != nil {
		return nil, fmt.Errorf("start to consume: %w", err)
	}
	s.closed = s.consume.Closed()
	return s, nil
}

// end stops pulling. What the client has buffered comes again to the next instance.
func (s *stint) end() {
	s.live.Store(false)
	s.consume.Stop()
}

// handle gives a message to the program, one at a time also while one stint
// follows another. A panic ends the member and leaves the message unacknowledged.
func (m *member) handle(s *stint, msg jetstream.Msg) {
	m.handling.Lock()
	defer m.handling.Unlock()
	if !s.live.Load() {
		return
	}
	if pin := msg.Headers().Get("Nats-Pin-Id"); pin != "" {
		s.pin.Store(&pin)
	}
	defer func() {
		if value := recover(); value != nil {
			s.live.Store(false)
			m.report(s, &PanicError{Value: value, Stack: debug.Stack()})
		}
	}()
	m.handler(&ConsumerGroupMsg{msg: msg})
}

// report passes on what the member has to look into. Losing the pin, pulls that end
// and leaders that change are a consumer's normal life, which the client deals with.
func (m *member) report(s *stint, err error) {
	var panicked *PanicError
	matters := errors.As(err, &panicked) ||
		errors.Is(err, jetstream.ErrNoHeartbeat) ||
		errors.Is(err, jetstream.ErrConsumerDeleted) ||
		errors.Is(err, jetstream.ErrBadRequest) ||
		errors.Is(err, jetstream.ErrConnectionClosed) ||
		errors.Is(err, nats.ErrNoResponders)
	if !matters {
		return
	}
	select {
	case m.events <- event{from: s, err: err}:
	case <-m.ended:
	}
}
