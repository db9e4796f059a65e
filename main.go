// Command pcgtop shows and steers partitioned consumer groups on NATS JetStream.
// This file is the command tree and the wiring; what the commands do lives in the
// folders it imports.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"pcgtop/engine"
	"pcgtop/engine/command"
	"pcgtop/engine/demo"
	"pcgtop/engine/observe"
	"pcgtop/tui"
	"pcgtop/tui/report"

	"github.com/alecthomas/kong"
	"github.com/charmbracelet/x/term"
)

// Exit codes.
const (
	exitDone     = 0
	exitFailed   = 1
	exitUsage    = 2 // or no terminal where one is needed
	exitNotFound = 3
)

type cli struct {
	connection `group:"connect"`
	appearance `group:"look"`
	settled    `kong:"-"`

	Config string `help:"Settings file (config.yaml in $XDG_CONFIG_HOME/pcgtop)." placeholder:"FILE"`

	Top    topCmd        `cmd:"" default:"withargs" group:"watch" help:"The screens (default)."`
	Demo   demoCmd       `cmd:"" group:"watch" help:"The screens on an embedded server with live groups."`
	Report reportCmd     `cmd:"" group:"watch" help:"Print snapshots without a terminal."`
	Check  command.Check `cmd:"" group:"watch" help:"Judge the groups, for monitoring: exit 0 ok, 1 warning, 2 critical, 3 unknown."`
	Where  command.Where `cmd:"" group:"watch" help:"Say which partition, member and instance a subject goes to."`

	Record command.Record `cmd:"" group:"keep" help:"Record what is to be seen to a file, until interrupted."`
	Replay replayCmd      `cmd:"" group:"keep" help:"Show a recording in the screens."`
	Shot   shotCmd        `cmd:"" group:"keep" help:"Draw a screen to a file, without a terminal."`

	Static  command.Static  `cmd:"" group:"act" help:"Administer static groups."`
	Elastic command.Elastic `cmd:"" group:"act" help:"Administer elastic groups."`

	Deployments command.Parti `cmd:"" name:"parti" group:"act" help:"Administer deployments of Parti."`

	Settings   configCmd     `cmd:"" name:"config" group:"itself" help:"Print the settings in force and where each came from."`
	Completion completionCmd `cmd:"" group:"itself" help:"Print what makes a shell complete command lines of pcgtop."`
	Version    versionCmd    `cmd:"" group:"itself" help:"Print what this program was made from."`
	Complete   completeCmd   `cmd:"" hidden:""`
}

// connection is how to reach NATS, as the nats CLI takes it.
type connection struct {
	Context       string        `help:"NATS context to connect by." placeholder:"NAME"`
	Server        string        `short:"s" help:"Server URLs." placeholder:"URL"`
	User          string        `help:"User name, or token." placeholder:"USER"`
	Password      string        `help:"Password." placeholder:"PASSWORD"`
	Token         string        `help:"Token." placeholder:"TOKEN"`
	Creds         string        `help:"Credentials file." placeholder:"FILE"`
	NKey          string        `name:"nkey" help:"NKey seed file." placeholder:"FILE"`
	TLSCert       string        `name:"tlscert" help:"TLS certificate file." placeholder:"FILE"`
	TLSKey        string        `name:"tlskey" help:"TLS key file." placeholder:"FILE"`
	TLSCA         string        `name:"tlsca" help:"TLS CA file." placeholder:"FILE"`
	JSDomain      *string       `name:"js-domain" help:"JetStream domain." placeholder:"DOMAIN"`
	JSAPIPrefix   *string       `name:"js-api-prefix" help:"JetStream API prefix." placeholder:"PREFIX"`
	Parti         partiPrefix   `help:"What the names of a Parti deployment's buckets begin with, if they are not found by themselves." placeholder:"PREFIX"`
	Timeout       time.Duration `help:"Longest wait for one answer (5s)."`
	ReadOnly      bool          `help:"Refuse every write (also PCGTOP_READ_ONLY=1)."`
	Refresh       time.Duration `help:"How often what is on the screen is read (1s)."`
	MaxRequests   float64       `help:"Most API requests a second (20)."`
	HideAddresses bool          `help:"Show and write no network addresses."`
	LogEvents     string        `help:"Append every event to a file, a JSON line each." placeholder:"FILE"`
	unlogged      *unlogged
	readOnlyBy    string // what ReadOnly is set by
	Audit         string `help:"Record every action in this file, two JSON lines each (mode 0600)." placeholder:"FILE"`
}

