package engine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"pcgtop/engine/observe"
	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrNotFound: what was named does not exist.
var ErrNotFound = errors.New("not found")

// Exists tells whether there is the group, of any kind, or with an empty group the
// stream. With an empty stream it asks nothing. A group that has no config to ask for is
// waited for in the picture: the engine runs for as long as that takes, if it does not
// already. From here on the group is read before anything else (see
// [observe.Observer.Await]). If the account may not ask, or nobody answers in time, it does not know and
// says nothing.
func (e *Engine) Exists(ctx context.Context, stream, group string) error {
	if stream == "" {
		return nil
	}
	asking, cancel := context.WithTimeout(ctx, existsTimeout)
	defer cancel()
	if group == "" {
		if err := model.CheckStreamLen(stream); err != nil {
			return err
		}
		err := e.guard(asking, concerns(".STREAM.INFO."+stream), func(ctx context.Context) error {
			_, err := e.js.Stream(ctx, stream)
			return err
		})
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %q: %w; pcgtop report lists every group", stream, ErrNotFound)
		}
		return nil
	}
	e.observer.Await(stream, group)
	for _, kind := range []model.Kind{model.KindElastic, model.KindStatic} {
		_, err := e.observer.Stored(asking, model.Key{Kind: kind, Stream: stream, Group: group})
		if !errors.Is(err, observe.ErrNoConfig) {
			return nil
		}
	}
	start := time.Now()
	looking, cancel := context.WithTimeout(ctx, seekTimeout)
	defer cancel()
	found := false
	_, err := e.reading(looking, func(s *model.Snapshot) bool {
		found = len(s.Lookup(stream, group)) > 0
		return found || complete(s, start)
	})
	if err != nil || found {
		return nil
	}
	return fmt.Errorf("group %s/%s: %w; pcgtop report lists every group", stream, group, ErrNotFound)
}

// How long a start waits to hear that a name is wrong, and to find a group of a kind that
// has to be searched for.
const (
	existsTimeout = 3 * time.Second
	seekTimeout   = 6 * time.Second
)
