package pause

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestPause(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for name, ctx := range map[string]context.Context{"ended": ended, "ends": endsSoon(t)} {
		for _, d := range []time.Duration{time.Hour, 0} {
			if name == "ends" && d == 0 {
				continue
			}
			if err := For(ctx, d); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %v: %v", name, d, err)
			}
		}
	}
	const d = 20 * time.Millisecond
	if began := time.Now(); For(t.Context(), d) != nil || time.Since(began) < d {
		t.Errorf("it took %v", time.Since(began))
	}
	if For(t.Context(), 0) != nil || For(t.Context(), -time.Hour) != nil {
		t.Error("no time is not waited for without an error")
	}
}

func TestUntil(t *testing.T) {
	wake := make(chan int, 1)
	for _, d := range []time.Duration{time.Hour, 0} {
		wake <- 1
		if woken, err := Until(t.Context(), d, wake); !woken || err != nil {
			t.Errorf("%v: %v, %v", d, woken, err)
		}
	}
	if woken, err := Until(t.Context(), time.Millisecond, wake); woken || err != nil {
		t.Errorf("nothing came: %v, %v", woken, err)
	}
	if woken, err := Until(endsSoon(t), time.Hour, wake); woken || !errors.Is(err, context.Canceled) {
		t.Errorf("the context ended: %v, %v", woken, err)
	}
}

// endsSoon is a context that ends while it is waited for.
func endsSoon(t *testing.T) context.Context {
	ctx, end := context.WithCancel(t.Context())
	time.AfterFunc(10*time.Millisecond, end)
	return ctx
}