// appearance is how the screens look.
type appearance struct {
	NoColor bool   `help:"No colours (also NO_COLOR)."`
	ASCII   bool   `name:"ascii" help:"Only ASCII characters."`
	Mouse   bool   `help:"Take clicks and the wheel; select text with shift held then."`
	Columns string `help:"Columns of the list of groups, in this order, separated by commas." placeholder:"NAMES"`
	Theme   string `help:"Colours (auto): dark, light, contrast, contrast-dark, contrast-light, terminal. auto and contrast ask the terminal for its background; terminal uses its own 16." placeholder:"NAME"`
}

func (c connection) options() engine.Options {
	return engine.Options{
		Context: c.Context, Server: c.Server, Creds: c.Creds, NKey: c.NKey, User: c.User, Password: c.Password, Token: c.Token,
		TLSCert: c.TLSCert, TLSKey: c.TLSKey, TLSCA: c.TLSCA, JSDomain: c.JSDomain, JSAPIPrefix: c.JSAPIPrefix, Parti: c.Parti.Name,
		Timeout: c.Timeout, ReadOnly: c.ReadOnly, ReadOnlyBy: c.readOnlyBy, Refresh: c.Refresh, MaxRequests: c.MaxRequests,
		HideAddresses: c.HideAddresses, LogEvents: c.LogEvents, Unlogged: c.unlogged.say, Audit: c.Audit,
	}
}

func main() {
	if !tui.Keeper(os.Args[1:]) {
		os.Exit(run(os.Args[1:]))
	}
}

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()

	var c cli
	c.unlogged = &unlogged{}
	printed := false // help was asked for and given
	parser := kong.Must(&c, append(manual(), kong.Exit(func(int) { printed = true }), kong.BindTo(ctx, (*context.Context)(nil)))...)
	parsed, err := parser.Parse(args)
	if printed {
		return exitDone
	}
	failed, usage := exitFailed, exitUsage
	if slices.Contains(args, "check") { // its exit codes mean something else
		failed, usage = int(command.StatusUnknown), int(command.StatusUnknown)
	}
	if err != nil {
		return fail(fmt.Errorf("%w; see pcgtop --help", err), usage)
	}
	if err := c.settle(parsed); err != nil {
		return fail(err, usage)
	}
	env := &command.Env{Context: ctx, In: os.Stdin, Out: report.Text(os.Stdout), Err: report.Text(os.Stderr), Show: report.Group}
	if c.Static.Output == "json" || c.Elastic.Output == "json" || c.Check.Output == "json" || c.Where.Output == "json" || c.Deployments.Output == "json" {
		env.JSON, env.Out = true, report.Escaped(os.Stdout)
	}
	verb, _, _ := strings.Cut(parsed.Command(), " ")
	if err := c.Parti.check(verb == "demo"); err != nil {
		return fail(err, usage)
	}
	if verb != "check" { // a stream may have that name
		failed = exitFailed
	}
	if verb == "record" && c.Record.ToOutput() && term.IsTerminal(os.Stdout.Fd()) {
		return fail(command.Usage("record -: standard output is a terminal: write it to a file, > FILE, or to a pipe"), usage)
	}
	switch verb {
	case "static", "elastic", "parti", "check", "where", "record":
		o := c.options()
		if named, ok := parsed.Selected().Target.Interface().(command.Named); ok {
			o.Name = named.ConnectionName()
		}
		e, err := engine.Connect(ctx, o)
		if err != nil && verb == "check" {
			err = c.Check.Unknown(env, err)
		}
		if err != nil {
			return fail(err, failed)
		}
		defer e.Close()
		env.Engine = e
	}
	if err := observe.Guard(func() error { return parsed.Run(&c, env, &c.Static, &c.Elastic) }); err != nil {
		return fail(err, failed)
	}
	if c.unlogged.Load() {
		return failed
	}
	return exitDone
}

