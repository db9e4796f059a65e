package observe

import (
	"sync"
	"time"

	"pcgtop/model"
)

// reports is what nats.go reports on its own until it is told: the same text once, however
// often it comes meanwhile.
type reports struct {
	wake chan struct{} // there is something

	mu      sync.Mutex
	list    []error
	waiting map[string]struct{}
}

// mostReports bounds how many different ones wait.
const mostReports = 4096

func newReports() *reports {
	return &reports{wake: make(chan struct{}, 1), waiting: map[string]struct{}{}}
}

func (r *reports) put(list ...error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, err := range list {
		text := err.Error()
		if _, waits := r.waiting[text]; waits || len(r.list) == mostReports {
			continue
		}
		r.waiting[text] = struct{}{}
		r.list = append(r.list, err)
		nudge(r.wake)
	}
}

func (r *reports) take() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	clear(r.waiting)
	return list
}

// sameError is how long the same error of the connection is not told again.
const sameError = time.Minute

// report tells as an event what the connection says of itself, or returns a panic.
func (o *Observer) report(err error, emit func(...model.Observation)) error {
	if isPanic(err) {
		return err
	}
	o.opts.Log.Warn("nats", "error", err)
	if text := err.Error(); time.Since(o.reported[text]) > sameError {
		o.reported[text] = time.Now()
		emit(model.EventSeen{Event: model.Event{Kind: model.EventLink, Text: "the connection reports: " + text}})
	}
	return nil
}

// reportAll is [Observer.report] of all that was not taken yet, while there is no link. What
// was not permitted to a connection that is no more is forgotten: whoever asks again is told
// again. What was not permitted to the one that stands is left for its link: not to receive
// answers is told once.
func (o *Observer) reportAll(emit func(...model.Observation)) error {
	list := o.async.take()
	connected := o.nc.IsConnected() // now: what comes later is of another connection
	for _, err := range list {
		if _, denied := parseDenial(err.Error()); denied {
			if connected {
				o.async.put(err)
			}
			continue
		}
		if err := o.report(err, emit); err != nil {
			return err
		}
	}
	return nil
}
