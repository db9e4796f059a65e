package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// rejoin is join for a member that runs: what is likely to pass is tried again later.
func (m *member) rejoin(ctx context.Context) error {
	err := m.join(ctx)
	switch {
	case err == nil:
		m.retries = 0
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return m.gone(ctx, fmt.Errorf("%w: %q", ErrStreamGone, m.key.ConsumeStream()))
	case transient(err):
		m.retries++
	default:
		return fmt.Errorf("error creating our member's consumer: %w", err)
	}
	return nil
}

// transient tells errors that pass by themselves from those that would come again.
func transient(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return !errors.Is(err, jetstream.ErrInvalidConsumerName) && !errors.Is(err, nats.ErrConnectionClosed)
	}
	return api.Code >= 500 ||
		api.ErrorCode == errCodeNotUnique ||
		api.ErrorCode == jetstream.JSErrCodeConsumerExists ||
		api.ErrorCode == jetstream.JSErrCodeConsumerNotFound
}

// errCodeNotUnique: another consumer of the work queue has one of the partitions
// (nats-server 2.15, JSConsumerWQConsumerNotUniqueErr).
const errCodeNotUnique = 10100

// join makes the member's consumer and starts to consume, if the member owns anything.
func (m *member) join(ctx context.Context) error {
	config := m.template
	config.FilterSubjects = m.settings.consumerFilters(m.name)
	if len(config.FilterSubjects) == 0 {
		return nil
	}
	consumer, err := m.makeConsumer(ctx, config)
	if err != nil {
		return err
	}
	m.stint, err = m.startStint(consumer, config.FilterSubjects)
	return err
}

// makeConsumer creates the consumer or takes the one that another instance has made.
// One with other filters is replaced, but for a static member's, which knows what was
// handled and can only be somebody else's or an older group's.
func (m *member) makeConsumer(ctx context.Context, config jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	stream, name := m.key.ConsumeStream(), m.key.ConsumerName(m.name)
	consumer, exists := m.js.CreateConsumer(ctx, stream, config)
	if !errors.Is(exists, jetstream.ErrConsumerExists) {
		return consumer, exists
	}
	consumer, err := m.js.Consumer(ctx, stream, name)
	switch {
	case err == nil && usable(consumer.CachedInfo(), config.FilterSubjects):
		return consumer, nil
	case err == nil && m.key.Kind == model.KindStatic:
		return nil, exists
	case err == nil:
		err = m.js.DeleteConsumer(ctx, stream, name)
	}
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil, err
	}
	return m.js.CreateConsumer(ctx, stream, config)
}

// usable tells whether a consumer takes exactly these subjects and pins. Its timers
// may be another instance's.
func usable(info *jetstream.ConsumerInfo, filters []string) bool {
	return info.Config.PriorityPolicy == jetstream.PriorityPolicyPinned &&
		sameFilters(filtersOf(info.Config), filters)
}

func sameFilters(a, b []string) bool { return slices.Equal(sortedUnique(a), sortedUnique(b)) }

// moved follows a change of the membership.
func (m *member) moved(ctx context.Context) error {
	filters := m.settings.consumerFilters(m.name)
	if m.stint == nil {
		if m.retries > 0 {
			m.retries = 1 // the next check, which is soon, joins
			return nil
		}
		return m.rejoin(ctx)
	}
	if sameFilters(filters, m.stint.filters) {
		return nil
	}
	pinned := m.pinned(ctx)
	m.stint.end()
	m.stint = nil
	if pinned {
		// Only one instance deletes, or each would delete what another just made.
		if err := m.dropConsumer(ctx); err != nil {
			m.retries++
			return nil // replaced when the next attempt finds it
		}
	} else {
		if pause(ctx, time.Duration(400+rand.IntN(100))*time.Millisecond) != nil {
			return nil
		}
		if len(filters) == 0 {
			m.release(ctx)
			return nil
		}
	}
	return m.rejoin(ctx)
}

// release removes the consumer of a member that owns nothing any more, unless an
// instance is pinned, which does so itself: until it is gone nobody else gets its
// partitions. If it cannot, the server does when the consumer has been idle.
func (m *member) release(ctx context.Context) {
	consumer, err := m.js.Consumer(ctx, m.key.ConsumeStream(), m.key.ConsumerName(m.name))
	if err != nil {
		return
	}
	if _, pin, err := pinState(consumer.CachedInfo()); err == nil && pin == "" {
		_ = m.dropConsumer(ctx) // see above
	}
}

func (m *member) dropConsumer(ctx context.Context) error {
	err := m.js.DeleteConsumer(ctx, m.key.ConsumeStream(), m.key.ConsumerName(m.name))
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		return nil
	}
	return err
}

// pinned tells whether this instance is the pinned one.
func (m *member) pinned(ctx context.Context) bool {
	info, err := m.stint.consumer.Info(ctx)
	if err != nil {
		return false
	}
	_, pin, err := pinState(info)
	seen := m.stint.pin.Load()
	return err == nil && seen != nil && *seen == pin
}
