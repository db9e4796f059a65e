package pcgroups

import (
	"context"
	"fmt"
)

// Instance is all that a running member offers. What [StaticConsume] and
// [ElasticConsume] return is one:
//
//	running, err := pcgroups.ElasticConsume(ctx, js, "ORDERS", "billing", "m1", handle, config)
//	if err != nil {
//		return err
//	}
//	left, err := running.(pcgroups.Instance).Drain(ctx)
//
// Their result is declared as [ConsumerGroupConsumeContext] so that programs of the
// reference library compile unchanged. All methods may be called at any time, from any
// goroutine.
type Instance interface {
	ConsumerGroupConsumeContext

	// Drain ends the instance without waste: it stops pulling, lets the handler finish
	// what is buffered here, and gives the pin to another instance. When the context
	// ends first, what has not been handled is handed back to the server, which gives
	// it to the next instance at once, and left is how many messages that were; the
	// error then wraps the context's. If even the message in hand is not finished, left
	// includes it, and it comes again after the ack wait unless it is acknowledged. Stop
	// ends a drain in the same way, with [context.Canceled].
	//
	// The error is also not nil when the connection was lost or the consumer deleted
	// ([ErrConsumerGone]) meanwhile: then it is not known what comes again.
	//
	// Membership changes are not followed while draining, so the context should have a
	// deadline. A handler must not drain its own instance: it would wait for itself.
	Drain(ctx context.Context) (left int, err error)

	// Wait blocks until the instance has ended and returns why: nil if it was stopped,
	// drained or its group removed. If the context ends first, it returns the context's
	// error.
	Wait(ctx context.Context) error

	// WaitConsuming blocks until the instance consumes (true) or does not (false). It
	// returns the context's error if that ends first, and an error that wraps
	// [ErrEnded] when the instance has ended and so never will.
	WaitConsuming(ctx context.Context, consuming bool) error

	// Consuming tells whether its consumer exists, as last seen, and it pulls from it.
	// A member that owns no partition does not consume.
	Consuming() bool

	// Pinned tells whether the server has chosen this instance to get the member's
	// messages, as last seen: true from the first message on, false as soon as the
	// server refuses a pull with its pin, or the instance stops consuming.
	Pinned() bool

	// Err is why the instance ended; nil while it runs, and if it was stopped, drained
	// or its group removed.
	Err() error

	// Recovered is how many faults the instance has absorbed, and the last of them:
	// lost connections, consumers deleted by somebody else, missed heartbeats, changed
	// leaders.
	Recovered() (count uint64, last error)

	// Unconfirmed is how many acknowledgements are known not to have been recorded:
	// those that failed while they were waited for ([WithConfirmedAcks], DoubleAck),
	// and those sent after their consumer was gone. Their messages come again.
	Unconfirmed() uint64
}

var (
	_ Instance = (*StaticConsumerGroupConsumerInstance)(nil)
	_ Instance = (*ElasticConsumerGroupConsumerInstance)(nil)
)

// instance is what a running member shows to its program.
type instance struct {
	stop   context.CancelFunc
	done   chan error
	drains chan context.Context
	ended  chan struct{} // closed when the member has ended
	state  *status
	rest   leftover // what it left behind, once it has ended
}

// Stop asks the instance to end and returns at once; Done tells when it has. The
// message in hand is finished first, for at most the ack wait; the handler is not called
// with another one. What else is buffered goes back to the server, and the pin to
// another instance. It may be called repeatedly, and by the handler.
func (i *instance) Stop() { i.stop() }

// Done yields why the instance ended, nil if it was stopped or its group removed.
func (i *instance) Done() <-chan error { return i.done }

// Drain is described at [Instance].
func (i *instance) Drain(ctx context.Context) (left int, err error) {
	select {
	case i.drains <- ctx:
	case <-ctx.Done():
		i.stop()
	case <-i.ended:
	}
	<-i.ended // soon after the context has ended
	if err := i.Err(); err != nil {
		return i.rest.left, err
	}
	return i.rest.left, i.rest.err
}

// Wait is described at [Instance].
func (i *instance) Wait(ctx context.Context) error {
	select {
	case <-i.ended:
		return i.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// WaitConsuming is described at [Instance].
func (i *instance) WaitConsuming(ctx context.Context, consuming bool) error {
	s := i.state
	err := s.wait(ctx, func() bool { return s.consuming == consuming || s.ended })
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && s.ended && consuming {
		if s.err != nil {
			return fmt.Errorf("%w: %w", ErrEnded, s.err)
		}
		return ErrEnded
	}
	return err
}

// Consuming is described at [Instance].
func (i *instance) Consuming() bool {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.consuming
}

// Pinned is described at [Instance].
func (i *instance) Pinned() bool {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.pin != ""
}

// Err is described at [Instance].
func (i *instance) Err() error {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.err
}

// Recovered is described at [Instance].
func (i *instance) Recovered() (count uint64, last error) {
	i.state.mu.Lock()
	defer i.state.mu.Unlock()
	return i.state.recovered, i.state.fault
}

// Unconfirmed is described at [Instance].
func (i *instance) Unconfirmed() uint64 { return i.state.unconfirmed.Load() }
