package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

// refusals passes on that the server refused to take a write. It says so only on the
// asynchronous error path, while the call that wrote waits for an answer in vain.
type refusals struct {
	mu    sync.Mutex
	also  func(error)                                            // hears of every refusal
	calls map[*context.CancelCauseFunc]func(subject string) bool // by whether a refusal ends them
}

func newRefusals() *refusals {
	return &refusals{calls: map[*context.CancelCauseFunc]func(string) bool{}}
}

// watch returns a context that is ended by what is refused, if the subject is of the call's
// concern.
func (r *refusals) watch(ctx context.Context, concerns func(subject string) bool) (context.Context, func()) {
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
	_, what, _ := strings.Cut(err.Error(), "Permissions Violation for ")
	subject, allow, known := observe.RefusedSubject(err)
	if what = redact(what); known { // what else a server says can be anything
		what = allow
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for end, concerns := range r.calls {
		if concerns(subject) {
			(*end)(&deniedError{what})
		}
	}
}

// concerns tells subjects that end with one of these parts, or, for a part that ends with a
// dot, go on after it.
func concerns(parts ...string) func(subject string) bool {
	return func(subject string) bool {
		return slices.ContainsFunc(parts, func(part string) bool {
			if strings.HasSuffix(part, ".") {
				return strings.Contains(subject, part)
			}
			return strings.HasSuffix(subject, part)
		})
	}
}

// concernsWrite is what carrying out a plan asks for. What observing is refused meanwhile, or
// another plan, is something else, or is refused to this plan, too. Configs are read by direct
// gets, which buckets allow, or otherwise where the bucket's leader may not be asked.
func concernsWrite(p *model.Plan) func(subject string) bool {
	k, bucket, work := p.Key, observe.BucketName(p.Key.Kind), p.Key.ConsumeStream()
	asked := []string{".STREAM.INFO.KV_" + bucket, "$KV." + bucket + "." + k.BucketKey()}
	rivals := ".DIRECT.GET.KV_" + bucket + "." // other groups' configs are read
	switch a := p.Intent.Action; {
	case a.OfKind():
		return func(string) bool { return false } // only the kind knows: see opened
	case a == model.ActionStepDown:
		asked = append(asked, rivals, ".STREAM.INFO."+work)
		for _, pin := range p.Pins {
			consumer := work + "." + k.ConsumerName(pin.Member)
			asked = append(asked, ".CONSUMER.INFO."+consumer, ".CONSUMER.UNPIN."+consumer)
		}
	case a == model.ActionCreate:
		return concerns(append(asked, rivals, ".STREAM.INFO."+k.Stream, ".STREAM.INFO."+work, ".STREAM.CREATE."+work, ".STREAM.CREATE.KV_"+bucket)...)
	case a == model.ActionDelete && k.Kind == model.KindStatic:
		return concerns(append(asked, rivals, ".STREAM.INFO."+k.Stream, ".CONSUMER.LIST."+k.Stream, ".CONSUMER.DELETE."+k.Stream+".")...)
	case a == model.ActionDelete:
		return concerns(append(asked, ".STREAM.INFO."+work, ".STREAM.DELETE."+work)...)
	case p.Drain > 0:
		return concerns(append(asked, ".STREAM.INFO."+work, ".CONSUMER.LIST."+work, ".CONSUMER.PAUSE."+work+".")...)
	}
	return concerns(asked...)
}

// deniedBy is the refusal that has ended a context of [refusals.watch], nil if none has.
func deniedBy(ctx context.Context) *deniedError {
	if denied := (*deniedError)(nil); errors.As(context.Cause(ctx), &denied) {
		return denied
	}
	return nil
}

// unlessRefused is a context that outlives one of [refusals.watch], but not a refusal: no
// answer comes to what was refused.
func unlessRefused(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	on, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	stop := context.AfterFunc(ctx, func() {
		if deniedBy(ctx) != nil {
			cancel()
		}
	})
	return on, func() { stop(); cancel() }
}

// whatever is refused is of concern.
func whatever(string) bool { return true }

// deniedError wraps ErrDenied and says which permission is missing.
type deniedError struct{ what string }

func (e *deniedError) Error() string { return ErrDenied.Error() + ": " + e.what }
func (e *deniedError) Unwrap() error { return ErrDenied }
