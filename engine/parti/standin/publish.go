package standin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Publication is one version on its way. Its steps come in the order of the methods; a
// leader that dies leaves the later ones out.
type Publication struct {
	fleet     *Fleet
	version   int64
	lifecycle string
	source    uint64
	workers   []string
	parts     map[string][]Partition // by worker
	parked    int
	refs      map[string]payloadRef
}

// Plan deals the partitions among the living workers: those with a label to workers that
// have it, which park if there is none.
func (f *Fleet) Plan(lifecycle string) *Publication {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &Publication{fleet: f, version: f.version + 1, lifecycle: lifecycle, source: f.source, workers: f.living(), parts: map[string][]Partition{}, refs: map[string]payloadRef{}}
	next := map[string]int{}
	for _, part := range f.partitions {
		var may []string
		for _, w := range p.workers {
			if slices.Equal(f.workers[w].labels, nonEmpty(part.Label)) {
				may = append(may, w)
			}
		}
		if len(may) == 0 && part.Label == "" {
			may = p.workers
		}
		if len(may) == 0 {
			p.parked++
			continue
		}
		w := may[next[part.Label]%len(may)]
		next[part.Label]++
		p.parts[w] = append(p.parts[w], part)
	}
	return p
}

func nonEmpty(label string) []string {
	if label == "" {
		return nil
	}
	return []string{label}
}

// Payloads stores what each worker gets, under the hash of it (version 2).
func (p *Publication) Payloads(ctx context.Context, workers ...string) error {
	if len(workers) == 0 {
		workers = p.workers
	}
	for _, w := range p.workers {
		raw, err := encode(payloadValue{Schema: 1, Partitions: p.parts[w], Labels: nonEmpty(p.fleet.opts.Labels[w]), LabelsKnown: true})
		if err != nil {
			return err
		}
		hash := hashOf(raw)
		ref := payloadRef{Key: "assignment._payload." + hash, Hash: hash}
		if slices.Contains(workers, w) {
			packed, err := pack(raw)
			if err != nil {
				return err
			}
			if ref.Revision, err = p.fleet.buckets[Assignments].Create(ctx, ref.Key, packed); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
				return fmt.Errorf("storing the payload of %s: %w", w, err)
			}
		}
		p.refs[w] = ref
	}
	return nil
}

// Commit decides for the version, by compare-and-set (version 2).
func (p *Publication) Commit(ctx context.Context) error {
	f := p.fleet
	f.mu.Lock()
	last := f.commit
	f.mu.Unlock()
	raw, err := encode(commitValue{
		Version: p.version, Leader: 1, Source: p.source, SourceKnown: p.source > 0, Published: time.Now().UTC(),
		Workers: p.workers, Payloads: p.refs, Parked: p.parked, Previous: last, Lifecycle: p.lifecycle,
	})
	if err != nil {
		return err
	}
	kv := f.buckets[Assignments]
	revision, err := kv.Update(ctx, "assignment._commit", raw, last)
	if err != nil {
		return fmt.Errorf("committing version %d: %w", p.version, err)
	}
	f.mu.Lock()
	f.commit = revision
	f.mu.Unlock()
	p.decided()
	if _, err := kv.Put(ctx, fmt.Sprintf("assignment._commit_log.%d", p.version), []byte(`{}`)); err != nil {
		return fmt.Errorf("logging version %d: %w", p.version, err)
	}
	return nil
}

// decided makes the version the one that counts.
func (p *Publication) decided() {
	f := p.fleet
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version = p.version
	clear(f.owner)
	for w, parts := range p.parts {
		for _, part := range parts {
			f.owner[strings.Join(part.Keys, ".")] = w
		}
	}
}

// Aliases stores each worker's assignment under its name: all there is in version 1, a
// legacy copy in version 2.
func (p *Publication) Aliases(ctx context.Context, workers ...string) error {
	if len(workers) == 0 {
		workers = p.workers
	}
	for _, w := range workers {
		raw, err := encode(assignmentValue{Version: p.version, Lifecycle: p.lifecycle, Partitions: p.parts[w], Leader: 1, Total: len(p.workers)})
		if err != nil {
			return err
		}
		if _, err := p.fleet.buckets[Assignments].Put(ctx, "assignment."+w, raw); err != nil {
			return fmt.Errorf("storing the assignment of %s: %w", w, err)
		}
	}
	if p.fleet.opts.Version == 1 {
		p.decided()
	}
	return nil
}

// Rebalance assigns the next version and lets every worker apply it.
func (f *Fleet) Rebalance(ctx context.Context, lifecycle string) error {
	if err := f.takeUp(ctx); err != nil {
		return err
	}
	p := f.Plan(lifecycle)
	if f.opts.Version == 2 {
		if err := p.Payloads(ctx); err != nil {
			return err
		}
		if err := p.Commit(ctx); err != nil {
			return err
		}
	}
	if err := p.Aliases(ctx); err != nil {
		return err
	}
	if err := f.forget(ctx, p.workers); err != nil {
		return err
	}
	if err := f.consumers(ctx); err != nil {
		return err
	}
	return f.Apply(ctx, p.workers...)
}

// forget removes the assignments of workers that are no more.
func (f *Fleet) forget(ctx context.Context, keep []string) error {
	f.mu.Lock()
	var gone []string
	for w := range f.workers {
		if !slices.Contains(keep, w) {
			gone = append(gone, w)
			delete(f.workers, w)
		}
	}
	f.mu.Unlock()
	for _, w := range gone {
		if err := f.buckets[Assignments].Delete(ctx, "assignment."+w); err != nil {
			return fmt.Errorf("removing the assignment of %s: %w", w, err)
		}
	}
	return nil
}
