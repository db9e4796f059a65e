package engine

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/internal/natstest"

	"github.com/nats-io/nats-server/v2/server"
)

// env is an environment of name, value, name, value.
func env(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

// contexts writes NATS contexts and selects one, if named.
func contexts(t *testing.T, selected string, bodies map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	dir := filepath.Join(root, "nats", "context")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, body := range bodies {
		if err := os.WriteFile(filepath.Join(dir, name+".json"), []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if selected != "" {
		if err := os.WriteFile(filepath.Join(root, "nats", "context.txt"), []byte(selected), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func ptr(s string) *string { return &s }

func TestPrecedence(t *testing.T) {
	root := contexts(t, "sel", map[string]string{
		"sel":   `{"url":"nats://sel:4222","user":"seluser","password":"selpw"}`,
		"named": `{"url":"nats://named:4222","creds":"/named.creds","jetstream_domain":"leaf","inbox_prefix":"_MINE"}`,
		"pfx":   `{"url":"nats://pfx:4222","jetstream_api_prefix":"hub.API.","token":"pfxtoken"}`,
	})
	at := func(pairs ...string) func(string) (string, bool) {
		return env(append([]string{"XDG_CONFIG_HOME", root}, pairs...)...)
	}
	for _, c := range []struct {
		name                          string
		o                             Options
		url, context, user, pw, token string
		creds, prefix                 string
	}{
		{"nothing at all", Options{Lookup: noEnv}, "nats://127.0.0.1:4222", "", "", "", "", "", "$JS.API"},
		{"the selected context", Options{Lookup: at()}, "nats://sel:4222", "sel", "seluser", "selpw", "", "", "$JS.API"},
		{"NATS_CONTEXT before the selected one", Options{Lookup: at("NATS_CONTEXT", "named")}, "nats://named:4222", "named", "", "", "", "/named.creds", "$JS.leaf.API"},
		{"--context before NATS_CONTEXT", Options{Context: "sel", Lookup: at("NATS_CONTEXT", "named")}, "nats://sel:4222", "sel", "seluser", "selpw", "", "", "$JS.API"},
		{"--server: the selected context lends nothing", Options{Server: "nats://b:1", Lookup: at()}, "nats://b:1", "", "", "", "", "", "$JS.API"},
		{"--server: NATS_CONTEXT lends nothing", Options{Server: "nats://b:1", Lookup: at("NATS_CONTEXT", "named")}, "nats://b:1", "", "", "", "", "", "$JS.API"},
		{"NATS_URL: the selected context lends nothing", Options{Lookup: at("NATS_URL", "nats://e:2")}, "nats://e:2", "", "", "", "", "", "$JS.API"},
		{"--server and --context: both were asked for", Options{Server: "nats://b:1", Context: "sel", Lookup: at()}, "nats://b:1", "sel", "seluser", "selpw", "", "", "$JS.API"},
		{"--context before NATS_URL and its login", Options{Context: "sel", Lookup: at("NATS_URL", "nats://e:2", "NATS_USER", "eu", "NATS_PASSWORD", "ep")}, "nats://sel:4222", "sel", "seluser", "selpw", "", "", "$JS.API"},
		{"NATS_URL before the server of NATS_CONTEXT, which lends nothing", Options{Lookup: at("NATS_URL", "nats://e:2", "NATS_CONTEXT", "named")}, "nats://e:2", "", "", "", "", "", "$JS.API"},
		{"--server before NATS_URL", Options{Server: "nats://b:1", Lookup: at("NATS_URL", "nats://e:2")}, "nats://b:1", "", "", "", "", "", "$JS.API"},
		{"variables with --server", Options{Server: "nats://b:1", Lookup: at("NATS_USER", "u", "NATS_PASSWORD", "p")}, "nats://b:1", "", "u", "p", "", "", "$JS.API"},
		{"a flag's login takes the place of the context's whole", Options{Context: "sel", Creds: "/f.creds", Lookup: at()}, "nats://sel:4222", "sel", "", "", "", "/f.creds", "$JS.API"},
		{"a variable's login, too", Options{Context: "sel", Lookup: at("NATS_TOKEN", "tok")}, "nats://sel:4222", "sel", "", "", "tok", "", "$JS.API"},
		{"a flag's login before a variable's", Options{User: "fu", Password: "fp", Lookup: at("NATS_CREDS", "/e.creds", "NATS_USER", "eu", "NATS_PASSWORD", "ep")}, "nats://sel:4222", "sel", "fu", "fp", "", "", "$JS.API"},
		{"the flag's user with the variable's password", Options{User: "fu", Lookup: at("NATS_PASSWORD", "ep")}, "nats://sel:4222", "sel", "fu", "ep", "", "", "$JS.API"},
		{"a user alone is a token", Options{User: "fu", Lookup: at()}, "nats://sel:4222", "sel", "", "", "fu", "", "$JS.API"},
		{"--js-domain before the context's", Options{Context: "named", JSDomain: ptr("hub"), Lookup: at()}, "nats://named:4222", "named", "", "", "", "/named.creds", "$JS.hub.API"},
		{"--js-domain '' clears the context's", Options{Context: "named", JSDomain: ptr(""), Lookup: at()}, "nats://named:4222", "named", "", "", "", "/named.creds", "$JS.API"},
		{"a prefix instead of the context's domain", Options{Context: "named", JSDomain: ptr(""), JSAPIPrefix: ptr("X.API"), Lookup: at()}, "nats://named:4222", "named", "", "", "", "/named.creds", "X.API"},
		{"the context's prefix", Options{Context: "pfx", Lookup: at()}, "nats://pfx:4222", "pfx", "", "", "pfxtoken", "", "hub.API"},
		{"a context by its file", Options{Context: filepath.Join(root, "nats", "context", "sel.json"), Lookup: noEnv}, "nats://sel:4222", filepath.Join(root, "nats", "context", "sel.json"), "seluser", "selpw", "", "", "$JS.API"},
	} {
		s, err := Resolve(c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		n := s.nats
		if got := [...]string{n.ServerURL(), s.Context, n.User(), n.Password(), n.Token(), n.Creds(), s.APIPrefix}; got != [...]string{c.url, c.context, c.user, c.pw, c.token, c.creds, c.prefix} {
			t.Errorf("%s: %q", c.name, got)
		}
	}
	s, err := Resolve(Options{Context: "named", Server: "nats://u:secret@b:1", Lookup: at()})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%v %s", s.Origins, s.Server); got != "[{server --server} {login context \"named\"} {login the server's URL} {js-domain context \"named\"}] nats://b:1" {
		t.Errorf("origins: %s", got)
	}
}

func TestRefusedSettings(t *testing.T) {
	root := contexts(t, "gone", map[string]string{
		"leaf": `{"url":"nats://named:4222","jetstream_domain":"leaf"}`,
		"bad":  `{"url": "nats://u:secret@x`,
	})
	at := func(pairs ...string) func(string) (string, bool) {
		return env(append([]string{"XDG_CONFIG_HOME", root}, pairs...)...)
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{JSDomain: ptr("a"), JSAPIPrefix: ptr("b"), Lookup: noEnv}, `both a JetStream domain (a, from --js-domain) and an API prefix (b, from --js-api-prefix)`},
		{Options{Context: "leaf", JSAPIPrefix: ptr("b"), Lookup: at()}, `(leaf, from context "leaf") and an API prefix (b, from --js-api-prefix): use one, and clear the other with --js-domain ''`},
		{Options{JSDomain: ptr("a.b"), Lookup: noEnv}, "not a part of a subject"},
		{Options{Context: "nobody", Lookup: at()}, `no NATS context "nobody": see nats context ls`},
		{Options{Lookup: at()}, `no NATS context "gone"`},
		{Options{Context: "bad", Lookup: at()}, `NATS context "bad": `},
		{Options{TLSCert: "/cert", Lookup: noEnv}, "--tlscert is of no use without the other half: give --tlskey too"},
		{Options{TLSKey: "/key", Lookup: noEnv}, "--tlskey is of no use without the other half: give --tlscert too"},
		{Options{Lookup: env("NATS_CERT", "/cert")}, "NATS_CERT is of no use without the other half: give --tlskey too"},
		{Options{Server: "http://u:secret@x:4222", Lookup: noEnv}, "server http://x:4222: no NATS server is reached by http: give nats://"},
		{Options{Server: "nats://127.0.0.1:1,foo://x", Lookup: noEnv}, "no NATS server is reached by foo"},
		{Options{Lookup: env("NATS_TIMEOUT", "soon")}, `NATS_TIMEOUT is "soon": give a duration such as 5s`},
	} {
		_, err := Connect(t.Context(), c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

func TestConnectErrorsAreOneLineWithoutCredentials(t *testing.T) {
	closed := freePort(t)
	locked := natstest.Start(t, func(o *server.Options) { o.Username, o.Password = "u", "right" })
	bare := natstest.Start(t, func(o *server.Options) { o.JetStream = false })
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	http, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer http.Close()
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for {
			c, err := http.Accept()
			if err != nil {
				return
			}
			_, _ = c.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
			_ = c.Close()
		}
	}()
	defer func() { _ = http.Close(); <-answered }()
	full := natstest.Start(t, func(o *server.Options) { o.MaxConn = 1 })
	client(t, full.ClientURL())

	for _, c := range []struct {
		name string
		o    Options
		want string
	}{
		{"nobody there", Options{Server: "nats://joe:secret@127.0.0.1:" + closed}, "nobody answers"},
		{"wrong password", Options{Server: locked.ClientURL(), User: "u", Password: "secret"}, "refused the login: check the credentials (from flags)"},
		{"no login", Options{Server: locked.ClientURL()}, "no credentials were given"},
		{"password in the URL", Options{Server: "nats://u:secret@" + locked.Addr().String()}, "refused the login: check the credentials (from the server's URL)"},
		{"token in the URL", Options{Server: "nats://secret@" + locked.Addr().String()}, "refused the login: check the credentials (from the server's URL)"},
		{"impossible port", Options{Server: "nats://u:secret@host:port"}, "cannot connect to nats://host:port: not a server address"},
		{"odd password", Options{Server: "nats://u:sec%zzret/secret@host:1"}, "cannot connect to nats://host:1: not a server address"},
		{"no such creds file", Options{Server: "nats://127.0.0.1:" + closed, Creds: "/nowhere/my.creds"}, "cannot connect to "},
		{"no JetStream", Options{Server: bare.ClientURL()}, "no JetStream answers at $JS.API"},
		{"no such domain", Options{Server: natstest.Start(t).ClientURL(), JSDomain: ptr("elsewhere")}, "no JetStream answers at $JS.elsewhere.API"},
		{"mute", Options{Server: "nats://u:secret@" + mute.Addr().String(), Timeout: 300 * time.Millisecond}, "answered in time"},
		{"full", Options{Server: full.ClientURL()}, "the server has as many as it takes (max_connections)"},
		{"not NATS", Options{Server: "nats://u:secret@" + http.Addr().String()}, "cannot connect to "},
	} {
		c.o.Lookup = noEnv
		begin := time.Now()
		e, err := Connect(t.Context(), c.o)
		if err == nil {
			e.Close()
			t.Errorf("%s: connected", c.name)
			continue
		}
		t.Logf("%s: %v", c.name, err)
		text := err.Error()
		if !strings.Contains(text, c.want) || strings.ContainsAny(text, "\n\r") || strings.Contains(text, "secret") {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
		if time.Since(begin) > 3*time.Second {
			t.Errorf("%s: took %v", c.name, time.Since(begin))
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Connect(ctx, Options{Server: mute.Addr().String(), Lookup: noEnv, Timeout: time.Second}); err == nil {
		t.Error("connected to a mute server")
	}
}

func freePort(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// A cluster that lacks servers is told as that, not by a code.
func TestConnectWithoutALeader(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	t.Parallel()
	servers := natstest.Cluster(t).All
	here := slices.IndexFunc(servers, func(s *server.Server) bool { return !s.JetStreamIsLeader() })
	for i, s := range servers {
		if i != here {
			natstest.Stop(s)
		}
	}
	pollFor(t, time.Minute, "it says that there is no leader", func() bool {
		e, err := Connect(t.Context(), Options{Server: servers[here].ClientURL(), Lookup: noEnv, Timeout: time.Second})
		if err == nil {
			e.Close()
			return false
		}
		return strings.Contains(err.Error(), "JetStream has no leader: too few servers")
	})
}
