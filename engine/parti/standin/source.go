package standin

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
)

// takeUp takes the partition source, which somebody may have edited, for the next version.
func (f *Fleet) takeUp(ctx context.Context) error {
	if !f.opts.Source {
		return nil
	}
	list, revision, err := f.stored(ctx)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.partitions, f.source = list, revision
	return nil
}

// ReadSource reads the partition source as it is stored.
func (f *Fleet) ReadSource(ctx context.Context) ([]Partition, error) {
	list, _, err := f.stored(ctx)
	return list, err
}

func (f *Fleet) stored(ctx context.Context) ([]Partition, uint64, error) {
	now, err := f.buckets[Source].Get(ctx, SourceKey)
	if err != nil {
		return nil, 0, fmt.Errorf("reading the source: %w", err)
	}
	r, err := gzip.NewReader(bytes.NewReader(now.Value()))
	if err != nil {
		return nil, 0, fmt.Errorf("the source is not compressed: %w", err)
	}
	var list []Partition
	if err := json.NewDecoder(r).Decode(&list); err != nil {
		return nil, 0, fmt.Errorf("decoding the source: %w", err)
	}
	return list, now.Revision(), nil
}
