package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/nats-io/jsm.go/natscontext"
	"github.com/nats-io/nats.go"
)

// Settings is what the options, the environment and the NATS context came to. It is
// fixed from then on: selecting another context elsewhere changes nothing.
type Settings struct {
	Context   string   // name of the NATS context in use, empty for none
	Server    string   // URLs without credentials
	APIPrefix string   // of the JetStream API, the same for every request
	Domain    string   // JetStream domain, if one was named
	Origins   []Origin // where each setting comes from

	nats *natscontext.Context
}

// Origin tells where a setting comes from: a flag, a variable, a context, or nowhere.
type Origin struct{ Setting, From string }

// Resolve decides what to connect to, one setting at a time: flag before environment
// before NATS context, as the nats CLI does, with its names.
//
// Three rules are stricter than there. The way to log in is taken as a whole from the
// first place that has one, never mixed from two. A context lends nothing, least of all
// its credentials, to a server named by --server or NATS_URL, unless the context itself
// was named by flag. And where that is, NATS_URL and the variables beside it, which are
// about another server, are set aside.
func Resolve(o Options) (*Settings, error) {
	lent, named, err := loadContext(o)
	if err != nil {
		return nil, err
	}
	if o.Context != "" && o.Server == "" && o.env("NATS_URL") != "" {
		o = o.withoutVariables()
	}
	r := &resolution{options: o, lent: lent, contextFrom: "context " + quote(named)}
	server := r.pick("server", "--server", o.Server, "NATS_URL", func() string { return lent.ServerURL() })
	if server == "" {
		server = nats.DefaultURL
	}
	opts := append([]natscontext.Option{natscontext.WithServerURL(server)}, r.login()...)
	if strings.Contains(server, "@") {
		r.origins = append(r.origins, Origin{"login", "the server's URL"}) // nats.go prefers it
	}
	if err := checkSchemes(server); err != nil {
		return nil, err
	}
	cert := r.pick("tlscert", "--tlscert", o.TLSCert, "NATS_CERT", func() string { return lent.Certificate() })
	key := r.pick("tlskey", "--tlskey", o.TLSKey, "NATS_KEY", func() string { return lent.Key() })
	if err := r.wholePair(cert, key); err != nil {
		return nil, err
	}
	opts = append(opts, natscontext.WithCertificate(cert), natscontext.WithKey(key),
		natscontext.WithCA(r.pick("tlsca", "--tlsca", o.TLSCA, "NATS_CA", func() string { return lent.CA() })),
	)
	if lent != nil {
		opts = append(opts, natscontext.WithSocksProxy(lent.SocksProxy()), natscontext.WithInboxPrefix(lent.InboxPrefix()))
		if lent.TLSHandshakeFirst() {
			opts = append(opts, natscontext.WithTLSHandshakeFirst())
		}
	}
	nctx, err := natscontext.New("", false, opts...)
	if err != nil {
		return nil, fmt.Errorf("connection settings: %s", redact(err.Error()))
	}
	s := &Settings{Context: named, Server: redactURLs(server), nats: nctx}
	if err := r.jetStream(s); err != nil {
		return nil, err
	}
	s.Origins = r.origins
	return s, nil
}

// loadContext finds the NATS context to take settings from; nil when there is none or
// when it must not lend any.
func loadContext(o Options) (*natscontext.Context, string, error) {
	name := o.Context
	if name == "" {
		if o.Server != "" || o.env("NATS_URL") != "" {
			return nil, "", nil
		}
		name = o.env("NATS_CONTEXT")
	}
	ctx := context.Background()
	resolvers := natscontext.WithDefaultResolvers()
	if strings.HasSuffix(name, ".json") {
		backend := natscontext.NewSingleFileBackend(name)
		nctx, err := natscontext.NewRegistry(backend, resolvers).Load(ctx, backend.Name())
		return contextLoaded(nctx, name, err)
	}
	root := o.contextRoot()
	if root == "" && name == "" {
		return nil, "", nil
	}
	registry := natscontext.NewRegistry(natscontext.NewFileBackendAt(root), resolvers)
	if name == "" {
		selected, err := registry.Selected(ctx)
		if errors.Is(err, natscontext.ErrNoneSelected) || err == nil && selected == "" {
			return nil, "", nil
		}
		if err != nil {
			return nil, "", fmt.Errorf("selected NATS context: %s; see nats context ls", redact(err.Error()))
		}
		name = selected
	}
	nctx, err := registry.Load(ctx, name)
	return contextLoaded(nctx, name, err)
}

// contextRoot is the folder that the nats CLI keeps its own in; empty when none is known.
func (o Options) contextRoot() string {
	if root := o.env("XDG_CONFIG_HOME"); root != "" {
		return root
	}
	if home := o.home(); home != "" {
		return home + "/.config"
	}
	return ""
}

func contextLoaded(nctx *natscontext.Context, name string, err error) (*natscontext.Context, string, error) {
	switch {
	case err == nil:
		return nctx, name, nil
	case errors.Is(err, natscontext.ErrNotFound):
		return nil, "", fmt.Errorf("no NATS context %s: see nats context ls, or give --server", quote(name))
	}
	return nil, "", fmt.Errorf("NATS context %s: %s", quote(name), redact(err.Error()))
}

