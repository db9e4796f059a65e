package observe

import (
	"sync/atomic"
	"time"
)

// serverClock tells the server's time between its answers. It is used only where an
// answer carries no time of its own, such as an empty list.
type serverClock struct{ ahead atomic.Int64 }

// set notes a time that the server has just told.
func (c *serverClock) set(ts time.Time) {
	if !ts.IsZero() {
		c.ahead.Store(int64(time.Until(ts)))
	}
}

func (c *serverClock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())).UTC() }
