package pcgroups

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// EventKind is what happened to an instance.
type EventKind string

const (
	EventJoined    EventKind = "joined"    // it consumes: its consumer exists and it pulls
	EventLeft      EventKind = "left"      // it does not consume any more, for now or for good
	EventPinned    EventKind = "pinned"    // the server has chosen it to get the messages
	EventUnpinned  EventKind = "unpinned"  // it has lost the pin or given it up
	EventRecovered EventKind = "recovered" // a fault is over: it consumes as before
)

// Event is a change of an instance's state, see [WithObserver].
type Event struct {
	Kind       EventKind
	Time       time.Time
	Partitions []int  // what it consumes: of EventJoined
	Pin        string // the server's id of the pin: of EventPinned and EventUnpinned

	// Err is the fault of EventRecovered, and why an instance left or lost its pin: nil
	// if it gave it up itself, to hand partitions over or at its end, [ErrConsumerGone]
	// if its consumer was deleted, [jetstream.ErrPinIDMismatch] if the server refused
	// its pin or gave it another. The latter does not tell a step-down from a pin that
	// expired because a handler took longer than the ack wait: the server says that in
	// an advisory only, whose subject a member may not be permitted to listen to. An
	// instance that is stepped down while there are no messages learns of it with the
	// next one.
	Err error
}

func (e Event) String() string {
	if e.Kind == EventJoined {
		return fmt.Sprintf("%s %v", e.Kind, e.Partitions)
	}
	text := string(e.Kind)
	if e.Pin != "" {
		text += " " + e.Pin
	}
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// status is an instance's state as its program sees it.
type status struct {
	observer    func(Event)
	unconfirmed atomic.Uint64

	telling sync.Mutex // held while one change is made and told, to keep their order

	mu        sync.Mutex
	changed   chan struct{} // closed with the next change
	consuming bool
	pin       string // empty while another instance or nobody is pinned
	ended     bool
	err       error // why, once ended
	recovered uint64
	fault     error // the last one absorbed
}

func newStatus(observer func(Event)) *status {
	return &status{observer: observer, changed: make(chan struct{})}
}

// change makes a change and tells what it returns.
func (s *status) change(f func() []Event) {
	s.telling.Lock()
	defer s.telling.Unlock()
	s.mu.Lock()
	events := f()
	close(s.changed)
	s.changed = make(chan struct{})
	s.mu.Unlock()
	if s.observer == nil {
		return
	}
	for _, e := range events {
		e.Time = time.Now()
		s.observer(e)
	}
}

func (s *status) joined(partitions []int) {
	s.change(func() []Event {
		s.consuming = true
		return []Event{{Kind: EventJoined, Partitions: slices.Clone(partitions)}}
	})
}

func (s *status) left(why error) {
	s.change(func() (events []Event) {
		if s.pin != "" {
			events = append(events, Event{Kind: EventUnpinned, Pin: s.pin, Err: why})
		}
		if s.consuming {
			events = append(events, Event{Kind: EventLeft, Err: why})
		}
		s.consuming, s.pin = false, ""
		return events
	})
}

func (s *status) pinned(pin string) {
	s.change(func() (events []Event) {
		before := s.pin
		s.pin = pin
		if pin == before {
			return nil
		}
		if before != "" { // lost and regained while nothing was refused
			events = append(events, Event{Kind: EventUnpinned, Pin: before, Err: jetstream.ErrPinIDMismatch})
		}
		return append(events, Event{Kind: EventPinned, Pin: pin})
	})
}

func (s *status) unpinned(why error) {
	s.change(func() []Event {
		before := s.pin
		s.pin = ""
		if before == "" {
			return nil
		}
		return []Event{{Kind: EventUnpinned, Pin: before, Err: why}}
	})
}

func (s *status) absorbed(fault error) {
	s.change(func() []Event {
		s.recovered++
		s.fault = fault
		return []Event{{Kind: EventRecovered, Err: fault}}
	})
}

func (s *status) end(err error) {
	s.change(func() []Event {
		s.ended, s.err = true, err
		return nil
	})
}

// wait blocks until the condition, which is asked under the lock, holds.
func (s *status) wait(ctx context.Context, holds func() bool) error {
	for {
		s.mu.Lock()
		ok, changed := holds(), s.changed
		s.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
