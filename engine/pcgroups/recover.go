package pcgroups

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/pause"
	"pcgtop/model"
)

// heed deals with what stints have reported.
func (m *member) heed(ctx context.Context, list []event) error {
	for _, e := range list {
		var panicked *PanicError
		if errors.As(e.err, &panicked) {
			return panicked // also of a handler that a stint has left behind
		}
		if e.from != m.stint || m.stint == nil {
			continue
		}
		if err := m.look(ctx, e.err); err != nil {
			return err
		}
	}
	return nil
}

// connection follows the connection's state. The client resumes its pulls by itself.
func (m *member) connection(ctx context.Context, status nats.Status) error {
	switch status {
	case nats.CLOSED:
		return nats.ErrConnectionClosed
	case nats.RECONNECTING:
		m.fault(nats.ErrDisconnected)
	case nats.CONNECTED:
		if err := m.reread(ctx); err != nil {
			return err
		}
		if m.stint != nil {
			return m.look(ctx, nil)
		}
	}
	return nil
}

// fault notes what has to be over before it counts as absorbed.
func (m *member) fault(err error) {
	m.options.log.Info("a fault, recovering", "err", err)
	if len(m.faults) < maxEvents {
		m.faults = append(m.faults, err)
	}
}

// recovered counts the faults that are over.
func (m *member) recovered() {
	for _, err := range m.faults {
		m.status.absorbed(err)
		m.options.log.Info("recovered", "from", err)
	}
	m.faults = nil
}

// look finds out what is wrong with the stint, which the client has reported or
// given up, and puts it right.
func (m *member) look(ctx context.Context, reported error) error {
	if errors.Is(reported, jetstream.ErrConnectionClosed) {
		return reported
	}
	info, err := m.info(ctx)
	switch {
	case errors.Is(err, jetstream.ErrConsumerNotFound):
		return m.vanished(ctx)
	case errors.Is(err, jetstream.ErrStreamNotFound):
		return m.streamGone(ctx)
	}
	if reported != nil && !errors.Is(reported, jetstream.ErrConsumerDeleted) {
		m.fault(reported)
	}
	switch {
	case err != nil && m.stint.consuming():
		return nil // the client goes on trying, and reports again
	case err == nil && m.stint.consuming() && m.fits(info, m.stint.filters) && info.Created.Equal(m.stint.created):
		if m.progress != nil {
			m.progress.seen(info)
		}
		m.recovered()
		return m.keepStored(ctx, info)
	}
	m.endStint(cmp.Or(reported, err, ErrConsumerGone)) // or replaced by one of the same name
	m.retries = 1
	return nil // joined again with the next check, which is soon
}

// vanished deals with a consumer that is not there any more. An elastic member's was
// deleted by another instance that follows a change, by the server after a time of
// silence, or by somebody's hand; in each case it is made again. A static member's is
// too, if its program has chosen so.
func (m *member) vanished(ctx context.Context) error {
	began := m.stint.pin.Load() != nil
	filters := m.stint.filters
	m.lost()
	if m.key.Kind == model.KindStatic {
		gone := fmt.Errorf("%w: %q", ErrConsumerGone, m.template.Durable)
		if err := m.unlessRemoved(ctx, gone); err != nil && (!errors.Is(err, ErrConsumerGone) || m.options.durableGone == DurableGoneEnd) {
			return err
		}
		m.fault(gone)
		m.restartDurable(began)
		return nil
	}
	m.retries = 1
	if err := m.reread(ctx); err != nil {
		return err
	}
	if m.stint == nil && sameFilters(filters, m.settings.consumerFilters(m.name)) {
		m.fault(fmt.Errorf("%w: %q", ErrConsumerGone, m.template.Name))
	}
	return nil
}

// lost ends a stint whose consumer somebody else has deleted.
func (m *member) lost() {
	m.gone = time.Now()
	m.stint.lose()
	m.endStint(ErrConsumerGone)
}

// restartDurable says where the durable begins when it is made again, by whichever
// instance is first: one that knows how far the member came should be.
func (m *member) restartDurable(began bool) {
	var from uint64
	if m.progress != nil {
		from = m.progress.resume()
		began = m.progress.known()
	}
	m.options.durableGone.restart(&m.template, from)
	m.retries = 1
	if !began {
		m.retries = doubledOften + 1
	}
	m.options.log.Warn("the member's durable is gone and is made again", "policy", m.options.durableGone, "sequence", from)
}

// unlessRemoved ends the member with why, or without an error if the group was removed: what
// belongs to a group is deleted right after its config.
func (m *member) unlessRemoved(ctx context.Context, why error) error {
	for range 5 {
		if err := m.reread(ctx); err != nil {
			return err
		}
		if pause.For(ctx, 50*time.Millisecond) != nil {
			return nil
		}
	}
	return why
}

// streamGone ends the member unless the stream is there after all: a cluster that
// has just elected a leader may for a moment know nothing of it.
func (m *member) streamGone(ctx context.Context) error {
	why := m.unlessRemoved(ctx, fmt.Errorf("%w: %q", ErrStreamGone, m.key.ConsumeStream()))
	if !errors.Is(why, ErrStreamGone) {
		return why
	}
	if _, err := m.js.Stream(ctx, m.key.ConsumeStream()); errors.Is(err, jetstream.ErrStreamNotFound) {
		return why
	}
	m.fault(why)
	if m.stint != nil {
		m.endStint(why)
	}
	m.retries++
	return nil
}
