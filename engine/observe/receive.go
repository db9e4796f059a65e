package observe

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// receive reads one message of the watch. Heartbeats and flow control bring nothing.
func (w *watching) receive(m *nats.Msg) (*Record, error) {
	w.heard, w.hears = time.Now(), true
	if status := m.Header.Get("Status"); len(m.Data) == 0 && status != "" {
		if status != strconv.Itoa(http.StatusContinue) {
			return nil, errReread
		}
		return nil, w.control(m)
	}
	meta, err := m.Metadata()
	if err != nil {
		return nil, fmt.Errorf("message of %s without metadata: %w", w.stream, err)
	}
	if meta.Sequence.Consumer != w.next+1 {
		return nil, errReread // something was lost on the way
	}
	w.next++
	if w.left > 0 {
		w.left = min(w.left-1, meta.NumPending)
	}
	key, ok := strings.CutPrefix(m.Subject, w.prefix)
	if !ok {
		return nil, nil
	}
	w.fresh[key] = true
	return &Record{Key: key, Revision: meta.Sequence.Stream, At: meta.Timestamp.UTC(), Value: m.Data, Removed: removal(m.Header)}, nil
}

// takeIn receives a message and passes on what it brings.
func (w *watching) takeIn(m *nats.Msg) error {
	r, err := w.receive(m)
	if err == nil && r != nil {
		w.take(*r)
	}
	return err
}

// control answers flow control and compares a heartbeat's sequence with ours.
func (w *watching) control(m *nats.Msg) error {
	answer := m.Reply
	if stalled := m.Header.Get("Nats-Consumer-Stalled"); stalled != "" {
		answer = stalled
	}
	if answer != "" {
		w.answered()
		w.answered = w.link.api.remember(&call{subject: answer, end: w.end})
		if err := w.link.nc.Publish(answer, nil); err != nil {
			return fmt.Errorf("answer flow control: %w", err)
		}
	}
	if last := m.Header.Get("Nats-Last-Consumer"); last != "" && last != strconv.FormatUint(w.next, 10) {
		return errReread
	}
	return nil
}

// removal tells whether a message marks the end of a key: a KV delete or purge, or
// the server's own marker of an expiry or a purge (Nats-Marker-Reason).
func removal(h nats.Header) bool {
	switch h.Get("KV-Operation") {
	case "DEL", "PURGE":
		return true
	case "":
		return h.Get("Nats-Marker-Reason") != ""
	}
	return false
}
