package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// stint is consuming from one consumer, from its making to its end. A member has
// one after the other, never two: messages that still arrive for an old one are not
// handled.
type stint struct {
	m        *member
	consumer jetstream.Consumer
	group    string // the priority group pulled in
	filters  []string
	created  time.Time // the consumer, as another one can follow of the same name
	proved   bool      // it was seen to be stored
	consume  jetstream.ConsumeContext
	closed   <-chan struct{} // closed when the client has given up consuming
	queue    *queue          // between the client and the handler, with WithInProgress
	mode     atomic.Int32
	pin      atomic.Pointer[string] // the pin id of the newest message, nil when lost
	returned []jetstream.Msg        // unhandled; under the member's handling lock

	acks    sync.Mutex
	lastAck string // where the newest acknowledgement went
	gone    bool   // the consumer is, and acknowledgements with it
}

// What is done with messages that arrive.
const (
	handing     int32 = iota // handled
	handingBack              // kept to be handed back
	over                     // dropped: their consumer is gone, or they come again after the ack wait
)

// event is what a stint reports to its member.
type event struct {
	from *stint
	err  error
}

// PanicError says that the message handler panicked, and where, or that it ended its
// goroutine (runtime.Goexit).
type PanicError struct {
	Value any    // what it panicked with
	Stack []byte // the trace of the goroutine, as from debug.Stack
}

func (e *PanicError) Error() string { return fmt.Sprintf("%v: %v", ErrHandlerPanic, e.Value) }

// Is makes errors.Is(err, ErrHandlerPanic) true.
func (e *PanicError) Is(target error) bool { return target == ErrHandlerPanic }

// startStint begins to pull in the consumer's own priority group.
func (m *member) startStint(consumer jetstream.Consumer, filters []string) (*stint, error) {
	info := consumer.CachedInfo()
	group, _, err := pinState(info)
	if err != nil && info.Config.Metadata[serverVersion] == "" {
		return nil, fmt.Errorf("%w: %w", ErrServerTooOld, err)
	}
	if err != nil {
		return nil, err
	}
	s := &stint{m: m, consumer: consumer, group: group, filters: filters, created: info.Created}
	handle := s.handle
	if m.options.inProgress {
		s.queue = newQueue(s.handle, info.Config)
		handle = s.queue.add
	}
	batch, expiry := m.pullLimits(info.Config)
	s.consume, err = consumer.Consume(
		handle,
		jetstream.PullMaxMessages(batch),
		jetstream.PullExpiry(expiry),
		jetstream.PullPriorityGroup(group),
		jetstream.ConsumeErrHandler(func(_ jetstream.ConsumeContext, err error) { s.report(err) }),
	)
	if err != nil {
		s.queue.close()
		return nil, fmt.Errorf("start to consume: %w", err)
	}
	s.closed = s.consume.Closed()
	return s, nil
}

// end stops pulling and handling. What the client has buffered comes again to the
// next instance.
func (s *stint) end() {
	s.mode.CompareAndSwap(handing, over)
	s.consume.Stop()
	s.queue.close()
}

// consuming tells whether the client is still at it.
func (s *stint) consuming() bool {
	select {
	case <-s.closed:
		return false
	default:
		return true
	}
}

// handle gives a message to the program, one at a time also while one stint
// follows another. A panic ends the member and leaves the message unacknowledged.
func (s *stint) handle(msg jetstream.Msg) {
	m := s.m
	m.handling.Lock()
	defer m.handling.Unlock()
	if mode := s.mode.Load(); mode != handing || m.stopped.Load() {
		if mode != over {
			s.returned = append(s.returned, msg)
		}
		return
	}
	if pin := msg.Headers().Get(pinHeader); pin != "" {
		if seen := s.pin.Load(); seen == nil || *seen != pin {
			m.pinned(s, pin)
		}
	}
	if m.progress != nil {
		m.progress.delivered(msg)
	}
	returned := false
	defer func() {
		if returned {
			return
		}
		value := recover()
		if value == nil {
			value = "the handler ended its goroutine" // runtime.Goexit, as by t.FailNow
		}
		s.mode.CompareAndSwap(handing, handingBack)
		s.report(&PanicError{Value: value, Stack: debug.Stack()})
	}()
	m.handler(&ConsumerGroupMsg{msg: msg, stint: s})
	returned = true
}

