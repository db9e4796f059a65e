package observe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"pcgtop/model"
)

// Why a request brought nothing. Callers decide on these with errors.Is.
var (
	errNotFound = errors.New("not found")
	errDenied   = errors.New("not permitted")
	errNoAnswer = errors.New("no answer")
)

// api makes requests of the JetStream API: every one of them takes its turn in the
// budget, and is ended at once when the server refuses it on the error path.
type api struct {
	send    func(ctx context.Context, subject string, body []byte) (*nats.Msg, error)
	prefix  string // without the last dot
	timeout time.Duration
	budget  *budget
	made    atomic.Uint64 // requests made so far
	trip    atomic.Int64  // the last round trip of a ping, in nanoseconds

	mu    sync.Mutex
	calls map[*call]struct{}
	slow  map[string]time.Duration // how long the last answer took, by subject, where that was long
}

// call is a request that waits for its answer.
type call struct {
	subject string
	end     context.CancelCauseFunc
	advise  bool // the error is to say what would allow it, for it is shown as it is

	sent time.Time // zero: no answer is waited for
	told bool      // that it is late
}

func newAPI(nc *nats.Conn, opts Options) *api {
	return &api{
		send: nc.RequestWithContext, prefix: opts.APIPrefix, timeout: opts.Timeout,
		budget: newBudget(opts.MaxRequests), calls: map[*call]struct{}{}, slow: map[string]time.Duration{},
	}
}

// ask makes one request. The operation is the subject after the API prefix. The
// error wraps errNotFound, errDenied or errNoAnswer where one of them is the reason,
// and reads well after the name of what was asked about.
func (a *api) ask(ctx context.Context, operation string, request any, into interface{ problem() *apiError }) error {
	msg, err := a.raw(ctx, operation, request)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(msg.Data, into); err != nil {
		return fmt.Errorf("%s: unreadable answer: %w", brief(operation), err)
	}
	switch p := into.problem(); {
	case p == nil:
		return nil
	case p.Code == http.StatusNotFound:
		return fmt.Errorf("%w: %w", errNotFound, p)
	case p.ErrCode == NoLeader: // the reason first: a line may be too short for both
		return fmt.Errorf("%w: %s", p, brief(operation))
	default:
		return fmt.Errorf("%s: %w", brief(operation), p)
	}
}

// brief is an operation without what this program has made up: of a consumer that is to be
// made only the stream is said, so that there is room for the reason.
func brief(operation string) string {
	const create = "CONSUMER.CREATE."
	stream, made := strings.CutPrefix(operation, create)
	if !made {
		return operation
	}
	stream, _, _ = strings.Cut(stream, ".")
	return create + stream
}

// raw makes one request and returns the answer as it is.
func (a *api) raw(ctx context.Context, operation string, request any) (*nats.Msg, error) {
	var body []byte
	if request != nil {
		var err error
		if body, err = json.Marshal(request); err != nil {
			return nil, fmt.Errorf("%s: %w", operation, err)
		}
	}
	if err := a.budget.take(ctx); err != nil {
		return nil, err
	}
	return a.request(ctx, a.prefix+"."+operation, body)
}

// maxSubject is how long the subject of a request may be, in bytes: with the inbox for the
// answer it has to fit into a line of the protocol (nats-server 2.15, max_control_line:
// 4,096 bytes).
const maxSubject = 3900

// CheckSubject says that nothing can be asked under so long a subject, or returns nil: the
// server would end the connection.
func CheckSubject(subject string) error {
	if len(subject) > maxSubject {
		return fmt.Errorf("a name in it is too long to be asked for: %s bytes in all, a request takes at most %s", model.Thousands(len(subject)), model.Thousands(maxSubject))
	}
	return nil
}

// request makes one request that the budget has let through.
func (a *api) request(ctx context.Context, subject string, body []byte) (*nats.Msg, error) {
	if err := CheckSubject(subject); err != nil {
		return nil, err
	}
	operation := strings.TrimPrefix(subject, a.prefix+".")
	ctx, cancel := context.WithTimeout(ctx, a.timeout)
	defer cancel()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	sent := time.Now()
	forget := a.remember(&call{subject: subject, end: end, sent: sent})
	defer forget()

	a.made.Add(1)
	msg, err := a.send(ctx, subject, body)
	switch {
	case err == nil:
		a.took(subject, time.Since(sent))
		return msg, nil
	case errors.Is(context.Cause(ctx), errDenied):
		return nil, context.Cause(ctx)
	case errors.Is(err, nats.ErrNoResponders):
		return nil, fmt.Errorf("%w: JetStream does not answer at %s", errNoAnswer, a.prefix)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return nil, fmt.Errorf("%w within %v to %s", errNoAnswer, a.timeout, brief(operation))
	}
	return nil, fmt.Errorf("%s: %w", brief(operation), err)
}

func (a *api) remember(c *call) (forget func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.calls[c] = struct{}{}
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.calls, c)
	}
}

// refuse ends the calls that wait for an answer on a subject that may not be
// published to, or, for a refused inbox, all of them.
func (a *api) refuse(d denial) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for c := range a.calls {
		if c.subject == d.subject || d.inbox != "" {
			what := d.operation(a.prefix)
			if c.advise {
				what = d.advice(a.prefix)
			}
			c.end(fmt.Errorf("%w: %s", errDenied, what))
		}
	}
}

// over is a time limit for the server, as it is over this link.
func (a *api) over(limit time.Duration) time.Duration { return limit + time.Duration(a.trip.Load()) }

// streamInfo asks for one stream.
func (a *api) streamInfo(ctx context.Context, stream string) (*streamInfo, error) {
	info := &streamInfo{}
	if err := a.ask(ctx, "STREAM.INFO."+stream, nil, info); err != nil {
		return nil, err
	}
	return info, nil
}

// domain asks for the JetStream domain that the API prefix leads to.
func (a *api) domain(ctx context.Context) (string, error) {
	var info struct {
		answer
		Domain string `json:"domain"`
	}
	err := a.ask(ctx, "INFO", nil, &info)
	return info.Domain, err
}

// domainAt is [api.domain] for another prefix than the one in use.
func (a *api) domainAt(ctx context.Context, prefix string) (string, error) {
	if err := a.budget.take(ctx); err != nil {
		return "", err
	}
	msg, err := a.request(ctx, prefix+".INFO", nil)
	if err != nil {
		return "", err
	}
	var info struct {
		Domain string `json:"domain"`
	}
	if err := json.Unmarshal(msg.Data, &info); err != nil {
		return "", fmt.Errorf("INFO: unreadable answer: %w", err)
	}
	return info.Domain, nil
}

// plain is an error's text for people: what a denied call says already names it.
func plain(err error) string { return strings.TrimSpace(err.Error()) }
