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
	debt   float64 // requests made ahead of their turn
	repaid float64 // of them, those whose turn has come
	at     time.Time
}

func newBudget(perSecond float64) *budget {
	most := max(1, perSecond)
	return &budget{perSecond: perSecond, most: most, tokens: most, at: time.Now()}
}

// refill brings tokens up to date. The lock is held.
func (b *budget) refill() {
	now := time.Now()
	earned := now.Sub(b.at).Seconds() * b.perSecond
	b.at = now
	pay := min(b.debt, max(earned/2, b.tokens+earned-b.most)) // half of it, and what nobody else needs
	b.debt -= pay
	b.repaid += pay
	b.tokens = min(b.most, b.tokens+earned-pay)
}

// borrow takes n tokens at once, for a burst of requests that belong together. They are
// paid back out of what comes in, at least half of which stays for others. Whoever
// borrows waits until nothing is owed.
func (b *budget) borrow(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	b.debt += float64(n)
}

// owed is how long it takes at most until nothing is owed, and how many borrowed tokens
// were paid back so far.
func (b *budget) owed() (left time.Duration, repaid float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	return time.Duration(b.debt / (b.perSecond / 2) * float64(time.Second)), b.repaid
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
func (b *budget) wait() time.Duration { return b.waitFor(1) }

// waitFor is how long until so many could be.
func (b *budget) waitFor(tokens float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refill()
	return max(0, time.Duration((tokens-b.tokens)/b.perSecond*float64(time.Second)))
}
