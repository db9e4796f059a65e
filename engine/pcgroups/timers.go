package pcgroups

import "time"

// All timers follow from the member's ack wait (orbit.go/pcgroups v0.2.2).
const (
	defaultAckWait = 5 * time.Second

	// minTimer is the shortest pull and the shortest pin.
	minTimer = time.Second

	// checkMargin is added to the ack wait: when a check comes, a consumer that
	// nobody pulls from has been removed by the server.
	checkMargin = 500 * time.Millisecond
)

func effectiveAckWait(ackWait time.Duration) time.Duration {
	if ackWait <= 0 {
		return defaultAckWait
	}
	return ackWait
}

// pullExpiry is how long one pull waits for messages.
func pullExpiry(ackWait time.Duration) time.Duration { return max(ackWait/2, minTimer) }

// priorityTimeout is after which silence the server gives the pin to another instance.
func priorityTimeout(ackWait time.Duration) time.Duration { return max(ackWait, minTimer) }

// checkInterval is how often a member checks whether it ought to consume and does not.
func checkInterval(ackWait time.Duration) time.Duration { return ackWait + checkMargin }
