package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// Names alone prove nothing: "A/B-C" and "A-B/C" want one work stream, member c of
// "a-b" and member b-c of "a" one consumer. This file tells whose a thing is.

// rivals lists the groups, other than k, that would have the same work stream.
func rivals(k model.Key) []model.Key {
	var out []model.Key
	name := k.ConsumeStream()
	for i := range name {
		if name[i] != '-' {
			continue
		}
		other := groupKey(k.Kind, name[:i], name[i+1:])
		if other != k && checkGroupName(other) == nil {
			out = append(out, other)
		}
	}
	return out
}

// workStreamHolder is the other group whose config claims k's work stream, if any.
func workStreamHolder(ctx context.Context, kv jetstream.KeyValue, k model.Key) (model.Key, bool, error) {
	if kv == nil {
		return model.Key{}, false, nil
	}
	for _, other := range rivals(k) {
		switch _, err := getEntry(ctx, kv, other); {
		case err == nil:
			return other, true, nil
		case !errors.Is(err, ErrGroupNotFound):
			return model.Key{}, false, err
		}
	}
	return model.Key{}, false, nil
}

// claim is another static group's member that would have the same consumer.
type claim struct {
	group    model.Key
	member   string
	settings settings
}

// owns tells whether the consumer takes the partitions of the claiming member.
func (c claim) owns(config jetstream.ConsumerConfig) bool {
	return c.settings.ownsConsumer(c.member, config)
}

// consumerClaims finds the members of other static groups of the stream that would
// have the same consumers as k's members, by consumer name.
func consumerClaims(ctx context.Context, kv jetstream.KeyValue, k model.Key, members []string) (map[string]claim, error) {
	others := make(map[string][]string) // group: the consumers it would share
	for _, m := range members {
		name := k.ConsumerName(m)
		for i := range name {
			if name[i] == '-' && i != len(k.Group) {
				others[name[:i]] = append(others[name[:i]], name)
			}
		}
	}
	claims := make(map[string]claim)
	if kv == nil {
		return claims, nil
	}
	for group, names := range others {
		other := groupKey(k.Kind, k.Stream, group)
		if checkGroupName(other) != nil {
			continue
		}
		entry, err := getEntry(ctx, kv, other)
		if errors.Is(err, ErrGroupNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		s, err := parseSettings(k.Kind, entry.Value())
		if err != nil {
			continue // unreadable, so none of its members can run
		}
		named := s.named()
		for _, name := range names {
			if m := name[len(group)+1:]; named[m] {
				claims[name] = claim{group: other, member: m, settings: s}
			}
		}
	}
	return claims, nil
}

// ownsConsumer tells whether a consumer with the member's name takes exactly the
// member's partitions, in whichever form its library writes filters.
func (s settings) ownsConsumer(member string, c jetstream.ConsumerConfig) bool {
	partitions, ok := model.PartitionsOf(filtersOf(c))
	return ok && slices.Equal(partitions, s.owned(member))
}

func filtersOf(c jetstream.ConsumerConfig) []string {
	if len(c.FilterSubjects) == 0 && c.FilterSubject != "" {
		return []string{c.FilterSubject}
	}
	return c.FilterSubjects
}

// workStreamFault tells what about a stream is not what the group's work stream
// would be; empty when it is the group's. With unknown settings (nil) it is enough
// that the transforms stamp partitions.
func workStreamFault(c jetstream.StreamConfig, origin string, s *settings) string {
	switch {
	case c.Retention != jetstream.WorkQueuePolicy:
		return "it is not a work queue"
	case len(c.Sources) != 1:
		return fmt.Sprintf("it has %d sources, a work stream has one", len(c.Sources))
	case c.Sources[0].Name != origin:
		return fmt.Sprintf("its source is %q", c.Sources[0].Name)
	}
	got := normalised(c.Sources[0].SubjectTransforms)
	if s == nil {
		if len(got) == 0 || slices.ContainsFunc(got, func(t string) bool { return !strings.Contains(t, "\t{{partition(") }) {
			return "its transforms do not stamp partitions"
		}
		return ""
	}
	if !slices.Equal(got, normalised(s.transforms())) {
		return "its transforms do not match the group's config"
	}
	return ""
}

// sameLimits compares limits by meaning: all below 1 are none.
func sameLimits(c jetstream.StreamConfig, s settings) bool {
	return max(c.MaxMsgs, 0) == max(s.maxMsgs, 0) && max(c.MaxBytes, 0) == max(s.maxBytes, 0)
}

var transformCall = regexp.MustCompile(`\{\{[^}]*\}\}`)

// normalised writes transforms so that those of all ports compare: in one order,
// function names in one case, no spaces in calls.
func normalised(transforms []jetstream.SubjectTransformConfig) []string {
	out := make([]string, 0, len(transforms))
	for _, t := range transforms {
		dest := transformCall.ReplaceAllStringFunc(t.Destination, func(call string) string {
			return strings.ToLower(strings.ReplaceAll(call, " ", ""))
		})
		out = append(out, t.Source+"\t"+dest)
	}
	slices.Sort(out)
	return out
}
