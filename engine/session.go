package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/jsm.go/natscontext"
)

// Session runs one engine at a time, and goes over to another connection when it is
// told to.
type Session struct {
	ctx   context.Context
	ended chan struct{}

	mu  sync.Mutex
	now *running
}

// running is an engine that runs.
type running struct {
	engine *Engine
	cancel context.CancelFunc
	done   chan struct{}
	err    error // of Run, once done is closed
}

// NewSession runs an engine until the context ends. [Session.Close] closes it.
func NewSession(ctx context.Context, e *Engine) *Session {
	s := &Session{ctx: ctx, ended: make(chan struct{}, 1)}
	s.now = s.run(e)
	return s
}

func (s *Session) run(e *Engine) *running {
	ctx, cancel := context.WithCancel(s.ctx)
	r := &running{engine: e, cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(r.done)
		if r.err = e.Run(ctx); ctx.Err() == nil { // by itself
			select {
			case s.ended <- struct{}{}:
			default:
			}
		}
	}()
	return r
}

// close ends an engine entirely and waits for that.
func (r *running) close() error {
	r.cancel()
	<-r.done
	r.engine.Close()
	return r.err
}

// Ended tells when the engine ended by itself; [Session.Close] then says why.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Switch connects anew and closes the engine there was. When it cannot connect,
// everything stays as it is.
func (s *Session) Switch(ctx context.Context, o Options) (*Engine, error) {
	e, err := Connect(ctx, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		e.Close()
		return nil, fmt.Errorf("the session is closed")
	}
	before := s.now
	s.now = s.run(e)
	_ = before.close() // what ended it does not matter any more
	return e, nil
}

// Close ends the engine and returns what it ended with.
func (s *Session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.now == nil {
		return nil
	}
	err := s.now.close()
	s.now = nil
	return err
}

// Contexts lists the NATS contexts there are by name, in order.
func Contexts(ctx context.Context, o Options) ([]string, error) {
	root := o.contextRoot()
	if root == "" {
		return nil, nil
	}
	names, err := natscontext.NewRegistry(natscontext.NewFileBackendAt(root)).List(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing NATS contexts: %s", redact(err.Error()))
	}
	return names, nil
}

// OnlyContext makes options of which nothing but the named NATS context says how to
// connect: no flag and no variable.
func (o Options) OnlyContext(name string) Options {
	o.Context, o.Server, o.Creds, o.NKey, o.User, o.Password, o.Token = name, "", "", "", "", "", ""
	o.TLSCert, o.TLSKey, o.TLSCA, o.JSDomain, o.JSAPIPrefix = "", "", "", nil, nil
	return o.withoutVariables()
}

// withoutVariables makes options for which no variable of NATS is set.
func (o Options) withoutVariables() Options {
	outside := o
	o.Lookup = func(variable string) (string, bool) {
		switch {
		case variable == "HOME":
			return outside.home(), true
		case strings.HasPrefix(variable, "NATS_"):
			return "", false
		}
		value := outside.env(variable)
		return value, value != ""
	}
	return o
}
