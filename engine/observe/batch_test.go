package observe

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// What is not on the screen is read some at a time, so that it wakes the program seldom;
// yet all of it, at the budget's pace.
func TestTheRestIsReadInBatches(t *testing.T) {
	t.Parallel()
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	kv := bucketOf(t, js, model.KindElastic)
	const groups = 80 // of which the budget's first second reads some 20
	for i := range groups {
		must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: fmt.Sprintf("S-g%02d", i), Subjects: []string{fmt.Sprintf("s.%d.>", i)}, Storage: jetstream.MemoryStorage}))
		must(js.CreateConsumer(t.Context(), fmt.Sprintf("S-g%02d", i), jetstream.ConsumerConfig{Name: "m1", AckPolicy: jetstream.AckExplicitPolicy}))
		must(kv.PutString(t.Context(), fmt.Sprintf("S.g%02d", i), goodConfig))
	}
	var mu sync.Mutex
	var asked []time.Time
	must(nc.Subscribe("$JS.API.CONSUMER.LIST.>", func(*nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, time.Now())
	}))
	must(0, nc.Flush())
	o := New(connect(t, s.ClientURL()), Options{Refresh: time.Hour})
	open := elastic("S", "g00")
	o.Focus(&open, []model.Key{open})
	r := runObserver(t, o)
	r.until(t, "every group read", func(s *model.Snapshot) bool {
		for _, g := range s.Groups {
			if g.ReadAt.IsZero() {
				return false
			}
		}
		return len(s.Groups) == groups
	})
	mu.Lock()
	defer mu.Unlock()
	batches := 0
	later := asked[len(asked)/2:]
	for i := 1; i < len(later); i++ {
		if later[i].Sub(later[i-1]) > 25*time.Millisecond { // each by itself is 50 ms after the one before
			batches++
		}
	}
	if batches > len(later)/2 {
		t.Errorf("%d requests come in %d batches", len(later), batches)
	}
}
