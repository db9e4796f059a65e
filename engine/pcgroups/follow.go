package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// configError ends a member because its config became something it cannot follow.
type configError struct{ err error }

func (e *configError) Error() string { return e.err.Error() }
func (e *configError) Unwrap() error { return e.err }

func configFault(format string, args ...any) error {
	return &configError{fmt.Errorf(format, args...)}
}

// apply follows what was stored under the group's key, if it is news.
func (m *member) apply(ctx context.Context, entry jetstream.KeyValueEntry) error {
	moved, err := m.absorb(entry)
	if err != nil || !moved {
		return err
	}
	return m.moved(ctx)
}

// absorb takes over what was stored and tells whether the membership changed.
func (m *member) absorb(entry jetstream.KeyValueEntry) (moved bool, err error) {
	// A bucket that was deleted and made anew counts from 1 again.
	if entry.Revision() <= m.revision && !entry.Created().After(m.created) {
		return false, nil
	}
	if entry.Operation() != jetstream.KeyValuePut {
		return false, errRemoved
	}
	key := bucketKey(m.key.Stream, m.key.Group)
	next, err := parseSettings(m.key.Kind, entry.Value())
	if err != nil {
		return false, configFault("%s consumer group %s config watcher received a bad JSON message: %w", m.key.Kind, key, err)
	}
	if err := next.validate(m.key.Kind); err != nil {
		return false, configFault("%s consumer group %s config watcher received an invalid config: %w", m.key.Kind, key, err)
	}
	same := next.sameMembership(m.settings)
	switch {
	case m.key.Kind == model.KindStatic && !(same && next.sameGroup(m.settings)):
		return false, configFault(" static consumer group config watcher received a change in the configuration, terminating")
	case !next.sameGroup(m.settings):
		return false, configFault("elastic consumer group config %s-%s watcher received a bad change in the configuration: max number of members, buffered messages, filter or partitioning wildcards changed", m.key.Stream, m.name)
	}
	m.settings, m.revision, m.created = next, entry.Revision(), entry.Created()
	return !same, nil
}

// reread asks for the config and follows it. The watch tells changes sooner, but can
// be blind after a server's restart and says nothing of a key that expired.
func (m *member) reread(ctx context.Context) error {
	moved, err := m.refresh(ctx)
	if err != nil || !moved {
		return err
	}
	return m.moved(ctx)
}

// refresh asks for the config and tells whether the membership changed.
func (m *member) refresh(ctx context.Context) (moved bool, err error) {
	m.read = time.Now()
	entry, err := m.kv.Get(ctx, bucketKey(m.key.Stream, m.key.Group))
	switch {
	case err == nil:
		return m.absorb(entry)
	case errors.Is(err, jetstream.ErrKeyNotFound) && m.missing(ctx):
		return false, errRemoved
	}
	return false, nil // asked again with the next check
}

// missing asks a second time whether the config is gone: a replica that lags behind
// can answer for a moment that there is none.
func (m *member) missing(ctx context.Context) bool {
	if pause.For(ctx, 100*time.Millisecond) != nil {
		return false
	}
	_, err := m.kv.Get(ctx, bucketKey(m.key.Stream, m.key.Group))
	return errors.Is(err, jetstream.ErrKeyNotFound)
}

// configWatch is a watch on the group's key. Nil is one that is not open.
type configWatch struct {
	watcher jetstream.KeyWatcher
	cancel  context.CancelFunc
}

const (
	watchTimeout = 5 * time.Second        // bounds the opening of a watch
	watchGrace   = 500 * time.Millisecond // the same once the member ends
)

// openWatch is nil when it fails: the config is then read with each check, and the
// watch opened again.
func (m *member) openWatch(ctx context.Context) *configWatch {
	// The context lasts as long as the watch, so it cannot have the deadline itself.
	// When the member ends, opening still gets a moment to finish: given up in the
	// middle it would leave a consumer in the bucket for the server to clear away.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	late := time.AfterFunc(watchTimeout, cancel)
	stopped := context.AfterFunc(ctx, func() { late.Reset(watchGrace) })
	watcher, err := m.kv.Watch(own, bucketKey(m.key.Stream, m.key.Group))
	stopped()
	if !late.Stop() || err != nil {
		if err == nil {
			_ = watcher.Stop() // the context has ended it already
		}
		cancel()
		return nil
	}
	return &configWatch{watcher: watcher, cancel: cancel}
}

func (w *configWatch) updates() <-chan jetstream.KeyValueEntry {
	if w == nil {
		return nil
	}
	return w.watcher.Updates()
}

// close ends the watch and its consumer in the bucket.
func (w *configWatch) close() {
	if w == nil {
		return
	}
	_ = w.watcher.Stop() // fails only when the connection is gone, and the watch with it
	w.cancel()
}
