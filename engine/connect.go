package engine

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
)

// Reconnecting starts fast and slows down, so that neither a short break is made
// longer nor a dead server flooded.
const (
	reconnectFirst = 50 * time.Millisecond
	reconnectMost  = 2 * time.Second
)

// Connect resolves the options, connects, and makes sure that JetStream answers. It
// touches no terminal and fails within the timeout, with one line that says what,
// where and what to do, and never a credential. [Engine.Close] ends the connection.
func Connect(ctx context.Context, o Options) (*Engine, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s, err := Resolve(o)
	if err != nil {
		return nil, err
	}
	events, err := openEventLog(o.LogEvents)
	if err != nil {
		return nil, err
	}
	audit, err := openAudit(o.Audit, s, o.HideAddresses)
	if err != nil {
		events.close()
		return nil, err
	}
	refused := newRefusals()
	nc, err := dial(ctx, s, o, refused)
	if err != nil {
		events.close()
		_ = audit.close() // nothing was written to it
		return nil, explain(err, s)
	}
	js, err := jetstream.NewWithAPIPrefix(nc, s.APIPrefix, jetstream.WithDefaultTimeout(o.Timeout))
	if err == nil {
		err = askJetStream(ctx, js, s, o.Timeout)
	}
	if err != nil {
		_ = audit.close() // nothing was written to it
		nc.Close()
		events.close()
		return nil, err
	}
	e := newEngine(nc, js, s, o, refused, events)
	e.audit = audit
	return e, nil
}

// dial connects, or gives up when the context ends: nats.go knows only a timeout.
func dial(ctx context.Context, s *Settings, o Options, refused *refusals) (*nats.Conn, error) {
	type result struct {
		nc  *nats.Conn
		err error
	}
	done := make(chan result, 1)
	go func() {
		var nc *nats.Conn
		err := observe.Guard(func() error {
			opts, err := s.nats.NATSOptions(connOptions(o, refused)...)
			if err == nil {
				nc, err = nats.Connect(s.nats.ServerURL(), opts...)
			}
			return err
		})
		done <- result{nc, err}
	}()
	select {
	case r := <-done:
		return r.nc, r.err
	case <-ctx.Done():
		go func() {
			if r := <-done; r.nc != nil {
				r.nc.Close()
			}
		}()
		return nil, ctx.Err()
	}
}

// connOptions always sets every handler: those nats.go has by default print.
func connOptions(o Options, refused *refusals) []nats.Option {
	log := o.Log
	return []nats.Option{
		nats.Name(o.Name),
		nats.Timeout(o.Timeout),
		nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(false),
		nats.IgnoreAuthErrorAbort(),
		nats.CustomReconnectDelay(reconnectDelay),
		nats.ReconnectBufSize(-1), // what cannot be sent now is an error now
		nats.PingInterval(5 * time.Second),
		nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			refused.hear(err)
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			log.Warn("nats", slog.String("error", redact(err.Error())), slog.String("subject", subject))
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { log.Warn("nats: disconnected", slog.Any("error", err)) }),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			log.Info("nats: connected again", slog.String("server", redact(nc.ConnectedUrl())))
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			log.Debug("nats: not connected yet", slog.String("error", redact(err.Error())))
		}),
		nats.ClosedHandler(func(*nats.Conn) { log.Info("nats: closed") }),
	}
}

func reconnectDelay(attempts int) time.Duration {
	d := min(reconnectFirst<<min(max(attempts-1, 0), 10), reconnectMost)
	return d + rand.N(d/4)
}

