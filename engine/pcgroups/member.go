package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// member is one instance of a member, of either kind of group. After start one
// goroutine alone uses the fields below the line.
type member struct {
	js       jetstream.JetStream
	kv       jetstream.KeyValue
	stream   jetstream.Stream // that it consumes from
	key      model.Key
	name     string
	template jetstream.ConsumerConfig
	handler  func(jetstream.Msg)
	options  options
	status   *status
	progress *progress // nil unless a durable is to be resumed

	handling sync.Mutex // held while the handler runs
	stopped  atomic.Bool
	events   events
	drains   chan context.Context

	// ---
	settings settings
	revision uint64
	created  time.Time // when that revision was stored
	read     time.Time // when the config was last asked for
	stint    *stint
	retries  int       // failed attempts to join since the last that worked
	faults   []error   // that have to be over before they count as absorbed
	yielding time.Time // until when another instance is left to replace the consumer
	busy     time.Time // since when a consumer with other filters stands in the way
	gone     time.Time // when the consumer was last deleted by somebody else
}

// errRemoved ends a member whose group was removed; its program gets nil.
var errRemoved = errors.New("the consumer group was removed")

func newMember(js jetstream.JetStream, k model.Key, name string, handler func(jetstream.Msg), template jetstream.ConsumerConfig, opts []Option) *member {
	m := &member{
		js: js, key: k, name: name, handler: handler, template: memberTemplate(k, name, template),
		options: newOptions(opts), drains: make(chan context.Context),
		events: events{wake: make(chan struct{}, 1)},
	}
	m.options.log = m.options.log.With("kind", string(k.Kind), "stream", k.Stream, "group", k.Group, "member", name)
	m.status = newStatus(m.options.observer)
	if k.Kind == model.KindStatic && m.options.durableGone == DurableGoneResume {
		m.progress = newProgress()
	}
	return m
}

// memberTemplate sets what makes a consumer the member's, whatever the program's
// config says about it. Only the filters are missing.
func memberTemplate(k model.Key, name string, c jetstream.ConsumerConfig) jetstream.ConsumerConfig {
	c.AckWait = effectiveAckWait(c.AckWait)
	c.Name, c.Durable = "", ""
	if k.Kind == model.KindElastic {
		c.Name = k.ConsumerName(name)
		c.InactiveThreshold = c.AckWait
	} else {
		c.Durable = k.ConsumerName(name)
	}
	c.FilterSubject, c.FilterSubjects = "", nil
	c.PriorityGroups = []string{priorityGroup}
	c.PriorityPolicy = jetstream.PriorityPolicyPinned
	c.PinnedTTL = priorityTimeout(c.AckWait)
	// What only push consumers have.
	c.DeliverSubject, c.DeliverGroup, c.FlowControl, c.IdleHeartbeat = "", "", false, 0
	return c
}

// load reads the group's config for the first time.
func (m *member) load(ctx context.Context) error {
	if err := m.key.CheckMember(m.name); err != nil {
		return err
	}
	if limit := m.template.MaxRequestExpires; limit > 0 && limit < minTimer {
		return fmt.Errorf("max request expires %v: must be at least %v, as long as the shortest pull", limit, minTimer)
	}
	var err error
	m.stream, err = m.js.Stream(ctx, m.key.ConsumeStream())
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("the %s consumer group's stream does not exist: %w", m.key.Kind, err)
	}
	if err != nil {
		return fmt.Errorf("look up the %s consumer group's stream: %w", m.key.Kind, err)
	}
	if m.kv, err = openBucket(ctx, m.js, m.key.Kind); err != nil {
		return err
	}
	s, entry, err := readConfig(ctx, m.kv, m.key)
	if err != nil {
		return fmt.Errorf("can not get the current %s consumer group's config: %w", m.key.Kind, err)
	}
	m.settings, m.revision, m.created, m.read = s, entry.Revision(), entry.Created(), time.Now()
	m.warn()
	return nil
}

func (m *member) start() *instance {
	ctx, cancel := context.WithCancel(context.Background())
	i := &instance{
		stop: func() { m.stopped.Store(true); cancel() }, done: make(chan error, 1), drains: m.drains,
		ended: make(chan struct{}), state: m.status,
	}
	go func() {
		defer cancel()
		why := m.run(ctx)
		i.rest = m.leave(why)
		why = m.farewell(ctx, why)
		m.status.end(why)
		close(i.ended)
		i.done <- why
		close(i.done)
	}()
	return i
}

// farewell turns why a member ends into what its program is told. The consumer of a
// static member whose group was removed or changed is deleted, as every library does:
// it would stay for ever.
func (m *member) farewell(ctx context.Context, why error) error {
	removed := errors.Is(why, errRemoved)
	var changed *configError
	var draining *drainError
	if removed || errors.As(why, &draining) {
		why = nil
	}
	if m.key.Kind != model.KindStatic || !removed && !errors.As(why, &changed) {
		return why
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	err := m.dropConsumer(ctx)
	if err == nil || errors.Is(err, jetstream.ErrConsumerNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return why
	}
	return errors.Join(why, fmt.Errorf("delete our member's consumer: %w", err))
}

// run follows the group's config until the member has to end, and says why: nil if
// it was stopped.
func (m *member) run(ctx context.Context) error {
	watch := m.openWatch(ctx)
	defer func() { watch.close() }()
	conn := m.js.Conn().StatusChanged(nats.RECONNECTING, nats.CONNECTED, nats.CLOSED)
	defer m.js.Conn().RemoveStatusListener(conn)
	timer := time.NewTimer(m.nextCheck())
	defer timer.Stop()
	for {
		var err error
		var closed <-chan struct{}
		if m.stint != nil {
			closed = m.stint.closed
		}
		select {
		case <-ctx.Done():
			return nil
		case until := <-m.drains:
			return &drainError{until}
		case entry, open := <-watch.updates():
			switch {
			case !open:
				watch.close()
				watch = nil // opened again with the next check
			case entry == nil:
				err = m.reread(ctx) // all that was stored has come: perhaps nothing
			default:
				err = m.apply(ctx, entry)
			}
		case <-m.events.wake:
			err = m.heed(ctx, m.events.take())
		case <-closed:
			err = m.look(ctx, nil)
		case status := <-conn:
			err = m.connection(ctx, status)
		case <-timer.C:
			if watch == nil {
				watch = m.openWatch(ctx)
			}
			err = m.check(ctx)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		timer.Reset(m.nextCheck())
	}
}

// check is done when nothing has happened for a while, and again and again while the
// member waits for something.
func (m *member) check(ctx context.Context) error {
	if m.js.Conn().IsClosed() {
		return nats.ErrConnectionClosed
	}
	if time.Since(m.read) >= rereadPause {
		if err := m.reread(ctx); err != nil {
			return err
		}
	}
	switch {
	case m.stint == nil:
		return m.rejoin(ctx)
	case !m.yielding.IsZero():
		return m.moved(ctx)
	}
	// The client can have lost its pulls with a consumer that was replaced by one of the
	// same name, and not know it.
	return m.look(ctx, nil)
}
