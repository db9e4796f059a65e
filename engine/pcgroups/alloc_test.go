package pcgroups

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// fakeMsg is a message without a server.
type fakeMsg struct {
	jetstream.Msg
	header nats.Header
}

func (f fakeMsg) Headers() nats.Header { return f.header }
func (f fakeMsg) Reply() string        { return "reply" }
func (f fakeMsg) Ack() error           { return nil }

// What a message costs beyond the client's own is the one value that the handler gets,
// as with the reference.
func TestOneAllocationAMessage(t *testing.T) {
	m := newMember(nil, groupKey(model.KindElastic, "s", "g"), "m", func(msg jetstream.Msg) { _ = msg.Ack() }, jetstream.ConsumerConfig{}, nil)
	s := &stint{m: m}
	var msg jetstream.Msg = fakeMsg{header: nats.Header{pinHeader: []string{"pin"}}}
	s.handle(msg)
	if got := testing.AllocsPerRun(1000, func() { s.handle(msg) }); got > 1 {
		t.Errorf("%v allocations a message", got)
	}
}
