package observe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats.go/jetstream"
)

// changingList answers pages of a sorted list that others change between the pages.
type changingList struct {
	names  map[string]bool
	page   int
	change func(*changingList)
}

func (l *changingList) read(offset int) (page[string], error) {
	l.change(l)
	names := make([]string, 0, len(l.names))
	for n := range l.names {
		names = append(names, n)
	}
	slices.Sort(names)
	offset = min(offset, len(names))
	return page[string]{items: names[offset:min(offset+l.page, len(names))], total: len(names)}, nil
}

func itself(s string) string { return s }

func TestPagesMissAndDoubleNothing(t *testing.T) {
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		l := &changingList{names: map[string]bool{}, page: 16}
		for i := range random.IntN(200) {
			l.names[fmt.Sprintf("stays-%03d", i)] = true
		}
		stay := len(l.names)
		l.change = func(l *changingList) {
			for range random.IntN(12) {
				name := fmt.Sprintf("stays-%03d-%d", random.IntN(200), random.IntN(3))
				if l.names[name] {
					delete(l.names, name)
				} else {
					l.names[name] = true
				}
			}
		}
		all, _, err := readPages(itself, l.read)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		seen := map[string]int{}
		for _, n := range all {
			seen[n]++
			if seen[n] > 1 {
				t.Errorf("seed %d: %s twice", seed, n)
			}
		}
		for i := range stay {
			if seen[fmt.Sprintf("stays-%03d", i)] != 1 {
				t.Errorf("seed %d: stays-%03d is missing", seed, i)
			}
		}
	}
}

func TestPagesGiveUpOnAnEndlesslyChangingList(t *testing.T) {
	n := 0
	_, _, err := readPages(itself, func(offset int) (page[string], error) {
		n++
		return page[string]{items: []string{fmt.Sprintf("n%06d", n*100)}, total: 1000}, nil
	})
	if err == nil || n > 50 {
		t.Errorf("%v after %d reads", err, n)
	}
}

func TestPagesPassOnErrors(t *testing.T) {
	if _, _, err := readPages(itself, func(int) (page[string], error) { return page[string]{}, errNotFound }); !errors.Is(err, errNotFound) {
		t.Error(err)
	}
}

func TestPagesKeepMissingNamesApart(t *testing.T) {
	pages := []page[string]{{items: []string{"a", "c"}, missing: []string{"b"}, total: 4}, {items: []string{"c", "d"}, total: 4}}
	all, missing, err := readPages(itself, func(offset int) (page[string], error) {
		if offset == 0 {
			return pages[0], nil
		}
		return page[string]{items: []string{"c", "d"}[max(0, min(2, offset-2)):], missing: nil, total: 4}, nil
	})
	if err != nil || !slices.Equal(all, []string{"a", "c", "d"}) || !slices.Equal(missing, []string{"b"}) {
		t.Errorf("%q, missing %q, %v", all, missing, err)
	}
}

// Case: 600 consumers over pages of 256 while 50 others come and go.
func TestSixHundredConsumers(t *testing.T) {
	if testing.Short() {
		t.Skip("makes hundreds of consumers")
	}
	s := natstest.Start(t)
	nc := connect(t, s.ClientURL())
	js := jetStream(t, nc)
	stream := must(js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "S", Subjects: []string{"s.>"}, Storage: jetstream.MemoryStorage}))
	add := func(ctx context.Context, name string) error {
		_, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Name: name, AckPolicy: jetstream.AckExplicitPolicy, InactiveThreshold: time.Hour, MemoryStorage: true})
		return err
	}
	const n = 600
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := w; i < n; i += 8 {
				if err := add(t.Context(), fmt.Sprintf("c%04d", i*7919%n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		return
	}

	ctx, stop := context.WithCancel(t.Context())
	wg.Go(func() { // comes and goes all over the alphabet of names
		for i := 0; ctx.Err() == nil; i++ {
			name := fmt.Sprintf("c%04d-x%02d", i*131%n, i%50)
			if err := add(ctx, name); err == nil && i%2 == 0 {
				_ = stream.DeleteConsumer(ctx, name)
			}
		}
	})
	a := newAPI(nc, Options{MaxRequests: 1e6}.withDefaults())
	slowest := time.Duration(0)
	for range 20 {
		begin := time.Now()
		read, err := a.consumers(t.Context(), "S")
		slowest = max(slowest, time.Since(begin))
		if err != nil {
			t.Error(err)
			break
		}
		seen := map[string]bool{}
		for _, c := range read.infos {
			if seen[c.Name] {
				t.Errorf("%s twice", c.Name)
			}
			seen[c.Name] = true
		}
		for i := range n {
			if !seen[fmt.Sprintf("c%04d", i)] {
				t.Errorf("c%04d is missing", i)
			}
		}
	}
	stop()
	wg.Wait()
	t.Logf("slowest of 20 lists: %v; %d requests", slowest, a.made.Load())
}
