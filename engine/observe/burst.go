package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// What a burst may bring at once, and what makes one request cost as much as several:
// with each count comes the first message it counts, for the server has no way to leave
// its body out.
const (
	burstBytes   = 16 << 20
	requestBytes = 64 << 10
)

// tally is one count: how many of a stream's messages from a sequence on match a
// subject, and when the first of them was stored.
type tally struct {
	stream  string
	from    uint64
	filter  string
	pending uint64
	first   uint64 // the sequence of the first
	oldest  time.Time
}

// burst counts many things at once, by batch direct gets on one inbox.
type burst struct {
	*link
	tallies []*tally
	cost    int    // in requests
	spare   string // a stream whose counts may be refused without an end to the others
	lacks   bool   // they were
}

// ask adds counts, which are filled in by [burst.run].
func (b *burst) ask(stream string, from uint64, filters []string) []*tally {
	list := make([]*tally, 0, len(filters))
	for _, f := range filters {
		list = append(list, &tally{stream: stream, from: from, filter: f})
	}
	b.tallies = append(b.tallies, list...)
	return list
}

// run makes all requests and waits for all answers. The whole is paid for afterwards.
func (b *burst) run(ctx context.Context, messageSize uint64) error {
	b.cost = len(b.tallies) * costOf(messageSize)
	b.api.budget.borrow(b.cost)
	for some := range slices.Chunk(b.tallies, int(max(1, burstBytes/max(1, messageSize)))) {
		if err := b.flight(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// costOf is what one count costs, in requests.
func costOf(messageSize uint64) int { return int(1 + messageSize/requestBytes) }

// directRequest is the part of nats-server's JSApiMsgGetRequest that counts. At most
// one message comes for it.
type directRequest struct {
	Seq      uint64 `json:"seq"`
	Next     string `json:"next_by_subj"`
	Batch    int    `json:"batch"`
	MaxBytes int    `json:"max_bytes"`
}

// flight has all requests in flight together.
func (b *burst) flight(ctx context.Context, tallies []*tally) error {
	ctx, cancel := context.WithTimeout(ctx, b.opts.Timeout)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	inbox := b.nc.NewInbox() + "."
	answers := &answers{tallies: tallies, open: len(tallies), closed: make([]bool, len(tallies)), done: make(chan struct{})}
	sub, err := b.nc.Subscribe(inbox+"*", handler(end, func(m *nats.Msg) { answers.take(m, m.Subject[len(inbox):]) }))
	if err != nil {
		return fmt.Errorf("count: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is gone, and the subscription with it
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return fmt.Errorf("count: %w", err)
	}
	told := map[string]bool{}
	for i, t := range tallies {
		subject := b.api.prefix + ".DIRECT.GET." + t.stream
		if !told[subject] {
			told[subject] = true
			refused := end
			if t.stream == b.spare {
				refused = func(error) { answers.doWithout(t.stream) }
			}
			defer b.api.remember(&call{subject: subject, end: refused})()
		}
		body, err := json.Marshal(directRequest{Seq: max(1, t.from), Next: t.filter, Batch: 1, MaxBytes: 1})
		if err != nil {
			return fmt.Errorf("count: %w", err)
		}
		if err := b.nc.PublishRequest(subject, inbox+strconv.Itoa(i), body); err != nil {
			return fmt.Errorf("count: %w", err)
		}
	}
	select {
	case <-answers.done:
		answers.mu.Lock()
		defer answers.mu.Unlock()
		b.lacks = b.lacks || answers.lack
		return answers.err
	case <-ctx.Done():
		if cause := context.Cause(ctx); errors.Is(cause, errDenied) || isPanic(cause) {
			return cause
		}
		return fmt.Errorf("%w within %v to direct gets", errNoAnswer, b.opts.Timeout)
	}
}

// answers takes the answers of a flight, in any order.
type answers struct {
	mu      sync.Mutex
	tallies []*tally
	closed  []bool
	open    int
	err     error
	lack    bool          // some were not waited for
	done    chan struct{} // closed with the last answer
}

// take reads one message: the first that matches, with the number of those behind it, or
// the end of an answer.
func (a *answers) take(m *nats.Msg, token string) {
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i >= len(a.tallies) {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed[i] {
		return
	}
	if m.Header.Get("Nats-Sequence") != "" { // a stored message; its own headers may be anything
		a.err = errors.Join(a.err, a.tallies[i].read(m.Header))
		return
	}
	switch status := m.Header.Get("Status"); status {
	case strconv.Itoa(http.StatusNoContent), strconv.Itoa(http.StatusNotFound): // the end, or nothing matches
	case "503":
		a.err = errors.Join(a.err, errNoDirect)
	default:
		a.err = errors.Join(a.err, fmt.Errorf("direct get: %s", strings.TrimSpace(status+" "+m.Header.Get("Description"))))
	}
	a.closed[i] = true
	if a.open--; a.open == 0 || a.err != nil && !isClosed(a.done) {
		a.finish()
	}
}

// doWithout waits for no answers about a stream any more.
func (a *answers) doWithout(stream string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lack = true
	for i, t := range a.tallies {
		if t.stream == stream && !a.closed[i] {
			a.closed[i] = true
			a.open--
		}
	}
	if a.open == 0 {
		a.finish()
	}
}

func (a *answers) finish() {
	if !isClosed(a.done) {
		close(a.done)
	}
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// read takes the count out of the first message's headers.
func (t *tally) read(h nats.Header) error {
	n, err := strconv.ParseUint(h.Get("Nats-Num-Pending"), 10, 63)
	if err != nil {
		return fmt.Errorf("direct get of %s: %w", t.filter, err)
	}
	first, err := strconv.ParseUint(h.Get("Nats-Sequence"), 10, 64)
	if err != nil {
		return fmt.Errorf("direct get of %s: %w", t.filter, err)
	}
	at, err := time.Parse(time.RFC3339Nano, h.Get("Nats-Time-Stamp"))
	if err != nil {
		return fmt.Errorf("direct get of %s: %w", t.filter, err)
	}
	t.pending, t.first, t.oldest = n+1, first, at
	return nil
}
