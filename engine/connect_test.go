package engine

import (
	"testing"
	"time"

	"github.com/nats-io/nats.go"
)

// A lost server is tried again soon, then more and more seldom, at most every two seconds
// or a little more, and not by all who lost it at the same moments.
func TestReconnectDelay(t *testing.T) {
	for attempts, least := range map[int]time.Duration{
		0: 50 * time.Millisecond, 1: 50 * time.Millisecond, 2: 100 * time.Millisecond, 4: 400 * time.Millisecond, 7: 2 * time.Second, 1 << 40: 2 * time.Second,
	} {
		seen := map[time.Duration]bool{}
		for range 100 {
			d := reconnectDelay(attempts)
			if d < least || d >= least+least/4 {
				t.Fatalf("attempt %d: %v, want %v and less than a quarter more", attempts, d, least)
			}
			seen[d] = true
		}
		if len(seen) < 50 {
			t.Errorf("attempt %d: only %d different delays", attempts, len(seen))
		}
	}
}

// TUI-12: a connection has handlers of its own for all that nats.go would print, and never
// gives up.
func TestConnectionsPrintNothing(t *testing.T) {
	o, err := Options{Lookup: noEnv}.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	var c nats.Options
	for _, set := range connOptions(o, newRefusals()) {
		if err := set(&c); err != nil {
			t.Fatal(err)
		}
	}
	if c.AsyncErrorCB == nil || c.DisconnectedErrCB == nil || c.ReconnectedCB == nil || c.ReconnectErrCB == nil || c.ClosedCB == nil {
		t.Errorf("a handler is missing: %+v", c)
	}
	if c.CustomReconnectDelayCB == nil || c.CustomReconnectDelayCB(7) < reconnectMost || c.MaxReconnect >= 0 || !c.IgnoreAuthErrorAbort || c.RetryOnFailedConnect {
		t.Errorf("how it connects again: %+v", c)
	}
}
