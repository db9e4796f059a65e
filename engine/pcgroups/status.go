package pcgroups

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"
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
	Err        error  // the fault: of EventRecovered
}

func (e Event) String() string {
	switch e.Kind {
	case EventJoined:
		return fmt.Sprintf("%s %v", e.Kind, e.Partitions)
	case EventPinned, EventUnpinned:
		return string(e.Kind) + " " + e.Pin
	case EventRecovered:
		return fmt.Sprintf("%s: %v", e.Kind, e.Err)
	}
	return string(e.Kind)
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

func (s *status) left() {
	s.change(func() (events []Event) {
		if s.pin != "" {
			events = append(events, Event{Kind: EventUnpinned, Pin: s.pin})
		}
		if s.consuming {
			events = append(events, Event{Kind: EventLeft})
		}
		s.consuming, s.pin = false, ""
		return events
	})
}

// pinned takes an empty pin for its loss.
func (s *status) pinned(pin string) {
	s.change(func() []Event {
		before := s.pin
		s.pin = pin
		switch {
		case pin == before:
			return nil
		case pin == "":
			return []Event{{Kind: EventUnpinned, Pin: before}}
		}
		return []Event{{Kind: EventPinned, Pin: pin}}
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
