package observe

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// A watch that has missed a value, or brings nothing any more, is made anew at once, and
// not only when the bucket is compared the next time.
func TestWhatAWatchMissesIsNoticed(t *testing.T) {
	value := func(n int) *nats.Msg {
		return &nats.Msg{Subject: "$KV.elastic-consumer-groups.S.g", Sub: &nats.Subscription{}, Data: []byte("{}"),
			Reply: fmt.Sprintf("$JS.ACK.KV_elastic-consumer-groups.c.1.%d.%d.1767225600000000000.0", 10+n, n)}
	}
	beat := func(last int) *nats.Msg {
		return &nats.Msg{Header: nats.Header{"Status": {"100"}, "Nats-Last-Consumer": {fmt.Sprint(last)}}}
	}
	gone := &nats.Msg{Header: nats.Header{"Status": {"409"}}}
	for name, c := range map[string]struct {
		messages []*nats.Msg
		missed   bool // at the last of them
	}{
		"one after the other":       {[]*nats.Msg{beat(0), value(1), value(2), beat(2), value(3)}, false},
		"one is missing":            {[]*nats.Msg{value(1), value(3)}, true},
		"the last one is missing":   {[]*nats.Msg{value(1), value(2), beat(3)}, true},
		"the first one is missing":  {[]*nats.Msg{value(2)}, true},
		"the consumer was deleted":  {[]*nats.Msg{value(1), gone}, true},
		"one comes a second time":   {[]*nats.Msg{value(1), value(1)}, true},
		"a heartbeat of a new life": {[]*nats.Msg{value(1), value(2), beat(0)}, true},
	} {
		l := deaf(func(...model.Observation) {})
		w := &watching{bucket: l.bucket(BucketName(model.KindElastic)), link: l, fresh: map[string]bool{}, answered: func() {}}
		for i, m := range c.messages {
			_, err := w.receive(m)
			if missed := errors.Is(err, errReread); missed != (c.missed && i == len(c.messages)-1) || err != nil && !missed {
				t.Errorf("%s: message %d: %v", name, i, err)
			}
		}
	}
	for _, c := range []struct {
		quiet time.Duration
		hears bool
		want  error
	}{
		{deafAfter / 2, false, nil}, {deafAfter + time.Second, false, errDeaf},
		{deafAfter + time.Second, true, nil}, {maxSilence + time.Second, true, errReread},
	} {
		w := &watching{heard: time.Now().Add(-c.quiet), hears: c.hears}
		if err := w.silent(); !errors.Is(err, c.want) {
			t.Errorf("silent for %v, heard before: %v: %v, want %v", c.quiet, c.hears, err, c.want)
		}
	}
}

// The clock that stands still while a machine sleeps is not asked whether it slept.
func TestSleepIsToldByTheClockOnTheWall(t *testing.T) {
	if text := wall().String(); strings.Contains(text, " m=") {
		t.Errorf("it is %s", text)
	}
}
