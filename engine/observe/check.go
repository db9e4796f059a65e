package observe

import (
	"context"
	"errors"
	"time"

	"pcgtop/internal/pause"
)

// grace is how long a bucket's stream and the watch may disagree: what is stored is
// on its way.
const grace = 400 * time.Millisecond

// check compares the stream with what was seen, twice if they disagree. What arrives
// meanwhile is taken in at once: the question may wait long for its turn in the budget.
func (w *watching) check(ctx context.Context) error {
	for try := 0; ; try++ {
		var info *streamInfo
		err := w.meanwhile(ctx, func(ctx context.Context) (err error) {
			info, err = w.link.api.streamInfo(ctx, w.stream)
			return err
		})
		switch {
		case errors.Is(err, errNotFound):
			return errReread
		case err != nil:
			return err
		case !info.Created.Equal(w.created):
			return errReread
		}
		w.link.clock.set(info.TS)
		if w.agrees(info) {
			return nil
		}
		if try > 0 {
			return errReread
		}
		if err := w.meanwhile(ctx, func(ctx context.Context) error { return pause.For(ctx, grace) }); err != nil {
			return err
		}
	}
}

// meanwhile takes in what arrives until something else is done, and returns its error.
func (w *watching) meanwhile(ctx context.Context, do func(context.Context) error) error {
	crew, ctx := newCrew(ctx)
	over := make(chan struct{})
	crew.run(func() error {
		defer close(over)
		return do(ctx)
	})
	crew.run(func() error {
		for {
			select {
			case <-over:
				return nil
			case m := <-w.messages:
				if err := w.takeIn(m); err != nil {
					return err
				}
			}
		}
	})
	return crew.wait()
}
