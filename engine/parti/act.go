package parti

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
	"pcgtop/internal/unanswered"
	"pcgtop/model"
)

// Source is a partition source as it was seen last.
type Source struct {
	Bucket, Key string
	Revision    uint64 // an edit counts against it
	Partitions  []Partition
	Why         string // it is taken for the source, where that is no more than likely
	raw         []byte
}

// Plan is [PlanEdit] against the source as it was seen.
func (s Source) Plan(edits []Edit) (Edited, error) { return PlanEdit(s.raw, edits) }

// Source is the partition source of a group. The error says why there is none to edit.
func (k *Kind) Source(group model.Key) (Source, error) {
	d, err := k.deployment(group)
	if err != nil {
		return Source{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lookAt(&model.Stream{}, time.Now().Add(d.ahead))
	if why := l.noSource(); why != "" {
		return Source{}, refuse("%s", why)
	}
	return Source{Bucket: l.source.bucket, Key: l.source.key, Revision: l.sourceOf.revision, Partitions: l.sourceOf.value, Why: l.choice(), raw: d.state.sourceRaw[l.source]}, nil
}

// StaleID is a stable id that can be removed.
type StaleID struct {
	Worker   string
	Revision uint64        // a removal counts against it
	Age      time.Duration // since it was renewed
	TTL      time.Duration // how long it counts without that
}

// StaleIDs are the stable ids of a group that nobody renews and whose workers do not beat.
func (k *Kind) StaleIDs(group model.Key) ([]StaleID, error) {
	d, err := k.deployment(group)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lookAt(&model.Stream{}, time.Now().Add(d.ahead))
	var list []StaleID
	for _, w := range l.stale() {
		id := d.state.ids[w]
		list = append(list, StaleID{Worker: w, Revision: id.revision, Age: l.now.Sub(id.at), TTL: l.ttl(roleIDs)})
	}
	return list, nil
}

// Writer does the two things that are safe to do to a deployment from outside. It chooses
// buckets and keys itself, by what was found of the group, so that nothing else can be
// written with it: no commit, payload, claim, heartbeat or leader key.
type Writer struct {
	kind *Kind
	open observe.Opener
}

// Writer makes one that writes to the groups that are known.
func (k *Kind) Writer(o observe.Opener) Writer { return Writer{k, o} }

// sourceStore and idStore are all that the writer uses of a bucket.
type (
	sourceStore interface {
		Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error)
		Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)
	}
	idStore interface {
		Get(ctx context.Context, key string) (jetstream.KeyValueEntry, error)
		Delete(ctx context.Context, key string, opts ...jetstream.KVDeleteOpt) error
	}
)

// EditSource edits the partition source of a group at a revision, by compare-and-set, and
// returns the revision written. The error wraps [observe.ErrChanged] when it is at another one, and
// [model.ErrRefused] when the edits do not fit; nothing was written then.
func (w Writer) EditSource(ctx context.Context, group model.Key, revision uint64, edits []Edit) (Edited, uint64, error) {
	s, err := w.kind.Source(group)
	if err != nil {
		return Edited{}, 0, err
	}
	kv, err := w.open.KeyValue(ctx, s.Bucket)
	if err != nil {
		return Edited{}, 0, fmt.Errorf("opening the source bucket %s: %w; nothing was written", s.Bucket, err)
	}
	return editSource(ctx, kv, s.Key, revision, edits)
}

func editSource(ctx context.Context, kv sourceStore, key string, revision uint64, edits []Edit) (Edited, uint64, error) {
	now, err := kv.Get(ctx, key)
	if err != nil {
		return Edited{}, 0, fmt.Errorf("reading the source %s: %w", key, err)
	}
	if now.Revision() != revision {
		return Edited{}, 0, fmt.Errorf("the source %s was %w: it is at revision %d, not %d; nothing was written", key, observe.ErrChanged, now.Revision(), revision)
	}
	e, err := PlanEdit(now.Value(), edits)
	if err != nil {
		return e, 0, err
	}
	written, err := kv.Update(ctx, key, e.Value, revision)
	switch {
	case err == nil:
		return e, written, nil
	case conflict(err):
		return e, 0, fmt.Errorf("the source %s was %w; nothing was written", key, observe.ErrChanged)
	case unanswered.Is(err):
		return outcome(ctx, kv, key, revision, e, err)
	}
	return e, 0, fmt.Errorf("writing the source %s: %w", key, err)
}

// conflict tells whether a write failed for the revision that it counted against.
func conflict(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) || errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence
}

