package engine

import (
	"context"
	"fmt"
	"time"

	"pcgtop/model"
)

// Once returns a snapshot in which both buckets, the streams and the consumers of
// every group were read, or a group says why they could not be. If the engine does
// not run, it runs for as long as that takes, without delivering snapshots.
func (e *Engine) Once(ctx context.Context) (*model.Snapshot, error) {
	start := time.Now()
	s, err := e.reading(ctx, func(s *model.Snapshot) bool { return complete(s, start) })
	if err != nil {
		return nil, fmt.Errorf("reading everything once: %w", err)
	}
	return s, nil
}

// reading waits for a new snapshot that fits, and runs the engine meanwhile unless it
// runs already.
func (e *Engine) reading(ctx context.Context, fits func(*model.Snapshot) bool) (*model.Snapshot, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	before := e.Current().Seq
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case e.turn <- struct{}{}:
			defer func() { <-e.turn }()
			if err := e.run(ctx, func(*model.Snapshot) {}); err != nil {
				cancel(err)
			}
		case <-ctx.Done(): // somebody else ran it all the while
		}
	}()
	s, err := e.await(ctx, func(s *model.Snapshot) bool { return s.Seq > before && fits(s) })
	cancel(nil)
	<-ended
	return s, err
}

// await waits for a snapshot that fits.
func (e *Engine) await(ctx context.Context, fits func(*model.Snapshot) bool) (*model.Snapshot, error) {
	for {
		e.mu.Lock()
		s, next := e.current, e.taken
		e.mu.Unlock()
		if fits(s) {
			return s, nil
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-next:
		}
	}
}

// complete tells whether the picture is live and every group was read since.
func complete(s *model.Snapshot, since time.Time) bool {
	if s.Link.State != model.LinkLive {
		return false
	}
	for _, g := range s.Groups {
		if g.ReadAt.Before(since) && g.ReadError == "" {
			return false
		}
	}
	return true
}
