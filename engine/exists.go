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

// Exists tells whether there is the group, of either kind, or with an empty group the
// stream. With an empty stream it asks nothing. If the account may not ask, or nobody
// answers, it does not know and says nothing.
func (e *Engine) Exists(ctx context.Context, stream, group string) error {
	if stream == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, existsTimeout)
	defer cancel()
	if group == "" {
		if _, err := e.js.Stream(ctx, stream); errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %q: %w; pcgtop report lists every group", stream, ErrNotFound)
		}
		return nil
	}
	for _, kind := range []model.Kind{model.KindElastic, model.KindStatic} {
		_, err := e.observer.Stored(ctx, model.Key{Kind: kind, Stream: stream, Group: group})
		if !errors.Is(err, observe.ErrNoConfig) {
			return nil
		}
	}
	return fmt.Errorf("group %s/%s: %w; pcgtop report lists every group", stream, group, ErrNotFound)
}

// existsTimeout bounds how long a start waits to hear that a name is wrong.
const existsTimeout = 3 * time.Second
