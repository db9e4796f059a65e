package pcgroups

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

const (
	textStaticDiffers  = "the existing static consumer group config doesn't match ours"
	textElasticDiffers = "the existing elastic consumer group config can not be updated to the requested one, please delete the existing elastic consumer group and create a new one"
)

// CreateStatic makes a static group on a stream that stamps maxNumMembers
// partitions: the number of partitions, for ever. Filters are subjects without the
// partition in front; none means all. Who owns what is said by members, among whom the
// partitions are dealt evenly, or by mappings, not by both. If the group exists with the
// same meaning it is returned as it is.
//
// Nothing is written unless all of it can work. Refused are configs that break a
// rule ([ErrInvalidConfig]), filters that overlap ([ErrOverlap]), names that no
// consumer can have ([ErrUnusableName]), consumer names that another group of the
// stream holds ([ErrNameCollision]), and a group that exists otherwise
// ([ErrGroupDiffers]).
func CreateStatic(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, maxNumMembers uint, filters []string, members []string, memberMappings []MemberMapping) (*StaticConsumerGroupConfig, error) {
	config := &StaticConsumerGroupConfig{MaxMembers: maxNumMembers, Filters: filters, Members: members, MemberMappings: memberMappings}
	k := groupKey(model.KindStatic, streamName, consumerGroupName)
	s := config.settings()
	if err := checkNew(k, s); err != nil {
		return nil, err
	}
	if err := s.checkFilters(); err != nil {
		return nil, fmt.Errorf("can't create the static consumer group: %w", err)
	}
	origin, err := originStream(ctx, js, streamName)
	if err != nil {
		return nil, err
	}
	stored, _, err := putNew(ctx, js, k, config, origin.CachedInfo().Config.Replicas, func(kv jetstream.KeyValue) error {
		return checkConsumerNames(ctx, kv, k, s)
	})
	if err != nil {
		return nil, err
	}
	var existing StaticConsumerGroupConfig
	if err := json.Unmarshal(stored, &existing); err != nil {
		return nil, fmt.Errorf("static consumer group config already exists and is not valid JSON: %w", err)
	}
	if o := existing.settings(); !o.sameGroup(s) || !o.sameMembership(s) {
		return nil, &plainError{text: textStaticDiffers, is: []error{ErrGroupDiffers}}
	}
	return &existing, nil
}

// CreateElastic makes an elastic group: its config, without members yet, and its
// work stream "<stream>-<group>", a work queue with the origin's storage and
// replicas that is sourced from the origin. If the group exists with the same
// meaning it is returned as it is, and a missing work stream is made.
//
// The maximum of members is the number of partitions, for ever. The limits bound what
// waits in the work stream, in messages and bytes, 0 meaning none; at a limit sourcing
// waits and nothing is lost.
//
// Nothing is written unless all of it can work, and what was written is taken back
// when the work stream cannot be made. The refusals are those of [CreateStatic]; the
// name that can be taken is the work stream's.
func CreateElastic(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, maxNumMembers uint, partitioningFilters []PartitioningFilter, maxBufferedMessages int64, maxBufferedBytes int64) (*ElasticConsumerGroupConfig, error) {
	config := &ElasticConsumerGroupConfig{
		MaxMembers: maxNumMembers, PartitioningFilters: partitioningFilters,
		MaxBufferedMsgs: maxBufferedMessages, MaxBufferedBytes: maxBufferedBytes,
	}
	k := groupKey(model.KindElastic, streamName, consumerGroupName)
	s := config.settings()
	if err := checkNew(k, s); err != nil {
		return nil, err
	}
	if err := s.checkFilters(); err != nil {
		return nil, fmt.Errorf("can't create the elastic consumer group's stream: %w", err)
	}
	origin, err := originStream(ctx, js, streamName)
	if err != nil {
		return nil, err
	}
	from := origin.CachedInfo().Config
	stored, revision, err := putNew(ctx, js, k, config, from.Replicas, func(kv jetstream.KeyValue) error {
		return checkWorkStreamName(ctx, js, kv, k, s)
	})
	if err != nil {
		return nil, err
	}
	var existing ElasticConsumerGroupConfig
	if err := json.Unmarshal(stored, &existing); err != nil {
		return nil, fmt.Errorf("elastic consumer group config already exists and is not valid JSON: %w", err)
	}
	if !existing.settings().sameGroup(s) {
		return nil, &plainError{text: textElasticDiffers, is: []error{ErrGroupDiffers}}
	}
	if err := ensureWorkStream(ctx, js, k, s, from); err != nil {
		return nil, errors.Join(err, rollback(ctx, js, k, revision))
	}
	return &existing, nil
}

// checkNew checks what needs no server.
func checkNew(k model.Key, s settings) error {
	if err := s.validate(k.Kind); err != nil {
		return fmt.Errorf("invalid %s consumer group config: %w", k.Kind, err)
	}
	if err := checkGroupName(k); err != nil {
		return err
	}
	for _, m := range s.memberNames() {
		if err := k.CheckMember(m); err != nil {
			return fmt.Errorf("invalid %s consumer group config: %w", k.Kind, err)
		}
	}
	return nil
}

