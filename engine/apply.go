package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// Why a plan was not applied. Nothing was written then.
var (
	// ErrChanged: the group, or a pin, is not what the plan was made for.
	ErrChanged = errors.New("the group changed")
	// ErrReadOnly: this program was told not to write.
	ErrReadOnly = errors.New("read-only")
	// ErrDenied: the account may not do it.
	ErrDenied = errors.New("not permitted")
	// ErrNotLive: the connection is lost, or not everything was read again.
	ErrNotLive = errors.New("not live")
)

// Administrator carries out plans.
type Administrator interface {
	// Apply carries a plan out as it stands or not at all. The error wraps [ErrChanged]
	// when the plan is out of date and says what changed. A drained handover tells how
	// far it has come, from this goroutine, unless report is nil.
	Apply(ctx context.Context, p *model.Plan, report func(model.Handover)) (Outcome, error)
	// ReadOnly tells whether every Apply would be refused.
	ReadOnly() bool
}

// Outcome is what a plan came to.
type Outcome struct {
	Text     string // what was done, in a line
	Revision uint64 // of the config since; 0: it was not written
}

// ReadOnly makes an administrator that refuses every write, as by says, see
// [Engine.ReadOnlyBy].
func ReadOnly(by string) Administrator { return readOnly{by} }

type readOnly struct{ by string }

func (readOnly) ReadOnly() bool { return true }

func (r readOnly) Apply(context.Context, *model.Plan, func(model.Handover)) (Outcome, error) {
	return Outcome{}, fmt.Errorf("%w, set by %s: nothing was written; leave that out to write", ErrReadOnly, r.by)
}

// ReadOnly tells whether writes are refused.
func (e *Engine) ReadOnly() bool { return e.ReadOnlyBy() != "" }

// ReadOnlyBy is what has writes refused: a flag, a variable, or a line of the settings file;
// empty where nothing does.
func (e *Engine) ReadOnlyBy() string {
	if r, ok := e.admin.(readOnly); ok {
		return r.by
	}
	return ""
}

// Apply carries a plan out as it stands or not at all, see [Administrator]. What came
// of it is also told as an event; its effect shows when it is observed.
func (e *Engine) Apply(ctx context.Context, p *model.Plan) (string, error) {
	return e.Handover(ctx, p, nil)
}

// Handover is Apply for somebody who wants to hear how far a drained handover has come.
func (e *Engine) Handover(ctx context.Context, p *model.Plan, report func(model.Handover)) (string, error) {
	if p.Idle() && !e.ReadOnly() {
		return fmt.Sprintf("%s: nothing to change, revision %d stays", describe(p), p.Revision), nil
	}
	e.acting.Add(1)
	defer e.acting.Done()
	if report == nil {
		report = func(model.Handover) {}
	}
	record, err := e.audit.begin(p)
	if err != nil {
		return "", fmt.Errorf("%s: %w; nothing was written", describe(p), err)
	}
	ctx, stop := e.refusals.watch(ctx, concernsWrite(p))
	defer stop()
	done, err := e.admin.Apply(ctx, p, report)
	if denied := deniedBy(ctx); err != nil && denied != nil && !errors.Is(err, ErrDenied) {
		if half := (*halfDone)(nil); errors.As(err, &half) {
			err = &halfDone{half.what, half.how, denied}
		} else {
			err = fmt.Errorf("%s: %w; nothing was written", describe(p), denied)
		}
	}
	err = errors.Join(err, record.end(done, err))
	e.see(e.told(p, done, err)...)
	return done.Text, err
}

// Guard runs what talks to the server without this engine's help. What the account may
// not do ends it at once, with an error that wraps [ErrDenied] and names the subject;
// without a guard it waits for an answer until its time is up. Without a connection it is
// [ErrNotConnected].
func (e *Engine) Guard(ctx context.Context, run func(context.Context) error) error {
	return e.guard(ctx, whatever, run)
}

// guard is Guard for what is asked while groups are observed: what that is refused does not
// end it.
func (e *Engine) guard(ctx context.Context, concerns func(subject string) bool, run func(context.Context) error) error {
	ctx, stop := e.refusals.watch(ctx, concerns)
	defer stop()
	err := run(ctx)
	if denied := deniedBy(ctx); err != nil && denied != nil {
		return denied
	}
	if errors.Is(err, nats.ErrReconnectBufExceeded) { // nothing is kept to be sent later
		return ErrNotConnected
	}
	return err
}

// ErrNotConnected is what asking the server fails with while there is no connection.
var ErrNotConnected = errors.New("not connected to the server: ask again once it is back")

// describe names the plan for people: add m4 to ORDERS/cg.
func describe(p *model.Plan) string {
	who := strings.Join(p.Intent.Members, ", ")
	switch p.Intent.Action {
	case model.ActionStepDown:
		return "step down " + who + " of " + p.Key.String()
	case model.ActionAdd:
		return "add " + who + " to " + p.Key.String()
	case model.ActionDrop:
		return "drop " + who + " from " + p.Key.String()
	case model.ActionRemap:
		return "remap " + p.Key.String() + " (" + model.Count(p.Moved(), "move") + ")"
	case model.ActionBalance:
		return "balance " + p.Key.String() + " (" + model.Count(p.Moved(), "move") + ")"
	case model.ActionMembers:
		return "balance " + p.Key.String() + " among " + strings.Join(p.Members, ", ")
	case model.ActionEditSource:
		return "edit the source of " + p.Key.String() + " (" + strings.Join(p.Intent.Edits, ", ") + ")"
	case model.ActionRemoveID:
		return "remove the stable id " + who + " of " + p.Key.String()
	case model.ActionUndo:
		return "undo on " + p.Key.String() + ": " + p.Intent.Undoes
	}
	if p.Intent.Action == model.ActionCreate || p.Intent.Action == model.ActionDelete {
		return string(p.Intent.Action) + " " + string(p.Key.Kind) + " group " + p.Key.String()
	}
	return string(p.Intent.Action) + " " + p.Key.String()
}
