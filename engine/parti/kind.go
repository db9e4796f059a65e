package parti

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

// Name is the kind's name, on the screens and in JSON.
const Name model.Kind = "parti"

// Kind finds and follows Parti deployments. It implements [observe.Kind]; make it with [New].
type Kind struct {
	prefix string

	mu       sync.Mutex
	keys     map[string]model.Key         // by stem: a group keeps the name that it got first
	examined map[string]role              // by bucket: what its keys told, once for all
	told     map[model.Key]bool           // groups that are told
	open     map[model.Key]*deployment    // and what is known of them, while the connection stands
	asked    map[string]map[string]search // by stem and stream: looked through for durables
	streams  map[string]string            // by stem: where they were found
}

// New makes the kind. prefix is what the names of a deployment's buckets begin with, for one
// that is found in no other way; empty: there is none to name.
func New(prefix string) *Kind {
	return &Kind{
		prefix: prefix, keys: map[string]model.Key{}, examined: map[string]role{}, told: map[model.Key]bool{},
		open: map[model.Key]*deployment{}, asked: map[string]map[string]search{}, streams: map[string]string{},
	}
}

// Name implements [observe.Kind].
func (k *Kind) Name() model.Kind { return Name }

// Follow implements [observe.Kind].
func (k *Kind) Follow(ctx context.Context, a observe.Account, ready func()) error {
	ctx, end := context.WithCancelCause(ctx)
	f := &following{Kind: k, account: a, ctx: ctx, end: end, byStem: map[string]*followed{}, poke: make(chan struct{}, 1)}
	defer f.running.Wait()
	defer end(nil)
	lists := a.Streams(ctx) // before any bucket is waited for: the list only comes when it is asked for
	if k.prefix != "" {
		for _, r := range []role{roleIDs, roleElection, roleHeartbeat, roleAssignment, roleHandoff} {
			f.add(place{bucket: k.prefix + "-" + r.ending(), stem: k.prefix, role: r})
		}
	}
	var latest []observe.Stream
	var rest *listing // of the latest list, what was not looked through yet
	for {
		select {
		case <-ctx.Done():
			return f.err(context.Cause(ctx))
		case latest = <-lists:
			late := rest != nil
			if rest = f.recognise(latest); late { // some deployment is never told
				f.discover(rest)
				rest = nil
			}
		case <-f.poke: // a deployment was told, or would have been
		}
		told := latest != nil && f.allTold()
		f.seek(latest)
		if told && f.allTold() && rest != nil { // what costs requests waits for what is known without
			f.discover(rest)
			rest = nil
		}
		if told && f.allTold() { // nothing new was found to be told
			ready()
		}
	}
}

// allTold tells whether every deployment was told that can be, with the stream that it
// consumes from.
func (f *following) allTold() bool {
	f.byStemMu.Lock()
	defer f.byStemMu.Unlock()
	for _, d := range f.byStem {
		d.telling.Lock() // if it is being told, until it is
		d.mu.Lock()
		told := d.tried && d.whole && d.stream == d.reads
		d.mu.Unlock()
		d.telling.Unlock()
		if !told {
			return false
		}
	}
	return true
}

// following is one call of [Kind.Follow].
type following struct {
	*Kind
	account observe.Account
	ctx     context.Context
	end     context.CancelCauseFunc
	running sync.WaitGroup
	poke    chan struct{}
	swept   bool // groups of before that are no more were told as gone

	byStemMu sync.Mutex
	byStem   map[string]*followed
}

// followed is a deployment while it is followed.
type followed struct {
	*deployment
	stem     string
	instance string
	buckets  map[string]bool
	first    sync.WaitGroup // buckets that were not read yet, of those it began with
	telling  sync.Mutex     // nothing is told of it once it was told as gone
	absent   bool           // none of its buckets was there when it was told last
	cancel   context.CancelFunc
	ctx      context.Context
}

// err is what Follow returns: a panic of one of its goroutines, else nothing.
func (f *following) err(cause error) error {
	if p, is := cause.(*observe.PanicError); is {
		return p
	}
	return nil
}

// run starts a goroutine that belongs to the call.
func (f *following) run(work func() error) {
	f.running.Go(func() {
		if err := observe.Guard(work); err != nil {
			f.end(err)
		}
	})
}

// add follows a bucket, and begins the deployment with its first one.
func (f *following) add(places ...place) {
	f.byStemMu.Lock()
	defer f.byStemMu.Unlock()
	var begun []*followed
	var start []func() error
	for _, p := range places {
		d, known := f.byStem[p.stem]
		if !known {
			d = &followed{deployment: newDeployment(), stem: p.stem, buckets: map[string]bool{}}
			d.ctx, d.cancel = context.WithCancel(f.ctx)
			f.mu.Lock()
			d.stream = f.streams[p.stem] // as before the connection was lost; whether it still is there, the list tells
			if before := f.open[f.keys[p.stem]]; before != nil {
				d.matched = before.source()
			}
			f.mu.Unlock()
			f.byStem[p.stem], begun = d, append(begun, d)
		}
		if p.instance != "" && d.instance == "" {
			d.instance = p.instance
		}
		if d.buckets[p.bucket] {
			continue
		}
		d.buckets[p.bucket] = true
		d.mark(p, false)
		first := func() {}
		if slices.Contains(begun, d) {
			d.first.Add(1)
			first = d.first.Done
		}
		read := sync.OnceFunc(func() { d.mark(p, true); first() })
		l := ledger{deployment: d.deployment, place: p, account: f.account, gone: func() { f.vanish(d) }}
		start = append(start, func() error {
			defer read()
			return f.account.Bucket(d.ctx, p.bucket, l, read)
		})
	}
	for _, d := range begun {
		start = append(start, func() error { return f.tell(d) })
	}
	for _, work := range start { // when it is known what else there is
		f.run(work)
	}
}

// vanish ends following a deployment none of whose buckets is left.
func (f *following) vanish(d *followed) {
	if d.exists() {
		return
	}
	f.byStemMu.Lock()
	if f.byStem[d.stem] == d {
		delete(f.byStem, d.stem)
	}
	f.byStemMu.Unlock()
	d.cancel()
	d.telling.Lock()
	defer d.telling.Unlock()
	f.forget(f.keyOf(d.stem))
	d.absent = true
	f.tellPrefix(d)
}

func (k *Kind) keyOf(stem string) model.Key {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys[stem]
}

// forget tells that a group is gone, if it was told.
func (f *following) forget(k model.Key) {
	f.mu.Lock()
	was := f.told[k]
	delete(f.told, k)
	delete(f.open, k)
	f.mu.Unlock()
	if was {
		f.account.Emit(model.ConfigGone{Key: k, At: f.account.Now()})
		f.account.Forget(k)
	}
}

// deployment finds what is known of a group now.
func (k *Kind) deployment(key model.Key) (*deployment, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.open[key]
	if d == nil {
		return nil, fmt.Errorf("%s is not known: it was not seen since the connection began", key)
	}
	return d, nil
}
