package demo

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

// TestDemoRunsAndLeavesNothing: the groups are there, messages flow through them, and
// after the stop no goroutine and no file is left.
func TestDemoRunsAndLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	defer goleak.VerifyNone(t)
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := Start(ctx, Options{Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ stream, consumer string }{
		{"ORDERS-fulfillment", "m1"}, {"ORDERS-fulfillment", "m3"}, {"ORDERS-analytics", "a2"},
		{"PAYMENTS", "settlement-east"}, {"PAYMENTS", "settlement-west"}, {"TELEMETRY-rollup", "m2"},
	} {
		for {
			consumer, err := js.Consumer(ctx, c.stream, c.consumer)
			if err == nil && consumer.CachedInfo().AckFloor.Consumer > 10 {
				break
			}
			if ctx.Err() != nil {
				t.Fatalf("%s/%s handles nothing: %v", c.stream, c.consumer, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	if _, err := js.Consumer(ctx, "TELEMETRY-rollup", "m3"); err == nil {
		t.Error("m3 of rollup came, though it is to be the member that never does")
	}
	nc.Close()
	start := time.Now()
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	if took := time.Since(start); took > time.Second {
		t.Errorf("stopping took %s", took)
	}
	if left, _ := os.ReadDir(tmp); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSameSeed: the same seed gives the same traffic.
func TestSameSeed(t *testing.T) {
	sequence := func(seed uint64) (s []string) {
		for i, f := range feeds() {
			r := f.source(seed, i)
			for range 100 {
				s = append(s, f.subject(r))
			}
		}
		return s
	}
	a, b, c := sequence(3), sequence(3), sequence(4)
	same := true
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("subject %d is %s and %s", i, a[i], b[i])
		}
		same = same && a[i] == c[i]
	}
	if same {
		t.Error("another seed gives the same subjects")
	}
}
