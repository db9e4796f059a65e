package observe

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// panicked runs an observer until it ends by a panic, and returns that.
func panicked(t *testing.T, o *Observer, emit func(...model.Observation)) *PanicError {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- o.Run(t.Context(), emit) }()
	select {
	case err := <-ended:
		p, ok := err.(*PanicError)
		if !ok {
			t.Fatalf("it ended with %v", err)
		}
		return p
	case <-time.After(20 * time.Second):
		t.Fatal("Run does not end")
	}
	return nil
}

// A panic in a handler that nats.go calls ends the observer like one of its own
// goroutines: it is the error of Run, with the trace of where it was.
func TestPanicInHandlers(t *testing.T) {
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "pw"}, {Username: "limited", Password: "pw", Permissions: &server.Permissions{
			Publish: &server.SubjectPermission{Deny: []string{"$JS.API.STREAM.LIST"}},
		}}}
	})
	at := func(user string) string {
		return strings.Replace(s.ClientURL(), "nats://", fmt.Sprintf("nats://%s:pw@", user), 1)
	}
	t.Run("errors of the connection", func(t *testing.T) {
		nc := connect(t, at("limited"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) { panic("boom") }))
		if p := panicked(t, New(nc, quick()), func(...model.Observation) {}); p.Value != "boom" || !strings.Contains(string(p.Stack), "guard_test.go") {
			t.Errorf("%v, %s", p, p.Stack)
		}
	})
	t.Run("messages", func(t *testing.T) {
		nc := connect(t, at("admin"))
		told, end := context.WithCancelCause(t.Context())
		must(nc.Subscribe("here", handler(end, func(*nats.Msg) { panic("boom") })))
		if err := nc.Publish("here", nil); err != nil {
			t.Fatal(err)
		}
		<-told.Done()
		first, is := context.Cause(told).(*PanicError)
		if !is || first.Value != "boom" {
			t.Fatalf("%v", context.Cause(told))
		}
		if again := Guard(func() error { panic(first) }); again != first {
			t.Errorf("handed on it is %v", again)
		}
	})
}
