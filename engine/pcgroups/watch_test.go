package pcgroups

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// watched is JetStream whose bucket's watches a test can end.
type watched struct {
	jetstream.JetStream
	mu  sync.Mutex
	all []jetstream.KeyWatcher
}

type watchedKV struct {
	jetstream.KeyValue
	by *watched
}

func (w *watched) KeyValue(ctx context.Context, bucket string) (jetstream.KeyValue, error) {
	kv, err := w.JetStream.KeyValue(ctx, bucket)
	return watchedKV{kv, w}, err
}

func (kv watchedKV) Watch(ctx context.Context, key string, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	watcher, err := kv.KeyValue.Watch(ctx, key, opts...)
	if err == nil {
		kv.by.mu.Lock()
		kv.by.all = append(kv.by.all, watcher)
		kv.by.mu.Unlock()
	}
	return watcher, err
}

func (w *watched) opened() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.all)
}

// CON-07: a watch that ends is opened again with the next check, no sooner, and changes
// are followed.
func TestAClosedWatchIsOpenedAgain(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 2, "m1")
	w := &watched{JetStream: f.js}
	m, err := ElasticConsume(f.ctx, w, "A", "g", "m1", new(inbox).handler(""), oneByOne(time.Second))
	f.must(m, err)
	t.Cleanup(m.Stop)
	for n := 1; n <= 3; n++ {
		eventually(t, 5*time.Second, "the watch is open", func() bool { return w.opened() == n })
		w.mu.Lock()
		f.must(nil, w.all[n-1].Stop())
		w.mu.Unlock()
		ended := time.Now()
		eventually(t, 5*time.Second, "it is opened again", func() bool { return w.opened() > n })
		if took := time.Since(ended); took < 100*time.Millisecond {
			t.Errorf("opened again after %v", took)
		}
	}
	f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m2"}))
	eventually(t, 5*time.Second, "the change is followed", func() bool {
		info := f.info("A-g", "m1")
		return info != nil && len(filtersOf(info.Config)) == 1
	})
	if n := w.opened(); n != 4 {
		t.Errorf("%d watches were opened", n)
	}
}
