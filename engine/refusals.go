package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

// refusals passes on that the server refused to take a write. It says so only on the
// asynchronous error path, while the call that wrote waits for an answer in vain.
type refusals struct {
	mu    sync.Mutex
	also  func(error)                                         // hears of every refusal
	calls map[*context.CancelCauseFunc]func(text string) bool // by whether a refusal ends them
}

func newRefusals() *refusals {
	return &refusals{calls: map[*context.CancelCauseFunc]func(string) bool{}}
}

// watch returns a context that is ended by what is refused, if the server's text about it
// is of the call's concern.
func (r *refusals) watch(ctx context.Context, concerns func(text string) bool) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls[&end] = concerns
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
	_, what, _ := strings.Cut(redact(err.Error()), "Permissions Violation for ")
	r.mu.Lock()
	defer r.mu.Unlock()
	for end, concerns := range r.calls {
		if concerns(err.Error()) {
			(*end)(&deniedError{what})
		}
	}
}

// concernsWrite tells refused writes from what observing was refused: it never asks
// for any of these, except to read a config, which is what a write begins with, too.
func concernsWrite(text string) bool {
	return !strings.Contains(text, ".CONSUMER.CREATE.") &&
		concerns(`"$KV.`, `.$KV.`, ".CONSUMER.UNPIN.", ".CONSUMER.INFO.", ".CONSUMER.PAUSE.", ".STREAM.CREATE.", ".STREAM.DELETE.", ".CONSUMER.DELETE.")(text)
}

// concerns tells what has one of these parts in the server's text, in which a subject ends
// with a quotation mark.
func concerns(parts ...string) func(text string) bool {
	return func(text string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(text, part) })
	}
}

// concernsPlan is what is asked for to plan that a group is made or deleted.
func concernsPlan(k model.Key) func(text string) bool {
	bucket := "KV_" + observe.BucketName(k.Kind)
	return concerns(`.STREAM.INFO.`+k.Stream+`"`, `.CONSUMER.LIST.`+k.Stream+`"`, `.STREAM.INFO.`+k.ConsumeStream()+`"`,
		`.STREAM.INFO.`+bucket+`"`, `.STREAM.MSG.GET.`+bucket+`"`, `.DIRECT.GET.`+bucket+`.`)
}

// whatever is refused is of concern.
func whatever(string) bool { return true }

// opener opens buckets, and says which permission is missing where that is refused.
type opener struct {
	js      jetstream.JetStream
	refused *refusals
}

// KeyValue implements [observe.Opener]. The error wraps [ErrDenied] where it is not permitted.
func (o opener) KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error) {
	ctx, stop := o.refused.watch(ctx, concerns(".STREAM.INFO.KV_"+bucket+`"`))
	defer stop()
	kv, err := o.js.KeyValue(ctx, bucket)
	if denied := (*deniedError)(nil); err != nil && errors.As(context.Cause(ctx), &denied) {
		return nil, denied
	}
	return kv, err
}

// deniedError wraps ErrDenied and says which permission is missing.
type deniedError struct{ what string }

func (e *deniedError) Error() string { return ErrDenied.Error() + ": " + e.what }
func (e *deniedError) Unwrap() error { return ErrDenied }
