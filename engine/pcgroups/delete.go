package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// ResourceKind is what sort of thing a group consists of.
type ResourceKind string

const (
	ResourceConfig     ResourceKind = "config"
	ResourceConsumer   ResourceKind = "consumer"
	ResourceWorkStream ResourceKind = "work stream"
)

// Resource is one thing that deleting a group has to do with: a config by its
// bucket key, a consumer or a work stream by its name.
type Resource struct {
	Kind ResourceKind
	Name string
	Why  string // why it is left alone, empty otherwise

	Others bool // it is left alone as something else's, and is nothing that the group has left behind
}

func (r Resource) String() string {
	text := string(r.Kind) + " " + r.Name
	if r.Why != "" {
		text += ": " + r.Why
	}
	return text
}

// DeleteReport tells what deleting a group removes. From [PlanDelete] it is what
// would happen, from [DeleteGroup] what did.
type DeleteReport struct {
	Revision    uint64 // of the config that this is about, 0 when there is none
	Removed     []Resource
	LeftAlone   []Resource // named like the group's, but not proved to be its own
	AlreadyGone []Resource
}

// DeleteStatic deletes a static group: its config, then the consumers of the members
// that the config names. Other consumers whose names merely begin like theirs stay.
// A group that is gone already is no error.
func DeleteStatic(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string) error {
	return deleteLatest(ctx, js, model.KindStatic, streamName, consumerGroupName)
}

// DeleteElastic deletes an elastic group: its config, then its work stream with all
// that waits in it, provided that the stream's only source is the origin and its
// transforms are the group's; otherwise the stream is not the group's and stays. A
// group that is gone already is no error.
func DeleteElastic(ctx context.Context, js jetstream.JetStream, streamName string, consumerGroupName string) error {
	return deleteLatest(ctx, js, model.KindElastic, streamName, consumerGroupName)
}

// deleteLatest deletes the group whatever its revision is.
func deleteLatest(ctx context.Context, js jetstream.JetStream, kind model.Kind, stream, group string) error {
	var err error
	for range writeAttempts {
		var report *DeleteReport
		if report, err = PlanDelete(ctx, js, kind, stream, group); err != nil {
			return err
		}
		_, err = DeleteGroup(ctx, js, kind, stream, group, report.Revision)
		if !errors.Is(err, ErrChanged) {
			return err
		}
	}
	return err
}

// Found tells whether anything is, or was, there of the group: its config, or what it has left
// behind.
func (r *DeleteReport) Found() bool {
	ours := func(left Resource) bool { return !left.Others }
	return r.Revision != 0 || len(r.Removed) > 0 || slices.ContainsFunc(r.LeftAlone, ours)
}

// PlanDelete tells what [DeleteGroup] would do now, and changes nothing.
func PlanDelete(ctx context.Context, js jetstream.JetStream, kind model.Kind, stream, group string) (*DeleteReport, error) {
	k := groupKey(kind, stream, group)
	if k.Stream == "" || k.Group == "" {
		return nil, fmt.Errorf("invalid stream name or %s consumer group name", kind)
	}
	report := &DeleteReport{}
	config := Resource{Kind: ResourceConfig, Name: bucketKey(stream, group)}
	var stored *settings
	kv, err := openBucket(ctx, js, kind)
	if err == nil {
		var entry jetstream.KeyValueEntry
		if entry, err = getEntry(ctx, kv, k); err == nil {
			report.Revision = entry.Revision()
			if s, err := parseTolerant(kind, entry.Value()); err == nil {
				stored = &s
			}
		}
	}
	switch {
	case errors.Is(err, ErrGroupNotFound):
		report.AlreadyGone = append(report.AlreadyGone, config)
	case err != nil:
		return nil, err
	default:
		report.Removed = append(report.Removed, config)
	}
	if kind == model.KindElastic {
		return report, report.planWorkStream(ctx, js, k, stored)
	}
	return report, report.planConsumers(ctx, js, kv, k, stored)
}

func (r *DeleteReport) planWorkStream(ctx context.Context, js jetstream.JetStream, k model.Key, stored *settings) error {
	work := Resource{Kind: ResourceWorkStream, Name: k.ConsumeStream()}
	stream, err := findStream(ctx, js, work.Name)
	if err != nil {
		return err
	}
	if stream == nil {
		r.AlreadyGone = append(r.AlreadyGone, work)
		return nil
	}
	if work.Why = workStreamFault(stream.CachedInfo().Config, k.Stream, stored); work.Why != "" {
		work.Why, work.Others = "not the group's: "+work.Why, true
		r.LeftAlone = append(r.LeftAlone, work)
		return nil
	}
	r.Removed = append(r.Removed, work)
	return nil
}

