package pcgroups

import (
	"fmt"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
)

// subjects gives n subjects that fall into different partitions often enough.
func subjects(prefix string, n int) (out []string) {
	for i := range n {
		out = append(out, fmt.Sprintf("%s.k%d", prefix, i))
	}
	return out
}

func (f *fixture) publishAll(all []string) {
	f.t.Helper()
	for _, s := range all {
		f.publish(s)
	}
}

// inbox collects what handlers get, per handler name.
type inbox struct {
	mu  sync.Mutex
	got map[string][]string
}

func (b *inbox) handler(name string) func(jetstream.Msg) {
	return func(msg jetstream.Msg) {
		b.mu.Lock()
		if b.got == nil {
			b.got = make(map[string][]string)
		}
		b.got[name] = append(b.got[name], msg.Subject())
		b.mu.Unlock()
		_ = msg.Ack()
	}
}

func (b *inbox) count(names ...string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for name, got := range b.got {
		if len(names) == 0 || contains(names, name) {
			n += len(got)
		}
	}
	return n
}

func (b *inbox) has(subject string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, got := range b.got {
		if contains(got, subject) {
			return true
		}
	}
	return false
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func missing(b *inbox, want []string) (out []string) {
	for _, s := range want {
		if !b.has(s) {
			out = append(out, s)
		}
	}
	return out
}
