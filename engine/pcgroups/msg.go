package pcgroups

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ConsumerGroupMsg is a message as the member's handler sees it: under the subject
// it was published on, without the partition in front.
type ConsumerGroupMsg struct {
	msg   jetstream.Msg
	stint *stint // nil outside of a member
}

var _ jetstream.Msg = (*ConsumerGroupMsg)(nil)

// ackBody is the acknowledgement as the client sends it.
var ackBody = []byte("+ACK")

// Subject is the subject without the partition. One without a dot is left whole.
func (m *ConsumerGroupMsg) Subject() string {
	if _, rest, ok := strings.Cut(m.msg.Subject(), "."); ok {
		return rest
	}
	return m.msg.Subject()
}

// PartitionedSubject is the subject as the stream stores it, partition in front.
func (m *ConsumerGroupMsg) PartitionedSubject() string { return m.msg.Subject() }

// Partition is the message's partition, from 0, or -1 if its subject names none.
func (m *ConsumerGroupMsg) Partition() int {
	token, _, ok := strings.Cut(m.msg.Subject(), ".")
	p, err := strconv.Atoi(token)
	if !ok || err != nil || p < 0 {
		return -1
	}
	return p
}

// Metadata is where the message stands in its stream and its consumer.
func (m *ConsumerGroupMsg) Metadata() (*jetstream.MsgMetadata, error) { return m.msg.Metadata() }

// Data is the message's body.
func (m *ConsumerGroupMsg) Data() []byte { return m.msg.Data() }

// Headers are the message's headers, the pin's id (Nats-Pin-Id) among them.
func (m *ConsumerGroupMsg) Headers() nats.Header { return m.msg.Headers() }

// Reply is the subject that acknowledgements go to.
func (m *ConsumerGroupMsg) Reply() string { return m.msg.Reply() }

// Ack acknowledges without waiting: nil does not mean that the server recorded it,
// as when the consumer is gone. [ConsumerGroupMsg.DoubleAck] tells, and with
// [WithConfirmedAcks] Ack does the same.
func (m *ConsumerGroupMsg) Ack() error {
	if m.stint == nil {
		return m.msg.Ack()
	}
	if wait := m.stint.m.options.confirm; wait > 0 {
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		defer cancel()
		return m.DoubleAck(ctx)
	}
	err := m.msg.Ack()
	if err == nil {
		m.stint.acked(m)
	}
	return err
}

// DoubleAck acknowledges and waits until the server has recorded it.
func (m *ConsumerGroupMsg) DoubleAck(ctx context.Context) error {
	err := m.msg.DoubleAck(ctx)
	switch {
	case m.stint == nil || errors.Is(err, jetstream.ErrMsgAlreadyAckd):
	case err != nil:
		m.stint.m.status.unconfirmed.Add(1)
	default:
		m.stint.acked(m)
	}
	return err
}

// Nak asks for the message again at once.
func (m *ConsumerGroupMsg) Nak() error { return m.msg.Nak() }

// NakWithDelay asks for the message again after the delay.
func (m *ConsumerGroupMsg) NakWithDelay(delay time.Duration) error { return m.msg.NakWithDelay(delay) }

// InProgress starts the ack wait anew.
func (m *ConsumerGroupMsg) InProgress() error { return m.msg.InProgress() }

// Term ends the message's deliveries without success.
func (m *ConsumerGroupMsg) Term() error { return m.termed(m.msg.Term()) }

// TermWithReason is Term with a reason that goes into the server's advisory.
func (m *ConsumerGroupMsg) TermWithReason(reason string) error {
	return m.termed(m.msg.TermWithReason(reason))
}

func (m *ConsumerGroupMsg) termed(err error) error {
	if err == nil && m.stint != nil {
		m.stint.acked(m)
	}
	return err
}
