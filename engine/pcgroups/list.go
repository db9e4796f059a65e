package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// GetStaticConsumerGroupConfig reads a static group's config. Without one the error
// is [ErrGroupNotFound].
func GetStaticConsumerGroupConfig(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string) (*StaticConsumerGroupConfig, error) {
	s, err := getConfig(ctx, js, groupKey(model.KindStatic, streamName, consumerGroupName))
	if err != nil {
		return nil, err
	}
	return s.static(), nil
}

// GetElasticConsumerGroupConfig reads an elastic group's config. Without one the
// error is [ErrGroupNotFound].
func GetElasticConsumerGroupConfig(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string) (*ElasticConsumerGroupConfig, error) {
	s, err := getConfig(ctx, js, groupKey(model.KindElastic, streamName, consumerGroupName))
	if err != nil {
		return nil, err
	}
	return s.elastic(), nil
}

func getConfig(ctx context.Context, js jetstream.JetStream, k model.Key) (settings, error) {
	kv, err := openBucket(ctx, js, k.Kind)
	if err != nil {
		return settings{}, err
	}
	s, _, err := readConfig(ctx, kv, k)
	return s, err
}

// ListStaticConsumerGroups lists the static groups of a stream, sorted.
func ListStaticConsumerGroups(ctx context.Context, js jetstream.JetStream, streamName string) ([]string, error) {
	return listGroups(ctx, js, model.KindStatic, streamName)
}

// ListElasticConsumerGroups lists the elastic groups of a stream, sorted.
func ListElasticConsumerGroups(ctx context.Context, js jetstream.JetStream, streamName string) ([]string, error) {
	return listGroups(ctx, js, model.KindElastic, streamName)
}

func listGroups(ctx context.Context, js jetstream.JetStream, kind model.Kind, stream string) ([]string, error) {
	kv, err := openBucket(ctx, js, kind)
	if err != nil {
		return nil, err
	}
	// Its own context, so that the watch is gone when the list is whole.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	watch, err := kv.WatchFiltered(ctx, []string{stream + ".>"}, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		return nil, fmt.Errorf("list the %s consumer groups: %w", kind, err)
	}
	defer watch.Stop()
	var groups []string
	for {
		select {
		case entry, open := <-watch.Updates():
			switch {
			case !open:
				return nil, fmt.Errorf("list the %s consumer groups: the list was cut short", kind)
			case entry == nil:
				slices.Sort(groups)
				return slices.Compact(groups), nil
			}
			groups = append(groups, model.ParseKey(kind, entry.Key()).Group)
		case <-ctx.Done():
			return nil, fmt.Errorf("list the %s consumer groups: %w", kind, ctx.Err())
		}
	}
}

// ListStaticActiveMembers lists the members of a static group whose consumer has a
// pull waiting, sorted. A consumer with the right name that takes other partitions
// than the member's belongs to another group and does not count.
func ListStaticActiveMembers(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string) ([]string, error) {
	return activeMembers(ctx, js, groupKey(model.KindStatic, streamName, consumerGroupName), func(s settings, member string, info *jetstream.ConsumerInfo) bool {
		return info.NumWaiting != 0 && s.ownsConsumer(member, info.Config)
	})
}

// ListElasticActiveMembers lists the members of an elastic group whose consumer
// exists, sorted. A consumer outlives its last instance by its ack wait.
func ListElasticActiveMembers(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string) ([]string, error) {
	return activeMembers(ctx, js, groupKey(model.KindElastic, streamName, consumerGroupName), func(settings, string, *jetstream.ConsumerInfo) bool {
		return true
	})
}

func activeMembers(ctx context.Context, js jetstream.JetStream, k model.Key, counts func(settings, string, *jetstream.ConsumerInfo) bool) ([]string, error) {
	s, err := getConfig(ctx, js, k)
	if err != nil {
		return nil, err
	}
	names := s.memberNames()
	if len(names) == 0 {
		return []string{}, nil
	}
	stream, err := originStream(ctx, js, k.ConsumeStream())
	if err != nil {
		return nil, err
	}
	infos, err := listConsumers(ctx, stream)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*jetstream.ConsumerInfo, len(infos))
	for _, info := range infos {
		byName[info.Name] = info
	}
	var active []string
	for _, m := range names {
		if info := byName[k.ConsumerName(m)]; info != nil && counts(s, m, info) {
			active = append(active, m)
		}
	}
	return active, nil
}

// ElasticIsInMembershipAndActive tells whether the group's config names the member,
// and whether that member's consumer exists.
func ElasticIsInMembershipAndActive(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberName string) (bool, bool, error) {
	k := groupKey(model.KindElastic, streamName, consumerGroupName)
	s, err := getConfig(ctx, js, k)
	if err != nil {
		return false, false, err
	}
	in := s.names(memberName)
	stream, err := originStream(ctx, js, k.ConsumeStream())
	if err != nil {
		return false, false, err
	}
	if CheckMemberName(memberName) != nil {
		return in, false, nil
	}
	_, err = stream.Consumer(ctx, memberName)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		return in, false, nil
	case err != nil:
		return false, false, fmt.Errorf("look up the consumer %q: %w", memberName, err)
	}
	return in, true, nil
}
