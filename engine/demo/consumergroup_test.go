package demo

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestCrates: the crates' groups handle messages, and every partition is in one filter.
func TestCrates(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	d, err := Start(ctx, Options{Seed: 7, ConsumerGroup: true})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Stop(); err != nil {
			t.Error(err)
		}
	}()
	nc, err := nats.Connect(d.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	for stream, want := range map[string]struct {
		members    []string
		partitions int
	}{"SHIPMENTS": {[]string{"packer-1", "packer-2", "packer-3"}, 12}, "ALERTS": {[]string{"pager-1", "pager-2"}, 4}} {
		owner := map[string]string{}
		for _, name := range want.members {
			for {
				c, err := js.Consumer(ctx, stream, name)
				if ctx.Err() != nil {
					t.Fatalf("%s/%s handles nothing: %v", stream, name, err)
				}
				if err != nil || c.CachedInfo().AckFloor.Consumer < 5 {
					time.Sleep(20 * time.Millisecond)
					continue
				}
				for _, filter := range c.CachedInfo().Config.FilterSubjects {
					if other := owner[filter]; other != "" {
						t.Errorf("%s is of %s and %s", filter, other, name)
					}
					owner[filter] = name
				}
				break
			}
		}
		if len(owner) != want.partitions {
			t.Errorf("%s: %v", stream, owner)
		}
	}
}
