package pcgroups

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// All timers follow from the member's ack wait (orbit.go/pcgroups v0.2.2).
const (
	defaultAckWait = 5 * time.Second

	// minTimer is the shortest pull and the shortest pin.
	minTimer = time.Second

	// checkMargin is added to the ack wait: when a check comes, a consumer that
	// nobody pulls from has been removed by the server.
	checkMargin = 500 * time.Millisecond

	// steadyAckWait is the shortest ack wait with which pins are steady: below it a
	// pull, which lasts a second at least, hardly comes again before the pin expires.
	steadyAckWait = 2 * time.Second

	// rereadPause is how often the config is read while something is waited for. The
	// watch mostly tells changes sooner.
	rereadPause = 250 * time.Millisecond

	// yieldPause is how often a standby looks whether it has to replace the consumer
	// itself. Mostly it is told sooner, by the end of its pull.
	yieldPause = 100 * time.Millisecond

	// deletePause is how long a consumer that somebody else has deleted is only looked
	// up, not made. Whoever deleted it is likely to be making the next one. And a server
	// forgets a consumer before it removes its files, by their path (nats-server 2.15.3,
	// consumer.stopWithFlags): a consumer that is made in between loses its own with them.
	// Only who deletes is told when that is over.
	deletePause = 250 * time.Millisecond

	// firstRetry and its doubles separate attempts to join: what stands in the way is
	// mostly another member that is about to let go of a partition.
	firstRetry    = 5 * time.Millisecond
	doubledOften  = 5  // so that attempts come every 160 ms at most,
	persistedWith = 20 // for about three seconds; then they get rarer
)

func effectiveAckWait(ackWait time.Duration) time.Duration {
	if ackWait <= 0 {
		return defaultAckWait
	}
	return ackWait
}

// pullExpiry is how long one pull waits for messages.
func pullExpiry(ackWait time.Duration) time.Duration { return max(ackWait/2, minTimer) }

// pullLimits is how many messages one pull asks for and how long it waits for them, as
// far as the consumer allows it: the server refuses pulls beyond its limits.
func (m *member) pullLimits(c jetstream.ConsumerConfig) (batch int, expiry time.Duration) {
	batch, expiry = jetstream.DefaultMaxMessages, pullExpiry(m.template.AckWait)
	if c.MaxRequestBatch > 0 {
		batch = min(batch, c.MaxRequestBatch)
	}
	if c.MaxRequestExpires >= minTimer {
		expiry = min(expiry, c.MaxRequestExpires)
	}
	return batch, expiry
}

// priorityTimeout is after which silence the server gives the pin to another instance.
func priorityTimeout(ackWait time.Duration) time.Duration { return max(ackWait, minTimer) }

// checkInterval is how often a member checks whether it ought to consume and does not.
func checkInterval(ackWait time.Duration) time.Duration { return ackWait + checkMargin }

// nextCheck is when to look again though nothing happens.
func (m *member) nextCheck() time.Duration {
	check := checkInterval(m.template.AckWait)
	switch {
	case m.stint != nil && !m.yielding.IsZero():
		return min(check, yieldPause)
	case m.stint != nil || m.retries == 0:
		return check
	case m.retries <= persistedWith:
		return min(check, firstRetry<<min(m.retries-1, doubledOften))
	}
	return min(check, firstRetry<<min(m.retries-persistedWith+doubledOften, 10))
}

// patience is how long a handler may take to finish its message when its consumer is
// to be replaced: as long as the message is its own.
func (m *member) patience() time.Duration {
	if m.options.inProgress {
		return 6 * m.template.AckWait // the server is told that it goes on, but others wait
	}
	return m.template.AckWait
}