// outcomeMost bounds the reading of what is stored, after a write without an answer.
const outcomeMost = 2 * time.Second

// outcome finds out what came of a write that got no answer, see [unanswered.Is]. One that is
// not there can come yet, from a server that was frozen.
func outcome(ctx context.Context, kv sourceStore, key string, revision uint64, e Edited, cause error) (Edited, uint64, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), outcomeMost)
	defer cancel()
	now, err := kv.Get(ctx, key)
	switch {
	case err != nil:
		return e, 0, fmt.Errorf("the source %s: %w whether it was written: look at it once the link is back (%w)", key, model.ErrUnsure, cause)
	case now.Revision() == revision:
		return e, 0, fmt.Errorf("the source %s: %w whether it will be written: it was not so far, look at it again (%w)", key, model.ErrUnsure, cause)
	case bytes.Equal(now.Value(), e.Value):
		return e, now.Revision(), nil
	}
	return e, 0, fmt.Errorf("the source %s was %w: it is at revision %d, not %d; nothing was written", key, observe.ErrChanged, now.Revision(), revision)
}

// RemoveStaleID removes the stable id of a worker that is no more, at a revision. It is
// refused, with an error that wraps [model.ErrRefused], while the worker beats or leads or
// the id is young; the error wraps [observe.ErrChanged] when the id was renewed.
func (w Writer) RemoveStaleID(ctx context.Context, group model.Key, worker string, revision uint64) error {
	d, err := w.kind.deployment(group)
	if err != nil {
		return err
	}
	d.mu.Lock()
	ids, beats, ttl, ahead := d.named(roleIDs), d.named(roleHeartbeat), d.ttl(roleIDs), d.ahead
	l := d.lookAt(&model.Stream{}, time.Now().Add(ahead))
	leads := l.leader == worker
	d.mu.Unlock()
	if _, ok := idPrefix(worker); !ok {
		return refuse("%q is no stable id: those end in a dash and a number", worker)
	}
	if ids == "" || beats == "" {
		return refuse("the buckets of %s with stable ids and heartbeats are not both known", group)
	}
	if leads {
		return refuse("%s leads", worker)
	}
	if err := observe.CheckSubject(ids + beats + keyHeartbeat + worker); err != nil {
		return fmt.Errorf("the stable id %.32s…: %w; nothing was removed", worker, err)
	}
	hearts, err := w.open.KeyValue(ctx, beats)
	if err != nil {
		return fmt.Errorf("opening the heartbeat bucket %s: %w; nothing was written", beats, err)
	}
	switch _, err := hearts.Get(ctx, keyHeartbeat+worker); {
	case err == nil:
		return refuse("%s has a heartbeat", worker)
	case !errors.Is(err, jetstream.ErrKeyNotFound):
		return fmt.Errorf("reading the heartbeat of %s: %w", worker, err)
	}
	kv, err := w.open.KeyValue(ctx, ids)
	if err != nil {
		return fmt.Errorf("opening the bucket of stable ids %s: %w; nothing was written", ids, err)
	}
	return removeID(ctx, kv, worker, revision, ttl, time.Now().Add(ahead))
}

// removeID removes an id that is older than its time; now is by the server's clock.
func removeID(ctx context.Context, kv idStore, worker string, revision uint64, ttl time.Duration, now time.Time) error {
	id, err := kv.Get(ctx, worker)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return refuse("the stable id %s is gone already", worker)
	case err != nil:
		return fmt.Errorf("reading the stable id %s: %w", worker, err)
	case id.Revision() != revision:
		return fmt.Errorf("the stable id %s was %w: it is at revision %d, not %d; nothing was removed", worker, observe.ErrChanged, id.Revision(), revision)
	case now.Sub(id.Created()) <= ttl:
		return refuse("the stable id %s was renewed %s ago, and counts for %s", worker, ago(now.Sub(id.Created())), ago(ttl))
	}
	switch err := kv.Delete(ctx, worker, jetstream.LastRevision(revision)); {
	case err == nil:
		return nil
	case conflict(err):
		return fmt.Errorf("the stable id %s was %w; nothing was removed", worker, observe.ErrChanged)
	case unanswered.Is(err):
		return fmt.Errorf("the stable id %s: %w whether it was removed: look at it once the link is back (%w)", worker, model.ErrUnsure, err)
	default:
		return fmt.Errorf("removing the stable id %s: %w", worker, err)
	}
}

// named is the bucket of that role; empty: it is not known.
func (d *deployment) named(r role) string {
	for name, b := range d.buckets {
		if b.role == r && b.exists {
			return name
		}
	}
	return ""
}
