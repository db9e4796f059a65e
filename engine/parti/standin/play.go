package standin

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/pause"
)

// Work publishes messages, so many a second, and lets the living workers handle theirs, until
// the context ends. Those of a worker that died wait.
func (f *Fleet) Work(ctx context.Context, r *rand.Rand, perSecond int) {
	f.mu.Lock()
	partitions := slices.Clone(f.partitions)
	f.mu.Unlock()
	var running sync.WaitGroup
	for _, p := range partitions {
		if keys := strings.Join(p.Keys, "."); f.opts.Version == 2 {
			running.Go(func() {
				f.handle(ctx, f.Durable(keys), func() bool { return f.runs(f.ownerOf(keys)) })
			})
		}
	}
	if f.opts.Version == 1 {
		for _, w := range append(f.Workers(), f.extra()) {
			running.Go(func() { f.handle(ctx, "jobs-"+w, func() bool { return f.runs(w) }) })
		}
	}
	defer running.Wait()
	tick := time.NewTicker(time.Second / time.Duration(max(1, perSecond)))
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		p := partitions[r.IntN(len(partitions))]
		// A message that is lost is one fewer to look at.
		_ = f.js.Conn().Publish(f.subject(strings.Join(p.Keys, "."), "job"), fmt.Appendf(nil, `{"n":%d}`, n))
	}
}

func (f *Fleet) ownerOf(keys string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.owner[keys]
}

func (f *Fleet) runs(name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	w := f.workers[name]
	return w != nil && w.beats
}

// handle takes what comes for a durable while its worker runs.
func (f *Fleet) handle(ctx context.Context, durable string, runs func() bool) {
	const rest = 300 * time.Millisecond
	for pause.For(ctx, rest) == nil {
		if !runs() {
			continue
		}
		c, err := f.js.Consumer(ctx, f.opts.Stream, durable)
		if err != nil {
			continue // it is not made yet, or the server is gone and the context ends soon
		}
		for ctx.Err() == nil && runs() {
			batch, err := c.Fetch(20, jetstream.FetchMaxWait(time.Second))
			if err != nil {
				break
			}
			for m := range batch.Messages() {
				_ = m.Ack() // a lost one is delivered again
			}
		}
	}
}

// Play lets things happen, again and again, until the context ends: a worker joins, and
// partitions are handed over to it in two phases; a worker dies and an emergency takes its
// partitions away; it comes back; one leaves in good order. step is the time between two.
func (f *Fleet) Play(ctx context.Context, step time.Duration) error {
	extra := f.extra()
	for {
		for _, act := range []func() error{
			func() error { return f.Join(ctx, extra) },
			func() error { return f.handOver(ctx, step) },
			func() error { f.Kill("worker-1"); return nil },
			func() error { _ = pause.For(ctx, f.opts.HeartbeatTTL); return f.Rebalance(ctx, "emergency") },
			func() error { return f.Join(ctx, "worker-1") },
			func() error { return f.Rebalance(ctx, "planned_scale") },
			func() error { return f.Leave(ctx, extra) },
			func() error { return f.Rebalance(ctx, "planned_scale") },
		} {
			if pause.For(ctx, step) != nil {
				return nil
			}
			if err := act(); err != nil && ctx.Err() == nil {
				return err
			}
		}
	}
}

// extra is the worker that comes and goes.
func (f *Fleet) extra() string { return fmt.Sprintf("worker-%d", f.opts.Workers) }

// handOver assigns the next version, with claims where partitions move, and the workers
// applying it only after a while.
func (f *Fleet) handOver(ctx context.Context, step time.Duration) error {
	if f.opts.Version == 1 {
		return f.Rebalance(ctx, "planned_scale")
	}
	if err := f.takeUp(ctx); err != nil {
		return err
	}
	p := f.Plan("planned_scale")
	type move struct{ id, from, to string }
	var moves []move
	for w, parts := range p.parts {
		for _, part := range parts {
			if from := f.ownerOf(strings.Join(part.Keys, ".")); from != "" && from != w {
				moves = append(moves, move{strings.Join(part.Keys, "-"), from, w})
			}
		}
	}
	claim := func(state string) error {
		for _, m := range moves {
			owner, pending := m.from, m.to
			if state == "stable" {
				owner, pending = m.to, ""
			}
			if err := f.Claim(ctx, m.id, owner, pending, state, 2*time.Minute); err != nil {
				return err
			}
		}
		return nil
	}
	for _, act := range []func() error{
		func() error { return p.Payloads(ctx) },
		func() error { return p.Commit(ctx) },
		func() error { return p.Aliases(ctx) },
		func() error { return claim("prepare") },
		func() error { _ = pause.For(ctx, step); return claim("commit") },
		func() error { _ = pause.For(ctx, step); return f.Apply(ctx, p.workers...) },
		func() error { return claim("stable") },
	} {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}
