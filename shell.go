package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"pcgtop/engine"
	"pcgtop/engine/command"
	"pcgtop/engine/command/shell"
	"pcgtop/model"
	"pcgtop/tui"

	"github.com/alecthomas/kong"
)

// completionCmd is `pcgtop completion`.
type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script.
func (c completionCmd) Run() error {
	text, err := shell.Script(c.Shell)
	fmt.Print(text)
	return err
}

// completeCmd is what the scripts ask: how a command line can go on.
type completeCmd struct {
	Words []string `arg:"" optional:"" passthrough:""`
}

// Run prints a way to go on a line.
func (k completeCmd) Run(ctx context.Context, app *kong.Kong) error {
	words := k.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	live := &asked{ctx: ctx, words: words}
	for _, c := range shell.Complete(app.Model.Node, words, live.values) {
		fmt.Println(c)
	}
	return nil
}

// asked answers from the server that a command line is about.
type asked struct {
	ctx   context.Context
	words []string
}

// completing bounds how long a shell waits for an answer.
const completing = 1500 * time.Millisecond

// values lists what an argument or a flag can be.
func (a *asked) values(v *kong.Value, given map[string]string) []string {
	switch {
	case v.Name == "file", v.Name == "replay", v.Flag != nil && v.Flag.PlaceHolder == "FILE":
		return []string{shell.Files}
	case v.Name == "screen":
		return tui.Screens()
	case v.Name == "theme":
		var names []string
		for _, l := range tui.Looks() {
			names = append(names, string(l))
		}
		return names
	case v.Flag != nil:
		return nil
	}
	var names []string
	groups := a.groups()
	kinds := (&model.Snapshot{Groups: groups}).Kinds()
	for _, g := range groups {
		k := g.Key
		if slices.ContainsFunc(kinds, func(kind model.Kind) bool { return slices.Contains(a.words, string(kind)) && k.Kind != kind }) {
			continue
		}
		switch v.Name {
		case "target":
			names = append(names, k.Stream, k.String())
		case "stream":
			names = append(names, k.Stream)
		case "group": // as where takes it
			names = append(names, k.String())
		case "name":
			if k.Stream == given["stream"] {
				names = append(names, k.Group)
			}
		case "member", "members":
			for _, m := range g.Members {
				if k.Stream == given["stream"] && k.Group == given["name"] && m.Configured {
					names = append(names, m.Name)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// groups asks the server that the words name; none when it does not answer at once.
func (a *asked) groups() []*model.Group {
	ctx, cancel := context.WithTimeout(a.ctx, completing)
	defer cancel()
	var c cli
	parser, err := kong.New(&c, append(manual(), kong.Exit(func(int) {}), kong.Writers(nowhere{}, nowhere{}))...)
	if err != nil {
		return nil
	}
	if _, err := parser.Parse(connectionFlags(parser.Model.Node, a.words)); err != nil {
		return nil
	}
	o := c.options()
	o.ReadOnly, o.Timeout, o.Audit, o.LogEvents = true, completing, "", ""
	e, err := engine.Connect(ctx, o)
	if err != nil {
		return nil
	}
	defer e.Close()
	s, err := e.Once(ctx)
	if err != nil {
		return nil
	}
	return s.Groups
}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// connectionFlags are the words that say which server is meant.
func connectionFlags(root *kong.Node, words []string) []string {
	var flags []string
	for i, w := range words {
		name, _, has := strings.Cut(w, "=")
		for _, f := range root.Flags {
			if name != "--"+f.Name && (f.Short == 0 || name != "-"+string(f.Short)) || f.Name == "help" {
				continue
			}
			if flags = append(flags, w); !has && !f.IsBool() && i+1 < len(words) {
				flags = append(flags, words[i+1])
			}
		}
	}
	return flags
}

// versionCmd is `pcgtop version`.
type versionCmd struct {
	Output string `short:"o" enum:"text,json" default:"text" help:"text or json."`
}

// version is what the program was made from.
type version struct {
	Module   string `json:"module"`
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	Protocol string `json:"protocol"` // of snapshots and recordings
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"` // of the revision
	Modified bool   `json:"modified,omitempty"`
}

// Run prints the version.
func (k versionCmd) Run(env *command.Env) error {
	v := version{Protocol: model.Schema}
	if b, ok := debug.ReadBuildInfo(); ok {
		v.Module, v.Version, v.Go = b.Main.Path, b.Main.Version, b.GoVersion
		set := map[string]string{}
		for _, s := range b.Settings {
			set[s.Key] = s.Value
		}
		v.Platform = set["GOOS"] + "/" + set["GOARCH"]
		v.Revision, v.Time, v.Modified = set["vcs.revision"], set["vcs.time"], set["vcs.modified"] == "true"
	}
	if k.Output == "json" {
		return json.NewEncoder(os.Stdout).Encode(v)
	}
	fmt.Fprintf(env.Out, "pcgtop %s\nmodule    %s\ngo        %s %s\nprotocol  %s\n", v.Version, v.Module, v.Go, v.Platform, v.Protocol)
	if v.Revision != "" {
		changed := ""
		if v.Modified {
			changed = ", changed since"
		}
		fmt.Fprintf(env.Out, "revision  %s of %s%s\n", v.Revision, v.Time, changed)
	}
	return nil
}
