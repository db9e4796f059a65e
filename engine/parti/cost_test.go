package parti

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/engine/observe"
	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// asked is every request of the JetStream API that the server gets, and when.
type asked struct {
	mu       sync.Mutex
	subjects []string
	at       []time.Time
}

// listen notes requests for as long as the test.
func listen(t *testing.T, nc *nats.Conn) *asked {
	t.Helper()
	a := &asked{}
	_, err := nc.Subscribe("$JS.API.>", func(m *nats.Msg) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.subjects, a.at = append(a.subjects, strings.TrimPrefix(m.Subject, "$JS.API.")), append(a.at, time.Now())
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return a
}

// A start beside a deployment takes a request a bucket, one more for each that has to be told
// by its keys, the list of streams and that of one stream's consumers; and again no more.
func TestStartCosts(t *testing.T) {
	for instance, most := range map[string]int{"prod": 11, "": 13} { // two are the config buckets, and one the account's
		nc, js := serve(t)
		play(t, js, standin.Options{Workers: 3, Partitions: keys(100), Source: true, Stream: "JOBS", Instance: instance}).Stop()
		a := listen(t, connect(t, nc.ConnectedUrl()))
		w := observedWith(t, nc, New(""), observe.Options{Health: time.Hour, Refresh: time.Hour})
		w.eventually(t, "live, with all that is known", func(s *model.Snapshot) bool {
			return s.Link.State == model.LinkLive && len(s.Groups) == 1 && len(s.Groups[0].Partitions) == 100 && s.Groups[0].Reads == "JOBS" && says(s.Groups[0].Facts, "source parti-source/partitions")
		})
		a.mu.Lock()
		t.Logf("instance %q: %d requests within %v", instance, len(a.at), a.at[len(a.at)-1].Sub(a.at[0]).Round(time.Millisecond))
		if n := len(a.subjects); n > most || n < 8 {
			t.Errorf("instance %q: %d requests, at most %d were expected:\n%s", instance, n, most, strings.Join(a.subjects, "\n"))
		}
		a.mu.Unlock()
	}
}

// All that finding and following deployments asks for takes its turn in the budget, also at
// the start, when it is most.
func TestStartKeepsBudget(t *testing.T) {
	const perSecond = 8
	nc, js := serve(t)
	for i := range 3 {
		play(t, js, standin.Options{Prefix: fmt.Sprint("jobs", i), Workers: 2, Partitions: keys(4), Source: true, Stream: fmt.Sprint("JOBS", i)}).Stop()
	}
	a := listen(t, connect(t, nc.ConnectedUrl()))
	w := observedWith(t, nc, New("nosuch"), observe.Options{MaxRequests: perSecond})
	w.eventually(t, "three deployments", func(s *model.Snapshot) bool {
		read := 0
		for _, g := range s.Groups {
			if g.Reads != "" && says(g.Facts, "source ") {
				read++
			}
		}
		return read == 3
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, at := range a.at {
		if may := perSecond * (1 + at.Sub(a.at[0]).Seconds() + 0.25); float64(i+1) > may+1 { // what a quiet second saved, and what may have been under way
			t.Fatalf("%d requests within %v, with %d a second:\n%s", i+1, at.Sub(a.at[0]), perSecond, strings.Join(a.subjects[:i+1], "\n"))
		}
	}
	t.Logf("%d requests within %v", len(a.at), a.at[len(a.at)-1].Sub(a.at[0]).Round(time.Millisecond))
}
