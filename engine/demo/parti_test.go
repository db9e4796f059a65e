package demo

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"
)

// TestDemoParti: the deployments are there, their workers handle messages, and the stop
// leaves nothing.
func TestDemoParti(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	defer goleak.VerifyNone(t)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	d, err := Start(ctx, Options{Seed: 7, Parti: true})
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
	for stream, durable := range map[string]string{"JOBS": d.fleets[0].Durable("eu.0"), "INVOICES": "jobs-worker-0"} {
		for {
			c, err := js.Consumer(ctx, stream, durable)
			if err == nil && c.CachedInfo().AckFloor.Consumer > 3 {
				break
			}
			if ctx.Err() != nil {
				t.Fatalf("%s/%s handles nothing: %v", stream, durable, err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	}
	nc.Close()
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
}
