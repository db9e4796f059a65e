package observe

import (
	"context"
	"sync"
	"time"
)

// budget is a token bucket: so many requests a second on average, and after a quiet
// second that many at once. Those who wait are served in the order they came.
type budget struct {
	perSecond float64
	most      float64

	mu     sync.Mutex
	tokens float64 // negative while somebody waits
	at     time.Time
}

func newBudget(perSecond float64) *budget {
	most := max(1, perSecond)
	return &budget{perSecond: perSecond, most: most, tokens: most, at: time.Now()}
}

// refill brings tokens up to date. The lock is held.
func (b *budget) refill() {
	now := time.Now()
	b.tokens = min(b.most, b.tokens+now.Sub(b.at).Seconds()*b.perSecond)
	b.at = now
}

// take takes one token and waits until it is there, unless the context ends first.
func (b *budget) take(ctx context.Context) error {
	b.mu.Lock()
	b.refill()
	b.tokens--
	wait := time.Duration(-b.tokens / b.perSecond * float64(time.Second))
	b.mu.Unlock()
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		b.mu.Lock()
		b.tokens++ // not used
		b.mu.Unlock()
		return ctx.Err()
	}
}

// wait is how long until a token could be had at once.
func (b *budget) wait() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	return max(0, time.Duration((1-b.tokens)/b.perSecond*float64(time.Second)))
}
