package parti

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// A deployment that its names tell is known, with its durables, before any other bucket is
// asked for its keys, and nothing is asked for that a list has told.
func TestRequestsUntilKnown(t *testing.T) {
	t.Parallel()
	nc, js := serve(t)
	play(t, js, standin.Options{Stream: "JOBS", Workers: 3, Partitions: keys(12)})
	for i := range 30 {
		kv, err := js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: fmt.Sprintf("some-%d", i)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kv.PutString(t.Context(), "key", "value"); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprintf("A%d", i) // listed before JOBS, with a consumer
		s, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: name, Subjects: []string{name}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.CreateConsumer(t.Context(), jetstream.ConsumerConfig{Durable: "c"}); err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	var asked []string
	sub, err := nc.Subscribe("$JS.API.>", func(m *nats.Msg) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, strings.TrimPrefix(m.Subject, "$JS.API."))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New(""))
	_, took := w.until(t, group("parti", "worker"), "its durables", func(g *model.Group) bool {
		return g.Reads == "JOBS" && len(g.Members) == 3 && g.Members[0].Consumer != nil
	})
	mu.Lock()
	until := slices.Clone(asked)
	mu.Unlock()
	if err := sub.Unsubscribe(); err != nil {
		t.Error(err)
	}
	t.Logf("known after %s", took.Round(time.Millisecond))
	const last = "CONSUMER.LIST.JOBS" // then what is left is looked through
	first := slices.Index(until, last)
	for i, what := range until {
		if strings.HasPrefix(what, "STREAM.INFO.KV_parti-") || what == "STREAM.INFO.JOBS" || i < first && strings.HasPrefix(what, "STREAM.INFO.KV_some-") || i > first && what == last {
			t.Errorf("asked for %s", what)
		}
	}
	if first < 0 || first >= 20 {
		t.Errorf("%d requests before %s: %q", first, last, until)
	}
}
