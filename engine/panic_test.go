package engine

import (
	"errors"
	"testing"

	"pcgtop/engine/observe"
	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// TUI-01: a panic in any goroutine of the engine is what it ends with, with its trace, so
// that whoever runs it can put the terminal in order.
func TestPanicEndsTheEngine(t *testing.T) {
	s := natstest.Start(t)
	for name, c := range map[string]struct {
		broken  func(*Engine)
		deliver func(*model.Snapshot)
	}{
		"that hands pictures on": {func(*Engine) {}, func(*model.Snapshot) { panic("boom") }},
		"that observes":          {func(e *Engine) { e.observer = nil }, func(*model.Snapshot) {}},
	} {
		e := must(Connect(t.Context(), Options{Server: s.ClientURL(), Lookup: noEnv}))
		c.broken(e)
		err := e.run(t.Context(), c.deliver)
		if p := (*observe.PanicError)(nil); !errors.As(err, &p) || len(p.Stack) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		e.Close()
	}
}
