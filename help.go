package main

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// help prints what was asked about: the flags that every command takes once, in the help
// of the whole, and only its own in that of a command.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() == nil {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	for _, f := range ctx.Model.Flags {
		f.Hidden = f.Hidden || f.Name != "help"
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(ctx.Stdout, "\nHow to connect, and what else every command takes: pcgtop --help")
	return err
}
