package pcgroups

import (
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// queue stands between the client and the handler when messages are kept in progress:
// the client goes on pulling, which keeps the pin, while the handler is at work, and
// every message that waits here is known. It is nil otherwise.
type queue struct {
	handle func(jetstream.Msg)
	limit  int

	mu      sync.Mutex
	waiting []jetstream.Msg // the first is in hand
	closed  bool
	news    *sync.Cond    // messages, room or the end
	done    chan struct{} // closed when the last message was handled
}

// unlimitedQueue is how many messages wait at most for a consumer that delivers any
// number unacknowledged. The client then stops pulling until there is room.
const unlimitedQueue = 1000

func newQueue(handle func(jetstream.Msg), c jetstream.ConsumerConfig) *queue {
	q := &queue{handle: handle, limit: c.MaxAckPending, done: make(chan struct{})}
	if q.limit <= 0 {
		q.limit = unlimitedQueue
	}
	q.news = sync.NewCond(&q.mu)
	go q.work()
	if c.AckPolicy != jetstream.AckNonePolicy {
		go q.keep(max(effectiveAckWait(c.AckWait)/3, time.Millisecond))
	}
	return q
}

// add blocks while the queue is full.
func (q *queue) add(msg jetstream.Msg) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.waiting) >= q.limit && !q.closed {
		q.news.Wait()
	}
	q.waiting = append(q.waiting, msg)
	q.news.Broadcast()
}

// close lets the queue end when it is empty. The stint's mode says what becomes of
// the messages in it.
func (q *queue) close() {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.news.Broadcast()
}

func (q *queue) work() {
	defer close(q.done)
	for {
		q.mu.Lock()
		for len(q.waiting) == 0 && !q.closed {
			q.news.Wait()
		}
		if len(q.waiting) == 0 {
			q.mu.Unlock()
			return
		}
		msg := q.waiting[0]
		q.mu.Unlock()
		q.handle(msg)
		q.mu.Lock()
		q.waiting[0] = nil
		q.waiting = q.waiting[1:]
		q.news.Broadcast()
		q.mu.Unlock()
	}
}

// keep tells the server that the messages are being worked on.
func (q *queue) keep(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-q.done:
			return
		case <-tick.C:
		}
		q.mu.Lock()
		waiting := append([]jetstream.Msg(nil), q.waiting...)
		q.mu.Unlock()
		for _, msg := range waiting {
			_ = msg.InProgress() // it fails for the one just acknowledged
		}
	}
}
