package observe

import (
	"context"
	"slices"
	"testing"
	"time"

	"pcgtop/model"
)

func TestWhatIsKeptGoesFirst(t *testing.T) {
	var sent []string
	took := make(chan int, 8)
	o := &outbox{send: func(seen ...model.Observation) {
		for _, s := range seen {
			sent = append(sent, s.(model.ConsumersRead).Stream)
		}
		took <- len(seen)
	}}
	read := func(stream string) model.Observation { return model.ConsumersRead{Stream: stream} }
	o.later(read("a"))
	o.later(read("b"))
	if len(sent) != 0 {
		t.Errorf("sent at once: %v", sent)
	}
	o.emit(read("c"))
	o.emit()
	if n := <-took; n != 3 || !slices.Equal(sent, []string{"a", "b", "c"}) {
		t.Errorf("%d together: %v", n, sent)
	}
	o.later(read("d"))
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- o.flush(ctx, time.Millisecond) }()
	if n := <-took; n != 1 {
		t.Errorf("%d sent after a while", n)
	}
	cancel()
	<-ended
}
