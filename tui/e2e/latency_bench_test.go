package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/engine"
	"pcgtop/model"
	"pcgtop/tui"
)

// event is something that happens on the server, and how to tell that a picture shows it.
type event struct {
	at    time.Time
	shown func(*model.Snapshot) bool
}

// framed is the engine and the screen without a terminal: it notes how long it takes from
// an event to the finished frame that shows it.
type framed struct {
	snapshots chan *model.Snapshot
	*engine.Engine

	mu      sync.Mutex
	waiting []event
	took    []time.Duration // from event to frame
	built   []time.Duration // of each frame, from the picture on
}

func (f *framed) Snapshots() <-chan *model.Snapshot { return f.snapshots }

// run draws every picture until the engine ends.
func (f *framed) run() {
	m := tui.New(tui.Options{Source: f, Look: tui.Dark})
	m.Update(tea.WindowSizeMsg{Width: 200, Height: 60})
	listen := m.Init()
	for s := range f.Engine.Snapshots() {
		start := time.Now()
		f.snapshots <- s
		_, listen = m.Update(listen())
		_ = m.View()
		now := time.Now()
		f.mu.Lock()
		f.built = append(f.built, now.Sub(start))
		left := f.waiting[:0]
		for _, e := range f.waiting {
			if e.shown(s) {
				f.took = append(f.took, now.Sub(e.at))
			} else {
				left = append(left, e)
			}
		}
		f.waiting = left
		f.mu.Unlock()
	}
}

func (f *framed) expect(e event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting = append(f.waiting, e)
}

// settled waits until every event was shown, and returns how long each took.
func (f *framed) settled(b *testing.B) []time.Duration {
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		f.mu.Lock()
		left, took := len(f.waiting), f.took
		if left == 0 {
			f.took = nil
			f.mu.Unlock()
			return took
		}
		f.mu.Unlock()
		if time.Now().After(deadline) {
			b.Fatalf("%d events are never shown", left)
		}
	}
}

// latency measures how long it takes from a stored config, and from a pin, to the frame
// that shows it.
func (a *large) latency(b *testing.B, f *figures) {
	const events = 1000
	ctx, cancel := context.WithCancel(b.Context())
	e, err := engine.Connect(ctx, engine.Options{Server: a.url})
	if err != nil {
		b.Fatal(err)
	}
	defer e.Close()
	fr := &framed{snapshots: make(chan *model.Snapshot, 1), Engine: e}
	var running sync.WaitGroup
	running.Go(func() {
		if err := e.Run(ctx); err != nil {
			b.Error(err)
		}
	})
	running.Go(fr.run)
	defer running.Wait()
	defer cancel()
	for deadline := time.Now().Add(time.Minute); e.Current().Link.State != model.LinkLive || len(e.Current().Groups) < a.groups(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.Fatal("never live")
		}
	}
	key := func(n int) model.Key {
		return model.Key{Kind: model.KindElastic, Stream: fmt.Sprintf("E%02d", n%a.origins), Group: fmt.Sprintf("group%03d", n/a.origins%a.run)}
	}
	pause := func() { time.Sleep(time.Duration(20+rand.IntN(30)) * time.Millisecond) }
	for n := range events {
		k, second, at := key(n), fmt.Sprint("m", 3+n%7), time.Now() // another one than before
		fr.expect(event{at, func(s *model.Snapshot) bool { return s.Group(k).Config.Members[1] == second }})
		if _, err := a.kv["elastic"].PutString(ctx, k.Stream+"."+k.Group, elasticConfig(k.Stream, fmt.Sprintf(`"m1","%s"`, second))); err != nil {
			b.Fatal(err)
		}
		pause()
	}
	f.spread("config stored to frame", 50*time.Millisecond, fr.settled(b))
	for n := range events {
		k, at, id := key(n), time.Now(), fmt.Sprintf("pin%06d", n)
		fr.expect(event{at, func(s *model.Snapshot) bool { // the server's next answer knows nothing of that pin
			return slices.ContainsFunc(s.Group(k).Member("m1").Pins, func(p model.PinChange) bool { return p.PinID == id })
		}})
		advisory := fmt.Sprintf(`{"type":"io.nats.jetstream.advisory.v1.consumer_group_pinned","id":"%s","timestamp":"%s","stream":"%s","consumer":"m1","group":"PCG","pinned_id":"%s"}`,
			id, at.UTC().Format(time.RFC3339Nano), k.ConsumeStream(), id)
		if err := a.js.Conn().Publish("$JS.EVENT.ADVISORY.CONSUMER.PINNED."+k.ConsumeStream()+".m1", []byte(advisory)); err != nil {
			b.Fatal(err)
		}
		pause()
	}
	f.spread("pin advisory to frame", 50*time.Millisecond, fr.settled(b))
	fr.mu.Lock()
	defer fr.mu.Unlock()
	f.spread("frame built, from the picture on", 5*time.Millisecond, fr.built)
	var ages []time.Duration
	for s, i := e.Current(), 0; i < len(s.Groups); i++ {
		ages = append(ages, s.Taken.Sub(s.Groups[i].ReadAt))
	}
	f.spread("age of what is shown of a group", 0, ages)
	a.fresh = ages[len(ages)*99/100]
}

// beside measures what others need to know as much once, and so what they would need to
// know it as freshly as the screen does.
func (a *large) beside(b *testing.B, f *figures) {
	pass := func(name, what string, parts float64, read func(context.Context, jetstream.JetStream) error) {
		nc, err := nats.Connect(a.url, nats.Name(name))
		if err != nil {
			b.Fatal(err)
		}
		defer nc.Close()
		js, err := jetstream.New(nc)
		if err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		if err := read(b.Context(), js); err != nil {
			b.Fatal(err)
		}
		took := time.Since(began)
		t := a.traffic(b, name)
		f.add("beside: "+what+" once", "", fmt.Sprintf("%d requests, %.1f MB, %s", t.requests, float64(t.bytes)/1e6, took.Round(10*time.Millisecond)))
		if a.fresh > 0 {
			every := a.fresh.Seconds() / parts
			f.add("the same for all groups every "+a.fresh.Round(100*time.Millisecond).String(), "", fmt.Sprintf("%.0f requests/s, %.0f kB/s", float64(t.requests)/every, float64(t.bytes)/every/1000))
		}
	}
	pass("lists", "all streams and consumers listed", 1, func(ctx context.Context, js jetstream.JetStream) error {
		streams := js.ListStreams(ctx)
		for info := range streams.Info() {
			s, err := js.Stream(ctx, info.Config.Name)
			if err != nil {
				return err
			}
			consumers := s.ListConsumers(ctx)
			for range consumers.Info() {
			}
			if err := consumers.Err(); err != nil {
				return err
			}
		}
		return streams.Err()
	})
	some := a.origins * a.run
	pass("info", fmt.Sprintf("cg info of %d groups", some), float64(a.groups())/float64(some), func(ctx context.Context, js jetstream.JetStream) error {
		for n := range some {
			stream, group := fmt.Sprintf("E%02d", n%a.origins), fmt.Sprintf("group%03d", n/a.origins)
			if _, err := orbit.GetElasticConsumerGroupConfig(ctx, js, stream, group); err != nil {
				return err
			}
			if _, err := orbit.ListElasticActiveMembers(ctx, js, stream, group); err != nil {
				return err
			}
		}
		return nil
	})
}
