package pcgroups

import (
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// progress is how far an instance has come in the stream, for a durable that has to be
// made again there.
type progress struct {
	mu    sync.Mutex
	open  map[uint64]bool // delivered and not acknowledged
	last  uint64          // the highest one acknowledged
	floor uint64          // the durable's own ack floor when last seen
}

func newProgress() *progress { return &progress{open: make(map[uint64]bool)} }

func (p *progress) delivered(msg jetstream.Msg) {
	if meta, err := msg.Metadata(); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.open[meta.Sequence.Stream] = true
	}
}

func (p *progress) acked(msg jetstream.Msg) {
	if meta, err := msg.Metadata(); err == nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.open, meta.Sequence.Stream)
		p.last = max(p.last, meta.Sequence.Stream)
	}
}

// seen notes the floor below which the server knows everything to be acknowledged.
func (p *progress) seen(info *jetstream.ConsumerInfo) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.floor = max(p.floor, info.AckFloor.Stream)
	for seq := range p.open {
		if seq <= p.floor {
			delete(p.open, seq)
		}
	}
}

// resume is the first message that is not known to be acknowledged.
func (p *progress) resume() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	next := max(p.last, p.floor) + 1
	for seq := range p.open {
		next = min(next, seq)
	}
	return next
}

// known tells whether this instance has handled anything.
func (p *progress) known() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last > 0
}
