package pcgroups

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// A server can run a consumer whose files it has removed: one that was made while
// another of its name was being deleted. It delivers as any other, but it cannot be
// paused, and after a restart it is not there. Our instances take turns so that it does
// not happen (see deletePause); those of other libraries do not.

// keepStored replaces the member's consumer if it has lost its files. Each stint looks
// once, and only the instance that may replace the consumer does. A static member's
// consumer knows what was handled, so it is left as it is.
func (m *member) keepStored(ctx context.Context, info *jetstream.ConsumerInfo) error {
	s := m.stint
	settled := info.TimeStamp.Sub(info.Created) >= minTimer
	if m.key.Kind == model.KindStatic || s.proved || !settled || !m.isPinned(info) && !m.isIdle(info) {
		return nil
	}
	s.proved = true
	config := m.template
	config.FilterSubjects = s.filters
	// To make what is there changes nothing, but the server stores it anew.
	_, err := m.js.CreateConsumer(ctx, m.key.ConsumeStream(), config)
	if !lacksFiles(err) {
		return nil
	}
	m.fault(fmt.Errorf("the member's consumer has lost its files: %w", err))
	return m.handover(ctx)
}

// lacksFiles tells the error of storing to where there is nothing from others, as that
// of a full disk, with which a consumer had better be left alone.
func lacksFiles(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api) && api.ErrorCode == jetstream.JSErrCodeConsumerCreate && strings.Contains(api.Description, "no such file")
}
