// Package unanswered tells requests that were sent and got no answer.
package unanswered

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"
)

// Is tells whether an error of a request means that no answer came: the time was up, or the
// connection lost. What was asked for may have been done, or be done yet.
func Is(err error) bool {
	for _, e := range []error{context.DeadlineExceeded, context.Canceled, nats.ErrTimeout, nats.ErrDisconnected, nats.ErrConnectionClosed} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
