package observe

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/nats-io/nats.go"
)

// PanicError is a panic in a goroutine of the engine.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// Guard turns a panic of fn into a [*PanicError].
func Guard(fn func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *PanicError: // handed on from another goroutine, with its own trace
			err = v
		default:
			err = &PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return fn()
}

// handler is a handler of messages, which nats.go calls from goroutines of its own. A panic
// of it is the cause with which end is called.
func handler(end context.CancelCauseFunc, take func(*nats.Msg)) nats.MsgHandler {
	return func(m *nats.Msg) {
		err := Guard(func() error {
			take(m)
			return nil
		})
		if err != nil {
			end(err)
		}
	}
}

// crew runs goroutines that end together: with the context, or with the first error
// or panic among them.
type crew struct {
	running sync.WaitGroup
	end     context.CancelCauseFunc
	ctx     context.Context
}

func newCrew(ctx context.Context) (*crew, context.Context) {
	ctx, end := context.WithCancelCause(ctx)
	return &crew{end: end, ctx: ctx}, ctx
}

// errAllDone is the cause of the context's end when nobody failed.
var errAllDone = errors.New("all done")

func (c *crew) run(fn func() error) {
	c.running.Go(func() {
		if err := Guard(fn); err != nil {
			c.end(err)
		}
	})
}

// wait waits for all and returns the first error; nil if there was none.
func (c *crew) wait() error {
	c.running.Wait()
	c.end(errAllDone)
	if err := context.Cause(c.ctx); !errors.Is(err, errAllDone) {
		return err
	}
	return nil
}
