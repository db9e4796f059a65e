package unanswered

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestIs(t *testing.T) {
	for _, err := range []error{context.DeadlineExceeded, context.Canceled, nats.ErrTimeout, nats.ErrDisconnected, nats.ErrConnectionClosed} {
		if !Is(fmt.Errorf("writing: %w", err)) {
			t.Errorf("%v", err)
		}
	}
	for _, err := range []error{nil, errors.New("refused"), nats.ErrNoResponders, nats.ErrMaxPayload} {
		if Is(err) {
			t.Errorf("%v", err)
		}
	}
}
