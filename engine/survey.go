package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pcgtop/model"
)

// Survey is [Engine.Once] for several groups, which are watched for as long as asked, all
// at the same time, so that trends can be told. With counts, the partitions of each are
// counted at the end, in turn; a group whose partitions could not be counted says why. With
// instances, it is listened until everybody who can be there has pulled, as in
// [Engine.Instances]. A group that is deleted meanwhile is left out.
func (e *Engine) Survey(ctx context.Context, keys []model.Key, watch time.Duration, counts, instances bool) ([]*model.Group, error) {
	start := time.Now()
	var whole time.Time // when everything was read once
	e.Focus(nil, keys)
	defer e.Focus(nil, nil)
	if instances {
		e.Watch(keys...)
		defer e.Watch()
	}
	var found []*model.Group
	left, opened := slices.Clone(keys), false
	_, err := e.reading(ctx, func(s *model.Snapshot) bool {
		if whole.IsZero() {
			if !complete(s, start) {
				return false
			}
			whole = time.Now()
		}
		if watch > 0 && (time.Since(whole) < watch || !complete(s, whole.Add(watch))) {
			return false
		}
		if instances && slices.ContainsFunc(keys, func(k model.Key) bool { return unheard(s.Group(k)) }) {
			return false
		}
		for ; len(left) > 0; left, opened = left[1:], false {
			k := left[0]
			if counts && !opened {
				e.Focus(&k, keys)
				opened = true
			}
			g := s.Group(k)
			if g == nil {
				continue
			}
			if counts && e.countable(g) && !e.counted(g, start) {
				return false
			}
			found = append(found, g)
		}
		return true
	})
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", model.Count(len(keys), "group"), err)
	}
	return found, nil
}

// countable tells whether an attempt to count a group's partitions is to be expected.
func (*Engine) countable(g *model.Group) bool {
	return g.ReadError == "" && g.Countable() && g.Stream.Exists
}

// unheard tells whether somebody may yet be heard who pulls for a group.
func unheard(g *model.Group) bool {
	return g != nil && g.Pins() && g.Stream.Exists && g.ReadError == "" && !g.Listened()
}
