package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

// administration is the administrator that writes.
type administration struct {
	js      jetstream.JetStream
	opener  opener // for the kinds that write themselves
	current func() *model.Snapshot
	stored  func(ctx context.Context, k model.Key) (model.ConfigSeen, error)
	see     func(...model.Observation)
	kinds   []observe.Kind
}

func (*administration) ReadOnly() bool { return false }

func (a *administration) Apply(ctx context.Context, p *model.Plan, report func(model.Handover)) (Outcome, error) {
	if link := a.current().Link.State; link != model.LinkLive {
		return Outcome{}, fmt.Errorf("%w (%s): nothing was written; wait until everything was read again", ErrNotLive, link)
	}
	if p.Intent.Action.OfKind() || !slices.Contains(model.Founded(), p.Key.Kind) {
		return a.ofKind(ctx, p)
	}
	switch p.Intent.Action {
	case model.ActionStepDown:
		text, err := a.stepDown(ctx, p)
		return Outcome{Text: text}, err
	case model.ActionCreate:
		return a.create(ctx, p)
	case model.ActionDelete:
		return a.delete(ctx, p)
	case model.ActionAdd, model.ActionDrop, model.ActionRemap, model.ActionBalance, model.ActionMembers, model.ActionUndo:
		if err := a.sameGroup(ctx, p); err != nil {
			return Outcome{}, err
		}
		if p.Drain > 0 {
			return a.drain(ctx, p, report)
		}
		return a.write(ctx, p)
	}
	return Outcome{}, fmt.Errorf("unknown action %q: nothing was written", p.Intent.Action)
}

// sameGroup makes sure that the plan's revision is of the group that it was made for:
// after the link was lost another server or cluster may answer, or the bucket have been
// made anew, and revisions are counted alike everywhere. What cannot be read is left to
// the write to tell.
func (a *administration) sameGroup(ctx context.Context, p *model.Plan) error {
	now, err := a.stored(ctx, p.Key)
	if err != nil || now.Revision != p.Revision || now.Config == nil || reflect.DeepEqual(*now.Config, p.Base) {
		return nil
	}
	return fmt.Errorf("%w: this is another group, or another server, than the plan was made for, though its revision is %d, too: %s; nothing was written",
		ErrChanged, now.Revision, model.DescribeChange(&p.Base, now.Config))
}

// stepDown unpins, if the group and the pin are still those of the plan.
func (a *administration) stepDown(ctx context.Context, p *model.Plan) (string, error) {
	if len(p.Pins) != 1 {
		return "", errors.New("the plan names no pin: nothing was done")
	}
	switch now, err := a.stored(ctx, p.Key); {
	case errors.Is(err, observe.ErrNoConfig), err == nil && now.Revision != p.Revision:
		return "", a.conflict(ctx, p, err)
	case err != nil:
		return "", fmt.Errorf("%s: %w; nothing was done", describe(p), err)
	}
	pin := p.Pins[0]
	err := pcgroups.UnpinMember(ctx, a.js, p.Key.Kind, p.Key.Stream, p.Key.Group, pin.Member, pin.PinID)
	switch {
	case errors.Is(err, pcgroups.ErrPinChanged):
		return "", fmt.Errorf("%w: %s is not pinned to %s any more; nothing was done: %w", ErrChanged, pin.Member, model.ShortID(pin.PinID), err)
	case err != nil:
		return "", unsure(p, err)
	}
	return fmt.Sprintf("%s: unpinned %s", describe(p), model.ShortID(pin.PinID)), nil
}

// conflict says what happened to the group since the plan was made. cause is why it
// was noticed, nil when only the revision told. What is stored now is shown at once,
// so that the next plan is made for that.
func (a *administration) conflict(ctx context.Context, p *model.Plan, cause error) error {
	now, err := a.stored(ctx, p.Key)
	switch {
	case errors.Is(err, observe.ErrNoConfig):
		return fmt.Errorf("%w: it was deleted; nothing was written", ErrChanged)
	case err != nil:
		return fmt.Errorf("%w: it cannot be read: %w; nothing was written", ErrChanged, err)
	}
	a.see(now)
	switch {
	case now.Config == nil:
		return fmt.Errorf("%w at revision %d: unreadable config: %s; nothing was written", ErrChanged, now.Revision, now.Problem)
	case now.Revision == p.Revision && cause != nil:
		return fmt.Errorf("%s: %w; nothing was written", describe(p), cause)
	}
	return fmt.Errorf("%w at revision %d: %s; nothing was written", ErrChanged, now.Revision, model.DescribeChange(&p.Base, now.Config))
}