// askJetStream makes sure that JetStream is there for this account and prefix. Not
// being permitted to ask is no reason to give up.
func askJetStream(ctx context.Context, js jetstream.JetStream, s *Settings, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	refused := make(chan error, 1)
	nc := js.Conn()
	before := nc.ErrorHandler()
	nc.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			select {
			case refused <- err:
			default:
			}
			cancel()
		}
	})
	defer nc.SetErrorHandler(before)
	_, err := js.AccountInfo(ctx)
	select {
	case why := <-refused:
		// Without an inbox no answer ever comes; anything else may be done without.
		if strings.Contains(strings.ToLower(why.Error()), "permissions violation for subscription") {
			return fmt.Errorf("%s: %w: receiving answers: allow subscribe to %s.>", redact(nc.ConnectedUrl()), ErrDenied, inboxPrefix(nc))
		}
		return nil
	default:
	}
	at := redact(nc.ConnectedUrl())
	var refusal *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount):
		return fmt.Errorf("%s: JetStream is not enabled for this account: log in to another account, or, where another account's is imported, name it by --js-api-prefix or --js-domain", at)
	case errors.Is(err, jetstream.ErrJetStreamNotEnabled), errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%s: no JetStream answers at %s: start the server with JetStream, or see --js-domain and --js-api-prefix", at, s.APIPrefix)
	case errors.As(err, &refusal) && refusal.ErrorCode == observe.NoLeader:
		return fmt.Errorf("%s: JetStream has no leader: too few servers of the cluster are up: see that they run, and try again", at)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%s: JetStream did not answer at %s within %v: try again, or give a longer --timeout", at, s.APIPrefix, timeout)
	}
	return fmt.Errorf("%s: asking JetStream: %w", at, err)
}

func inboxPrefix(nc *nats.Conn) string {
	if p := nc.Opts.InboxPrefix; p != "" {
		return strings.TrimSuffix(p, ".")
	}
	return strings.TrimSuffix(nats.InboxPrefix, ".")
}

// explain says in one line why there is no connection.
func explain(err error, s *Settings) error {
	var unknown x509.UnknownAuthorityError
	var record tls.RecordHeaderError
	var op *net.OpError
	var address *url.Error
	why := ""
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("connecting to %s: %w", s.Server, err)
	case errors.Is(err, nats.ErrAuthorization), errors.Is(err, nats.ErrAuthExpired), errors.Is(err, nats.ErrAuthRevoked):
		why = "the server refused the login: check " + s.loginFrom()
	case errors.As(err, &address): // its text may hold a part of a password
		why = "not a server address: give nats://HOST:PORT, and a password with odd characters by --password"
	case errors.Is(err, nats.ErrTimeout), errors.Is(err, context.DeadlineExceeded), errors.As(err, &op) && op.Timeout():
		why = "no NATS server answered in time: check the address, or give a longer --timeout"
	case strings.Contains(err.Error(), nats.MAX_CONNECTIONS_ERR): // in words of its own while it is connected to
		why = "of connections the server has as many as it takes (max_connections): try again later, or raise that"
	case errors.Is(err, io.EOF), errors.As(err, &op) && op.Op != "dial":
		why = "what answers there closes the connection: the server has as many as it takes (max_connections), wants TLS from the first byte (tls_first in a NATS context), or is no NATS server"
	case errors.Is(err, nats.ErrNoServers), errors.As(err, &op):
		why = "nobody answers: is a NATS server running there? See --server and --context"
	case errors.Is(err, nats.ErrSecureConnRequired), errors.Is(err, nats.ErrSecureConnWanted), errors.As(err, &record):
		why = "one side wants TLS and the other does not: see --tlsca, --tlscert and --tlskey"
	case errors.As(err, &unknown):
		why = "the server's certificate is signed by nobody known here: see --tlsca"
	default:
		why = strings.TrimPrefix(hide(err.Error(), s.secrets()...), "nats: ")
	}
	return &connectError{text: "cannot connect to " + s.Server + ": " + why, err: err}
}

// connectError keeps the cause for errors.Is without ever printing it.
type connectError struct {
	text string
	err  error
}

func (e *connectError) Error() string { return e.text }
func (e *connectError) Unwrap() error { return e.err }

func (s *Settings) loginFrom() string {
	for _, o := range s.Origins {
		if o.Setting == "login" {
			return "the credentials (from " + o.From + ")"
		}
	}
	return "--user, --creds or --context: no credentials were given"
}

// secrets lists what must not be in any text.
func (s *Settings) secrets() []string {
	return []string{s.nats.Password(), s.nats.Token(), s.nats.UserSeed(), s.nats.UserJWT()}
}
