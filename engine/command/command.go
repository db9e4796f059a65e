// Package command holds the verbs of `pcgtop static` and `pcgtop elastic`: those of
// the `cg` tool, under the same names and with the same arguments, carried out with
// the engine's own guarantees. Its types are the command tree; struct tags describe
// the arguments.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

// Engine is what the verbs need of the engine.
type Engine interface {
	// Once reads everything and returns one complete snapshot.
	Once(ctx context.Context) (*model.Snapshot, error)
	// Apply carries out a plan as it stands, or not at all, and says what it did.
	Apply(ctx context.Context, p *model.Plan) (string, error)
	// ReadOnly tells whether writes are refused.
	ReadOnly() bool
	// JetStream is the connection's JetStream, with the API prefix in use.
	JetStream() jetstream.JetStream
}

// Env is what a verb runs with.
type Env struct {
	Context context.Context
	Engine  Engine
	In      io.Reader
	Out     io.Writer
	// Show prints one group in full.
	Show func(io.Writer, *model.Group) error
}

// ErrNotFound is wrapped when what was named does not exist.
var ErrNotFound = errors.New("not found")

// ErrReadOnly is wrapped when a verb would write and writes are off.
var ErrReadOnly = errors.New("read-only")

func (e *Env) mayWrite() error {
	if e.Engine.ReadOnly() {
		return fmt.Errorf("%w: nothing was written; leave out --read-only and PCGTOP_READ_ONLY to write", ErrReadOnly)
	}
	return nil
}

// group reads the group anew.
func (e *Env) group(k model.Key) (*model.Group, error) {
	s, err := e.Engine.Once(e.Context)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", k, err)
	}
	if g := s.Group(k); g != nil {
		return g, nil
	}
	return nil, fmt.Errorf("%s group %s: %w; `pcgtop report` lists what there is", k.Kind, k, ErrNotFound)
}

// apply plans an intent against the group as it is now and carries it out.
func (e *Env) apply(k model.Key, in model.Intent) error {
	if err := e.mayWrite(); err != nil {
		return err
	}
	g, err := e.group(k)
	if err != nil {
		return err
	}
	p, err := model.NewPlan(g, in)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", in.Action, k, err)
	}
	for _, w := range p.Warnings {
		fmt.Fprintln(e.Out, "note: "+w)
	}
	done, err := e.Engine.Apply(e.Context, p)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", in.Action, k, err)
	}
	_, err = fmt.Fprintln(e.Out, done)
	return err
}

// confirm asks a question that only the given word answers.
func (e *Env) confirm(word, question string) error {
	fmt.Fprintf(e.Out, "%s\nType %q to go on: ", question, word)
	var answer string
	if _, err := fmt.Fscanln(e.In, &answer); err != nil && answer == "" {
		return errors.New("not confirmed: nothing was deleted; use --force to delete without asking")
	}
	if answer != word {
		return errors.New("not confirmed: nothing was deleted")
	}
	return nil
}

// parseMappings reads member:0,1,2 arguments.
func parseMappings(args []string) ([]model.Mapping, error) {
	var list []model.Mapping
	for _, arg := range args {
		member, numbers, ok := cutLast(arg, ":")
		if !ok {
			return nil, fmt.Errorf("mapping %q: want MEMBER:PARTITION,PARTITION,…", arg)
		}
		m := model.Mapping{Member: member}
		for _, n := range strings.Split(numbers, ",") {
			p, err := strconv.Atoi(strings.TrimSpace(n))
			if err != nil {
				return nil, fmt.Errorf("mapping %q: %q is not a partition number", arg, n)
			}
			m.Partitions = append(m.Partitions, p)
		}
		list = append(list, m)
	}
	return list, nil
}

// parseFilters reads FILTER or FILTER:1,2 arguments, the numbers being the wildcards
// whose tokens choose the partition.
func parseFilters(args []string) ([]model.Filter, error) {
	var list []model.Filter
	for _, arg := range args {
		f := model.Filter{Subject: arg}
		if subject, numbers, ok := cutLast(arg, ":"); ok {
			f.Subject = subject
			for _, n := range strings.Split(numbers, ",") {
				w, err := strconv.Atoi(n)
				if err != nil {
					return nil, fmt.Errorf("filter %q: %q is not the position of a wildcard; write SUBJECT:1,2", arg, n)
				}
				f.Wildcards = append(f.Wildcards, w)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
