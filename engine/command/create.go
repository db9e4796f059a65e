package command

import (
	"context"
	"fmt"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

// creatable refuses names and sizes of which a group could be stored that nobody can use.
func creatable(k model.Key, partitions uint) error {
	if err := k.CheckGroup(); err != nil {
		return Usage("creating %s: %w", k, err)
	}
	if partitions > model.MaxPartitions {
		return Usage("creating %s: %d partitions: give at most %d", k, partitions, model.MaxPartitions)
	}
	return nil
}

// withinStream refuses filters that no subject of the stream can match, and notes that an
// elastic group's stream stamps partitions itself. What cannot be told is left to the making.
func (e *Env) withinStream(k model.Key, filters []model.Filter) error {
	return e.Engine.Guard(e.Context, func(ctx context.Context) error {
		origin, err := e.Engine.JetStream().Stream(ctx, k.Stream)
		if err != nil {
			return nil //nolint:nilerr // the making says it, in its own words
		}
		if err := pcgroups.CheckSources(k.Kind, origin.CachedInfo().Config, filters); err != nil {
			return fmt.Errorf("creating %s: %w; nothing was written", k, err)
		}
		if why := pcgroups.StampedAlready(origin.CachedInfo().Config); why != "" && k.Kind == model.KindElastic {
			fmt.Fprintf(e.Err, "note: %s\n", why)
		}
		return nil
	})
}

// create makes a group, or tells that it was there already with the same settings.
func (e *Env) create(k model.Key, members []string, partitions uint, run func(context.Context, jetstream.JetStream) error) error {
	existed := false
	err := e.recorded(model.ActionCreate, k, members, func(ctx context.Context) error {
		existed = exists(ctx, e.Engine.JetStream(), k)
		return run(ctx, e.Engine.JetStream())
	})
	if err != nil {
		return fmt.Errorf("creating %s: %w", k, notFound(err))
	}
	if existed {
		return e.say(k, "%s group %s exists already, with the same settings", k.Kind, k)
	}
	return e.say(k, "created %s group %s with %s", k.Kind, k, model.Count(int(partitions), "partition"))
}

// exists tells whether a config that can be read is stored for the group; of any other the
// making says what is wrong with it.
func exists(ctx context.Context, js jetstream.JetStream, k model.Key) bool {
	var err error
	if k.Kind == model.KindElastic {
		_, err = pcgroups.GetElasticConsumerGroupConfig(ctx, js, k.Stream, k.Group)
	} else {
		_, err = pcgroups.GetStaticConsumerGroupConfig(ctx, js, k.Stream, k.Group)
	}
	return err == nil
}
