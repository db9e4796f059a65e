package e2e

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// idleServer is a server of an account in which nothing happens: a group whose member waits
// for messages that nobody publishes.
func idleServer(t *testing.T) (url string) {
	t.Helper()
	s, js := ownServer(t)
	ctx := t.Context()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: "QUIET", Subjects: []string{"quiet.*"}}); err != nil {
		t.Fatal(err)
	}
	filters := []orbit.PartitioningFilter{{Filter: "quiet.*", PartitioningWildcards: []int{1}}}
	if _, err := orbit.CreateElastic(ctx, js, "QUIET", "nothing", 4, filters, -1, -1); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.AddMembers(ctx, js, "QUIET", "nothing", []string{"m1"}); err != nil {
		t.Fatal(err)
	}
	m, err := orbit.ElasticConsume(ctx, js, "QUIET", "nothing", "m1", func(m jetstream.Msg) { _ = m.Ack() }, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Stop)
	return s.ClientURL()
}

// written is how many bytes the program wrote until now.
func (term *terminal) written() int {
	term.mu.Lock()
	defer term.mu.Unlock()
	return term.raw.Len()
}

// TestIdleScreensWriteNothing: where nothing happens, nothing is written, whatever stands
// on the screen.
func TestIdleScreensWriteNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for nothing to happen")
	}
	const still = 2500 * time.Millisecond
	url := idleServer(t)
	for _, c := range []struct {
		keys []string
		see  string
	}{{nil, "enter open"}, {[]string{"/", "q"}, "/ q"}, {[]string{"n"}, "New group"}, {[]string{"e"}, "of all groups"}, {[]string{enter, "p"}, "held "}} {
		t.Run(c.see, func(t *testing.T) {
			t.Parallel() // beside the others, and nothing else
			term := open(t, 120, 40, "-s", url)
			term.see("QUIET/nothing", "idle")
			term.press(c.keys...)
			term.see(c.see)
			deadline, wrote := time.Now().Add(patience), ""
			for before, since := term.written(), time.Now(); time.Since(since) < still; time.Sleep(50 * time.Millisecond) {
				if now := term.written(); now != before {
					wrote = term.output()[before:]
					before, since = now, time.Now()
				}
				if time.Now().After(deadline) {
					t.Fatalf("something is written again and again, at last %q; the screen:\n%s", wrote, term.text())
				}
			}
		})
	}
}

// perSecond is how many bytes a second of the program's life takes, on the average of n,
// and at most.
func (term *terminal) perSecond(n int) (mean, most int) {
	for range n {
		before := term.written()
		time.Sleep(time.Second)
		mean += (term.written() - before) / n
		most = max(most, term.written()-before)
	}
	return mean, most
}

// liveSecond is what a second of a live screen may take, in bytes.
const liveSecond = 4 << 10

// TestLiveScreenIsCheap: what changes is written and nothing else.
func TestLiveScreenIsCheap(t *testing.T) {
	if testing.Short() {
		t.Skip("watches for some seconds")
	}
	term := open(t, 120, 40, "demo", "TELEMETRY/rollup")
	term.see("MEMBERS", "pulled")
	if mean, _ := term.perSecond(5); mean >= liveSecond || mean == 0 {
		t.Errorf("%d bytes a second, want under %d and more than none", mean, liveSecond)
	}
}

// BenchmarkScreen measures what the live group screen of the demo writes in a second,
// beside drawing it anew.
func BenchmarkScreen(b *testing.B) {
	for range b.N {
		term := open(b, 120, 40, "demo", "TELEMETRY/rollup")
		term.see("MEMBERS", "pulled")
		mean, most := term.perSecond(20)
		term.resize(119, 40)
		time.Sleep(500 * time.Millisecond)
		before := term.written()
		term.resize(120, 40) // which draws everything anew
		time.Sleep(100 * time.Millisecond)
		b.ReportMetric(float64(mean), "B/s")
		b.ReportMetric(float64(most), "B/s-most")
		b.ReportMetric(float64(term.written()-before), "B/repaint")
	}
}
