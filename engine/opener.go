package engine

import (
	"context"
	"strings"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// opener opens buckets, and says which permission is missing where that is refused.
type opener struct {
	js      jetstream.JetStream
	refused *refusals
}

// KeyValue implements [observe.Opener]. The error wraps [ErrDenied] where it is not permitted.
func (o opener) KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error) {
	ctx, stop := o.refused.watch(ctx, concerns(".STREAM.INFO.KV_"+bucket))
	defer stop()
	kv, err := o.js.KeyValue(ctx, bucket)
	if denied := deniedBy(ctx); err != nil && denied != nil {
		return nil, denied
	}
	return kv, err
}

// opened is the opener for one plan of a kind that writes itself, and knows which buckets
// that takes: what is asked of others is not of the plan's concern.
type opened struct {
	opener

	mu    sync.Mutex
	asked []string
}

// KeyValue implements [observe.Opener].
func (o *opened) KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error) {
	o.mu.Lock()
	o.asked = append(o.asked, "$KV."+bucket+".")
	o.mu.Unlock()
	return o.opener.KeyValue(ctx, bucket)
}

// concerns tells what is read from or written to a bucket that was opened. It is not watched.
func (o *opened) concerns(subject string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !strings.Contains(subject, ".CONSUMER.CREATE.") && concerns(o.asked...)(subject)
}
