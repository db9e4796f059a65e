package engine

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
)

// refusals passes on that the server refused to take a write. It says so only on the
// asynchronous error path, while the call that wrote waits for an answer in vain.
type refusals struct {
	mu    sync.Mutex
	also  func(error)                       // hears of every refusal
	calls map[*context.CancelCauseFunc]bool // true: whatever is refused ends them
}

func newRefusals() *refusals { return &refusals{calls: map[*context.CancelCauseFunc]bool{}} }

// watch returns a context that a refused write ends, or with any whatever is refused.
func (r *refusals) watch(ctx context.Context, any bool) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[&end] = any
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, &end)
		end(nil)
	}
}

// pass makes somebody else hear of every refusal too.
func (r *refusals) pass(to func(error)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.also = to
}

// hear takes any asynchronous error.
func (r *refusals) hear(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	r.mu.Lock()
	also := r.also
	r.mu.Unlock()
	if also != nil {
		also(err)
	}
	write := concernsWrite(err.Error())
	_, what, _ := strings.Cut(redact(err.Error()), "Permissions Violation for ")
	r.mu.Lock()
	defer r.mu.Unlock()
	for end, any := range r.calls {
		if any || write {
			(*end)(&deniedError{what})
		}
	}
}

// concernsWrite tells refused writes from what observing was refused: it never asks
// for any of these, except to read a config, which is what a write begins with, too.
func concernsWrite(text string) bool {
	for _, part := range []string{`"$KV.`, `.$KV.`, ".CONSUMER.UNPIN.", ".CONSUMER.INFO.", ".CONSUMER.PAUSE.", ".STREAM.CREATE.", ".STREAM.DELETE.", ".CONSUMER.DELETE."} {
		if strings.Contains(text, part) && !strings.Contains(text, ".CONSUMER.CREATE.") {
			return true
		}
	}
	return false
}

// deniedError wraps ErrDenied and says which permission is missing.
type deniedError struct{ what string }

func (e *deniedError) Error() string { return ErrDenied.Error() + ": " + e.what }
func (e *deniedError) Unwrap() error { return ErrDenied }
