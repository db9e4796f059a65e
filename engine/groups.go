package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

// create makes a group. What is refused, is refused before anything is written.
func (a *administration) create(ctx context.Context, p *model.Plan) (Outcome, error) {
	if p.Creation == nil {
		return Outcome{}, errors.New("the plan holds no config: nothing was written")
	}
	k, c := p.Key, p.Creation.Config
	var err error
	if k.Kind == model.KindElastic {
		var filters []pcgroups.PartitioningFilter
		for _, f := range c.Filters {
			filters = append(filters, pcgroups.PartitioningFilter{Filter: f.Subject, PartitioningWildcards: f.Wildcards})
		}
		_, err = pcgroups.CreateElastic(ctx, a.js, k.Stream, k.Group, uint(c.Partitions), filters, c.MaxBufferedMsgs, c.MaxBufferedBytes)
	} else {
		var filters []string
		for _, f := range c.Filters {
			filters = append(filters, f.Subject)
		}
		_, err = pcgroups.CreateStatic(ctx, a.js, k.Stream, k.Group, uint(c.Partitions), filters, c.Members, wire(c.Mappings))
	}
	if err != nil {
		return Outcome{}, unsure(p, err)
	}
	return Outcome{Text: describe(p) + " with " + model.Count(c.Partitions, "partition")}, nil
}

// delete removes a group, if its config is still the one that was shown, and what is
// proved to be its own.
func (a *administration) delete(ctx context.Context, p *model.Plan) (Outcome, error) {
	k := p.Key
	report, err := pcgroups.DeleteGroup(ctx, a.js, k.Kind, k.Stream, k.Group, p.Revision)
	switch {
	case errors.Is(err, pcgroups.ErrChanged):
		return Outcome{}, fmt.Errorf("%w: %w; nothing was deleted", ErrChanged, err)
	case err != nil && report != nil && len(report.Removed) > 0:
		how := strings.Join(named(report.Removed), ", ") + " went, the rest stays; once it can be deleted, finish by pcgtop elastic delete " + k.Stream + " " + k.Group
		if k.Kind == model.KindStatic { // whose members nobody knows any more
			how = strings.Join(named(report.Removed), ", ") + " went, the rest stays: remove its consumers by nats consumer rm " + k.Stream + " " + k.ConsumerName("MEMBER")
		}
		return Outcome{}, &halfDone{describe(p), how, err}
	case err != nil:
		return Outcome{}, unsure(p, err)
	}
	text := describe(p) + ": " + strings.Join(named(report.Removed), ", ") + " removed"
	if len(report.LeftAlone) > 0 {
		text += "; left alone: " + strings.Join(named(report.LeftAlone), ", ")
	}
	return Outcome{Text: text}, nil
}

// halfDone is an action that could not be carried out to its end.
type halfDone struct {
	what string // was to be done
	how  string // far it came, and what finishes it
	err  error
}

func (e *halfDone) Error() string { return e.what + ": " + e.err.Error() + "; " + e.how }
func (e *halfDone) Unwrap() error { return e.err }

func named(resources []pcgroups.Resource) []string {
	var list []string
	for _, r := range resources {
		list = append(list, r.String())
	}
	return list
}

// PlanCreation checks a new group against what is there and tells what would be made,
// or why it cannot be. Nothing is written.
func (e *Engine) PlanCreation(ctx context.Context, k model.Key, c model.Config) (*model.Plan, error) {
	made := model.Creation{Config: c}
	err := e.guard(ctx, concerns(".STREAM.INFO."+k.Stream, ".STREAM.INFO."+k.ConsumeStream()), func(ctx context.Context) error {
		origin, err := e.js.Stream(ctx, k.Stream)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("there is no stream %s", k.Stream)
		}
		if err != nil {
			return fmt.Errorf("stream %s: %w", k.Stream, err)
		}
		config := origin.CachedInfo().Config
		if k.Kind == model.KindStatic {
			if reach := pcgroups.CompareTransform(config, uint(c.Partitions)); reach.Why != "" {
				made.Warnings = append(made.Warnings, reach.Why)
			}
			return pcgroups.CheckSources(k.Kind, config, c.Filters)
		}
		if why := pcgroups.StampedAlready(config); why != "" {
			made.Warnings = append(made.Warnings, why)
		}
		made.WorkStream, made.Transforms = k.ConsumeStream(), c.WorkTransforms()
		made.Replicas, made.Storage = config.Replicas, strings.ToLower(config.Storage.String())
		if _, err := e.js.Stream(ctx, made.WorkStream); err == nil {
			return fmt.Errorf("a stream %s exists: another group or program holds the name", made.WorkStream)
		} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s: %w", made.WorkStream, err)
		}
		return pcgroups.CheckSources(k.Kind, config, c.Filters)
	})
	if err != nil {
		return nil, err
	}
	return model.NewCreation(k, made), nil
}

// PlanDeletion tells what deleting a group would remove and what it would leave alone.
// Nothing is removed.
func (e *Engine) PlanDeletion(ctx context.Context, k model.Key) (*model.Plan, error) {
	var d model.Deletion
	asked := concernsWrite(&model.Plan{Key: k, Intent: model.Intent{Action: model.ActionDelete}})
	err := e.guard(ctx, asked, func(ctx context.Context) error {
		report, err := pcgroups.PlanDelete(ctx, e.js, k.Kind, k.Stream, k.Group)
		if err != nil {
			return err
		}
		d = model.Deletion{Revision: report.Revision, Removed: named(report.Removed), LeftAlone: named(report.LeftAlone), AlreadyGone: named(report.AlreadyGone)}
		for _, r := range report.Removed {
			if r.Kind == pcgroups.ResourceWorkStream {
				if s, err := e.js.Stream(ctx, r.Name); err == nil {
					d.Waiting = s.CachedInfo().State.Msgs
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return model.NewDeletion(k, d), nil
}
