package observe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"pcgtop/internal/pause"
)

// bucket follows one KV bucket. What it knows outlives a connection; one goroutine at a
// time works on it.
type bucket struct {
	ledger Ledger // who is told, for as long as it is followed
	stream string // KV_<bucket>
	prefix string // of the subjects: $KV.<bucket>.
	poke   chan struct{}

	deaf    time.Time       // until then it is not watched, for watching brought nothing or was refused
	freely  bool            // it is watched without flow control, which may not be answered
	created time.Time       // of the bucket's stream; zero: there is none
	known   map[string]bool // bucket keys: true has a value, false a removal's marker
	seen    uint64          // the highest revision seen
	settled *fingerprint    // what the last full read left in disagreement
}

// fingerprint is what a health check compares.
type fingerprint struct {
	last     uint64 // last sequence of the stream
	subjects int
	seen     uint64
	known    int
}

func newBucket(name string) *bucket {
	return &bucket{stream: "KV_" + name, prefix: "$KV." + name + ".", poke: make(chan struct{}, 1), known: map[string]bool{}}
}

// nudge asks for a health check now.
func (b *bucket) nudge() {
	select {
	case b.poke <- struct{}{}:
	default:
	}
}

// retryAfter is how soon a bucket that could not be read is tried again, except
// after a refusal, which lasts until somebody changes the permissions. rereadAfter only keeps a watch that fails again and again from running wild.
const (
	retryAfter  = 500 * time.Millisecond
	rereadAfter = 20 * time.Millisecond
	againAfter  = 100 * time.Millisecond
)

// follow keeps up with the bucket until the context ends. ready is called once the
// first read is complete, or turns out to be impossible.
func (b *bucket) follow(ctx context.Context, l *link, told Ledger, ready func()) error {
	b.ledger = told
	poked := false
	listed := l.listings.recent(b.stream) // a kind that found it in a list knows that it exists
	for ctx.Err() == nil {
		wait := l.opts.Health
		info, err := listed, error(nil)
		if listed = nil; info == nil {
			info, err = l.api.streamInfo(ctx, b.stream)
		}
		switch {
		case err == nil && info.leaderless(): // it may be behind the others
			err = fmt.Errorf("%w: STREAM.INFO.%s", errNoLeader, b.stream)
		case err == nil:
			b.appear(l, info)
			if err = errDeaf; time.Now().After(b.deaf) {
				err = b.watch(ctx, l, info, ready)
				if errors.Is(err, errDeaf) || errors.Is(err, errNoWatch) {
					b.deaf = time.Now().Add(deafFor)
					l.opts.Log.Info("bucket polled", "bucket", b.stream, "why", err)
				}
			}
			if errors.Is(err, errDenied) || errors.Is(err, errDeaf) || errors.Is(err, errNoWatch) {
				err = b.poll(ctx, l, ready, b.deaf)
			}
			wait = 0
		case errors.Is(err, errNotFound):
			b.vanish()
			ready()
			if poked { // a stream may be announced a moment before it is found
				wait = againAfter
			}
		}
		switch {
		case errors.Is(err, errReread):
			wait = rereadAfter
		case errors.Is(err, errDenied):
			b.ledger.Refused(plain(err))
			ready()
			wait = l.opts.Health
		case err != nil && !errors.Is(err, errNotFound) && ctx.Err() == nil:
			l.opts.Log.Warn("bucket not read", "bucket", b.stream, "error", err)
			if l.nc.IsConnected() { // a lost connection is not the bucket's fault
				b.ledger.Refused(plain(err))
			}
			wait = retryAfter
		}
		poked = false
		if wait > 0 {
			poked, _ = pause.Until(ctx, wait, b.poke)
		}
	}
	return nil
}

// appear notes that the bucket exists, perhaps another one than before.
func (b *bucket) appear(l *link, info *streamInfo) {
	l.clock.set(info.TS)
	anew := !b.created.IsZero() && !b.created.Equal(info.Created)
	var lost []string
	if anew {
		lost = b.forget()
	}
	b.created = info.Created
	b.ledger.Appeared(Stream{info: info}, lost, anew)
}

func (b *bucket) vanish() {
	was := !b.created.IsZero()
	lost := b.forget()
	b.created = time.Time{}
	b.ledger.Vanished(lost, was)
}

// forget forgets everything, and returns the keys that were known.
func (b *bucket) forget() []string {
	keys := make([]string, 0, len(b.known))
	for key := range b.known {
		keys = append(keys, key)
	}
	b.known, b.seen, b.settled = map[string]bool{}, 0, nil
	slices.Sort(keys)
	return keys
}

// take notes records and passes them on.
func (b *bucket) take(records ...Record) {
	if len(records) == 0 {
		return
	}
	for _, r := range records {
		b.seen = max(b.seen, r.Revision)
		b.known[r.Key] = !r.Removed
	}
	b.ledger.Took(records)
}

// drop notes that keys are gone without any marker, as after a purge of the stream.
func (b *bucket) drop(keys []string) {
	var gone []string
	for _, key := range keys {
		if b.known[key] {
			gone = append(gone, key)
		}
		delete(b.known, key)
	}
	if len(gone) > 0 {
		b.ledger.Dropped(gone)
	}
}

// agrees tells whether the stream's info fits what was seen. A disagreement that a
// full read has left standing, such as a deleted last message, is not one.
func (b *bucket) agrees(info *streamInfo) bool {
	f := b.fingerprint(info)
	if b.settled != nil && *b.settled == f {
		return true
	}
	return f.last <= f.seen && f.subjects == f.known
}

func (b *bucket) fingerprint(info *streamInfo) fingerprint {
	return fingerprint{last: info.State.LastSeq, subjects: info.State.NumSubjects, seen: b.seen, known: len(b.known)}
}

// settle notes after a full read what its own info says, for [bucket.agrees].
func (b *bucket) settle(info *streamInfo) {
	f := b.fingerprint(info)
	b.settled = &f
}

// buckets are those that are or were followed.
type buckets struct {
	mu    sync.Mutex
	named map[string]*bucket // by stream
}

// bucket is the one of that name, with what is known of it from before.
func (o *Observer) bucket(name string) *bucket {
	o.buckets.mu.Lock()
	defer o.buckets.mu.Unlock()
	b := newBucket(name)
	if known := o.buckets.named[b.stream]; known != nil {
		return known
	}
	o.buckets.named[b.stream] = b
	return b
}

// nudge checks the bucket of a stream, if that is one.
func (l *buckets) nudge(stream string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.named[stream]
	if b == nil {
		return false
	}
	b.nudge()
	return true
}

func (l *buckets) nudgeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.named {
		b.nudge()
	}
}
