package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
	"pcgtop/internal/pause"
	"pcgtop/model"
)

// How often snapshots go out.
const (
	// quiet is the least time between two snapshots: the first change after it goes
	// out at once.
	quiet = 25 * time.Millisecond
	// heartbeat is when a snapshot goes out although nothing changed, so that ages move.
	heartbeat = time.Second
)

// Engine observes the groups of one account and acts on them.
type Engine struct {
	nc       *nats.Conn
	js       jetstream.JetStream
	settings *Settings
	refusals *refusals
	observer *observe.Observer
	admin    Administrator
	events   *eventLog // nil: none is kept
	unlogged func(error)
	audit    *audit
	kinds    []observe.Kind // of groups
	out      chan *model.Snapshot
	turn     chan struct{}  // held by whoever runs the observer
	timeout  time.Duration  // for one request
	acting   sync.WaitGroup // plans being carried out

	mu      sync.Mutex
	runs    bool // Run was called
	pending []model.Observation
	wake    chan struct{}
	current *model.Snapshot
	taken   chan struct{} // closed, and replaced, when current is
}

func newEngine(nc *nats.Conn, js jetstream.JetStream, s *Settings, o Options, refused *refusals, events *eventLog) *Engine {
	var e *Engine
	kinds := o.kinds()
	e = &Engine{
		nc: nc, js: js, settings: s, refusals: refused, events: events, unlogged: o.Unlogged,
		out: make(chan *model.Snapshot, 1), turn: make(chan struct{}, 1), wake: make(chan struct{}, 1), taken: make(chan struct{}),
		audit: &audit{}, kinds: kinds,
		observer: observe.New(nc, observe.Options{
			APIPrefix: s.APIPrefix, Domain: s.Domain, Context: s.Context,
			MaxRequests: o.MaxRequests, Refresh: o.Refresh, Timeout: o.Timeout, Log: o.Log, HideAddresses: o.HideAddresses,
			Kinds:    kinds,
			Snapshot: func() *model.Snapshot { return e.Current() },
		}),
	}
	refused.pass(e.observer.Refused)
	e.timeout = o.Timeout
	e.current = e.reduce(nil)
	e.current.ReadOnly = o.ReadOnly // nobody has it yet
	e.admin = &administration{js: js, opener: opener{js, refused}, current: e.Current, stored: e.observer.Stored, see: e.see, kinds: kinds}
	if o.ReadOnly {
		e.admin = ReadOnly(o.ReadOnlyBy)
	}
	return e
}

// Settings tells what the connection was made with.
func (e *Engine) Settings() *Settings { return e.settings }

// JetStream is the connection's JetStream, with the API prefix in use.
func (e *Engine) JetStream() jetstream.JetStream { return e.js }

// Snapshots delivers the newest snapshot; one that was not taken is replaced by the
// next. It is closed when [Engine.Run] ends.
func (e *Engine) Snapshots() <-chan *model.Snapshot { return e.out }

// Current is the newest snapshot, never nil.
func (e *Engine) Current() *model.Snapshot {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.current
}

// Focus says what is on the screen: it is read first, and the open group in depth.
func (e *Engine) Focus(open *model.Key, visible []model.Key) { e.observer.Focus(open, visible) }

// Watch asks for the instances of groups beside the open one's; none ends that.
func (e *Engine) Watch(keys ...model.Key) { e.observer.Watch(keys...) }

// ReadNow reads what is on the screen without waiting for its turn.
func (e *Engine) ReadNow() { e.observer.ReadNow() }

// closeMost bounds how long [Engine.Close] waits for what is being carried out.
const closeMost = 800 * time.Millisecond

// Close ends the connection, after what is being carried out, of which the context should
// have ended: a drained handover takes its pauses back. [Engine.Run] then ends with an error; cancel its context
// first to end it without one.
func (e *Engine) Close() {
	over := make(chan struct{})
	go func() {
		e.acting.Wait()
		close(over)
	}()
	select {
	case <-over:
	case <-time.After(closeMost):
	}
	e.nc.Close()
	e.events.close()
	_ = e.audit.close() // every line was written when it was due
}

// ErrRunning is returned by [Engine.Run] while it runs already.
var ErrRunning = errors.New("the engine is running")

// Run observes until the context ends; then the error is nil. An error says that the
// connection was closed, or is a panic ([observe.PanicError]). After it, there are no
// more snapshots. A [Engine.Once] in progress is waited for.
func (e *Engine) Run(ctx context.Context) error {
	e.mu.Lock()
	if e.runs {
		e.mu.Unlock()
		return ErrRunning
	}
	e.runs = true
	e.mu.Unlock()
	defer close(e.out)
	select {
	case e.turn <- struct{}{}:
	case <-ctx.Done():
		return nil
	}
	defer func() { <-e.turn }()
	return e.run(ctx, e.deliver)
}

// run observes and hands on snapshots until the context ends. The caller has the turn.
func (e *Engine) run(ctx context.Context, deliver func(*model.Snapshot)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	observed := make(chan error, 1)
	go func() { observed <- observe.Guard(func() error { return e.observer.Run(ctx, e.see) }) }()
	if e.Current().Link.State != model.LinkStarting {
		e.see(model.LinkSeen{State: model.LinkRereading}) // it ran before, and what it knew is old
	}
	var ended bool
	err := observe.Guard(func() (err error) {
		ended, err = e.publish(ctx, observed, deliver)
		return err
	})
	cancel()
	if !ended {
		err = cmp.Or(err, <-observed)
	}
	if err != nil {
		return fmt.Errorf("engine: %w", err)
	}
	return nil
}

// see takes observations from any goroutine.
func (e *Engine) see(observations ...model.Observation) {
	if len(observations) == 0 {
		return
	}
	e.mu.Lock()
	e.pending = append(e.pending, observations...)
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// publish turns observations into snapshots until the context ends, or the observer
// does, with its error.
func (e *Engine) publish(ctx context.Context, observed <-chan error, deliver func(*model.Snapshot)) (ended bool, err error) {
	beat := time.NewTimer(heartbeat)
	defer beat.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return false, nil
		case err := <-observed:
			return true, err
		case <-beat.C:
		case <-e.wake:
			if pause.For(ctx, quiet-time.Since(last)) != nil {
				return false, nil
			}
		}
		last = time.Now()
		deliver(e.step())
		beat.Reset(heartbeat)
	}
}

// step reduces what is pending into the next snapshot.
func (e *Engine) step() *model.Snapshot {
	e.mu.Lock()
	pending, prev := e.pending, e.current
	e.pending = nil
	e.mu.Unlock()
	next := e.reduce(prev, pending...) // not under the lock: only this goroutine replaces current
	if err := e.events.write(next); err != nil {
		if e.unlogged != nil {
			e.unlogged(err)
		}
		e.see(model.EventSeen{Event: model.Event{Kind: model.EventAction, Text: "events are no longer written: " + err.Error()}})
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.current = next
	close(e.taken)
	e.taken = make(chan struct{})
	return next
}

// reduce takes the time from the clock on the wall: the other one stands still while a
// machine sleeps, and what was read before would look as new as then.
func (e *Engine) reduce(prev *model.Snapshot, observations ...model.Observation) *model.Snapshot {
	return model.Reduce(prev, time.Now().UTC().Round(0), observations...)
}

// deliver replaces a snapshot that nobody has taken.
func (e *Engine) deliver(s *model.Snapshot) {
	for {
		select {
		case e.out <- s:
			return
		default:
		}
		select {
		case <-e.out:
		default:
		}
	}
}
