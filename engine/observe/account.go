package observe

import (
	"context"
	"fmt"
	"time"

	"pcgtop/model"
)

// account is the [Account] of one connection, as one kind is given it.
type account struct {
	*link
	kind model.Kind
}

func (a account) Emit(seen ...model.Observation)   { a.emit(seen...) }
func (a account) Reads(k model.Key, stream string) { a.plan.learn(k, stream) }
func (a account) Forget(k model.Key)               { a.plan.unlearn(k) }
func (a account) Now() time.Time                   { return a.clock.now() }

func (a account) Bucket(ctx context.Context, name string, l Ledger, ready func()) error {
	return a.bucket(name).follow(ctx, a.link, l, ready)
}

func (a account) Streams(ctx context.Context) <-chan []Stream {
	list := a.listings.subscribe(ctx)
	a.kindAwaitsList(a.kind)
	return list
}

func (a account) Consumers(ctx context.Context, stream string) ([]*model.Consumer, error) {
	if !usable(stream) {
		return nil, fmt.Errorf("consumers of %q: %w", stream, errNotFound)
	}
	read, err := a.api.consumers(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("consumers of %s: %w", stream, err)
	}
	a.kept.keep(read)
	return read.list(), nil
}

func (a account) Subjects(ctx context.Context, stream, filter string) (map[string]uint64, error) {
	info := &streamInfo{}
	if err := a.api.ask(ctx, "STREAM.INFO."+stream, map[string]string{"subjects_filter": filter}, info); err != nil {
		return nil, fmt.Errorf("subjects of %s: %w", stream, err)
	}
	return info.State.Subjects, nil
}
