package tui

import (
	"cmp"
	"context"
	"errors"

	"pcgtop/model"
)

// Handover makes the fake hand over in one step.
func (a *admin) Handover(ctx context.Context, p *model.Plan, report func(model.Handover)) (string, error) {
	report(model.Handover{Key: p.Key, Phase: model.PhaseDone})
	return a.Apply(ctx, p)
}

// PlanCreation makes the fake agree to every group but one.
func (a *admin) PlanCreation(_ context.Context, k model.Key, c model.Config) (*model.Plan, error) {
	if k.Group == "held" {
		return nil, errors.New("a stream " + k.ConsumeStream() + " exists: another group or program holds the name")
	}
	return model.NewCreation(k, model.Creation{Config: c, WorkStream: k.ConsumeStream(), Transforms: c.WorkTransforms(), Replicas: 3, Storage: "file"}), nil
}

// PlanDeletion makes the fake list what such a group consists of.
func (a *admin) PlanDeletion(_ context.Context, k model.Key) (*model.Plan, error) {
	return model.NewDeletion(k, model.Deletion{Revision: cmp.Or(a.revision, 41), Waiting: 14212,
		Removed:   []string{"config " + k.BucketKey(), "work stream " + k.ConsumeStream()},
		LeftAlone: []string{"consumer audit: not ours: the group's config names no member audit"}}), nil
}
