package e2e

import (
	"testing"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// ownServer starts an empty server on loopback, for worlds that the demo does not show, and
// connects to it. Both end with the test.
func ownServer(t testing.TB, options ...jetstream.JetStreamOpt) (*server.Server, jetstream.JetStream) {
	t.Helper()
	return ownServerWith(t, &server.Options{ServerName: "own", Port: server.RANDOM_PORT, StoreDir: t.TempDir()}, options...)
}

// ownServerWith is [ownServer] with settings of its own.
func ownServerWith(t testing.TB, o *server.Options, options ...jetstream.JetStreamOpt) (*server.Server, jetstream.JetStream) {
	t.Helper()
	return ownServerAs(t, "", o, options...)
}

// ownServerAs is [ownServerWith] where the connection logs in, with the password pw.
func ownServerAs(t testing.TB, user string, o *server.Options, options ...jetstream.JetStreamOpt) (*server.Server, jetstream.JetStream) {
	t.Helper()
	o.Host, o.JetStream, o.NoLog, o.NoSigs = "127.0.0.1", true, true, true
	s := natstest.Run(t, o)
	login := nats.UserInfo(user, "pw")
	if user == "" {
		login = nats.UserInfo("", "")
	}
	return s, clientOf(t, s.ClientURL(), []nats.Option{login}, options...)
}

// clientOf is JetStream over a connection that lasts as long as the test.
func clientOf(t testing.TB, url string, how []nats.Option, options ...jetstream.JetStreamOpt) jetstream.JetStream {
	t.Helper()
	nc, err := nats.Connect(url, how...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc, options...)
	if err != nil {
		t.Fatal(err)
	}
	return js
}
