package observe

import (
	"sync"
	"time"
)

// kept is the list of consumers that a kind asked for last. As a rule a group is found by
// it, and the stream is then to be read at once: that saves asking for the same again.
type kept struct {
	mu   sync.Mutex
	last *consumerList
}

func (k *kept) keep(read *consumerList) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.last = read
}

// take gives the list of a stream away, if it is recent; else nil.
func (k *kept) take(stream string) *consumerList {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil || k.last.stream != stream {
		return nil
	}
	read := k.last
	k.last = nil
	if time.Since(read.started) > recent {
		return nil
	}
	return read
}
