package engine

import (
	"fmt"
	"log/slog"
	"os"
	"os/user"
	"strconv"
	"time"
)

// Options say where to connect and how. An empty field, or nil, means not given: the
// environment decides then, after it the NATS context.
type Options struct {
	Context  string // name of a NATS context, or the path of its .json file
	Server   string // URLs, separated by commas
	Creds    string // file, or what a NATS context may hold: op://, nsc://, env://, data:
	NKey     string // file with the seed
	User     string // with no password it is a token, as for the nats CLI
	Password string
	Token    string
	TLSCert  string
	TLSKey   string
	TLSCA    string

	// JSDomain and JSAPIPrefix choose the JetStream to talk to; at most one of them can
	// be in force. A pointer to "" clears what the context says.
	JSDomain    *string
	JSAPIPrefix *string

	// Parti is what the names of the buckets of a Parti deployment begin with, where they
	// cannot be told by what is in them.
	Parti string

	Timeout time.Duration // for connecting and for each request; default 5 s
	// HideAddresses keeps the addresses of instances, and the server's, out of every
	// snapshot.
	HideAddresses bool
	// LogEvents is a file that every event is appended to, a JSON line each; empty: none.
	LogEvents string
	// Unlogged is called once if events can no longer be written there, with the reason.
	Unlogged func(error)

	ReadOnly    bool          // refuse every write; PCGTOP_READ_ONLY does the same
	ReadOnlyBy  string        // what it is set by, for whoever is refused; default --read-only
	MaxRequests float64       // API requests per second that observing may make; default 20
	Refresh     time.Duration // how often what is on the screen is read; default 1 s
	Audit       string        // file to record every action in, a JSON line each; empty: none
	Name        string        // of the connection, as the server lists it; default pcgtop

	// Lookup reads the environment; default [os.LookupEnv]. Nothing here reads it in
	// any other way.
	Lookup func(name string) (string, bool)
	// Log takes what concerns nobody at the screen; default: nowhere. Nothing is ever
	// printed.
	Log *slog.Logger
}

// env reads a variable; an empty one counts as not set.
func (o Options) env(name string) string {
	lookup := o.Lookup
	if lookup == nil {
		lookup = os.LookupEnv
	}
	value, _ := lookup(name)
	return value
}

// home is the user's own folder, which the nats CLI takes from the user database: under
// sudo -E it is not what HOME says.
func (o Options) home() string {
	if o.Lookup == nil {
		if u, err := user.Current(); err == nil {
			return u.HomeDir
		}
	}
	return o.env("HOME")
}

func (o Options) withDefaults() (Options, error) {
	if o.Timeout == 0 {
		if text := o.env("NATS_TIMEOUT"); text != "" {
			d, err := time.ParseDuration(text)
			if err != nil || d <= 0 {
				return o, fmt.Errorf("NATS_TIMEOUT is %q: give a duration such as 5s", text)
			}
			o.Timeout = d
		}
	}
	if text := o.env("PCGTOP_READ_ONLY"); text != "" && !o.ReadOnly {
		on, err := strconv.ParseBool(text)
		o.ReadOnly = on || err != nil // whatever it is, somebody meant it
		o.ReadOnlyBy = "PCGTOP_READ_ONLY"
	}
	if o.ReadOnlyBy == "" {
		o.ReadOnlyBy = "--read-only"
	}
	if o.Timeout <= 0 {
		o.Timeout = 5 * time.Second
	}
	if o.MaxRequests <= 0 {
		o.MaxRequests = 20
	}
	if o.Refresh <= 0 {
		o.Refresh = time.Second
	}
	if o.Name == "" {
		o.Name = "pcgtop"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}
