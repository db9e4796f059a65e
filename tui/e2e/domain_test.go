package e2e

import (
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// CLI-01: two servers joined by a leaf node, a domain and a group each. Whatever is run
// works by the one API prefix of the context or of the flag, the screen's header shows it,
// an empty flag clears it, and with a domain it is refused in a line.
func TestThePrefixOfAContext(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	run := func(o *server.Options) *server.Server {
		o.Host, o.Port, o.JetStream, o.StoreDir, o.NoLog, o.NoSigs = "127.0.0.1", server.RANDOM_PORT, true, t.TempDir(), true, true
		s, err := server.NewServer(o)
		if err != nil {
			t.Fatal(err)
		}
		s.Start()
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
		if !s.ReadyForConnections(patience) {
			t.Fatal("a server does not come up")
		}
		return s
	}
	hub := &server.Options{ServerName: "hub", JetStreamDomain: "hub"}
	hub.LeafNode.Host, hub.LeafNode.Port = "127.0.0.1", server.RANDOM_PORT
	run(hub)
	leaf := &server.Options{ServerName: "leaf", JetStreamDomain: "leaf"}
	leaf.LeafNode.Remotes = []*server.RemoteLeafOpts{{URLs: []*url.URL{{Scheme: "nats-leaf", Host: net.JoinHostPort(hub.LeafNode.Host, strconv.Itoa(hub.LeafNode.Port))}}, LocalAccount: "$G"}}
	at := run(leaf).ClientURL()
	nc, err := nats.Connect(at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	for _, domain := range []string{"hub", "leaf"} {
		js, err := jetstream.NewWithDomain(nc, domain)
		if err != nil {
			t.Fatal(err)
		}
		within(t, "JetStream of "+domain, func() bool { _, err := js.AccountInfo(t.Context()); return err == nil })
		if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "ORDERS", Subjects: []string{domain + ".*"}}); err != nil {
			t.Fatal(err)
		}
		if _, err := orbit.CreateElastic(t.Context(), js, "ORDERS", domain+"-group", 4, []orbit.PartitioningFilter{{Filter: domain + ".*", PartitioningWildcards: []int{1}}}, -1, -1); err != nil {
			t.Fatal(err)
		}
	}
	root := configured(t, "", map[string]string{"prefixed": `{"url":"` + at + `","jetstream_api_prefix":"$JS.hub.API"}`})
	for _, c := range []struct {
		flags []string
		group string // the one that is there; empty: refused
	}{
		{nil, "hub-group"},
		{[]string{"--js-api-prefix", "$JS.leaf.API"}, "leaf-group"},
		{[]string{"--js-api-prefix="}, "leaf-group"},
		{[]string{"--js-domain", "leaf", "--js-api-prefix="}, "leaf-group"},
		{[]string{"--js-domain", "leaf"}, ""},
	} {
		for _, verb := range [][]string{{"report"}, {"elastic", "ls", "ORDERS"}, {"check"}} {
			stdout, stderr, code := command(t, root, nil, append(append([]string{"--context", "prefixed"}, c.flags...), verb...)...)
			other := map[string]string{"hub-group": "leaf-group", "leaf-group": "hub-group"}[c.group]
			switch {
			case c.group == "":
				if said := stdout + stderr; code == 0 || !strings.Contains(said, `API prefix ($JS.hub.API, from context "prefixed")`) || strings.Count(said, "\n") != 1 {
					t.Errorf("%v %v: exit code %d, %q", c.flags, verb, code, said)
				}
			case !strings.Contains(stdout, c.group) || strings.Contains(stdout, other):
				t.Errorf("%v %v: exit code %d, %q, %q", c.flags, verb, code, stdout, stderr)
			}
		}
	}
	env := []string{"XDG_CONFIG_HOME=" + root}
	term := openWith(t, 120, 40, env, "--context", "prefixed")
	term.see("prefixed", "$JS.hub.API", "ORDERS/hub-group")
	term.press(enter)
	term.see("▸ ORDERS/hub-group", "no members")
	term.press("a")
	term.types("one")
	term.press(enter)
	term.see("Add one to ORDERS/hub-group")
	term.confirm()
	term.see("+one")
	term.press("q")
	term.exit(patience)
	for domain, want := range map[string]int{"hub": 1, "leaf": 0} {
		js, err := jetstream.NewWithDomain(nc, domain)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := orbit.GetElasticConsumerGroupConfig(t.Context(), js, "ORDERS", domain+"-group"); err != nil || len(c.Members) != want {
			t.Errorf("%s: members %v, %v, want %d", domain, c, err, want)
		}
	}
	term = openWith(t, 120, 40, env, "--context", "prefixed", "--js-api-prefix=")
	if s := term.see("prefixed", "ORDERS/leaf-group"); strings.Contains(s, "API") {
		t.Errorf("a prefix is shown that was cleared:\n%s", s)
	}
	term.press("q")
	term.exit(patience)
}
