package main

import (
	"fmt"
	"strings"

	"pcgtop/engine/command/shell"
	"pcgtop/tui"

	"github.com/alecthomas/kong"
)

// manual is what --help says, beside what stands at each flag and command.
func manual() []kong.Option {
	group := func(key, title, text string) kong.Group {
		return kong.Group{Key: key, Title: title, Description: text}
	}
	return []kong.Option{
		kong.Name("pcgtop"),
		kong.Description("Watch and steer partitioned consumer groups on NATS JetStream."),
		kong.Vars{"screens": strings.Join(tui.Screens(), ", ")},
		kong.Help(help),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.ExplicitGroups([]kong.Group{
			group("watch", "Watch:", ""), group("keep", "Record and draw:", ""), group("act", "Act:", ""), group("itself", "pcgtop itself:", ""),
			group("connect", "Connect:", "As the nats tool does: a flag wins over the environment (NATS_URL, NATS_CONTEXT, NATS_CREDS and so on), the environment over the selected context."),
			group("look", "Look:", ""),
		}),
	}
}

// Help is what --help says of the whole.
func (cli) Help() string {
	return `Without a command it opens the screens: which groups are unwell and why, which member owns which
partition, which process is pinned, what waits where. ? shows the keys there. No single key writes:
every change is shown as a plan first.

EXAMPLES

  pcgtop demo                                   try it, with a server inside the program
  pcgtop --context prod ORDERS/fulfillment      the screens, with that group open
  pcgtop report -o json                         one snapshot as JSON (pcgtop/1)
  pcgtop check --lag 1000:50000                 for monitoring
  pcgtop where ORDERS/fulfillment orders.c042   whose is this subject
  pcgtop elastic plan ORDERS fulfillment --strategy load --add m4
  pcgtop record night.jsonl.gz ORDERS/fulfillment --for 8h
  pcgtop replay night.jsonl.gz --at 03:12
  source <(pcgtop completion bash)

EXIT CODES

  0 done, 1 failed, 2 wrong usage or no terminal, 3 not found; check has its own.

FILES

  $XDG_CONFIG_HOME/pcgtop/config.yaml           settings; pcgtop config prints those in force`
}

// help prints what was asked about: the flags that every command takes once, in the help
// of the whole, and only its own in that of a command.
func help(options kong.HelpOptions, ctx *kong.Context) error {
	if ctx.Selected() == nil {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	for _, f := range ctx.Model.Flags {
		f.Hidden = f.Hidden || f.Name != "help"
	}
	for n := ctx.Selected(); n != nil; n = n.Parent {
		for _, f := range n.Flags { // one may stand before its command, as cg takes it
			f.Hidden = f.Hidden || !shell.Takes(ctx.Selected(), f)
		}
	}
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil {
		return err
	}
	_, err := fmt.Fprintln(ctx.Stdout, "\nHow to connect, and what else every command takes: pcgtop --help")
	return err
}
