package observe

import (
	"context"
	"fmt"
	"sync"
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
	infos, _, _, err := a.api.consumers(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("consumers of %s: %w", stream, err)
	}
	list := make([]*model.Consumer, 0, len(infos))
	for _, i := range infos {
		list = append(list, i.consumer())
	}
	return list, nil
}

func (a account) Subjects(ctx context.Context, stream, filter string) (map[string]uint64, error) {
	info := &streamInfo{}
	if err := a.api.ask(ctx, "STREAM.INFO."+stream, map[string]string{"subjects_filter": filter}, info); err != nil {
		return nil, fmt.Errorf("subjects of %s: %w", stream, err)
	}
	return info.State.Subjects, nil
}

// listings hands the list of streams to whoever wants it.
type listings struct {
	mu     sync.Mutex
	latest []Stream
	read   bool
	wanted map[chan []Stream]struct{}
}

func newListings() *listings { return &listings{wanted: map[chan []Stream]struct{}{}} }

func (l *listings) subscribe(ctx context.Context) <-chan []Stream {
	c := make(chan []Stream, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wanted[c] = struct{}{}
	if l.read {
		c <- l.latest
	}
	context.AfterFunc(ctx, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.wanted, c)
	})
	return c
}

// publish replaces a list that nobody has taken yet. Missing are the names of those that
// exist and did not answer.
func (l *listings) publish(list []*streamInfo, missing []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.wanted) == 0 {
		return
	}
	l.latest, l.read = make([]Stream, 0, len(list)+len(missing)), true
	for _, info := range list {
		l.latest = append(l.latest, Stream{info: info})
	}
	for _, name := range missing {
		l.latest = append(l.latest, Unanswered(name))
	}
	for c := range l.wanted {
		select {
		case <-c:
		default:
		}
		c <- l.latest
	}
}