func (r *DeleteReport) planConsumers(ctx context.Context, js jetstream.JetStream, kv jetstream.KeyValue, k model.Key, stored *settings) error {
	var members []string
	if stored != nil {
		members = stored.memberNames()
	}
	stream, err := findStream(ctx, js, k.Stream)
	if err != nil {
		return err
	}
	var infos []*jetstream.ConsumerInfo
	if stream != nil {
		if infos, err = listConsumers(ctx, stream); err != nil {
			return err
		}
	}
	names := members
	if stored == nil { // nothing but the other groups tells whose they are
		for _, info := range infos {
			if member, ours := strings.CutPrefix(info.Name, k.Group+"-"); ours {
				names = append(names, member)
			}
		}
	}
	claims, err := consumerClaims(ctx, kv, k, names)
	if err != nil {
		return err
	}
	seen := make(map[string]bool)
	for _, info := range infos {
		member, ours := strings.CutPrefix(info.Name, k.Group+"-")
		if !ours {
			continue
		}
		seen[info.Name] = true
		c := Resource{Kind: ResourceConsumer, Name: info.Name}
		other, claimed := claims[info.Name]
		_, mine := slices.BinarySearch(members, member)
		switch {
		case claimed && other.owns(info.Config) && !(mine && stored.ownsConsumer(member, info.Config)):
			c.Why, c.Others = "belongs to group "+other.group.String(), true
		case !mine:
			c.Why = "not ours: the group's config names no member " + member
		case claimed && (other.owns(info.Config) || !stored.ownsConsumer(member, info.Config)):
			c.Why = "claimed by group " + other.group.String() + " too"
		}
		if c.Why != "" {
			r.LeftAlone = append(r.LeftAlone, c)
		} else {
			r.Removed = append(r.Removed, c)
		}
	}
	for _, m := range members {
		if name := k.ConsumerName(m); !seen[name] {
			r.AlreadyGone = append(r.AlreadyGone, Resource{Kind: ResourceConsumer, Name: name})
		}
	}
	return nil
}

// DeleteGroup deletes a group in the state that the caller has seen, and tells what
// it removed, what it left alone and why, and what was gone already. If the config's
// revision is not the given one (0: no config), nothing is removed and the error is a
// [*ChangedError]. The config goes first, for its revision guards the rest, and that ends
// the members, as it does with every library; when the rest fails,
// the report says how far it came, and deleting once more with revision 0 finishes an
// elastic group.
func DeleteGroup(ctx context.Context, js jetstream.JetStream, kind model.Kind, stream, group string, revision uint64) (*DeleteReport, error) {
	plan, err := PlanDelete(ctx, js, kind, stream, group)
	if err != nil {
		return nil, err
	}
	if plan.Revision != revision {
		return nil, &ChangedError{Seen: revision, Current: plan.Revision}
	}
	k := groupKey(kind, stream, group)
	done := &DeleteReport{Revision: revision, LeftAlone: plan.LeftAlone, AlreadyGone: plan.AlreadyGone}
	var failed []error
	for _, r := range plan.Removed {
		gone, err := remove(ctx, js, k, r, revision)
		switch {
		case err != nil && r.Kind == ResourceConfig:
			return nil, err
		case err != nil:
			failed = append(failed, err)
		case gone:
			done.AlreadyGone = append(done.AlreadyGone, r)
		default:
			done.Removed = append(done.Removed, r)
		}
	}
	return done, errors.Join(failed...)
}

// remove deletes one thing; gone tells that somebody else was faster, as a static
// member is that deletes its consumer when it sees the config go.
func remove(ctx context.Context, js jetstream.JetStream, k model.Key, r Resource, revision uint64) (gone bool, err error) {
	switch r.Kind {
	case ResourceConfig:
		kv, err := openBucket(ctx, js, k.Kind)
		if err != nil {
			return false, err
		}
		err = kv.Delete(ctx, r.Name, jetstream.LastRevision(revision))
		if errors.Is(err, jetstream.ErrKeyRevisionMismatch) {
			return false, changed(ctx, kv, k, revision)
		}
		if err != nil {
			return false, fmt.Errorf("error deleting the %s consumer groups' configs: %w", k.Kind, maybeDone(err))
		}
		return false, nil
	case ResourceConsumer:
		err = js.DeleteConsumer(ctx, k.Stream, r.Name)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("error deleting consumer %s: %w", r.Name, maybeDone(err))
		}
		return false, nil
	default:
		err = js.DeleteStream(ctx, r.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return true, nil
		}
		if err != nil {
			return false, fmt.Errorf("could not delete the elastic consumer group's stream: %w", maybeDone(err))
		}
		return false, nil
	}
}
