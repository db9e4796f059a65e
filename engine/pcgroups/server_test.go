package pcgroups

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// fixture is a server of its own and a connection to it.
type fixture struct {
	t      testing.TB
	server *server.Server
	opts   *server.Options
	url    string
	nc     *nats.Conn
	js     jetstream.JetStream
	ctx    context.Context
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	t.Cleanup(cancel)
	f := &fixture{t: t, ctx: ctx, opts: &server.Options{
		Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoLog: true, NoSigs: true,
	}}
	f.start()
	t.Cleanup(f.shutdown)
	f.opts.Port = f.server.Addr().(*net.TCPAddr).Port
	f.url = f.server.ClientURL()
	f.nc, f.js = f.connect()
	return f
}

func (f *fixture) start() {
	f.t.Helper()
	opts := *f.opts
	s, err := server.NewServer(&opts)
	if err != nil {
		f.t.Fatal(err)
	}
	s.Start()
	f.server = s
	if !s.ReadyForConnections(10 * time.Second) {
		f.t.Fatal("the server did not start")
	}
}

func (f *fixture) shutdown() {
	natstest.Stop(f.server)
}

// restart shuts the server down and starts it again, and waits for the fixture's own
// connection: first until it knows that it was lost, or what is sent next goes nowhere.
func (f *fixture) restart() {
	f.t.Helper()
	f.shutdown()
	eventually(f.t, 10*time.Second, "disconnected", func() bool { return !f.nc.IsConnected() })
	f.start()
	eventually(f.t, 10*time.Second, "connected again", f.nc.IsConnected)
}

// connect is another connection, as another process would have. It comes back soon
// after the server was away.
func (f *fixture) connect() (*nats.Conn, jetstream.JetStream) {
	f.t.Helper()
	nc, err := nats.Connect(f.url, nats.ReconnectWait(50*time.Millisecond), nats.MaxReconnects(-1), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		f.t.Fatal(err)
	}
	return nc, js
}

// stream makes a stream that stamps partitions into "<prefix>.*" if any are asked for.
func (f *fixture) stream(name, prefix string, partitions int) {
	f.t.Helper()
	config := jetstream.StreamConfig{Name: name, Subjects: []string{prefix + ".>"}}
	if partitions > 0 {
		config.SubjectTransform = &jetstream.SubjectTransformConfig{
			Source: prefix + ".*", Destination: fmt.Sprintf("{{partition(%d,1)}}.%s.{{wildcard(1)}}", partitions, prefix),
		}
	}
	f.must(f.js.CreateStream(f.ctx, config))
}

// must fails the test on an error, whatever else the call returned.
func (f *fixture) must(_ any, err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) publish(subject string) {
	f.t.Helper()
	f.must(f.js.Publish(f.ctx, subject, []byte(subject)))
}

// stored is the raw config and its revision.
func (f *fixture) stored(bucket, stream, group string) (string, uint64) {
	f.t.Helper()
	entry, err := f.kv(bucket).Get(f.ctx, stream+"."+group)
	if err != nil {
		f.t.Fatal(err)
	}
	return string(entry.Value()), entry.Revision()
}

func (f *fixture) kv(bucket string) jetstream.KeyValue {
	f.t.Helper()
	kv, err := f.js.KeyValue(f.ctx, bucket)
	if err != nil {
		f.t.Fatal(err)
	}
	return kv
}

// put writes a config as some other tool would.
func (f *fixture) put(bucket, stream, group, value string) uint64 {
	f.t.Helper()
	kv, err := f.js.CreateOrUpdateKeyValue(f.ctx, jetstream.KeyValueConfig{Bucket: bucket})
	if err != nil {
		f.t.Fatal(err)
	}
	revision, err := kv.Put(f.ctx, stream+"."+group, []byte(value))
	if err != nil {
		f.t.Fatal(err)
	}
	return revision
}

func (f *fixture) hasKey(bucket, stream, group string) bool {
	f.t.Helper()
	kv, err := f.js.KeyValue(f.ctx, bucket)
	if err != nil {
		return false
	}
	_, err = kv.Get(f.ctx, stream+"."+group)
	return err == nil
}

// consumers lists the names of a stream's consumers.
func (f *fixture) consumers(stream string) []string {
	f.t.Helper()
	s, err := f.js.Stream(f.ctx, stream)
	if err != nil {
		return nil
	}
	names := []string{}
	lister := s.ConsumerNames(f.ctx)
	for name := range lister.Name() {
		names = append(names, name)
	}
	if err := lister.Err(); err != nil {
		f.t.Fatal(err)
	}
	return sortedUnique(names)
}

func (f *fixture) info(stream, consumer string) *jetstream.ConsumerInfo {
	ctx, cancel := context.WithTimeout(f.ctx, time.Second) // without a leader nobody answers
	defer cancel()
	c, err := f.js.Consumer(ctx, stream, consumer)
	if err != nil {
		return nil
	}
	return c.CachedInfo()
}

// eventually waits for a condition.
func eventually(t testing.TB, within time.Duration, what string, condition func() bool) {
	t.Helper()
	deadline := time.Now().Add(within)
	for !condition() {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", within, what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// ended waits for a member to end and returns why.
func ended(t testing.TB, within time.Duration, m interface{ Done() <-chan error }) error {
	t.Helper()
	select {
	case err := <-m.Done():
		return err
	case <-time.After(within):
		t.Fatalf("the member did not end within %v", within)
		return nil
	}
}

func running(m interface{ Done() <-chan error }) bool {
	select {
	case <-m.Done():
		return false
	default:
		return true
	}
}

// requests captures what is sent to the JetStream API, decoded.
func (f *fixture) requests(subject string) func() []string {
	f.t.Helper()
	nc, _ := f.connect()
	sub, err := nc.SubscribeSync(subject)
	if err != nil {
		f.t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		f.t.Fatal(err)
	}
	return func() []string {
		var got []string
		for {
			msg, err := sub.NextMsg(200 * time.Millisecond)
			if err != nil {
				return got
			}
			got = append(got, msg.Subject+" "+string(msg.Data))
		}
	}
}

func wantText(t testing.TB, what string, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("%s:\ngot  %v\nwant %s", what, err, want)
	}
}

func short(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes over a second")
	}
}
