package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"pcgtop/engine"
	"pcgtop/tui"

	"github.com/charmbracelet/x/term"
)

// terminal says whether there is one that can show the screens.
func terminal() error {
	switch kind := os.Getenv("TERM"); {
	case !term.IsTerminal(os.Stdin.Fd()) || !term.IsTerminal(os.Stdout.Fd()):
		return errNoTerminal
	case kind == "": // as over SSH, when the other side does not take it over
		return fmt.Errorf("%w, or say what this terminal is: TERM=xterm-256color pcgtop", errNoTerminal)
	case kind == "dumb":
		return fmt.Errorf("%w (TERM is dumb)", errNoTerminal)
	}
	return nil
}

// screen is what every screen is made from.
func (c *cli) screen(target string) tui.Options {
	stream, group, _ := strings.Cut(target, "/")
	look := tui.Look(c.Theme)
	if c.Theme == "auto" {
		look = ""
	}
	return tui.Options{Look: look, Stream: stream, Group: group,
		Keys: c.keys, Multiplexer: multiplexer(), NoColor: c.NoColor, ASCII: c.ASCII, Mouse: c.Mouse, Columns: c.inForce.List("columns")}
}

// live is screen for an engine.
func (c *cli) live(e *engine.Engine, target string) tui.Options {
	show := c.screen(target)
	show.Source, show.Admin, show.Finder, show.Inspector = e, e, e, e
	show.ReadOnlyBy = e.ReadOnlyBy()
	return show
}

// garbage is how much of it, in per cent of what is in use, is left lying before it is
// collected. Less takes less memory in a large account, but a key that is pressed meanwhile
// waits: of 300 keys in an account of 10,000 groups the slowest few are then twice as slow.
const garbage = 60

// tidy collects garbage so, unless the environment says how.
func tidy() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
}

// screens connects before the terminal is taken, so that a failure is a plain line.
// Contexts can be changed on the screen unless the server is the program's own.
func (c *cli) screens(ctx context.Context, o engine.Options, target string, change bool) error {
	if err := terminal(); err != nil {
		return err
	}
	tidy()
	e, err := engine.Connect(ctx, o)
	if err != nil {
		return err
	}
	show := c.live(e, target)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	session := engine.NewSession(ctx, e) // what is read while it is looked for is there to be shown
	if err := e.Exists(ctx, show.Stream, show.Group); err != nil {
		return errors.Join(err, session.Close())
	}
	go func() {
		select {
		case <-session.Ended():
			cancel() // without a picture to show, the screens end too
		case <-ctx.Done():
		}
	}()
	show.Record = c.record
	if change {
		show.Contexts = contexts{c, session}
	}
	err = tui.Run(ctx, show)
	cancel()
	return errors.Join(err, session.Close())
}

// contexts are the NATS contexts, and what is set for each of them.
type contexts struct {
	cli     *cli
	session *engine.Session
}

// Names lists them.
func (x contexts) Names() ([]string, error) {
	return engine.Contexts(context.Background(), x.cli.options())
}

// Switch connects by a context alone, with the settings for it. What was given by flag
// or variable stays, but for how to connect: that was meant for the first connection.
func (x contexts) Switch(ctx context.Context, name string) (tui.Options, error) {
	next := *x.cli
	inForce, err := next.sources.For(name)
	if err != nil {
		return tui.Options{}, err
	}
	next.context, next.inForce = name, inForce
	next.take(inForce)
	e, err := x.session.Switch(ctx, next.options().OnlyContext(name))
	if err != nil {
		return tui.Options{}, err
	}
	return next.live(e, ""), nil
}
