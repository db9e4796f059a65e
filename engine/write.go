package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
	"pcgtop/engine/pcgroups"
	"pcgtop/internal/pause"
	"pcgtop/internal/unanswered"
	"pcgtop/model"
)

// write stores the plan's membership at the plan's revision.
func (a *administration) write(ctx context.Context, p *model.Plan) (Outcome, error) {
	if p.Key.Kind != model.KindElastic {
		return Outcome{}, fmt.Errorf("%s is a %s group: its members never change; nothing was written", p.Key, p.Key.Kind)
	}
	revision, err := a.put(ctx, p, wire(p.Mappings))
	switch {
	case errors.Is(err, pcgroups.ErrChanged), errors.Is(err, pcgroups.ErrGroupNotFound):
		return Outcome{}, a.conflict(ctx, p, err)
	case err != nil:
		if revision, err = a.outcome(ctx, p, err); err != nil {
			return Outcome{}, err
		}
	}
	if now, err := a.stored(ctx, p.Key); err == nil {
		a.see(now) // an older answer of another server is put aside
	}
	return Outcome{Text: fmt.Sprintf("%s: revision %d ▸ %d", describe(p), p.Revision, revision), Revision: revision}, nil
}

// wire is mappings in the form in which they are stored; nil stays nil.
func wire(list []model.Mapping) []pcgroups.MemberMapping {
	var mappings []pcgroups.MemberMapping
	for _, m := range list {
		mappings = append(mappings, pcgroups.MemberMapping{Member: m.Member, Partitions: m.Partitions})
	}
	return mappings
}

// Bounds of waiting for a replica that is behind.
const (
	behindFirst = 5 * time.Millisecond
	behindMost  = 2 * time.Second
)

// put writes the membership. The config is read before, and a replica may answer that is
// behind what the plan was made for: nobody has changed the group then, and it is tried
// again until the replica has caught up.
func (a *administration) put(ctx context.Context, p *model.Plan, mappings []pcgroups.MemberMapping) (uint64, error) {
	for wait := behindFirst; ; wait *= 2 {
		revision, err := pcgroups.ApplyMembership(ctx, a.js, p.Key.Stream, p.Key.Group, p.Revision, p.Members, mappings)
		var changed *pcgroups.ChangedError
		behind := errors.As(err, &changed) && changed.Current < p.Revision || errors.Is(err, pcgroups.ErrGroupNotFound)
		if !behind || wait > behindMost {
			return revision, err
		}
		if now, readErr := a.stored(ctx, p.Key); readErr != nil || now.Revision != p.Revision || pause.For(ctx, wait) != nil {
			return revision, err
		}
	}
}

// errNobody: nobody took the write, as when a leaf node has lost its hub.
var errNobody = errors.New("JetStream does not answer now: try again once it does")

// checkMost bounds the reading of what is stored, after a write without an answer, and
// checkEvery is how soon it is tried again where the link is away.
const (
	checkMost  = 2 * time.Second
	checkEvery = 50 * time.Millisecond
)

// outcome finds out what came of a write that failed with this error. Where no answer
// came, it may have been written all the same, and what is stored tells if it was. If it
// was not, it can be yet: by a server that was frozen, or when there is a quorum again.
func (a *administration) outcome(ctx context.Context, p *model.Plan, cause error) (uint64, error) {
	if errors.Is(cause, nats.ErrNoResponders) || errors.Is(cause, jetstream.ErrNoStreamResponse) {
		return 0, fmt.Errorf("%s: %w; nothing was written", describe(p), errNobody)
	}
	if !errors.Is(cause, pcgroups.ErrUnanswered) {
		return 0, fmt.Errorf("%s: %w", describe(p), untouched(cause))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkMost)
	defer cancel()
	now, err := a.stored(ctx, p.Key)
	for err != nil && !errors.Is(err, observe.ErrNoConfig) && pause.For(ctx, checkEvery) == nil {
		now, err = a.stored(ctx, p.Key)
	}
	switch {
	case err != nil && !errors.Is(err, observe.ErrNoConfig):
		return 0, fmt.Errorf("%s: %w whether it was written: look at the group once the link is back (%w)", describe(p), model.ErrUnsure, cause)
	case err == nil && now.Revision == p.Revision:
		return 0, fmt.Errorf("%s: %w whether it will be written: it was not so far, look at the group again (%w)", describe(p), model.ErrUnsure, cause)
	case now.Config != nil && reflect.DeepEqual(now.Config.Assignment(), p.After()):
		return now.Revision, nil
	}
	return 0, a.conflict(ctx, p, cause)
}

// untouched says that nothing was written where the link was lost before anything was.
func untouched(cause error) error {
	if unanswered.Is(cause) || errors.Is(cause, nats.ErrReconnectBufExceeded) {
		return fmt.Errorf("%w; nothing was written", cause)
	}
	return cause
}

// unsure says of an action that was sent and not answered that it may have been done.
func unsure(p *model.Plan, cause error) error {
	if errors.Is(cause, pcgroups.ErrUnanswered) {
		return fmt.Errorf("%s: %w whether it was done: look at the group once the link is back (%w)", describe(p), model.ErrUnsure, cause)
	}
	return fmt.Errorf("%s: %w", describe(p), cause)
}
