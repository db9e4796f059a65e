package pcgroups

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// writeAttempts bounds how often a change is made anew when other administrators
// keep winning.
const writeAttempts = 12

// ApplyMembership writes exactly this membership of an elastic group, for the state
// that the caller has seen: if the stored revision is not the given one, nothing is
// written and the error is a [*ChangedError]. It returns the revision that is stored
// then, the same one if nothing had to change.
//
// Only the membership is edited, see [EditMembership]. Members are written once each
// and sorted. New names must be usable ([ErrUnusableName]); bad ones that are stored
// already may stay, so that a group that holds one can still be repaired step by step.
func ApplyMembership(ctx context.Context, js jetstream.JetStream, stream, group string, revision uint64, members []string, mappings []MemberMapping) (uint64, error) {
	kv, err := openBucket(ctx, js, model.KindElastic)
	if err != nil {
		return 0, err
	}
	k := groupKey(model.KindElastic, stream, group)
	entry, err := getEntry(ctx, kv, k)
	if err != nil {
		return 0, err
	}
	if entry.Revision() != revision {
		return 0, &ChangedError{Seen: revision, Current: entry.Revision()}
	}
	return putMembership(ctx, kv, k, entry, members, mappings)
}

// putMembership edits, checks and writes, for the revision that was read.
func putMembership(ctx context.Context, kv jetstream.KeyValue, k model.Key, entry jetstream.KeyValueEntry, members []string, mappings []MemberMapping) (uint64, error) {
	before, err := parseSettings(k.Kind, entry.Value())
	if err != nil {
		return 0, badJSON(err)
	}
	wanted := settings{members: sortedUnique(members), mappings: mappings}
	known := before.named()
	for _, m := range wanted.memberNames() {
		if known[m] {
			continue
		}
		if err := k.CheckMember(m); err != nil {
			return 0, err
		}
	}
	value, err := EditMembership(entry.Value(), wanted.members, wanted.mappings)
	if err != nil {
		return 0, err
	}
	if _, err := loadSettings(k.Kind, value); err != nil {
		return 0, err
	}
	if bytes.Equal(value, entry.Value()) {
		return entry.Revision(), nil
	}
	return writeConfig(ctx, kv, k, value, entry.Revision())
}

// AddMembers adds members to an elastic group, all or none, and returns the members
// stored then, sorted. If somebody else writes at the same time it reads again,
// checks again and adds to that. A group with mappings refuses ([ErrMapped]), and so
// does a name that no consumer can have ([ErrUnusableName]).
func AddMembers(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberNamesToAdd []string) ([]string, error) {
	if streamName == "" || consumerGroupName == "" || len(memberNamesToAdd) == 0 {
		return nil, errors.New("invalid stream name or elastic consumer group name or no member names")
	}
	k := groupKey(model.KindElastic, streamName, consumerGroupName)
	for _, m := range memberNamesToAdd {
		if err := k.CheckMember(m); err != nil {
			return nil, fmt.Errorf("can't add members: %w", err)
		}
	}
	s, err := changeMembership(ctx, js, k, func(now settings) (settings, error) {
		if len(now.mappings) != 0 {
			return now, &plainError{text: "can't add members to an elastic consumer group that uses member mappings", is: []error{ErrMapped}}
		}
		now.members = slices.Concat(now.members, memberNamesToAdd)
		return now, nil
	})
	return s.members, err
}

// DeleteMembers drops members from an elastic group and returns those that stay,
// sorted; nil when nobody does. Names that are not members are ignored. Concurrent
// writes and mappings are treated as by [AddMembers].
func DeleteMembers(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberNamesToDrop []string) ([]string, error) {
	if streamName == "" || consumerGroupName == "" || len(memberNamesToDrop) == 0 {
		return nil, errors.New("invalid stream name or elastic consumer group name or no member names")
	}
	k := groupKey(model.KindElastic, streamName, consumerGroupName)
	s, err := changeMembership(ctx, js, k, func(now settings) (settings, error) {
		if len(now.mappings) != 0 {
			return now, &plainError{text: "can't drop members from a elastic consumer group that uses member mappings", is: []error{ErrMapped}}
		}
		goes := settings{members: memberNamesToDrop}.named()
		var stay []string
		for _, m := range now.members {
			if !goes[m] {
				stay = append(stay, m)
			}
		}
		now.members = stay
		return now, nil
	})
	return s.members, err
}

// SetMemberMappings replaces the members of an elastic group by mappings. They are
// checked with the stored config. If somebody changes the membership between reading
// and writing, the write is refused ([ErrChanged]) rather than undoing their change.
func SetMemberMappings(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string, memberMappings []MemberMapping) error {
	if streamName == "" || consumerGroupName == "" || len(memberMappings) == 0 {
		return errors.New("invalid stream name or elastic consumer group name or member mappings")
	}
	return replaceMappings(ctx, js, streamName, consumerGroupName, func(now settings) settings {
		now.members, now.mappings = nil, memberMappings
		return now
	})
}

// DeleteMemberMappings leaves an elastic group without mappings. It has no members
// then until some are added. Without mappings there is nothing to do. Concurrent
// changes are treated as by [SetMemberMappings].
func DeleteMemberMappings(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string) error {
	if streamName == "" || consumerGroupName == "" {
		return errors.New("invalid stream name or elastic consumer group name or member mappings")
	}
	return replaceMappings(ctx, js, streamName, consumerGroupName, func(now settings) settings {
		now.mappings = nil
		return now
	})
}

// replaceMappings makes a change that is not an addition to what others wrote: it
// holds only for the membership that was there when it began.
func replaceMappings(ctx context.Context, js jetstream.JetStream, stream, group string, change func(settings) settings) error {
	var first *settings
	_, err := changeMembership(ctx, js, groupKey(model.KindElastic, stream, group), func(now settings) (settings, error) {
		if first == nil {
			first = &now
		} else if !now.sameMembership(*first) {
			return now, errMembershipMoved
		}
		return change(now), nil
	})
	return err
}

// errMembershipMoved makes changeMembership give up with the conflict it had.
var errMembershipMoved = errors.New("the membership changed meanwhile")

// changeMembership reads, changes, checks and writes, and does all of it again when
// somebody else has written in between. It returns the settings stored then.
func changeMembership(ctx context.Context, js jetstream.JetStream, k model.Key, change func(settings) (settings, error)) (settings, error) {
	kv, err := openBucket(ctx, js, k.Kind)
	if err != nil {
		return settings{}, err
	}
	var conflict error
	for attempt := range writeAttempts {
		if attempt > 0 {
			if err := pause.For(ctx, time.Duration(1+rand.IntN(10*attempt))*time.Millisecond); err != nil {
				return settings{}, errors.Join(conflict, err)
			}
		}
		now, entry, err := readConfig(ctx, kv, k)
		if err != nil {
			return settings{}, fmt.Errorf("can not get the current elastic consumer group's config: %w", err)
		}
		next, err := change(now)
		if errors.Is(err, errMembershipMoved) {
			return settings{}, conflict
		}
		if err != nil {
			return settings{}, err
		}
		_, err = putMembership(ctx, kv, k, entry, next.members, next.mappings)
		switch {
		case err == nil:
			next.members = sortedUnique(next.members)
			return next, nil
		case !errors.Is(err, ErrChanged):
			return settings{}, err
		}
		conflict = err
	}
	return settings{}, conflict
}
