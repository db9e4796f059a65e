package demo

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"pcgtop/engine/parti/standin"
	"pcgtop/engine/pcgroups"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Options of a demo.
type Options struct {
	Port int    // loopback port, 0: a free one
	Seed uint64 // of the traffic: the same seed gives the same subjects in the same order

	Parti         bool // Parti deployments, too
	ConsumerGroup bool // groups of the Rust consumergroup crates, too
}

// Demo is a running server with its groups, members and traffic.
type Demo struct {
	server  *Server
	conns   []*nats.Conn
	members []pcgroups.ConsumerGroupConsumeContext
	fleets  []*standin.Fleet
	groups  []*CrateGroup
	cancel  context.CancelFunc
	traffic sync.WaitGroup
}

// Start brings everything up and returns when every group exists and every instance
// has joined. Stop it with [Demo.Stop], even after an error of the context.
func Start(ctx context.Context, o Options) (*Demo, error) {
	s, err := StartServer(o.Port)
	if err != nil {
		return nil, err
	}
	d := &Demo{server: s}
	if err := d.populate(ctx, o); err != nil {
		return nil, errors.Join(err, d.Stop())
	}
	return d, nil
}

// URL is where clients connect.
func (d *Demo) URL() string { return d.server.URL() }

// stopTimeout bounds how long one member may take to leave.
const stopTimeout = 2 * time.Second

// Stop ends the traffic, the members and the server, and removes the storage.
func (d *Demo) Stop() error {
	if d.cancel != nil {
		d.cancel()
	}
	d.traffic.Wait()
	for _, f := range d.fleets {
		f.Stop()
	}
	for _, m := range d.members {
		m.Stop()
	}
	for _, g := range d.groups {
		g.Stop()
	}
	for _, m := range d.members {
		select {
		case <-m.Done():
		case <-time.After(stopTimeout): // its connection is closed next, which ends it too
		}
	}
	for _, c := range d.conns {
		c.Close()
	}
	return d.server.Stop()
}

func (d *Demo) populate(ctx context.Context, o Options) error {
	js, err := d.connect("demo-admin")
	if err != nil {
		return err
	}
	for _, f := range feeds() {
		if _, err := js.CreateStream(ctx, f.stream); err != nil {
			return fmt.Errorf("creating stream %s: %w", f.stream.Name, err)
		}
	}
	for _, sc := range scenes() {
		if err := sc.make(ctx, js); err != nil {
			return fmt.Errorf("creating group %s/%s: %w", sc.stream, sc.group, err)
		}
		if err := d.join(ctx, sc); err != nil {
			return err
		}
	}
	traffic, cancel := context.WithCancel(context.Background())
	d.cancel = cancel
	for i, f := range feeds() {
		js, err := d.connect("demo-" + f.stream.Name + "-producer")
		if err != nil {
			return err
		}
		d.traffic.Add(1)
		go func() {
			defer d.traffic.Done()
			f.run(traffic, js, f.source(o.Seed, i))
		}()
	}
	if o.Parti {
		if err := d.playParti(ctx, traffic, o.Seed); err != nil {
			return err
		}
	}
	if o.ConsumerGroup {
		return d.crates(ctx, traffic, o.Seed)
	}
	return nil
}

// connect opens a connection that never writes to the terminal.
func (d *Demo) connect(name string) (jetstream.JetStream, error) {
	nc, err := nats.Connect(d.URL(), nats.Name(name), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, fmt.Errorf("connecting %s to the demo's server: %w", name, err)
	}
	d.conns = append(d.conns, nc)
	return jetstream.New(nc)
}

func (sc scene) make(ctx context.Context, js jetstream.JetStream) error {
	c := sc.create
	if sc.kind == "static" {
		var filters []string
		for _, f := range c.filters {
			filters = append(filters, f.Filter)
		}
		_, err := pcgroups.CreateStatic(ctx, js, sc.stream, sc.group, c.partitions, filters, c.members, c.mappings)
		return err
	}
	if _, err := pcgroups.CreateElastic(ctx, js, sc.stream, sc.group, c.partitions, c.filters, c.maxMsgs, -1); err != nil {
		return err
	}
	_, err := pcgroups.AddMembers(ctx, js, sc.stream, sc.group, c.members)
	return err
}

func (d *Demo) join(ctx context.Context, sc scene) error {
	consume := pcgroups.ElasticConsume
	if sc.kind == "static" {
		consume = pcgroups.StaticConsume
	}
	for _, in := range sc.instances {
		js, err := d.connect(in.name)
		if err != nil {
			return err
		}
		m, err := consume(ctx, js, sc.stream, sc.group, in.member, in.handle, jetstream.ConsumerConfig{
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, MaxAckPending: 1,
		})
		if err != nil {
			return fmt.Errorf("joining %s/%s as %s: %w", sc.stream, sc.group, in.member, err)
		}
		d.members = append(d.members, m)
	}
	return nil
}

func (in instance) handle(m jetstream.Msg) {
	time.Sleep(in.work)
	_ = m.Ack() // a lost ack is delivered again
}

// source is the randomness of the i-th feed.
func (feed) source(seed uint64, i int) *rand.Rand { return rand.New(rand.NewPCG(seed, uint64(i))) }

// run publishes until the context ends, in small bursts that keep the rate.
func (f feed) run(ctx context.Context, js jetstream.JetStream, r *rand.Rand) {
	const step = 20 * time.Millisecond
	tick := time.NewTicker(step)
	defer tick.Stop()
	due := 0.0
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for due += float64(f.rate) * step.Seconds(); due >= 1; due-- {
			n++
			// A full or missing stream shows on the screens; the feed goes on.
			_ = js.Conn().Publish(f.subject(r), fmt.Appendf(nil, `{"n":%d}`, n))
		}
	}
}
