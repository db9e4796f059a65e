package observe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// liveAfter is how long streams that are not on the screen may delay that the
// picture counts as live.
const liveAfter = 5 * time.Second

// asPanic is errors.As for a panic.
func asPanic(err error, p **PanicError) bool { return errors.As(err, p) }

func isPanic(err error) bool { return asPanic(err, new(*PanicError)) }

// link is everything that runs for one connection: it ends with it.
type link struct {
	*Observer
	outbox
	denied map[string]bool // operations told as denied; only the errors' goroutine touches it
	lacks  atomic.Bool     // that there are any
	deaf   atomic.Bool     // one of them is to receive answers
	domain domainFilter
	kept   kept // the consumers that a kind asked for last

	listTold bool // a list of all streams was; only their follower touches it

	doubted chan doubt // streams whose leaders are to be asked: see [link.askDoubted]

	mu         sync.Mutex
	unread     map[model.Kind]bool // kinds whose groups were not told yet
	awaiting   map[model.Kind]bool // of them, those that the list of streams has to come for
	bucketsAt  time.Time           // when all others were told
	listed     bool                // the streams were listed
	live       bool
	haveBucket chan struct{} // closed when all buckets were read
}

func newLink(o *Observer, emit func(...model.Observation)) *link {
	l := &link{Observer: o, outbox: outbox{send: emit}, denied: map[string]bool{}, doubted: make(chan doubt, maxDoubted), unread: map[model.Kind]bool{}, awaiting: map[model.Kind]bool{}, haveBucket: make(chan struct{})}
	l.domain.want = o.opts.Domain
	l.domain.known = o.opts.Domain != ""
	for _, k := range o.opts.Kinds {
		l.unread[k.Name()] = true
	}
	return l
}

// run observes until the connection is lost, which is an error, or the context ends.
func (l *link) run(ctx context.Context, status <-chan nats.Status, rtt time.Duration) error {
	reconnects := l.nc.Stats().Reconnects
	crew, ctx := newCrew(ctx)
	l.emit(append([]model.Observation{model.DeniedSeen{Clear: true}}, l.server(rtt)...)...)
	l.api.trip.Store(int64(rtt))
	stop, err := l.hear(ctx, crew)
	defer stop()
	if err != nil {
		crew.run(func() error { return err })
		return crew.wait()
	}
	defer l.emit() // what was left for later
	crew.run(func() error { return l.flush(ctx, min(l.opts.Refresh, laterMost)) })
	crew.run(func() error { return l.mind(ctx, status, reconnects) })
	crew.run(func() error { return l.ping(ctx, rtt) })
	crew.run(func() error { return l.askAnew(ctx) })
	crew.run(func() error { return l.errors(ctx, reconnects) })
	crew.run(func() error { return l.countRequests(ctx) })
	crew.run(func() error { return l.askDoubted(ctx) })
	crew.run(func() error { return l.followStreams(ctx) })
	crew.run(func() error { return l.dispatch(ctx) })
	crew.run(func() error { return l.followPartitions(ctx) })
	crew.run(func() error { return l.attend(ctx) })
	for _, k := range l.opts.Kinds {
		crew.run(func() error { return k.Follow(ctx, account{l, k.Name()}, func() { l.kindRead(k.Name()) }) })
	}
	return crew.wait()
}

// errLost ends everything that runs for a connection.
var errLost = errors.New("the connection is lost")

// lostError is errLost where it is known why.
type lostError struct{ why string }

func (e *lostError) Error() string { return errLost.Error() + ": " + e.why }
func (e *lostError) Unwrap() error { return errLost }

// whyLost is why a connection is lost, empty where that is not known.
func whyLost(err error) string {
	if e := (*lostError)(nil); errors.As(err, &e) {
		return e.why
	}
	return ""
}

// sleptFor is how far two looks at the connection lie apart by the clock on the wall when
// this machine slept, or this process was stopped, in between.
const sleptFor = 5 * time.Second

// mind returns an error as soon as the connection is not the one it was, or everything is
// old because nothing was read for as long as this machine slept.
func (l *link) mind(ctx context.Context, status <-chan nats.Status, reconnects uint64) error {
	for last := wall(); ; {
		now := wall()
		if slept := now.Sub(last); slept > sleptFor {
			return &lostError{fmt.Sprintf("pcgtop was stopped for %v, as while a machine sleeps", slept.Round(time.Second))}
		}
		last = now
		if !l.nc.IsConnected() || l.nc.Stats().Reconnects != reconnects {
			return errLost
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-status:
		case <-time.After(pingEvery):
		}
	}
}

// wall is the time without the clock that stands still while a machine sleeps.
func wall() time.Time { return time.Now().Round(0) }

