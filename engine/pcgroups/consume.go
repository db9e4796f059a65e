package pcgroups

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// ConsumerGroupConsumeContext is a member that runs, as programs of the reference
// library know it; [Instance] has the rest. Stop asks it to end and returns at once; the
// handler may be at work then and finishes its message. Done yields one value, nil or
// why it ended, when the member has ended, and is closed after it.
type ConsumerGroupConsumeContext interface {
	Stop()
	Done() <-chan error
}

// StaticConsumerGroupConsumerInstance is one running instance of a static group's
// member. The fields say what it was started with; nothing changes them.
type StaticConsumerGroupConsumerInstance struct {
	StreamName        string
	ConsumerGroupName string
	MemberName        string
	Config            *StaticConsumerGroupConfig
	MessageHandlerCB  func(msg jetstream.Msg)
	*instance
}

// ElasticConsumerGroupConsumerInstance is one running instance of an elastic group's
// member. The fields say what it was started with; Config is the config of that
// moment and does not follow changes, which the instance itself does.
type ElasticConsumerGroupConsumerInstance struct {
	StreamName        string
	ConsumerGroupName string
	MemberName        string
	Config            *ElasticConsumerGroupConfig
	MessageHandlerCB  func(msg jetstream.Msg)
	*instance
}

// StaticConsume joins a static group as one instance of a member and calls the
// handler with each message, one at a time, the partition stripped from its subject.
// Of several instances the server pins one; the others stand by.
//
// The consumer config is a template for the member's consumer "<group>-<member>":
// what makes it the member's (names, filters, priority group, timeout) is set here,
// and an ack wait of 0 becomes 5 s. If the consumer exists with the right filters it
// is used as it is. The context covers joining only.
//
// The member ends when the group is removed (without an error) or its config changes;
// in both cases its consumer is deleted. It ends with [ErrConsumerGone] when its
// consumer is deleted under it, unless [WithDurableGone] says otherwise, with
// [ErrStreamGone] when the stream is gone, and with a [*PanicError] when the handler
// panics. Lost connections, restarted servers and new leaders are absorbed.
func StaticConsume(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberName string, messageHandler func(msg jetstream.Msg), config jetstream.ConsumerConfig, opts ...Option) (ConsumerGroupConsumeContext, error) {
	if messageHandler == nil {
		return nil, errors.New("a message handler must be provided")
	}
	m := newMember(js, groupKey(model.KindStatic, streamName, consumerGroupName), memberName, messageHandler, config, opts)
	if err := m.load(ctx); err != nil {
		return nil, err
	}
	if !m.settings.names(memberName) {
		return nil, errors.New("the member name is not in the current static consumer group membership")
	}
	joined := m.settings.static()
	if err := m.join(ctx); err != nil {
		return nil, fmt.Errorf("error creating our member's consumer: %w", err)
	}
	return &StaticConsumerGroupConsumerInstance{
		StreamName: streamName, ConsumerGroupName: consumerGroupName, MemberName: memberName,
		Config: joined, MessageHandlerCB: messageHandler, instance: m.start(),
	}, nil
}

// ElasticConsume joins an elastic group as one instance of a member and calls the
// handler with each message, one at a time, the partition stripped from its subject.
// Of several instances the server pins one; the others stand by. A member that is not
// in the membership, or that owns nothing, waits until it does.
//
// The consumer config is a template for the member's consumer; its ack policy must be
// explicit, and an ack wait of 0 becomes 5 s. If the consumer exists with the right
// filters it is used as it is; with others it is replaced, as soon as nobody uses it.
// The context covers joining only.
//
// The member follows changes of the membership: whenever its partitions change, its
// pinned instance finishes the message in hand, waits until the server has recorded
// its acknowledgement, and has the consumer deleted and created again, for a consumer
// that is merely updated skips the older messages of partitions it gains. With handlers
// that finish within the ack wait no message is handled twice by it. The member makes
// its consumer again when that was deleted under it. It ends when the group is removed
// (without an error), when anything else of the config changes, with [ErrStreamGone]
// when the work stream is gone, and with a [*PanicError] when the handler panics. Lost
// connections, restarted servers and new leaders are absorbed.
func ElasticConsume(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberName string, messageHandler func(msg jetstream.Msg), config jetstream.ConsumerConfig, opts ...Option) (ConsumerGroupConsumeContext, error) {
	if messageHandler == nil {
		return nil, errors.New("a message handler must be provided")
	}
	if config.AckPolicy != jetstream.AckExplicitPolicy {
		return nil, errors.New("the ack policy when consuming from elastic consumer groups must be explicit")
	}
	m := newMember(js, groupKey(model.KindElastic, streamName, consumerGroupName), memberName, messageHandler, config, opts)
	if err := m.load(ctx); err != nil {
		return nil, err
	}
	joined := m.settings.elastic()
	if err := m.join(ctx); err != nil {
		if !transient(err) || ctx.Err() != nil {
			return nil, fmt.Errorf("error creating our member's consumer: %w", err)
		}
		m.retries = 1
	}
	return &ElasticConsumerGroupConsumerInstance{
		StreamName: streamName, ConsumerGroupName: consumerGroupName, MemberName: memberName,
		Config: joined, MessageHandlerCB: messageHandler, instance: m.start(),
	}, nil
}
