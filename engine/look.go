package engine

import (
	"context"
	"fmt"
	"time"

	"pcgtop/model"
)

// Look is [Engine.Once] for one group in depth: its partitions were counted too, or the
// group says why they could not be. It goes on for as long as asked after that, so that
// trends can be told. Without a group of that key it returns what Once would.
func (e *Engine) Look(ctx context.Context, k model.Key, watch time.Duration) (*model.Snapshot, error) {
	return e.LookUntil(ctx, k, watch, func(*model.Group) bool { return false })
}

// LookUntil is [Engine.Look] that ends earlier when what is known of the group is enough.
func (e *Engine) LookUntil(ctx context.Context, k model.Key, watch time.Duration, enough func(*model.Group) bool) (*model.Snapshot, error) {
	start := time.Now()
	var whole time.Time
	e.Focus(&k, []model.Key{k})
	defer e.Focus(nil, nil)
	s, err := e.reading(ctx, func(s *model.Snapshot) bool {
		if !complete(s, start) {
			return false
		}
		g := s.Group(k)
		if g != nil && e.countable(g) && !e.counted(g, start) {
			return false
		}
		if whole.IsZero() {
			whole = time.Now()
		}
		return time.Since(whole) >= watch || g != nil && enough(g)
	})
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", k, err)
	}
	return s, nil
}

// counted tells whether a group's partitions were counted since a time by our clock, or
// there was an attempt to.
func (e *Engine) counted(g *model.Group, since time.Time) bool {
	c := g.Counts
	if c == nil {
		return false
	}
	ahead := g.Clock().Sub(g.ReadAt) // of the server's clock, about
	return !c.At.Add(-ahead).Before(since.Add(-time.Second))
}