// server is who is at the other end; nothing when nobody is by now.
func (l *link) server(rtt time.Duration) []model.Observation {
	name := l.nc.ConnectedServerName()
	if name == "" {
		return nil
	}
	address := ""
	// What stands before the @ can be a token, which the library does not hide.
	if u, err := url.Parse(l.nc.ConnectedUrl()); err == nil && !l.opts.HideAddresses {
		u.User = nil
		address = u.String()
	}
	return []model.Observation{model.ServerSeen{Server: model.Server{
		Context: l.opts.Context, URL: address, Name: name, Cluster: l.nc.ConnectedClusterName(),
		Version: l.nc.ConnectedServerVersion(), API: l.opts.APIPrefix, RTT: rtt,
	}}}
}

// errors tells of permissions that the account lacks, and ends the calls they hit. What
// else goes wrong on the connection, such as messages that came too fast to be taken, is
// an event. What may be of the connection after this one is left for its link.
func (l *link) errors(ctx context.Context, reconnects uint64) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.async.wake:
		}
		list := l.async.take()
		if l.nc.Stats().Reconnects != reconnects {
			l.async.put(list...)
			return errLost
		}
		for _, err := range list {
			d, ok := parseDenial(err.Error())
			if !ok {
				if err := l.report(err, l.emit); err != nil {
					return err
				}
				continue
			}
			if inbox := l.inboxPrefix(); d.verb == "subscribe" && strings.HasPrefix(d.subject, inbox+".") {
				d.inbox = inbox
				l.deaf.Store(true)
			}
			if what := d.advice(l.opts.APIPrefix); !l.denied[what] {
				l.denied[what] = true
				l.lacks.Store(true)
				l.emit(model.DeniedSeen{What: what})
			}
			l.api.refuse(d) // then: what ends by it is told after it
		}
	}
}

// inboxPrefix is what all subjects for answers begin with, without the dot.
func (l *link) inboxPrefix() string {
	return strings.TrimSuffix(cmp.Or(l.nc.Opts.InboxPrefix, nats.InboxPrefix), ".")
}

// countRequests tells once a second what observing costs, when that changed.
func (l *link) countRequests(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var told model.Requests
	cost := func() float64 { // a burst counts when its turn has come: see [budget.borrow]
		_, repaid := l.api.budget.owed()
		return float64(l.api.made.Load()) + repaid
	}
	// What the budget saved in the quiet before is spent at once, and counts for that time, too.
	rate, meter := steady{most: l.opts.MaxRequests}, meter{cost(), time.Now().Add(-time.Second)}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		perSecond, ok := meter.read(cost(), time.Now())
		if !ok {
			continue
		}
		if r := (model.Requests{PerSecond: rate.add(perSecond), Budget: l.opts.MaxRequests}); r != told {
			told = r
			l.later(model.RequestsSeen{Requests: r})
		}
	}
}

// kindRead notes that the groups of a kind were told.
func (l *link) kindRead(kind model.Kind) {
	l.mu.Lock()
	delete(l.unread, kind)
	delete(l.awaiting, kind)
	l.kindsMoved()
	l.mu.Unlock()
	l.progress()
}

// kindAwaitsList notes that a kind finds its groups in the list of streams.
func (l *link) kindAwaitsList(kind model.Kind) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.awaiting[kind] = l.unread[kind]
	l.kindsMoved()
}

// kindsMoved lets the streams be listed when no kind is left that has to come before. The
// lock is held.
func (l *link) kindsMoved() {
	for kind := range l.unread {
		if !l.awaiting[kind] {
			return
		}
	}
	if l.bucketsAt.IsZero() {
		l.bucketsAt = time.Now()
		close(l.haveBucket)
	}
}

// streamsListed notes that the streams were listed, or could not be: then those who wait
// for it wait in vain.
func (l *link) streamsListed(well bool) {
	l.mu.Lock()
	l.listed = true
	if !well {
		for kind := range l.awaiting {
			delete(l.unread, kind)
		}
	}
	l.mu.Unlock()
	l.plan.signal()
	l.progress()
}

// progress says that the link is live once everything was read: the groups of every kind,
// the streams, and every stream's consumers. In an account so big that the budget makes
// this take long, what is not on the screen, or has to be searched for, is not waited for
// any longer.
func (l *link) progress() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.live || l.bucketsAt.IsZero() || !l.listed {
		return
	}
	if len(l.unread) == 0 {
		l.plan.allTold()
	}
	all, onScreen := l.plan.untried()
	if onScreen > 0 || all+len(l.unread) > 0 && time.Since(l.bucketsAt) < liveAfter {
		return
	}
	l.live = true
	l.emit(model.LinkSeen{State: model.LinkLive})
}

func (l *link) isListed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.listed
}
