package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/pcgroups"
	"pcgtop/internal/pause"
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

// errUnsure: no answer came to the write, and what is stored cannot be read.
var errUnsure = errors.New("it is not known whether it was written: look at the group once the link is back")

// checkMost bounds the reading of what is stored, after a write without an answer.
const checkMost = 2 * time.Second

// outcome finds out what came of a write that failed with this error. Where no answer
// came, it may have been written all the same, and what is stored tells.
func (a *administration) outcome(ctx context.Context, p *model.Plan, cause error) (uint64, error) {
	if errors.Is(cause, nats.ErrNoResponders) || errors.Is(cause, jetstream.ErrNoStreamResponse) {
		return 0, fmt.Errorf("%s: %w; nothing was written", describe(p), errNobody)
	}
	if !errors.Is(cause, context.DeadlineExceeded) && !errors.Is(cause, context.Canceled) {
		return 0, fmt.Errorf("%s: %w", describe(p), cause)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkMost)
	defer cancel()
	now, err := a.stored(ctx, p.Key)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s: %w (%w)", describe(p), errUnsure, cause)
	case now.Revision == p.Revision:
		return 0, fmt.Errorf("%s: %w; nothing was written", describe(p), cause)
	case now.Config != nil && reflect.DeepEqual(now.Config.Assignment(), p.After()):
		return now.Revision, nil
	}
	return 0, a.conflict(ctx, p, cause)
}
