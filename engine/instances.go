package engine

import (
	"cmp"
	"context"
	"time"

	"pcgtop/model"
)

// mostWait bounds how long is listened for an instance that pulls rarely: nats.go's own
// default is a pull every 30 s.
const mostWait = 31 * time.Second

// Instances is [Engine.Once] with the instances of a stream's groups, or of all groups
// when it is empty, or of the one group. It listens until everybody who can be there has
// pulled, which takes as long as a pull waits: half the members' ack_wait, at most.
func (e *Engine) Instances(ctx context.Context, stream, group string) (*model.Snapshot, error) {
	s, err := e.Once(ctx)
	if err != nil {
		return nil, err
	}
	var keys []model.Key
	for _, g := range s.Groups {
		if stream == "" || g.Key.Stream == stream && (group == "" || g.Key.Group == group) {
			keys = append(keys, g.Key)
		}
	}
	if len(keys) == 0 {
		return s, nil
	}
	e.Watch(keys...)
	defer e.Watch()
	if group != "" { // in depth, as it is without its instances
		e.Focus(&keys[0], keys)
		defer e.Focus(nil, nil)
	}
	since := time.Now()
	return e.reading(ctx, func(s *model.Snapshot) bool {
		if !complete(s, since) {
			return false
		}
		for _, k := range keys {
			g := s.Group(k)
			if g == nil {
				continue
			}
			if !allHeard(g, s.Taken, since) || group != "" && k == keys[0] && e.countable(g) && !e.counted(g, since) {
				return false
			}
		}
		return true
	})
}

// allHeard tells whether nobody else is to be expected: as many instances as pulls wait
// were heard, and the pinned one, all with their connections; or it was long enough.
func allHeard(g *model.Group, now, since time.Time) bool {
	w := g.Watch
	switch {
	case !g.Pins(), w == nil && !g.Stream.Exists:
		return true // there is nothing to listen to
	case w == nil:
		return false
	case w.Since.Before(since):
		return false
	case w.NoPulls != "":
		return true
	}
	longest := time.Second
	enough := true
	if g.Unread() { // how many pulls wait, and how long, is not known
		longest, enough = heardWait(g), false
	}
	for _, m := range g.Members {
		c := m.Consumer
		if c == nil || m.Elsewhere != "" || c.Waiting == 0 && c.PinID == "" && len(m.Running) == 0 {
			continue
		}
		longest = max(longest, c.AckWait/2)
		if len(m.Running) < c.Waiting || c.PinID != "" && m.Holder() == nil {
			enough = false
		}
		for _, i := range m.Running {
			longest = max(longest, i.Expires)
			if !i.Asked {
				enough = false
			}
		}
	}
	return enough || now.Sub(w.Since) > min(longest+time.Second, mostWait)
}

// heardWait is how long the pulls wait of those who were heard of a group, and as long as can
// be while nobody was.
func heardWait(g *model.Group) time.Duration {
	longest := time.Duration(0)
	for _, m := range g.Members {
		for _, i := range m.Running {
			longest = max(longest, i.Expires)
		}
	}
	return cmp.Or(longest, mostWait)
}
