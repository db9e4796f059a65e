package standin

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// beat renews what living workers have to renew, a third of its time before it expires.
func (f *Fleet) beat(ctx context.Context) {
	tick := time.NewTicker(min(f.opts.HeartbeatTTL, f.opts.ElectionTTL, f.opts.IDTTL) / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, name := range f.Workers() {
			_ = errors.Join(f.pulse(ctx, name), f.claimID(ctx, name)) // a server that is away is back at the next beat, or not
		}
		_ = f.lead(ctx)
	}
}

// Join lets a worker take its stable id and beat.
func (f *Fleet) Join(ctx context.Context, name string) error {
	f.mu.Lock()
	w := &worker{beats: true}
	if l := f.opts.Labels[name]; l != "" {
		w.labels = []string{l}
	}
	f.workers[name] = w
	f.mu.Unlock()
	if err := f.claimID(ctx, name); err != nil {
		return err
	}
	return f.pulse(ctx, name)
}

// Kill lets a worker die: it beats no more, and takes nothing back.
func (f *Fleet) Kill(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.workers[name].beats = false
}

// Leave lets a worker stop in good order: it takes its heartbeat and its id back.
func (f *Fleet) Leave(ctx context.Context, name string) error {
	f.Kill(name)
	if err := f.buckets[Heartbeats].Delete(ctx, "heartbeat."+name); err != nil {
		return fmt.Errorf("taking the heartbeat of %s back: %w", name, err)
	}
	if err := f.buckets[IDs].Delete(ctx, name); err != nil {
		return fmt.Errorf("taking the id %s back: %w", name, err)
	}
	return nil
}

// LeaveID leaves the stable id of a worker behind that never beats.
func (f *Fleet) LeaveID(ctx context.Context, name string) error { return f.claimID(ctx, name) }

// Apply lets workers take up the version assigned last, and tell so.
func (f *Fleet) Apply(ctx context.Context, names ...string) error {
	for _, name := range names {
		f.mu.Lock()
		if w := f.workers[name]; w != nil {
			w.applied = f.version
		}
		f.mu.Unlock()
		if err := f.pulse(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// pulse stores a worker's heartbeat, if it lives.
func (f *Fleet) pulse(ctx context.Context, name string) error {
	f.mu.Lock()
	w, known := f.workers[name]
	if !known || !w.beats {
		f.mu.Unlock()
		return nil
	}
	now := time.Now().UTC()
	h := heartbeatValue{Worker: name, Schema: 1, Capabilities: 7, Labels: w.labels, LeaderRevision: 1, Applied: w.applied, AppliedAt: now, Timestamp: now}
	f.mu.Unlock()
	raw := []byte(now.Format(time.RFC3339Nano))
	if f.opts.Version == 2 {
		var err error
		if raw, err = encode(h); err != nil {
			return err
		}
	}
	if _, err := f.buckets[Heartbeats].Put(ctx, "heartbeat."+name, raw); err != nil {
		return fmt.Errorf("heartbeat of %s: %w", name, err)
	}
	return nil
}

func (f *Fleet) claimID(ctx context.Context, name string) error {
	if _, err := f.buckets[IDs].Put(ctx, name, []byte(time.Now().UTC().Format(time.RFC3339))); err != nil {
		return fmt.Errorf("taking the id %s: %w", name, err)
	}
	return nil
}

// lead renews the leader key by compare-and-set, or takes it when nobody has it.
func (f *Fleet) lead(ctx context.Context) error {
	living := f.Workers()
	if len(living) == 0 {
		return nil
	}
	value := fmt.Appendf(nil, "%s:%d", living[0], time.Now().Unix())
	kv := f.buckets[Election]
	now, err := kv.Get(ctx, "leader")
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		_, err = kv.Create(ctx, "leader", value)
	case err == nil:
		_, err = kv.Update(ctx, "leader", value, now.Revision())
	}
	if err != nil {
		return fmt.Errorf("leading: %w", err)
	}
	return nil
}
