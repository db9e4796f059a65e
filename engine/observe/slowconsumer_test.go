package observe

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// TUI-12: what nats.go reports, which it prints when nobody listens, is among the events,
// the same once.
func TestErrorsOfTheConnectionAreEvents(t *testing.T) {
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	_, rec := observe(t, nc, Options{Refresh: 100 * time.Millisecond})
	rec.until(t, "live", func(s *model.Snapshot) bool { return s.Link.State == model.LinkLive })

	slow, err := nc.SubscribeSync("flood")
	if err != nil {
		t.Fatal(err)
	}
	if err := slow.SetPendingLimits(1, -1); err != nil {
		t.Fatal(err)
	}
	told := func(s *model.Snapshot) (n int) {
		for _, e := range s.Events {
			if e.Kind == model.EventLink && e.Text == "the connection reports: "+nats.ErrSlowConsumer.Error() {
				n++
			}
		}
		return n
	}
	flood := func() {
		for range 10 {
			if err := nc.Publish("flood", nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	flood()
	rec.until(t, "the slow consumer among the events", func(s *model.Snapshot) bool { return told(s) == 1 })
	if _, err := slow.NextMsg(time.Second); err == nil { // says so to whoever reads, and forgets it
		t.Error("it is no slow consumer")
	}
	for range 10 {
		_, _ = slow.NextMsg(time.Second)
		flood()
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	nc.ErrorHandler()(nc, slow, nats.ErrTimeout) // comes after them
	s2, _ := rec.until(t, "another error", func(s *model.Snapshot) bool {
		return len(s.Events) > 0 && s.Events[0].Text == "the connection reports: "+nats.ErrTimeout.Error()
	})
	if n := told(s2); n != 1 {
		t.Errorf("told %d times", n)
	}
}
