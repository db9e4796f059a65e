package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"pcgtop/config"
	"pcgtop/engine"
	"pcgtop/engine/command"
	"pcgtop/keymap"
	"pcgtop/tui"

	"github.com/alecthomas/kong"
)

// settled is what flags, environment and config.yaml came to.
type settled struct {
	sources config.Sources
	inForce config.Effective
	keys    keymap.Table
	context string // the NATS context whose section of the file is in force
}

// settle fills in what no flag said. What is wrong is one line, before anything starts.
func (c *cli) settle(parsed *kong.Context) error {
	var looks []string
	for _, l := range tui.Looks() {
		looks = append(looks, string(l))
	}
	settings := config.Settings(looks, tui.Columns())
	file, err := config.Load(cmp.Or(c.Config, config.Path(os.LookupEnv)), settings)
	if err != nil {
		return err
	}
	if c.Config != "" && !file.Exists {
		return fmt.Errorf("--config %s: there is no such file", c.Config)
	}
	if c.keys, err = file.Rebind(keymap.New()); err != nil {
		return err
	}
	c.sources = config.Sources{Settings: settings, Flags: given(parsed), Lookup: os.LookupEnv, File: file}
	if c.connects(parsed) {
		if s, err := engine.Resolve(c.options()); err == nil { // an error is said by whoever connects
			c.context = s.Context
		}
	}
	if c.inForce, err = c.sources.For(c.context); err != nil {
		return err
	}
	c.take(c.inForce)
	return nil
}

// connects tells whether the command uses the NATS context: the demo has its own server,
// and a recording none.
func (c *cli) connects(parsed *kong.Context) bool {
	verb, _, _ := strings.Cut(parsed.Command(), " ")
	return verb != "demo" && verb != "replay" && verb != "completion" && verb != "version"
}

// given lists the flags of the command line.
func given(parsed *kong.Context) map[string]string {
	flags := map[string]string{}
	for _, p := range parsed.Path {
		if p.Flag != nil {
			flags[p.Flag.Name] = fmt.Sprint(p.Flag.Target.Interface())
		}
	}
	return flags
}

// take puts what is in force where the commands look for it.
func (c *cli) take(e config.Effective) {
	c.Theme, c.NoColor, c.ASCII, c.Mouse = e.Text("theme"), e.Bool("no_color"), e.Bool("ascii"), e.Bool("mouse")
	c.Timeout, c.Refresh, c.MaxRequests = e.Duration("timeout"), e.Duration("refresh"), e.Number("max_requests")
	c.ReadOnly, c.HideAddresses = e.Bool("read_only"), e.Bool("hide_addresses")
	if c.readOnlyBy = ""; c.ReadOnly {
		c.readOnlyBy = e.From("read_only")
	}
	c.LogEvents, c.Audit = home(e.Text("log_events")), home(e.Text("audit"))
}

// home takes ~ for the home folder, as a shell does with what is not in a file.
func home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(os.Getenv("HOME"), rest)
	}
	return path
}

// configCmd is `pcgtop config`.
type configCmd struct {
	Output string `short:"o" enum:"table,json" default:"table" help:"table or json."`
	Keys   bool   `help:"Every action with its keys, by the names that config.yaml takes; otherwise those that were changed."`
}

// Run prints what is in force and where it came from.
func (k configCmd) Run(_ context.Context, c *cli, env *command.Env) error {
	s, err := engine.Resolve(c.options())
	if err != nil {
		return err
	}
	shown := config.Shown{
		File: c.sources.File.Path, Exists: c.sources.File.Exists, Context: c.context,
		Settings: c.inForce, Connection: connectionOf(s), Keys: config.KeysOf(c.keys, c.sources.File),
	}
	if k.Output == "json" {
		return shown.JSON(env.Out)
	}
	return shown.Text(env.Out, k.Keys)
}

// connectionOf says how pcgtop would connect, without a secret.
func connectionOf(s *engine.Settings) []config.Value {
	values := map[string]string{
		"server": s.Server, "js-domain": s.Domain, "js-api-prefix": s.APIPrefix, "login": "(not shown)",
	}
	from := map[string]string{}
	names := []string{"server", "login", "js-api-prefix"}
	for _, o := range s.Origins {
		if from[o.Setting] = o.From; values[o.Setting] == "" {
			values[o.Setting] = "(given)"
		}
		if o.Setting == "js-domain" || strings.HasPrefix(o.Setting, "tls") {
			names = append(names, o.Setting)
		}
	}
	var list []config.Value
	for _, name := range names {
		v := config.Value{Name: name, Value: values[name], From: cmp.Or(from[name], "default")}
		if name == "login" && from[name] == "" {
			v.Value = "none"
		}
		if name == "js-api-prefix" && from[name] == "" && s.Domain != "" {
			v.From = "js-domain"
		}
		list = append(list, v)
	}
	return list
}

// multiplexer tells what the program runs in, by what tmux and screen set.
func multiplexer() tui.Multiplexer {
	switch {
	case os.Getenv("TMUX") != "":
		return tui.Tmux
	case os.Getenv("STY") != "":
		return tui.GNUScreen
	}
	return tui.NoMultiplexer
}
