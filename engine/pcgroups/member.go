package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"sync"
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
	key      model.Key
	name     string
	template jetstream.ConsumerConfig
	handler  func(jetstream.Msg)

	handling sync.Mutex // held while the handler runs
	events   chan event
	ended    chan struct{} // closed when nobody reads events any more

	// ---
	settings settings
	revision uint64
	created  time.Time // when that revision was stored
	stint    *stint
	retries  int // failed attempts to join since the last that worked
}

// errRemoved ends a member whose group was removed; its program gets nil.
var errRemoved = errors.New("the consumer group was removed")

func newMember(js jetstream.JetStream, k model.Key, name string, handler func(jetstream.Msg), template jetstream.ConsumerConfig) *member {
	return &member{
		js: js, key: k, name: name, handler: handler, template: memberTemplate(k, name, template),
		events: make(chan event, 1), ended: make(chan struct{}),
	}
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
	_, err := m.js.Stream(ctx, m.key.ConsumeStream())
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
	m.settings, m.revision, m.created = s, entry.Revision(), entry.Created()
	return nil
}

func (m *member) start() *instance {
	ctx, cancel := context.WithCancel(context.Background())
	i := &instance{stop: cancel, done: make(chan error, 1)}
	go func() {
		defer cancel()
		err := m.run(ctx)
		close(m.ended)
		if m.stint != nil {
			m.stint.end()
		}
		i.done <- m.farewell(ctx, err)
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
	if removed {
		why = nil
	}
	if m.key.Kind != model.KindStatic || !removed && !errors.As(why, &changed) {
		return why
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
	defer cancel()
	err := m.dropConsumer(ctx)
	if err == nil || errors.Is(err, jetstream.ErrStreamNotFound) {
		return why
	}
	return errors.Join(why, fmt.Errorf("delete our member's consumer: %w", err))
}

// run follows the group's config until the member has to end, and says why: nil if
// it was stopped.
func (m *member) run(ctx context.Context) error {
	watch := m.openWatch(ctx)
	defer func() { watch.close() }()
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
		case e := <-m.events:
			var panicked *PanicError
			if errors.As(e.err, &panicked) {
				err = panicked // also of a handler that a stint has left behind
			} else if e.from == m.stint {
				err = m.look(ctx, e.err)
			}
		case <-closed:
			err = m.look(ctx, nil)
		case <-timer.C:
			if m.js.Conn().IsClosed() {
				return nats.ErrConnectionClosed
			}
			if watch == nil {
				watch = m.openWatch(ctx)
			}
			if err = m.reread(ctx); err == nil && m.stint == nil {
				err = m.rejoin(ctx)
			}
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

// nextCheck is soon after a failed attempt to join, for what stood in the way is
// mostly another member that has not yet let go of a partition.
func (m *member) nextCheck() time.Duration {
	check := checkInterval(m.template.AckWait)
	if m.stint != nil || m.retries == 0 {
		return check
	}
	return min(check, 250*time.Millisecond<<min(m.retries-1, 4))
}
