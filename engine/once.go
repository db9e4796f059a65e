package engine

import (
	"context"
	"fmt"
	"time"

	"pcgtop/model"
)

// Once returns a snapshot in which both buckets, the streams and the consumers of
// every group were read, or a group says why they could not be; of a bucket that stays
// unreadable, [model.Snapshot.Unseen] says why. If the engine does
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
// runs already. Where a bucket cannot be read for long, it returns what there is; where
// the server is away for long, [ErrNotConnected].
func (e *Engine) reading(ctx context.Context, fits func(*model.Snapshot) bool) (*model.Snapshot, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	before := e.Current().Seq
	var stuck, lost time.Time
	var away bool
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
	s, err := e.await(ctx, func(s *model.Snapshot) bool {
		if s.Seq <= before {
			return false
		}
		switch unread := len(s.Unseen()) > 0; {
		case s.Link.State == model.LinkLost:
			if stuck = (time.Time{}); lost.IsZero() {
				lost = time.Now()
			}
			if away = time.Since(lost) > awayMost; away {
				return true
			}
		case s.Link.State == model.LinkLive:
			stuck, lost = time.Time{}, time.Time{}
		case unread && stuck.IsZero():
			stuck = time.Now()
		case unread && time.Since(stuck) > unreadableMost:
			return true
		}
		return fits(s)
	})
	cancel(nil)
	<-ended
	if away {
		return nil, fmt.Errorf("the server is away for %v: %w", awayMost, ErrNotConnected)
	}
	return s, err
}

// awayMost is how long a server may be away before it is waited for no more.
const awayMost = 10 * time.Second

// unreadableMost is how long a bucket that cannot be read may keep the picture from being
// live before it is waited for no more.
const unreadableMost = 10 * time.Second

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
