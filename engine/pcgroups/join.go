package pcgroups

import (
	"context"
	"errors"
	"fmt"
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
		if m.stint != nil {
			m.recovered()
		}
		return nil
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return m.streamGone(ctx)
	case transient(err), refused(err) && m.retries < persistedWith:
		m.retries++
		m.options.log.Debug("cannot join yet", "attempt", m.retries, "err", err)
		return nil
	}
	return fmt.Errorf("error creating our member's consumer: %w", err)
}

// errBusy: a consumer with the member's name and other filters is being pulled from.
var errBusy = errors.New("the consumer is in use with other filters")

// errOther: a static group's member never replaces what it finds.
var errOther = errors.New("the consumer that exists takes other subjects")

// transient tells errors that pass by themselves from those that would come again.
func transient(err error) bool {
	if errors.Is(err, errRemoved) || errors.Is(err, errOther) || errors.Is(err, ErrServerTooOld) {
		return false
	}
	var changed *configError
	if errors.As(err, &changed) {
		return false
	}
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return !errors.Is(err, jetstream.ErrInvalidConsumerName) && !errors.Is(err, nats.ErrConnectionClosed)
	}
	return api.Code >= 500 ||
		api.ErrorCode == errCodeNotUnique ||
		api.ErrorCode == jetstream.JSErrCodeConsumerExists ||
		api.ErrorCode == jetstream.JSErrCodeConsumerNotFound ||
		api.ErrorCode == jetstream.JSErrCodeConsumerDoesNotExist
}

// refused tells errors of the server that are told when joining, but that a running
// member takes for true only when they come again and again: in the middle of deleting
// a consumer a server answers in many ways (10149 to a create: nats-server 2.15).
func refused(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && !errors.Is(err, errOther)
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
	m.busy = time.Time{}
	m.stint, err = m.startStint(consumer, filtersOf(consumer.CachedInfo().Config))
	if err != nil {
		return err
	}
	partitions := m.settings.owned(m.name)
	m.status.joined(partitions)
	m.options.log.Info("joined", "consumer", consumer.CachedInfo().Name, "partitions", partitions)
	return nil
}

// makeConsumer creates the consumer or takes the one that another instance has made.
// One with other filters is replaced, but for a static member's, which knows what was
// handled and can only be somebody else's or an older group's.
func (m *member) makeConsumer(ctx context.Context, config jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	stream, name := m.key.ConsumeStream(), m.key.ConsumerName(m.name)
	create := func() (jetstream.Consumer, error) { return m.js.CreateConsumer(ctx, stream, config) }
	var exists error
	if time.Since(m.gone) >= deletePause {
		var consumer jetstream.Consumer
		if consumer, exists = create(); exists == nil || !mayExist(exists) {
			return consumer, exists
		}
	}
	consumer, err := m.js.Consumer(ctx, stream, name)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound) && errors.Is(exists, jetstream.ErrConsumerExists):
		m.gone = time.Now() // between the two: whoever deletes it is likely to be at it
		return nil, err
	case err != nil:
		return nil, errors.Join(exists, err)
	case m.fits(consumer.CachedInfo(), config.FilterSubjects):
		m.adopt(consumer.CachedInfo().Config)
		return consumer, nil
	case m.key.Kind == model.KindStatic:
		return nil, errors.Join(exists, errOther)
	}
	// It is either about to be replaced by an instance that is as far as we are, or
	// made by one that is further.
	if moved, err := m.refresh(ctx); err != nil || moved {
		return nil, errors.Join(err, errBusyIf(moved))
	}
	if m.inUse(consumer.CachedInfo()) {
		return nil, errBusy
	}
	if err := m.dropConsumer(ctx); err != nil {
		return nil, err
	}
	return create()
}

// mayExist tells errors of creating a consumer that may be there all the same: one
// with other settings, or one that the server cannot store.
func mayExist(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrConsumerExists) ||
		errors.As(err, &api) && api.Code >= 500 && api.ErrorCode != errCodeNotUnique
}

func errBusyIf(moved bool) error {
	if moved {
		return errBusy
	}
	return nil
}

// inUse tells whether somebody pulls from a consumer that stands in the way, or is
// about to because it was just made. They are given the time to replace it.
func (m *member) inUse(info *jetstream.ConsumerInfo) bool {
	_, pin, _ := pinState(info)
	if info.NumWaiting == 0 && pin == "" && info.TimeStamp.Sub(info.Created) > minTimer {
		return false
	}
	if m.busy.IsZero() {
		m.busy = time.Now()
	}
	return time.Since(m.busy) < m.patience()+checkMargin
}

// fits tells whether the member can use a consumer: it pins and takes exactly these
// subjects. Its timers may be another instance's.
func (m *member) fits(info *jetstream.ConsumerInfo, filters []string) bool {
	return info.Config.PriorityPolicy == jetstream.PriorityPolicyPinned &&
		sameFilters(filtersOf(info.Config), filters)
}

func sameFilters(a, b []string) bool { return slices.Equal(sortedUnique(a), sortedUnique(b)) }
