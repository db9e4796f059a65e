package pcgroups

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/pause"
)

// A membership change moves partitions by deleting consumers: a work queue lets one
// consumer have a partition, and a consumer that is merely updated would skip the
// older messages of what it gains. Exactly one instance of a member should delete, or
// each would delete what another just made: the pinned one, as in every library.

// moved follows a change of the membership.
func (m *member) moved(ctx context.Context) error {
	wanted := m.settings.consumerFilters(m.name)
	if m.stint == nil {
		m.retries, m.yielding = 0, time.Time{}
		return m.rejoin(ctx)
	}
	if sameFilters(wanted, m.stint.filters) {
		m.yielding = time.Time{}
		return nil
	}
	info, err := m.info(ctx)
	if err == nil && m.isIdle(info) && info.NumWaiting > 1 {
		// Nobody is pinned, so that any instance may replace the consumer: not all at once.
		if pause.For(ctx, time.Duration(rand.Int64N(int64(yieldPause/2)))) != nil {
			return nil
		}
		info, err = m.info(ctx)
	}
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		m.lost()
		return m.rejoin(ctx)
	case err == nil && sameFilters(filtersOf(info.Config), wanted):
		m.endStint(ErrConsumerGone) // replaced by another instance
		return m.rejoin(ctx)
	case err == nil && (m.isIdle(info) || m.isPinned(info)):
		return m.handover(ctx)
	case m.yielding.IsZero():
		// Whoever is pinned replaces it. We are told by the end of our pull.
		m.yielding = time.Now().Add(m.patience() + checkMargin)
	case time.Now().After(m.yielding):
		m.options.log.Warn("the pinned instance does not follow the membership: replacing its consumer", "err", err)
		return m.handover(ctx)
	}
	return nil
}

// infoTimeout is how long the member waits for its consumer's state. A cluster that
// elects a leader does not answer at all.
const infoTimeout = time.Second

func (m *member) info(ctx context.Context) (*jetstream.ConsumerInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, infoTimeout)
	defer cancel()
	return m.stint.consumer.Info(ctx)
}

// isIdle tells whether nobody is pinned nor about to be, so that any instance may
// replace the consumer: nobody else pulls, or there is nothing to deliver. A consumer
// with something to deliver gets a pin within milliseconds.
func (m *member) isIdle(info *jetstream.ConsumerInfo) bool {
	_, pin, err := pinState(info)
	nothing := info.NumPending == 0 && info.NumAckPending == 0 || info.Paused
	return err == nil && pin == "" && (nothing || info.NumWaiting <= 1)
}

// isPinned tells whether this instance is the pinned one.
func (m *member) isPinned(info *jetstream.ConsumerInfo) bool {
	_, pin, err := pinState(info)
	seen := m.stint.pin.Load()
	return err == nil && seen != nil && *seen == pin
}

// handover gives up the consumer so that nothing is handled twice: pulling ends, the
// message in hand is finished and its acknowledgement recorded, and only then the
// consumer is deleted. What was buffered comes again to whoever owns it now.
func (m *member) handover(ctx context.Context) error {
	s := m.stint
	s.end()
	settling, cancel := context.WithTimeout(ctx, m.patience())
	_ = s.settle(settling) // without an answer duplicates are possible, no more
	cancel()
	m.endStint(nil)
	err := m.dropConsumer(ctx)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		m.options.log.Info("could not delete the member's consumer; trying again", "err", err)
		m.retries++
		return nil // replaced when the next attempt finds it
	}
	s.lose()
	m.options.log.Info("handed over", "revision", m.revision, "partitions", m.settings.owned(m.name))
	return m.rejoin(ctx)
}

// endStint ends consuming for now. Its observer is told why, see [Event].
func (m *member) endStint(why error) {
	m.stint.end()
	m.stint, m.yielding = nil, time.Time{}
	m.status.left(why)
}

// dropConsumer deletes the member's consumer. That somebody else was faster is noted and
// is an error all the same, for the server may still be at it: see deletePause.
func (m *member) dropConsumer(ctx context.Context) error {
	err := m.js.DeleteConsumer(ctx, m.key.ConsumeStream(), m.key.ConsumerName(m.name))
	switch {
	case err == nil:
		m.gone = time.Time{} // whatever was before: the next one is ours to make
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		m.gone = time.Now()
	}
	return err
}
