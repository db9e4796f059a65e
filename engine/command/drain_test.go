package command

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

// What is said of a drained handover is what is the case: a deadline only where there is
// one, and drained only what was.
func TestHandoverWords(t *testing.T) {
	at := time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC)
	for _, c := range []struct{ got, want string }{
		{waiting(model.Handover{}), "no member runs: nothing to drain"},
		{waiting(model.Handover{Paused: []string{"a", "b"}, Unacked: 3, Deadline: at}), "paused 2 members; waiting for 3 unacknowledged, until " + at.Local().Format(time.TimeOnly) + " at most"},
		{waiting(model.Handover{Left: []string{"c"}, Deadline: at}), "; c paused by somebody else, left so"},
		{drained(model.Handover{Drained: 445 * time.Millisecond}), "drained after 445ms; writing"},
		{drained(model.Handover{Drained: 445 * time.Millisecond, Unacked: 1}), "the deadline came after 445ms with 1 unacknowledged; writing"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// guarded is an engine that only runs what it is given.
type guarded struct{ Engine }

func (guarded) Guard(ctx context.Context, run func(context.Context) error) error { return run(ctx) }

// What was sent and not answered may have been done: it is not said to have failed.
func TestNoAnswerIsNoRefusal(t *testing.T) {
	e := &Env{Engine: guarded{}, Context: t.Context()}
	k := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg"}
	for _, c := range []struct {
		err    error
		unsure bool
	}{{fmt.Errorf("store: %w", pcgroups.ErrUnanswered), true}, {pcgroups.ErrNameCollision, false}} {
		err := e.recorded(model.ActionCreate, k, nil, func(context.Context) error { return c.err })
		if !errors.Is(err, c.err) || errors.Is(err, model.ErrUnsure) != c.unsure {
			t.Errorf("%v", err)
		}
	}
}
