package observe

import (
	"context"
	"errors"
	"strings"
	"time"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

// BucketName is the KV bucket that the configs of a kind are stored in, by whatever
// library.
func BucketName(kind model.Kind) string { return string(kind) + "-consumer-groups" }

// bucket follows one config bucket. What it knows outlives a connection; one
// goroutine at a time works on it.
type bucket struct {
	kind   model.Kind
	stream string // KV_<bucket>
	prefix string // of the subjects: $KV.<bucket>.
	poke   chan struct{}

	created time.Time       // of the bucket's stream; zero: there is none
	known   map[string]bool // bucket keys: true has a config, false a removal's marker
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

func newBucket(kind model.Kind) *bucket {
	name := BucketName(kind)
	return &bucket{kind: kind, stream: "KV_" + name, prefix: "$KV." + name + ".", poke: make(chan struct{}, 1), known: map[string]bool{}}
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
)

// follow keeps up with the bucket until the context ends. ready is called once the
// first read is complete, or turns out to be impossible.
func (b *bucket) follow(ctx context.Context, l *link, ready func()) error {
	for ctx.Err() == nil {
		wait := l.opts.Health
		info, err := l.api.streamInfo(ctx, b.stream)
		switch {
		case err == nil:
			b.appear(l, info)
			err = b.watch(ctx, l, info, ready)
			if errors.Is(err, errDenied) {
				err = b.poll(ctx, l, ready)
			}
			wait = 0
		case errors.Is(err, errNotFound):
			b.vanish(l)
			ready()
		}
		switch {
		case errors.Is(err, errReread):
			wait = rereadAfter
		case errors.Is(err, errDenied):
			l.emit(model.BucketSeen{Kind: b.kind, Problem: plain(err)})
			ready()
			wait = l.opts.Health
		case err != nil && !errors.Is(err, errNotFound) && ctx.Err() == nil:
			l.opts.Log.Warn("config bucket not read", "bucket", b.stream, "error", err)
			wait = retryAfter
		}
		if wait > 0 {
			b.pause(ctx, wait)
		}
	}
	return nil
}

func (b *bucket) pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-b.poke:
	}
}

// appear notes that the bucket exists, perhaps another one than before.
func (b *bucket) appear(l *link, info *streamInfo) {
	l.clock.set(info.TS)
	reset := !b.created.IsZero() && !b.created.Equal(info.Created)
	if reset {
		b.forget(l)
	}
	b.created = info.Created
	l.emit(model.BucketSeen{Kind: b.kind, Exists: true, Reset: reset})
}

func (b *bucket) vanish(l *link) {
	gone := !b.created.IsZero()
	b.forget(l)
	b.created = time.Time{}
	l.emit(model.BucketSeen{Kind: b.kind, Exists: false, Reset: gone})
}

func (b *bucket) forget(l *link) {
	for key := range b.known {
		l.plan.unlearn(model.ParseKey(b.kind, key))
	}
	b.known, b.seen, b.settled = map[string]bool{}, 0, nil
}

// record is one stored value or removal of a bucket.
type record struct {
	key      string // the part after the bucket's prefix
	revision uint64
	at       time.Time
	value    []byte
	removed  bool
}

// take turns records into observations and tells the plan which streams matter.
func (b *bucket) take(l *link, records ...record) {
	if len(records) == 0 {
		return
	}
	observations := make([]model.Observation, 0, len(records))
	for _, r := range records {
		b.seen = max(b.seen, r.revision)
		k := model.ParseKey(b.kind, r.key)
		b.known[r.key] = !r.removed
		if r.removed {
			observations = append(observations, model.ConfigGone{Key: k, Revision: r.revision, At: r.at})
			continue
		}
		observations = append(observations, configSeen(k, r))
	}
	l.emit(observations...)
	for _, r := range records {
		if k := model.ParseKey(b.kind, r.key); r.removed {
			l.plan.unlearn(k)
		} else {
			l.plan.learn(k)
		}
	}
}

// drop notes that keys are gone without any marker, as after a purge of the stream.
func (b *bucket) drop(l *link, keys []string) {
	for _, key := range keys {
		live := b.known[key]
		delete(b.known, key)
		if live {
			k := model.ParseKey(b.kind, key)
			l.emit(model.ConfigGone{Key: k, At: l.clock.now()})
			l.plan.unlearn(k)
		}
	}
}

func configSeen(k model.Key, r record) model.ConfigSeen {
	o := model.ConfigSeen{Key: k, Revision: r.revision, Written: r.at, Raw: string(r.value)}
	config, err := pcgroups.DecodeConfig(k.Kind, r.value)
	if err != nil && (k.Kind != model.KindStatic || !config.Partial()) { // some libraries take static mappings with gaps
		o.Problem = strings.TrimSpace(err.Error())
	} else {
		o.Config = &config
	}
	return o
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
