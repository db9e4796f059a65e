package standin

import (
	"context"
	"fmt"
	"hash/fnv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// subject is that of a partition's messages.
func (f *Fleet) subject(keys, rest string) string {
	subject := strings.ToLower(f.opts.Stream) + "."
	if keys != "" {
		subject += keys + "."
	}
	return subject + rest
}

// consumers makes the durables that the assignment asks for: version 1 has one a worker,
// version 2 one a partition.
func (f *Fleet) consumers(ctx context.Context) error {
	if f.opts.Stream == "" {
		return nil
	}
	f.mu.Lock()
	byWorker := map[string][]string{}
	var keys []string
	for k, w := range f.owner {
		keys = append(keys, k)
		byWorker[w] = append(byWorker[w], f.subject(k, ">"))
	}
	f.mu.Unlock()
	if f.opts.Version == 1 {
		for w, filters := range byWorker {
			if err := f.consumer(ctx, jetstream.ConsumerConfig{Durable: "jobs-" + w, FilterSubjects: filters}); err != nil {
				return err
			}
		}
		return nil
	}
	const atOnce = 16
	var making sync.WaitGroup
	places, failed := make(chan struct{}, atOnce), make(chan error, len(keys))
	for _, k := range keys {
		if name := f.Durable(k); !f.durable[name] {
			f.durable[name] = true
			places <- struct{}{}
			making.Go(func() {
				failed <- f.consumer(ctx, jetstream.ConsumerConfig{Durable: name, FilterSubject: f.subject(k, ">")})
				<-places
			})
		}
	}
	making.Wait()
	close(failed)
	for err := range failed {
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *Fleet) consumer(ctx context.Context, c jetstream.ConsumerConfig) error {
	c.AckPolicy, c.AckWait, c.InactiveThreshold = jetstream.AckExplicitPolicy, 5*time.Second, 24*time.Hour
	c.MemoryStorage = f.opts.Memory
	if _, err := f.js.CreateOrUpdateConsumer(ctx, f.opts.Stream, c); err != nil {
		return fmt.Errorf("making the consumer %s: %w", c.Durable, err)
	}
	return nil
}

// Durable is the name of a partition's consumer; keys are joined by dots. Parti hashes the
// subject otherwise, which no reader can tell from this.
func (f *Fleet) Durable(keys string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(f.subject(keys, ">"))) // never fails
	fit := strings.Map(func(r rune) rune {
		if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", r) {
			return r
		}
		return '_'
	}, keys)
	return fmt.Sprintf("jobs_%s_%016x", fit[:min(len(fit), 50)], h.Sum64())
}
