package demo

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"pcgtop/engine/parti/standin"
)

// partiStep is the time between two things that happen to the Parti deployments.
const partiStep = 5 * time.Second

// playParti starts a Parti deployment of each version, played on the server.
func (d *Demo) playParti(ctx, traffic context.Context, seed uint64) error {
	regions := func(names ...string) (list []standin.Partition) {
		for _, n := range names {
			for i := range 6 {
				list = append(list, standin.Partition{Keys: []string{n, fmt.Sprint(i)}, Weight: int64(1 + i%3)})
			}
		}
		return list
	}
	labelled := append(regions("eu", "us"), standin.Partition{Keys: []string{"media", "0"}, Weight: 5, Label: "gpu"})
	for i, o := range []standin.Options{
		{Prefix: "parti", Instance: "prod", Stream: "JOBS", Workers: 3, Partitions: labelled, Source: true, Labels: map[string]string{"worker-2": "gpu"}},
		{Prefix: "billing", Version: 1, Stream: "INVOICES", Workers: 2, Partitions: regions("de", "fr"), KeepIDs: true},
	} {
		js, err := d.connect("demo-" + o.Prefix)
		if err != nil {
			return err
		}
		f, err := standin.Start(ctx, js, o)
		if err != nil {
			return fmt.Errorf("starting the Parti deployment %s: %w", o.Prefix, err)
		}
		d.fleets = append(d.fleets, f)
		if o.KeepIDs {
			if err := f.LeaveID(ctx, "worker-9"); err != nil {
				return err
			}
		}
		d.traffic.Go(func() { f.Work(traffic, rand.New(rand.NewPCG(seed, uint64(100+i))), 40) })
		d.traffic.Go(func() { _ = f.Play(traffic, partiStep) }) // it ends with the server, and then nobody looks
	}
	return nil
}