// putNew stores the config if the group has none, after check has agreed; its bucket
// is nil when there is none yet. It returns what is stored then, and the revision if
// it was this call that wrote it.
func putNew(ctx context.Context, js jetstream.JetStream, k model.Key, config any, replicas int, check func(jetstream.KeyValue) error) ([]byte, uint64, error) {
	kv, err := openBucket(ctx, js, k.Kind)
	if err != nil && !errors.Is(err, ErrGroupNotFound) {
		return nil, 0, err
	}
	if kv != nil {
		entry, err := getEntry(ctx, kv, k)
		if err == nil {
			return entry.Value(), 0, nil
		}
		if !errors.Is(err, ErrGroupNotFound) {
			return nil, 0, err
		}
	}
	if err := check(kv); err != nil {
		return nil, 0, err
	}
	value, err := json.Marshal(config)
	if err != nil {
		return nil, 0, fmt.Errorf("encode the %s consumer group's config: %w", k.Kind, err)
	}
	if kv == nil {
		if kv, err = createBucket(ctx, js, k.Kind, replicas); err != nil {
			return nil, 0, err
		}
	}
	revision, err := kv.Create(ctx, bucketKey(k.Stream, k.Group), value)
	if errors.Is(err, jetstream.ErrKeyExists) {
		// Somebody made the group in between: theirs counts.
		entry, err := getEntry(ctx, kv, k)
		if err != nil {
			return nil, 0, err
		}
		return entry.Value(), 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("store the %s consumer group's config: %w", k.Kind, oversize(maybeDone(err), value))
	}
	return value, revision, nil
}

// checkConsumerNames refuses members whose consumers another group of the stream has.
func checkConsumerNames(ctx context.Context, kv jetstream.KeyValue, k model.Key, s settings) error {
	members := s.memberNames()
	claims, err := consumerClaims(ctx, kv, k, members)
	if err != nil {
		return err
	}
	for _, m := range members {
		if other, taken := claims[k.ConsumerName(m)]; taken {
			return fmt.Errorf("can't create the static consumer group: %w: the consumer %q belongs to group %s", ErrNameCollision, k.ConsumerName(m), other.group)
		}
	}
	return nil
}

// checkWorkStreamName refuses a name that another group or stream has. What an
// earlier attempt of this very group left behind is its own.
func checkWorkStreamName(ctx context.Context, js jetstream.JetStream, kv jetstream.KeyValue, k model.Key, s settings) error {
	other, taken, err := workStreamHolder(ctx, kv, k)
	if err != nil {
		return err
	}
	if taken {
		return workStreamTaken("the stream %q belongs to group %s", k.ConsumeStream(), other)
	}
	stream, err := findStream(ctx, js, k.ConsumeStream())
	if err != nil || stream == nil {
		return err
	}
	have := stream.CachedInfo().Config
	if fault := workStreamFault(have, k.Stream, &s); fault != "" {
		return workStreamTaken("a stream %q exists, and %s", have.Name, fault)
	}
	if !sameLimits(have, s) {
		return workStreamTaken("a stream %q exists, and its limits differ", have.Name)
	}
	return nil
}

// ensureWorkStream makes the work stream unless it is there. Its limits may have been
// changed since.
func ensureWorkStream(ctx context.Context, js jetstream.JetStream, k model.Key, s settings, origin jetstream.StreamConfig) error {
	name := k.ConsumeStream()
	stream, err := findStream(ctx, js, name)
	if err != nil {
		return err
	}
	if stream != nil {
		if fault := workStreamFault(stream.CachedInfo().Config, k.Stream, &s); fault != "" {
			return workStreamTaken("a stream %q exists, and %s", name, fault)
		}
		return nil
	}
	_, err = js.CreateStream(ctx, jetstream.StreamConfig{
		Name:        name,
		Retention:   jetstream.WorkQueuePolicy,
		Replicas:    origin.Replicas,
		Storage:     origin.Storage,
		MaxMsgs:     s.maxMsgs,
		MaxBytes:    s.maxBytes,
		Discard:     jetstream.DiscardNew,
		Sources:     []*jetstream.StreamSource{{Name: k.Stream, SubjectTransforms: s.transforms()}},
		AllowDirect: true,
	})
	if err != nil {
		return fmt.Errorf("can't create the elastic consumer group's stream: %w", maybeDone(err))
	}
	return nil
}

func workStreamTaken(format string, args ...any) error {
	return fmt.Errorf("can't create the elastic consumer group's stream: %w: "+format, append([]any{ErrNameCollision}, args...)...)
}

// rollback takes back the config just written, if nobody has touched it since. With
// revision 0 nothing was written.
func rollback(ctx context.Context, js jetstream.JetStream, k model.Key, revision uint64) error {
	if revision == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	kv, err := openBucket(ctx, js, k.Kind)
	if err == nil {
		err = kv.Delete(ctx, bucketKey(k.Stream, k.Group), jetstream.LastRevision(revision))
	}
	if err != nil {
		return fmt.Errorf("take back the config of group %s: %w", k, maybeDone(err))
	}
	return nil
}