// unlogged tells whether events could not be written where they were to be. The line is
// shown in the screens too.
type unlogged struct{ atomic.Bool }

func (u *unlogged) say(err error) {
	u.Store(true)
	fmt.Fprintln(os.Stderr, "pcgtop: events are no longer written: "+report.OneLine(err.Error()))
}

// errNoTerminal is returned where the screens would need a terminal.
var errNoTerminal = errors.New("no terminal that can show the screens: try pcgtop report")

// fail prints the one line that says what went wrong and picks the exit code. A panic
// keeps its trace.
func fail(err error, code int) int {
	var panicked *observe.PanicError
	var judged *command.Exit
	switch {
	case errors.As(err, &judged):
		return int(judged.Status) // it has said why
	case errors.As(err, &panicked):
		fmt.Fprintf(os.Stderr, "%s\n", panicked.Stack)
	case errors.Is(err, errNoTerminal), errors.Is(err, command.ErrUsage), errors.Is(err, tui.ErrShot):
		code = exitUsage
	case errors.Is(err, command.ErrNotFound), errors.Is(err, engine.ErrNotFound):
		code = exitNotFound
	}
	fmt.Fprintln(os.Stderr, "pcgtop: "+report.OneLine(err.Error()))
	return code
}

// topCmd is `pcgtop [STREAM[/GROUP]]`.
type topCmd struct {
	Target string `arg:"" optional:"" placeholder:"STREAM[/GROUP]" help:"A stream's groups, or one group, to open at once."`
}

// Run shows the screens.
func (t topCmd) Run(ctx context.Context, c *cli) error {
	return c.screens(ctx, c.options(), t.Target, true)
}

// demoCmd is `pcgtop demo`.
type demoCmd struct {
	Serve  bool   `help:"Only the server and the members: print its URL and run until interrupted."`
	Seed   uint64 `default:"1" help:"Seed of the traffic: the same seed gives the same subjects."`
	Port   int    `default:"0" help:"Loopback port; 0 takes a free one."`
	Target string `arg:"" optional:"" placeholder:"STREAM[/GROUP]" help:"What to open at once."`

	ConsumerGroup bool `name:"consumergroup" help:"Groups of the Rust consumergroup crates beside the others."`
}

// Run starts the demo and shows or serves it.
func (d demoCmd) Run(ctx context.Context, c *cli) (err error) {
	for _, flag := range []string{"context", "server", "user", "password", "token", "creds", "nkey", "tlscert", "tlskey", "tlsca", "js-domain", "js-api-prefix"} {
		if _, given := c.sources.Flags[flag]; given {
			return command.Usage("demo shows a server of its own: leave out --%s", flag)
		}
	}
	running, err := demo.Start(ctx, demo.Options{Port: d.Port, Seed: d.Seed, Parti: c.Parti.Given, ConsumerGroup: d.ConsumerGroup})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, running.Stop()) }()
	if d.Serve {
		fmt.Println(running.URL())
		<-ctx.Done()
		return nil
	}
	return c.screens(ctx, c.demoOptions(running.URL()), d.Target, false)
}

// demoOptions are those for the demo's server: nobody's own servers or credentials have
// to do with it.
func (c connection) demoOptions(url string) engine.Options {
	return engine.Options{Server: url, ReadOnly: c.ReadOnly, ReadOnlyBy: c.readOnlyBy, Refresh: c.Refresh, MaxRequests: c.MaxRequests, Timeout: c.Timeout,
		HideAddresses: c.HideAddresses, LogEvents: c.LogEvents, Unlogged: c.unlogged.say, Audit: c.Audit, Lookup: ownVariables}
}

func ownVariables(name string) (string, bool) {
	if !strings.HasPrefix(name, "PCGTOP_") {
		return "", false
	}
	return os.LookupEnv(name)
}
