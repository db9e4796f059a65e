package demo

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/pause"
)

// CrateConfig is a group as the Rust consumergroup crates make them.
type CrateConfig struct {
	Stream     string
	Prefix     string // in front of the partition number
	Subject    string // what is published to, with one wildcard, the key: shipments.*
	Partitions int
	Work       time.Duration // of a handler, per message
	DropKey    bool          // a mistake: the key chooses the partition and is not carried on
}

// CrateGroup is a stand-in for such a group: a work queue that stamps the partition into
// every subject, and plain pull consumers, which are made anew with other filters whenever
// a member comes or goes.
type CrateGroup struct {
	config CrateConfig
	js     jetstream.JetStream // of nobody in particular

	mu      sync.Mutex
	members map[string]*crateMember
}

// crateMember is one process.
type crateMember struct {
	js      jetstream.JetStream
	filters []string
	running jetstream.ConsumeContext // nil: it has no consumer
}

// NewCrateGroup makes the stream of a group without members.
func NewCrateGroup(ctx context.Context, js jetstream.JetStream, c CrateConfig) (*CrateGroup, error) {
	to := fmt.Sprintf("%s.{{partition(%d,1)}}.%s.{{wildcard(1)}}", c.Prefix, c.Partitions, c.Stream)
	if c.DropKey {
		to = fmt.Sprintf("%s.{{partition(%d,1)}}.%s", c.Prefix, c.Partitions, c.Stream)
	}
	_, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name: c.Stream, Subjects: []string{c.Subject}, Retention: jetstream.WorkQueuePolicy, MaxMsgs: keepMsgs, AllowDirect: true,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: c.Subject, Destination: to},
	})
	if err != nil {
		return nil, fmt.Errorf("creating stream %s: %w", c.Stream, err)
	}
	return &CrateGroup{config: c, js: js, members: map[string]*crateMember{}}, nil
}

// Join lets a member come, on a connection of its own, and shares out anew.
func (g *CrateGroup) Join(ctx context.Context, name string, js jetstream.JetStream) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members[name] = &crateMember{js: js}
	return g.share(ctx)
}

// Leave lets a member go, and the others share out what it had.
func (g *CrateGroup) Leave(ctx context.Context, name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.members[name]
	if m == nil {
		return nil
	}
	delete(g.members, name)
	return errors.Join(g.withdraw(ctx, name, m), g.share(ctx))
}

// Vanish takes a member and its consumer away without anybody noticing: what it had is
// nobody's.
func (g *CrateGroup) Vanish(ctx context.Context, name string) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	m := g.members[name]
	delete(g.members, name)
	return g.withdraw(ctx, name, m)
}

// Freeze ends a member's pulling; its consumer stays.
func (g *CrateGroup) Freeze(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.members[name].stop()
}

// Stop ends all pulling. Consumers stay, as they do when processes are killed.
func (g *CrateGroup) Stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, m := range g.members {
		m.stop()
	}
}

// share gives each member, by name, as many partitions as the next. Whoever has others than
// before gives up all before anybody takes any: a work queue lets no two consumers have
// one.
func (g *CrateGroup) share(ctx context.Context) error {
	names := slices.Sorted(maps.Keys(g.members))
	want := map[string][]string{}
	for p := range g.config.Partitions {
		if len(names) > 0 {
			owner := names[p*len(names)/g.config.Partitions]
			want[owner] = append(want[owner], fmt.Sprintf("%s.%d.>", g.config.Prefix, p))
		}
	}
	var moved []string
	for _, name := range names {
		if m := g.members[name]; !slices.Equal(m.filters, want[name]) {
			moved = append(moved, name)
			if err := g.withdraw(ctx, name, m); err != nil {
				return err
			}
		}
	}
	for _, name := range moved {
		if err := g.start(ctx, name, g.members[name], want[name]); err != nil {
			return err
		}
	}
	return nil
}

