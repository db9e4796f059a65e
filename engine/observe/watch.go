package observe

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// A watch is given up and made anew when it is silent for this many heartbeats.
const (
	heartbeat  = 2 * time.Second
	maxSilence = 3 * heartbeat
)

// A watch on which not even the first heartbeat comes is deaf: what the server delivers
// does not reach this account, as when another account's API is imported. The bucket is
// polled then, and a watch tried again after a while.
const (
	deafAfter = heartbeat + 500*time.Millisecond
	deafFor   = 5 * time.Minute
)

var errDeaf = errors.New("nothing arrives of what the server delivers")

// errNoWatch: the server makes no consumer to watch with, as when the account or the bucket
// has as many as it may. The bucket is polled then, too.
var errNoWatch = errors.New("no watch can be made")

// errReread asks for a fresh watch.
var errReread = errors.New("the watch has to be made anew")

// watchRequest asks for an ordered push consumer: the last value of every key, then
// all changes (nats-server, CreateConsumerRequest).
type watchRequest struct {
	Stream string      `json:"stream_name"`
	Config watchConfig `json:"config"`
	Action string      `json:"action"`
}

type watchConfig struct {
	Name        string        `json:"name"`
	Deliver     string        `json:"deliver_subject"`
	Policy      string        `json:"deliver_policy"`
	Ack         string        `json:"ack_policy"`
	Replay      string        `json:"replay_policy"`
	MaxDeliver  int           `json:"max_deliver"`
	Filter      string        `json:"filter_subject"`
	FlowControl bool          `json:"flow_control"`
	Heartbeat   time.Duration `json:"idle_heartbeat"`
	Inactive    time.Duration `json:"inactive_threshold"`
	Replicas    int           `json:"num_replicas"`
	Memory      bool          `json:"mem_storage"`
}

// watch reads all values and follows the changes until something is amiss; then the
// error is nil or errReread. It needs no permission but to create the consumer: the
// server removes it by itself when nobody listens any more.
func (b *bucket) watch(ctx context.Context, l *link, info *streamInfo, ready func()) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	messages := make(chan *nats.Msg)
	inbox := l.nc.NewInbox()
	sub, err := l.nc.Subscribe(inbox, func(m *nats.Msg) {
		select {
		case messages <- m:
		case <-ctx.Done():
		}
	})
	if err != nil {
		return fmt.Errorf("watch %s: %w", b.stream, err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is gone, and the subscription with it

	name, filter := inbox[strings.LastIndexByte(inbox, '.')+1:], b.prefix+">"
	request := watchRequest{Stream: b.stream, Action: "create", Config: watchConfig{
		Name: name, Deliver: inbox, Policy: "last_per_subject", Ack: "none", Replay: "instant", MaxDeliver: 1,
		Filter: filter, FlowControl: !b.freely, Heartbeat: heartbeat, Inactive: 5 * time.Second, Replicas: 1, Memory: true,
	}}
	var made struct {
		answer
		Pending uint64 `json:"num_pending"`
	}
	err = l.api.ask(ctx, "CONSUMER.CREATE."+b.stream+"."+name+"."+filter, request, &made)
	if no := (*apiError)(nil); errors.As(err, &no) && no.isLimit() {
		return fmt.Errorf("%w: %w", errNoWatch, no)
	}
	if err != nil {
		return err
	}
	w := &watching{bucket: b, link: l, messages: messages, fresh: map[string]bool{}, left: made.Pending, heard: time.Now(), end: end, answered: func() {}}
	defer func() { w.answered() }()
	if err = w.initial(ctx); err == nil {
		b.settle(info)
		ready()
		err = w.changes(ctx)
	}
	if errors.Is(context.Cause(ctx), errDenied) { // flow control may not be answered
		b.freely = true
		return errReread
	}
	return err
}

// watching is one watch while it runs.
type watching struct {
	*bucket
	link     *link
	messages <-chan *nats.Msg
	fresh    map[string]bool // keys that this watch has brought
	left     uint64          // initial values still to come
	next     uint64          // the consumer's sequence expected next, less one
	heard    time.Time       // the last message or heartbeat; before any, when the watch began
	hears    bool            // anything

	end      context.CancelCauseFunc // ends it when an answer to flow control is refused
	answered func()                  // forgets the last such answer
}

// silent is why a watch that brings nothing, not even heartbeats, is to be given up.
func (w *watching) silent() error {
	switch quiet := time.Since(w.heard); {
	case !w.hears && quiet > deafAfter:
		return errDeaf
	case quiet > maxSilence:
		return errReread
	}
	return nil
}

// batch is how many initial values are handed on together.
const batch = 512

// initial receives the values there are, then finds out what happened to keys that
// are not among them.
func (w *watching) initial(ctx context.Context) error {
	silence := time.NewTicker(heartbeat / 4)
	defer silence.Stop()
	var records []Record
	for w.left > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silence.C:
			if err := w.silent(); err != nil {
				return err
			}
		case m := <-w.messages:
			r, err := w.receive(m)
			if err != nil {
				return err
			}
			if r != nil {
				records = append(records, *r)
			}
			if len(records) == batch {
				w.take(records...)
				records = records[:0]
			}
		}
	}
	w.take(records...)
	return w.confirmMissing(ctx)
}

// confirmMissing asks for each key that was known and that the watch did not bring,
// one by one: the mark that the initial values are complete can come early.
func (w *watching) confirmMissing(ctx context.Context) error {
	missing, err := w.missing(ctx)
	if err != nil {
		return err
	}
	for _, key := range missing {
		r, err := w.get(ctx, w.link.api, key)
		switch {
		case errors.Is(err, errNotFound):
			w.drop([]string{key})
		case err != nil:
			return err
		default:
			w.take(*r)
		}
	}
	return nil
}

// manyMissing is how many keys may be asked for one by one; more are first looked up
// in the list of the stream's subjects, which is one request however many there are.
const manyMissing = 16

// missing lists the keys to ask for. Of many it drops those that are gone for sure.
func (w *watching) missing(ctx context.Context) ([]string, error) {
	var keys []string
	for key := range w.known {
		if !w.fresh[key] {
			keys = append(keys, key)
		}
	}
	if len(keys) <= manyMissing {
		return keys, nil
	}
	info, err := w.subjects(ctx, w.link)
	if err != nil {
		return nil, err
	}
	var gone, there []string
	for _, key := range keys {
		if _, ok := info.State.Subjects[w.prefix+key]; ok {
			there = append(there, key)
		} else {
			gone = append(gone, key)
		}
	}
	w.drop(gone)
	return there, nil
}

// changes follows the watch. It returns when the bucket is to be looked at anew.
func (w *watching) changes(ctx context.Context) error {
	health := time.NewTicker(w.link.opts.Health)
	defer health.Stop()
	silence := time.NewTicker(heartbeat / 4)
	defer silence.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-silence.C:
			if err := w.silent(); err != nil {
				return err
			}
		case m := <-w.messages:
			if err := w.takeIn(m); err != nil {
				return err
			}
		case <-health.C:
			if err := w.check(ctx); err != nil {
				return err
			}
		case <-w.poke:
			if err := w.check(ctx); err != nil {
				return err
			}
		}
	}
}
