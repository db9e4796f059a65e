package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"
)

// draining is how partitions are handed over.
type draining struct {
	Drain   bool          `help:"Hand over drained: pause the members, wait until nothing they hold is unacknowledged, then write, and watch until every partition flows."`
	Longest time.Duration `default:"10s" help:"With --drain: the longest that members are paused; then it is written whatever they hold."`
}

// Bounds of a drained handover: members stand paused for so long if this program dies.
const (
	leastDrain = 100 * time.Millisecond
	mostDrain  = time.Hour
)

// of is the plan, handed over as asked for.
func (d draining) of(p *model.Plan) (*model.Plan, error) {
	if !d.Drain {
		return p, nil
	}
	if d.Longest < leastDrain || d.Longest > mostDrain {
		return nil, Usage("--longest is %s: give %s to %s", d.Longest, leastDrain, mostDrain)
	}
	return p.WithDrain(d.Longest), nil
}

// Handing is an engine that tells how far a drained handover has come.
type Handing interface {
	// Handover applies a plan and reports each step.
	Handover(ctx context.Context, p *model.Plan, report func(model.Handover)) (string, error)
}

// carryOut applies a plan; a drained one tells its steps on standard error.
func (e *Env) carryOut(p *model.Plan) (string, error) {
	h, ok := e.Engine.(Handing)
	if p.Drain == 0 || !ok {
		return e.Engine.Apply(e.Context, p)
	}
	said := model.Phase("")
	return h.Handover(e.Context, p, func(now model.Handover) {
		if e.JSON || now.Phase == said {
			return
		}
		said = now.Phase
		switch now.Phase {
		case model.PhaseWaiting:
			fmt.Fprintln(e.Err, waiting(now))
		case model.PhaseWriting:
			fmt.Fprintln(e.Err, drained(now))
		case model.PhaseWatching:
			fmt.Fprintf(e.Err, "written at revision %d; watching until every partition flows\n", now.Revision)
		case model.PhaseUndoing:
			fmt.Fprintln(e.Err, "taking the pauses back")
		}
	})
}

// waiting says whom a handover waits for.
func waiting(now model.Handover) string {
	if len(now.Paused)+len(now.Left) == 0 {
		return "no member runs: nothing to drain"
	}
	text := fmt.Sprintf("paused %s; waiting for %s unacknowledged", model.Count(len(now.Paused), "member"), model.Thousands(now.Unacked))
	if len(now.Left) > 0 {
		text += fmt.Sprintf("; %s paused by somebody else, left so", strings.Join(now.Left, ", "))
	}
	if !now.Deadline.IsZero() {
		text += ", until " + now.Deadline.Local().Format(time.TimeOnly) + " at most"
	}
	return text
}

// drained says what the waiting came to.
func drained(now model.Handover) string {
	after := now.Drained.Round(time.Millisecond)
	if now.Unacked > 0 {
		return fmt.Sprintf("the deadline came after %s with %s unacknowledged; writing", after, model.Thousands(now.Unacked))
	}
	return fmt.Sprintf("drained after %s; writing", after)
}

// tell prints what a plan came to.
func (e *Env) tell(done string, p *model.Plan) error {
	err := e.print(struct {
		Done string      `json:"done"`
		Plan *model.Plan `json:"plan"`
	}{done, p}, func(w io.Writer) error {
		for _, warning := range p.Warnings {
			fmt.Fprintln(w, "note: "+warning)
		}
		_, err := fmt.Fprintln(w, done)
		return err
	})
	if err != nil {
		return fmt.Errorf("done (%s), but %w", done, err)
	}
	return nil
}

// Recording is an engine that keeps actions in an audit file.
type Recording interface {
	// Record keeps an action that does not go by a plan, before and after it runs.
	Record(action model.Action, k model.Key, members []string, run func() error) error
}

// recorded runs what writes without a plan, under the engine's guard and its audit. Where no
// answer came, the error wraps [model.ErrUnsure].
func (e *Env) recorded(action model.Action, k model.Key, members []string, run func(context.Context) error) error {
	guarded := func() error {
		err := e.Engine.Guard(e.Context, run)
		if errors.Is(err, pcgroups.ErrUnanswered) {
			return fmt.Errorf("%w whether it was done: look at the group once the link is back (%w)", model.ErrUnsure, err)
		}
		return err
	}
	if r, ok := e.Engine.(Recording); ok {
		return r.Record(action, k, members, guarded)
	}
	return guarded()
}
