package observe

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// recent is for how long what a list told of a stream saves asking for it.
const recent = time.Second

// listings hands the list of streams to whoever wants it.
type listings struct {
	mu      sync.Mutex
	latest  []Stream
	told    int       // how many of them answered: these come first, by name
	read    bool      // there is one
	started time.Time // when it was asked for, local clock
	wanted  map[chan []Stream]struct{}
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

// recent is what a list that was asked for a moment ago told of a stream; nil: nothing.
func (l *listings) recent(stream string) *streamInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.started) > recent {
		return nil
	}
	i, found := slices.BinarySearchFunc(l.latest[:l.told], stream, func(s Stream, name string) int { return strings.Compare(s.Name(), name) })
	if !found {
		return nil
	}
	return l.latest[i].info
}

// age makes what was listed old: it is of a connection that is no more.
func (l *listings) age() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started = time.Time{}
}

// publish replaces a list that nobody has taken yet. Missing are the names of those that
// exist and did not answer.
func (l *listings) publish(list []*streamInfo, missing []string, started time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.wanted) == 0 {
		return
	}
	l.latest, l.told, l.read, l.started = make([]Stream, 0, len(list)+len(missing)), len(list), true, started
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
