package pcgroups

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// StaticMemberStepDown makes the pinned instance of a static group's member step
// down. The server pins the next one with the next message, the same one if no other
// stands by. If nobody is pinned nothing happens; if the member has no consumer, the
// error is [jetstream.ErrConsumerNotFound].
func StaticMemberStepDown(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberName string) error {
	return UnpinMember(ctx, js, model.KindStatic, streamName, consumerGroupName, memberName, "")
}

// ElasticMemberStepDown makes the pinned instance of an elastic group's member step
// down, as [StaticMemberStepDown] does.
func ElasticMemberStepDown(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberName string) error {
	return UnpinMember(ctx, js, model.KindElastic, streamName, consumerGroupName, memberName, "")
}

// UnpinMember makes the member's pinned instance step down. With expectPin it does
// so only while that pin is the current one, else the error is [ErrPinChanged] and
// whoever is pinned stays so. The priority group is the one that the consumer's own
// info names, for libraries name it differently; a consumer without any is
// [ErrNotPinnable]. A static group's consumer that another group claims and that
// takes other partitions than the member's is left alone ([ErrNameCollision]).
func UnpinMember(ctx context.Context, js jetstream.JetStream, kind model.Kind, stream, group, member, expectPin string) error {
	k := groupKey(kind, stream, group)
	if err := k.CheckKey(); err != nil {
		return err
	}
	if len(k.ConsumerName(member)) > model.MaxNameLen { // longer ones would end the connection
		return k.CheckMember(member)
	}
	s, err := js.Stream(ctx, k.ConsumeStream())
	if err != nil {
		return err
	}
	consumer, err := s.Consumer(ctx, k.ConsumerName(member))
	if err != nil {
		return err
	}
	info := consumer.CachedInfo()
	name, pin, err := pinState(info)
	if err != nil {
		return err
	}
	if expectPin != "" && pin != expectPin {
		if pin == "" {
			return fmt.Errorf("%w: nobody is pinned on %q", ErrPinChanged, info.Name)
		}
		return fmt.Errorf("%w on %q: %s", ErrPinChanged, info.Name, pin)
	}
	if kind == model.KindStatic {
		if err := refuseForeign(ctx, js, k, member, info.Config); err != nil {
			return err
		}
	}
	if err := s.UnpinConsumer(ctx, info.Name, name); err != nil {
		return fmt.Errorf("unpin the consumer %q: %w", info.Name, maybeDone(err))
	}
	return nil
}

// pinState is the consumer's priority group and who is pinned in it, empty for nobody.
func pinState(info *jetstream.ConsumerInfo) (group, pin string, err error) {
	if len(info.PriorityGroups) > 0 {
		state := info.PriorityGroups[0]
		for _, s := range info.PriorityGroups {
			if s.PinnedClientID != "" {
				state = s
			}
		}
		return state.Group, state.PinnedClientID, nil
	}
	if len(info.Config.PriorityGroups) > 0 {
		return info.Config.PriorityGroups[0], "", nil
	}
	return "", "", fmt.Errorf("%w: %q", ErrNotPinnable, info.Name)
}

// refuseForeign refuses to act on a consumer that is another static group's.
func refuseForeign(ctx context.Context, js jetstream.JetStream, k model.Key, member string, c jetstream.ConsumerConfig) error {
	kv, err := openBucket(ctx, js, k.Kind)
	if err != nil {
		return err
	}
	claims, err := consumerClaims(ctx, kv, k, []string{member})
	if err != nil {
		return err
	}
	other, claimed := claims[k.ConsumerName(member)]
	if !claimed || !other.owns(c) {
		return nil
	}
	s, _, err := readConfig(ctx, kv, k)
	if err != nil {
		return err
	}
	if s.names(member) && s.ownsConsumer(member, c) {
		return nil
	}
	return fmt.Errorf("%w: the consumer %q belongs to group %s", ErrNameCollision, k.ConsumerName(member), other.group)
}
