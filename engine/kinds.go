package engine

import (
	"context"
	"errors"
	"fmt"

	"pcgtop/engine/consumergroup"
	"pcgtop/engine/observe"
	"pcgtop/engine/parti"
	"pcgtop/model"
)

// actor finds the kind that can change its groups.
func actor(kinds []observe.Kind, name model.Kind) (observe.Actor, bool) {
	for _, k := range kinds {
		if a, can := k.(observe.Actor); can && k.Name() == name {
			return a, true
		}
	}
	return nil, false
}

// Plan works out what only the kind of a group knows how to do (see
// [model.Action.OfKind]), against what is known of the group. It asks nobody. The error
// says in a line why it cannot be done.
func (e *Engine) Plan(k model.Key, in model.Intent) (*model.Plan, error) {
	a, can := actor(e.kinds, k.Kind)
	if !can || !in.Action.OfKind() {
		return nil, fmt.Errorf("%w: not with %s groups", model.ErrRefused, k.Kind)
	}
	return a.Plan(k, in)
}

// ofKind carries out a plan that the group's kind has made. Whatever else the plan says,
// only that kind writes, and only what it offers.
func (a *administration) ofKind(ctx context.Context, p *model.Plan) (Outcome, error) {
	by, can := actor(a.kinds, p.Key.Kind)
	if !can || !p.Intent.Action.OfKind() {
		return Outcome{}, fmt.Errorf("%s cannot be done to a %s group: nothing was written", p.Intent.Action, p.Key.Kind)
	}
	buckets := &opened{opener: a.opener}
	ctx, stop := a.opener.refused.watch(ctx, buckets.concerns)
	defer stop()
	revision, err := by.Apply(ctx, buckets, p)
	denied := deniedBy(ctx)
	switch {
	case err != nil && denied != nil:
		return Outcome{}, fmt.Errorf("%s: %w; nothing was written", describe(p), denied)
	case errors.Is(err, observe.ErrChanged):
		return Outcome{}, fmt.Errorf("%w: %w", ErrChanged, err)
	case err != nil:
		return Outcome{}, fmt.Errorf("%s: %w", describe(p), err)
	case revision == 0:
		return Outcome{Text: describe(p)}, nil
	}
	return Outcome{Text: fmt.Sprintf("%s: revision %d ▸ %d", describe(p), p.Revision, revision), Revision: revision}, nil
}

// kinds are the kinds of groups that are looked for. A new kind is its own folder and a
// line here.
func (o Options) kinds() []observe.Kind {
	return append(observe.Kinds(), parti.New(o.Parti), consumergroup.New())
}
