package command

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"pcgtop/model"
)

// kindParti is the kind's name.
const kindParti model.Kind = "parti"

// Parti is `pcgtop parti`: what can be done to deployments of Parti.
type Parti struct {
	Output string `short:"o" enum:"text,json" default:"text" help:"text or json."`

	Info     PartiInfo     `cmd:"" help:"Show a deployment in full."`
	Source   PartiSource   `cmd:"" help:"Edit the partition source: show the plan, and with --apply write it."`
	RemoveID PartiRemoveID `cmd:"" name:"remove-id" help:"Remove the stable id of a worker that is no more: show the plan, and with --apply remove it."`
}

// PartiInfo is `parti info`.
type PartiInfo struct {
	Stream string `arg:"" help:"What its buckets' names begin with, as the overview has it before the slash; or the whole name."`
	Name   string `arg:"" optional:"" help:"Group name."`
}

// Run shows the group. There is one to a prefix, so that its name may be left out; or both
// stand in one word, as everything prints them.
func (c PartiInfo) Run(e *Env) error {
	if prefix, name, whole := strings.Cut(c.Stream, "/"); whole && c.Name == "" { // in no bucket's name
		c.Stream, c.Name = prefix, name
	}
	if c.Name != "" {
		return e.info(model.Key{Kind: kindParti, Stream: c.Stream, Group: c.Name})
	}
	s, err := e.Engine.Once(e.Context)
	if err != nil {
		return fmt.Errorf("reading %s: %w", c.Stream, err)
	}
	for _, g := range s.Lookup(c.Stream, "") {
		if g.Key.Kind == kindParti {
			return e.info(g.Key)
		}
	}
	return noGroup(s, kindParti, c.Stream)
}

// PartiSource is `parti source`.
type PartiSource struct {
	target
	Add    []string `sep:"none" placeholder:"KEYS[:WEIGHT[:LABEL]]" help:"A new partition, its keys joined by dots. Repeat for several. Without a weight it has the strategy's default."`
	Remove []string `sep:"none" placeholder:"KEYS" help:"A partition that goes."`
	Set    []string `sep:"none" placeholder:"KEYS:[WEIGHT][:LABEL]" help:"Another weight or label; an empty label takes it away."`
	Apply  bool     `help:"Write it; otherwise the plan is only shown."`
	Force  bool     `short:"f" help:"Do not ask before partitions are removed."`
}

// Run plans the edits, and writes them if asked to.
func (c PartiSource) Run(e *Env) error {
	in := model.Intent{Action: model.ActionEditSource}
	for _, text := range c.Add {
		in.Edits = append(in.Edits, "+"+text)
	}
	for _, text := range c.Set {
		if strings.HasPrefix(text, "+") || strings.HasPrefix(text, "-") {
			return Usage(`--set=%s: put keys that begin with a sign in double quotes`, text)
		}
		in.Edits = append(in.Edits, text)
	}
	for _, text := range c.Remove {
		in.Edits = append(in.Edits, "-"+text)
	}
	if len(in.Edits) == 0 {
		return Usage("nothing to change: give --add, --set or --remove")
	}
	return e.change(c.key(kindParti), in, c.Apply, c.Force)
}

// PartiRemoveID is `parti remove-id`.
type PartiRemoveID struct {
	member
	Apply bool `help:"Remove it; otherwise the plan is only shown."`
}

// Run plans the removal, and carries it out if asked to.
func (c PartiRemoveID) Run(e *Env) error {
	return e.change(c.key(kindParti), model.Intent{Action: model.ActionRemoveID, Members: []string{c.Member}}, c.Apply, true)
}

// Planning is an engine that works out what only the kind of a group knows how to do.
type Planning interface {
	// Plan works an intent out against what was read last.
	Plan(k model.Key, in model.Intent) (*model.Plan, error)
}

// change shows what an action of the group's kind would do and, if it is to be applied,
// does it. What takes something away for good is asked for in words, unless forced.
func (e *Env) change(k model.Key, in model.Intent, apply, force bool) error {
	if apply {
		if err := e.mayWrite(); err != nil {
			return err
		}
	}
	g, err := e.group(k)
	if err != nil {
		return err
	}
	planning, ok := e.Engine.(Planning)
	if why := g.Refusal(in.Action); why != "" || !ok {
		return fmt.Errorf("%s of %s: %w: %s", in.Action, k, model.ErrRefused, why)
	}
	p, err := planning.Plan(k, in)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", in.Action, k, err)
	}
	if !apply {
		return e.print(struct {
			Plan *model.Plan `json:"plan"`
		}{p}, func(w io.Writer) error { return showEdit(w, p) })
	}
	if !e.JSON || p.Edit.Confirm != "" && !force {
		if err := showEdit(e.asking(), p); err != nil {
			return fmt.Errorf("printing it failed: %w", err)
		}
	}
	if words := p.Edit.Confirm; words != "" && !force {
		fmt.Fprintf(e.asking(), "Type %q to go on: ", words)
		answer, err := bufio.NewReader(e.In).ReadString('\n')
		if strings.TrimSpace(answer) != words {
			if err != nil && answer == "" {
				return fmt.Errorf("not confirmed: nothing was written; use --force to write without asking")
			}
			return fmt.Errorf("not confirmed: nothing was written")
		}
	}
	done, err := e.Engine.Apply(e.Context, p)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", in.Action, k, err)
	}
	return e.tell(done, p)
}

// showEdit prints what a plan changes.
func showEdit(w io.Writer, p *model.Plan) error {
	fmt.Fprintf(w, "%s at revision %d: %s\n", p.Edit.Target, p.Revision, p.Edit.Counted())
	for _, line := range p.Edit.Lines {
		fmt.Fprintln(w, "  "+line)
	}
	for _, note := range p.Edit.Notes {
		fmt.Fprintln(w, "note: "+note)
	}
	_, err := fmt.Fprintf(w, "same as: %s\n", model.Quote(p.Command))
	return err
}