// pinned notes a new pin. It is a function of its own so that the id goes to the heap
// with a change of the pin only, not with each message.
func (m *member) pinned(s *stint, pin string) {
	s.pin.Store(&pin)
	m.status.pinned(pin)
}

// serverVersion is in the metadata of every consumer since servers pin (nats-server 2.11,
// jetstream_versioning.go).
const serverVersion = "_nats.ver"

// pinHeader names the pin in each message of a pinned consumer (nats-server 2.11).
const pinHeader = "Nats-Pin-Id"

// handBack makes what was not handled come to the next instance at once, in the order
// in which it came here. It waits for the handler, and is done when the subscription is
// gone: before that the server would deliver the first ones here again.
func (s *stint) handBack() int {
	s.m.handling.Lock()
	defer s.m.handling.Unlock()
	s.mode.Store(over)
	if s.m.template.AckPolicy != jetstream.AckNonePolicy {
		for _, msg := range s.returned {
			_ = msg.Nak() // if it is lost, the message comes after the ack wait
		}
	}
	return len(s.returned)
}

// acked remembers where an acknowledgement went, so that it can be confirmed, and
// counts it as lost if its consumer is gone.
func (s *stint) acked(msg *ConsumerGroupMsg) {
	s.acks.Lock()
	gone := s.gone
	s.lastAck = msg.msg.Reply()
	s.acks.Unlock()
	if gone {
		s.m.status.unconfirmed.Add(1)
		return
	}
	if s.m.progress != nil {
		s.m.progress.acked(msg.msg)
	}
}

// lose marks the consumer as gone.
func (s *stint) lose() {
	s.acks.Lock()
	s.gone = true
	s.acks.Unlock()
}

// settle waits until the handler has finished the message in hand, and until the
// server has recorded what was acknowledged: acknowledgements and requests to the API
// take different ways through a server, so a consumer deleted right after an
// acknowledgement can be gone before it counts.
func (s *stint) settle(ctx context.Context) error {
	idle := make(chan struct{})
	go func() {
		s.m.handling.Lock()
		defer s.m.handling.Unlock()
		close(idle)
	}()
	select {
	case <-idle:
	case <-ctx.Done():
		return ctx.Err()
	}
	s.acks.Lock()
	last := s.lastAck
	s.acks.Unlock()
	if last == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, minTimer)
	defer cancel()
	// Acknowledging once more changes nothing, is answered, and comes after the others.
	_, err := s.m.js.Conn().RequestWithContext(ctx, last, ackBody)
	return err
}

// report passes on what the member has to look into or count. Pulls that end are a
// consumer's normal life, which the client deals with; of the pin it is enough to know.
func (s *stint) report(err error) {
	var panicked *PanicError
	switch {
	case errors.As(err, &panicked),
		errors.Is(err, jetstream.ErrNoHeartbeat),
		errors.Is(err, jetstream.ErrConsumerDeleted),
		errors.Is(err, jetstream.ErrConsumerLeadershipChanged),
		errors.Is(err, jetstream.ErrServerShutdown),
		errors.Is(err, jetstream.ErrBadRequest),
		errors.Is(err, jetstream.ErrConnectionClosed),
		errors.Is(err, nats.ErrNoResponders):
		s.m.events.add(event{from: s, err: err})
	case errors.Is(err, jetstream.ErrPinIDMismatch):
		s.pin.Store(nil)
		s.m.status.unpinned(jetstream.ErrPinIDMismatch)
	}
}

// events are reports on their way to the member, which may be busy.
type events struct {
	mu   sync.Mutex
	list []event
	wake chan struct{}
}

// maxEvents bounds the reports that wait; more of them would say nothing new.
const maxEvents = 32

func (e *events) add(ev event) {
	var panicked *PanicError
	e.mu.Lock()
	if len(e.list) < maxEvents || errors.As(ev.err, &panicked) {
		e.list = append(e.list, ev)
	}
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

func (e *events) take() []event {
	e.mu.Lock()
	defer e.mu.Unlock()
	list := e.list
	e.list = nil
	return list
}
