package pcgroups

import (
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Option changes how [StaticConsume] and [ElasticConsume] run a member. Without any
// they behave as the reference library does, but for its faults.
type Option func(*options)

type options struct {
	log         *slog.Logger
	observer    func(Event)
	inProgress  bool
	confirm     time.Duration // 0: acks are not confirmed
	durableGone DurableGone
}

func newOptions(opts []Option) options {
	o := options{log: slog.New(slog.DiscardHandler)}
	for _, set := range opts {
		if set != nil {
			set(&o)
		}
	}
	return o
}

// WithLogger tells what the member does and absorbs: joining, handing over and faults
// at level Info, what somebody should look into at Warn, attempts at Debug. Without it
// the library is silent. What ends a member is returned and not logged.
func WithLogger(log *slog.Logger) Option {
	return func(o *options) {
		if log != nil {
			o.log = log
		}
	}
}

// WithObserver calls observe with each change of the member's state, one call at a
// time and in order. It runs inside the member: it has to return soon, and must not
// wait for the member (as Drain, Wait and WaitConsuming do).
func WithObserver(observe func(Event)) Option {
	return func(o *options) { o.observer = observe }
}

// WithInProgress makes handlers slower than the ack wait safe. While one runs, the
// server is told every third of the ack wait that the message, and those that are
// buffered behind it, are being worked on, and pulling goes on beside the handler. So
// the messages do not come twice and the pin is not lost. The price is that a handler
// that never returns holds its message and the pin for ever.
//
// Without it a handler that runs longer than the ack wait loses its message, and after
// the priority timeout the pin, to another instance, which then handles the message
// at the same time.
func WithInProgress() Option {
	return func(o *options) { o.inProgress = true }
}

// WithConfirmedAcks makes Ack wait until the server has recorded it, up to timeout (0
// is 5 s), as DoubleAck does: nil then means recorded. It costs a round trip for each
// message. Acks that fail are counted, see Unconfirmed of [Instance].
func WithConfirmedAcks(timeout time.Duration) Option {
	return func(o *options) {
		if timeout <= 0 {
			timeout = defaultAckWait
		}
		o.confirm = timeout
	}
}

// DurableGone is what a static member does when its durable consumer was deleted
// under it while the group still exists. The durable alone knew how far the member
// had come, so every answer is a compromise and the choice is the program's.
type DurableGone int

const (
	// DurableGoneEnd ends the member with [ErrConsumerGone]. It is the default: nothing
	// is repeated and nothing skipped without somebody deciding it.
	DurableGoneEnd DurableGone = iota

	// DurableGoneResume makes the durable again to go on after the last message that
	// this instance acknowledged, or at its oldest unacknowledged one, or after the ack
	// floor it last saw, whichever is latest but never beyond what it holds
	// unacknowledged. Messages that another instance acknowledged since come again.
	DurableGoneResume

	// DurableGoneNew makes it again from the next message that is published: nothing
	// comes twice, and what was waiting is skipped.
	DurableGoneNew

	// DurableGoneAll makes it again from the stream's first message: nothing is
	// skipped, and everything that is still stored comes again.
	DurableGoneAll
)

// WithDurableGone chooses what a static member does when its durable was deleted. It
// means nothing for an elastic group, whose work stream holds just what is not done:
// there the consumer is always made again.
func WithDurableGone(policy DurableGone) Option {
	return func(o *options) { o.durableGone = policy }
}

// restart is where a durable that is made again begins.
func (p DurableGone) restart(c *jetstream.ConsumerConfig, resume uint64) {
	c.OptStartSeq, c.OptStartTime = 0, nil
	switch p {
	case DurableGoneNew:
		c.DeliverPolicy = jetstream.DeliverNewPolicy
	case DurableGoneResume:
		c.DeliverPolicy, c.OptStartSeq = jetstream.DeliverByStartSequencePolicy, max(resume, 1)
	default:
		c.DeliverPolicy = jetstream.DeliverAllPolicy
	}
}
