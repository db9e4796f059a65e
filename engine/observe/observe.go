package observe

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// Options of an [Observer]. A zero value means the default.
type Options struct {
	APIPrefix   string        // of the JetStream API, "$JS.API"
	Domain      string        // JetStream domain whose advisories count; default: the one the API prefix leads to
	Context     string        // name of the NATS context, only told along
	MaxRequests float64       // API requests per second, all together: 20
	Refresh     time.Duration // how often what is on the screen is read: 1 s
	Health      time.Duration // how often the buckets and the streams are checked: 5 s
	Timeout     time.Duration // for one request: 5 s
	Log         *slog.Logger  // for what concerns nobody at the screen; default: nowhere

	// Kinds are the kinds of groups that are looked for; default: [Kinds].
	Kinds []Kind

	// Snapshot is what is known by now, from everything emitted before. Without it no
	// partitions are counted, and a consumer for which nobody answers is one never seen.
	Snapshot func() *model.Snapshot

	// HideAddresses keeps addresses of instances, and the server's, out of everything.
	HideAddresses bool
}

func (o Options) withDefaults() Options {
	fill(&o.APIPrefix, "$JS.API")
	fill(&o.MaxRequests, 20)
	fill(&o.Refresh, time.Second)
	fill(&o.Health, 5*time.Second)
	fill(&o.Timeout, 5*time.Second)
	fill(&o.Log, slog.New(slog.DiscardHandler))
	if o.Kinds == nil {
		o.Kinds = Kinds()
	}
	return o
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Observer watches the groups of one account over one connection.
type Observer struct {
	nc        *nats.Conn
	opts      Options
	api       *api
	plan      *plan
	clock     *serverClock
	told      *toldFacts
	buckets   *buckets
	listings  *listings
	streams   chan struct{} // asks for the list of streams now
	counts    chan struct{} // asks for a count of the open group's partitions now
	anew      chan struct{} // asks again for what was not permitted
	attention *attention
	async     *reports             // what nats.go reports on its own
	reported  map[string]time.Time // when of it the same was told; only who takes async touches it
	ran       atomic.Bool
	answered  atomic.Pointer[time.Time] // when a ping was last, local clock; nil: never
}

// New makes an observer; [Observer.Run] makes it work.
func New(nc *nats.Conn, opts Options) *Observer {
	opts = opts.withDefaults()
	return &Observer{
		nc: nc, opts: opts, api: newAPI(nc, opts), plan: newPlan(opts.Refresh),
		clock: &serverClock{}, told: newToldFacts(), attention: newAttention(),
		buckets: &buckets{named: map[string]*bucket{}}, listings: newListings(),
		streams: make(chan struct{}, 1), counts: make(chan struct{}, 1), anew: make(chan struct{}, 1), async: newReports(), reported: map[string]time.Time{},
	}
}

// Focus says which groups are on the screen: they are read first and most often, and
// the open one in more depth.
func (o *Observer) Focus(open *model.Key, visible []model.Key) {
	if o.plan.focus(open, visible) {
		nudge(o.counts)
	}
	o.attention.focus(open)
}

// Watch asks for the instances of groups beside the open one's; none ends that.
func (o *Observer) Watch(keys ...model.Key) { o.attention.ask(keys) }

// ReadNow reads at once what is on the screen, and checks the buckets. If something was
// not permitted, all is read and listened to anew, for that may have been changed.
func (o *Observer) ReadNow() {
	o.plan.urge()
	nudge(o.streams)
	nudge(o.counts)
	nudge(o.anew)
	o.buckets.nudgeAll()
}

// Refused takes an asynchronous error of the connection that Run may not hear of, and ends
// the requests that it says are not permitted. Run tells of it, or will when it begins. It
// does no harm if Run hears of the same: which handler hears of an error is settled when the
// error comes, and not when it is told.
func (o *Observer) Refused(err error) {
	if d, ok := parseDenial(err.Error()); ok {
		o.api.refuse(d)
		o.async.put(err)
	}
}

// nudge asks for something that is asked for already at most once.
func nudge(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Run watches until the context ends, and calls emit with what it sees, from several
// goroutines and in an order in which a group comes before what is known of it. While
// the connection is away it says so and waits. The error is nil when the context
// ended, a [*PanicError] after a panic, or says that the connection was closed.
//
// Run takes over the connection's error handler, calls the one before it too, and
// puts that back at the end. It may be called again after it has returned.
func (o *Observer) Run(ctx context.Context, emit func(...model.Observation)) error {
	before := o.nc.ErrorHandler()
	o.nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		o.async.put(err)
		if before == nil {
			return
		}
		if err := Guard(func() error { before(nc, sub, err); return nil }); err != nil {
			o.async.put(err)
		}
	})
	defer o.nc.SetErrorHandler(before)
	status := o.nc.StatusChanged()
	defer o.nc.RemoveStatusListener(status)

	away := false // that was told
	lose := func(why string) {
		if !away {
			away = true
			lost := model.LinkSeen{State: model.LinkLost, Why: why}
			if at := o.answered.Load(); at != nil {
				lost.Heard = *at
			}
			emit(lost)
		}
	}
	for {
		rtt, err := o.awaitConnection(ctx, status, emit, lose)
		if err != nil {
			return ended(ctx, err)
		}
		if o.ran.Swap(true) || away {
			emit(model.LinkSeen{State: model.LinkRereading})
			o.plan.restart()
			o.told.forget()
			o.listings.age()
		}
		away = false
		err = newLink(o, emit).run(ctx, status, rtt)
		if ctx.Err() != nil {
			return ended(ctx, err)
		}
		if p := (*PanicError)(nil); asPanic(err, &p) {
			return p
		}
		if errors.Is(err, errAnew) {
			continue
		}
		o.opts.Log.Warn("connection lost", "error", err)
		lose(whyLost(err))
	}
}

// ended is what Run returns: a panic counts even when the context has ended.
func ended(ctx context.Context, err error) error {
	if p := (*PanicError)(nil); asPanic(err, &p) {
		return p
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
