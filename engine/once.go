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
// nobody answers for the timeout, the error wraps [ErrNotConnected].
func (e *Engine) reading(ctx context.Context, fits func(*model.Snapshot) bool) (*model.Snapshot, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	before := e.Current().Seq
	var stuck time.Time
	silence, silent := silence{most: max(e.timeout, leastSilence), began: time.Now()}, false
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
		if silent = silence.over(s); silent {
			return true
		}
		switch unread := len(s.Unseen()) > 0; {
		case s.Link.State == model.LinkLive, s.Link.State == model.LinkLost:
			stuck = time.Time{}
		case unread && stuck.IsZero():
			stuck = time.Now()
		case unread && time.Since(stuck) > unreadableMost:
			return true
		}
		return fits(s)
	})
	cancel(nil)
	<-ended
	if err == nil && silent {
		return nil, fmt.Errorf("%s does not answer for %v: %w", e.settings.Server, silence.most, ErrNotConnected)
	}
	return s, err
}

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

// leastSilence is the shortest that is waited, however short the timeout: a server that
// answers is heard at least as often.
const leastSilence = 3 * time.Second

// silence tells when nobody has answered for too long. While the picture is live, the
// observer's pings see to that.
type silence struct {
	most  time.Duration
	began time.Time
	lost  time.Time // when the connection was lost first since the picture was live; zero: it was not
}

// over tells whether the snapshot is one too many.
func (q *silence) over(s *model.Snapshot) bool {
	since := s.Link.Heard
	if since.Before(q.began) {
		since = q.began
	}
	switch s.Link.State {
	case model.LinkLive:
		q.lost = time.Time{}
		return false
	case model.LinkLost: // perhaps again and again, though it was heard in between
		if q.lost.IsZero() {
			q.lost = time.Now()
		}
		if q.lost.Before(since) {
			since = q.lost
		}
	}
	return time.Since(since) > q.most+2*s.Server.RTT
}