// start makes a member's consumer and pulls from it.
func (g *CrateGroup) start(ctx context.Context, name string, m *crateMember, filters []string) error {
	if len(filters) == 0 {
		return nil
	}
	c, err := m.js.CreateConsumer(ctx, g.config.Stream, jetstream.ConsumerConfig{
		Durable: name, FilterSubjects: filters, AckPolicy: jetstream.AckExplicitPolicy, AckWait: 5 * time.Second, MaxAckPending: 1,
	})
	if err != nil {
		return fmt.Errorf("creating consumer %s of %s: %w", name, g.config.Stream, err)
	}
	m.running, err = c.Consume(func(msg jetstream.Msg) {
		time.Sleep(g.config.Work)
		_ = msg.Ack() // a lost ack is delivered again
	}, jetstream.PullMaxMessages(1), jetstream.ConsumeErrHandler(func(jetstream.ConsumeContext, error) {}))
	if err != nil {
		return fmt.Errorf("pulling from %s of %s: %w", name, g.config.Stream, err)
	}
	m.filters = filters
	return nil
}

// withdraw ends a member's pulling and deletes its consumer, if it has one.
func (g *CrateGroup) withdraw(ctx context.Context, name string, m *crateMember) error {
	m.stop()
	m.filters = nil
	if err := g.js.DeleteConsumer(ctx, g.config.Stream, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
		return fmt.Errorf("deleting consumer %s of %s: %w", name, g.config.Stream, err)
	}
	return nil
}

// stop ends pulling after the message at hand.
func (m *crateMember) stop() {
	if m.running == nil {
		return
	}
	m.running.Drain()
	select {
	case <-m.running.Closed():
	case <-time.After(stopTimeout): // its connection is closed next, or its consumer
	}
	m.running = nil
}

// How long a member of the demo stays, and is away.
const (
	crateStays = 30 * time.Second
	crateAway  = 10 * time.Second
)

// crates brings two such groups up: one of which a member leaves and comes again, and one
// that drops the key.
func (d *Demo) crates(ctx, traffic context.Context, seed uint64) error {
	js, err := d.connect("demo-crates")
	if err != nil {
		return err
	}
	keys := func(word string, n int) func(*rand.Rand) string {
		return func(r *rand.Rand) string { return fmt.Sprintf("%s%03d", word, r.IntN(n)) }
	}
	for i, c := range []struct {
		CrateConfig
		members []string
		feed    feed
	}{
		{CrateConfig{Stream: "SHIPMENTS", Prefix: "ship", Subject: "shipments.*", Partitions: 12, Work: time.Millisecond},
			[]string{"packer-1", "packer-2", "packer-3"}, feed{rate: 120, subject: keys("shipments.parcel", 300)}},
		{CrateConfig{Stream: "ALERTS", Prefix: "alert", Subject: "alerts.*", Partitions: 4, Work: time.Millisecond, DropKey: true},
			[]string{"pager-1", "pager-2"}, feed{rate: 20, subject: keys("alerts.host", 60)}},
	} {
		g, err := NewCrateGroup(ctx, js, c.CrateConfig)
		if err != nil {
			return err
		}
		d.groups = append(d.groups, g)
		var last jetstream.JetStream
		for _, name := range c.members {
			if last, err = d.connect(name); err != nil {
				return err
			}
			if err := g.Join(ctx, name, last); err != nil {
				return err
			}
		}
		d.traffic.Go(func() { c.feed.run(traffic, js, c.feed.source(seed, len(feeds())+i)) })
		if i == 0 {
			d.traffic.Go(func() { g.comeAndGo(traffic, c.members[len(c.members)-1], last) })
		}
	}
	return nil
}

// comeAndGo lets a member leave and come again until the context ends. What fails shows on
// the screens.
func (g *CrateGroup) comeAndGo(ctx context.Context, name string, js jetstream.JetStream) {
	for pause.For(ctx, crateStays) == nil {
		_ = g.Leave(ctx, name)
		if pause.For(ctx, crateAway) != nil {
			return
		}
		_ = g.Join(ctx, name, js)
	}
}