// resolution picks settings and notes where they come from.
type resolution struct {
	options     Options
	lent        *natscontext.Context // nil: none
	contextFrom string
	origins     []Origin
}

// pick takes a setting from the first place that has it.
func (r *resolution) pick(setting, flag, given, variable string, lent func() string) string {
	value, from := given, flag
	if value == "" && variable != "" {
		value, from = r.options.env(variable), variable
	}
	if value == "" && r.lent != nil {
		value, from = lent(), r.contextFrom
	}
	if value != "" {
		r.origins = append(r.origins, Origin{setting, from})
	}
	return value
}

// wholePair refuses half a certificate, which would not be used. A context that holds one
// is left alone: the nats CLI takes it, too.
func (r *resolution) wholePair(cert, key string) error {
	if (cert == "") == (key == "") {
		return nil
	}
	given, missing := "tlscert", "--tlskey"
	if cert == "" {
		given, missing = "tlskey", "--tlscert"
	}
	for _, o := range r.origins {
		if o.Setting == given && o.From != r.contextFrom {
			return fmt.Errorf("%s is of no use without the other half: give %s too", o.From, missing)
		}
	}
	return nil
}

// checkSchemes refuses addresses of something else than NATS, which nats.go would take for
// a server's all the same.
func checkSchemes(servers string) error {
	for _, server := range strings.Split(servers, ",") {
		scheme, _, found := strings.Cut(strings.TrimSpace(server), "://")
		if found && !slices.Contains([]string{"nats", "tls", "tcp", "ws", "wss"}, strings.ToLower(scheme)) {
			return fmt.Errorf("server %s: no NATS server is reached by %s: give nats://, tls://, ws:// or wss://", redactURLs(server), scheme)
		}
	}
	return nil
}

// credentials is one place's way to log in.
type credentials struct{ user, password, token, creds, nkey, jwt, seed string }

func (c credentials) given() bool { return c != credentials{password: c.password} }

// login takes the way to log in, whole, from the first place that has one.
func (r *resolution) login() []natscontext.Option {
	o, env := r.options, r.options.env
	c, from := credentials{user: o.User, password: o.Password, token: o.Token, creds: o.Creds, nkey: o.NKey}, "flags"
	// The password may stand in the environment, where ps does not show it.
	if c.user != "" && c.password == "" && env("NATS_PASSWORD") != "" {
		c.password = env("NATS_PASSWORD")
	}
	if !c.given() {
		from = "environment"
		c = credentials{env("NATS_USER"), env("NATS_PASSWORD"), env("NATS_TOKEN"), env("NATS_CREDS"), env("NATS_NKEY"), env("NATS_JWT"), env("NATS_SEED")}
	}
	if c.user != "" && c.password == "" && c.token == "" {
		c.user, c.token = "", c.user
	}
	if l := r.lent; !c.given() && l != nil {
		from = r.contextFrom
		c = credentials{l.User(), l.Password(), l.Token(), l.Creds(), l.NKey(), l.UserJWT(), l.UserSeed()}
	}
	if c.given() {
		r.origins = append(r.origins, Origin{"login", from})
	}
	return []natscontext.Option{
		natscontext.WithUser(c.user), natscontext.WithPassword(c.password), natscontext.WithToken(c.token),
		natscontext.WithCreds(c.creds), natscontext.WithNKey(c.nkey), natscontext.WithUserJWT(c.jwt), natscontext.WithUserSeed(c.seed),
	}
}

// jetStream settles the one API prefix. The nats CLI reads no variable for these.
func (r *resolution) jetStream(s *Settings) error {
	domain, domainFrom := r.choose("js-domain", r.options.JSDomain, func() string { return r.lent.JSDomain() })
	prefix, prefixFrom := r.choose("js-api-prefix", r.options.JSAPIPrefix, func() string { return r.lent.JSAPIPrefix() })
	prefix = strings.TrimSuffix(prefix, ".")
	switch {
	case domain != "" && prefix != "":
		return fmt.Errorf("both a JetStream domain (%s, from %s) and an API prefix (%s, from %s): use one, and clear the other with --js-domain '' or --js-api-prefix ''", domain, domainFrom, prefix, prefixFrom)
	case strings.ContainsAny(domain+prefix, "*> \t\r\n") || strings.Contains(domain, "."):
		return fmt.Errorf("JetStream domain %q, API prefix %q: not a part of a subject", domain, prefix)
	case domain != "":
		prefix = "$JS." + domain + ".API"
	case prefix == "":
		prefix = "$JS.API"
	}
	s.Domain, s.APIPrefix = domain, prefix
	return nil
}

func (r *resolution) choose(setting string, given *string, lent func() string) (value, from string) {
	switch {
	case given != nil:
		value, from = *given, "--"+setting
	case r.lent != nil:
		value, from = lent(), r.contextFrom
	}
	if value != "" {
		r.origins = append(r.origins, Origin{setting, from})
	}
	return value, from
}

func quote(name string) string { return fmt.Sprintf("%q", name) }
