package pcgroups

import (
	"context"
	"fmt"
	"hash/fnv"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// load publishes to "<prefix>.k<i>" in turn, each key's messages numbered from 1.
type load struct {
	prefix string
	keys   int
	stop   chan struct{}
	done   chan struct{}
	mu     sync.Mutex
	sent   []int // per key
}

// startLoad publishes one message every so often, until it is stopped.
func (f *fixture) startLoad(prefix string, keys int, every time.Duration) *load {
	f.t.Helper()
	l := &load{prefix: prefix, keys: keys, stop: make(chan struct{}), done: make(chan struct{}), sent: make([]int, keys)}
	_, js := f.connect()
	go func() {
		defer close(l.done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-l.stop:
				return
			case <-tick.C:
			}
			key := i % keys
			l.mu.Lock()
			l.sent[key]++
			n := l.sent[key]
			l.mu.Unlock()
			// Each is waited for, so that what was sent was stored, in this order.
			for {
				ctx, cancel := context.WithTimeout(f.ctx, 2*time.Second)
				_, err := js.Publish(ctx, l.subject(key), fmt.Append(nil, n), jetstream.WithMsgID(fmt.Sprintf("%s-%d-%d", prefix, key, n)))
				cancel()
				if err == nil || f.ctx.Err() != nil {
					break
				}
			}
		}
	}()
	f.t.Cleanup(l.end)
	return l
}

func (l *load) subject(key int) string { return fmt.Sprintf("%s.k%d", l.prefix, key) }

func (l *load) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.mu.Unlock()
	<-l.done
	l.mu.Lock()
}

// partition of a key as the server computes it of the subject's wildcard token.
func partitionOf(key string, partitions int) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key))
	return int(h.Sum32() % uint32(partitions))
}

// delivery is one message at a handler.
type delivery struct {
	key, n     int
	member     string
	instance   string
	start, end time.Time
}

// ledger notes what handlers get.
type ledger struct {
	mu  sync.Mutex
	all []delivery
}

// handler takes work long for a message and acknowledges it.
func (l *ledger) handler(member, instance string, work time.Duration) func(jetstream.Msg) {
	return func(msg jetstream.Msg) {
		d := delivery{member: member, instance: instance, start: time.Now()}
		var prefix string
		if _, err := fmt.Sscanf(msg.Subject(), "%1s.k%d", &prefix, &d.key); err != nil {
			panic(fmt.Sprintf("subject %q: %v", msg.Subject(), err))
		}
		if _, err := fmt.Sscan(string(msg.Data()), &d.n); err != nil {
			panic(fmt.Sprintf("data %q: %v", msg.Data(), err))
		}
		time.Sleep(work)
		_ = msg.Ack()
		d.end = time.Now()
		l.mu.Lock()
		l.all = append(l.all, d)
		l.mu.Unlock()
	}
}

// since lists what was handled from a moment on.
func (l *ledger) since(from time.Time) (out []delivery) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := len(l.all) - 1; i >= 0 && l.all[i].end.After(from); i-- {
		if l.all[i].start.After(from) {
			out = append(out, l.all[i])
		}
	}
	return out
}

// verdict is what a run comes to.
type verdict struct {
	duplicates int           // deliveries beyond the first
	missing    int           // of what was sent
	disorder   int           // first deliveries before an earlier message's
	concurrent int           // handled while another message of the key was
	silence    time.Duration // the longest time that any key was not handled
}

func (l *ledger) judge(sent []int, from time.Time) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	var v verdict
	for key, n := range sent {
		seen := make(map[int]bool)
		newest := 0
		last := from
		var busy time.Time
		for _, d := range l.all { // in the order of their ends
			if d.key != key {
				continue
			}
			if d.start.Before(busy) {
				v.concurrent++
			}
			busy = d.end
			if seen[d.n] {
				v.duplicates++
				continue
			}
			seen[d.n] = true
			if d.n < newest {
				v.disorder++
			}
			newest = max(newest, d.n)
			if d.start.After(from) {
				v.silence = max(v.silence, d.start.Sub(last))
				last = d.start
			}
		}
		v.missing += n - len(seen)
	}
	return v
}

// drained waits until everything sent was handled.
func (l *load) drained(t testing.TB, within time.Duration, got *ledger) {
	t.Helper()
	l.end()
	eventually(t, within, "everything sent is handled", func() bool { return got.judge(l.sent, time.Now()).missing == 0 })
}
