// Package command holds the verbs of `pcgtop static` and `pcgtop elastic`: those of
// the `cg` tool, under the same names and with the same arguments, carried out with
// the engine's own guarantees. Its types are the command tree; struct tags describe
// the arguments.
package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

// Engine is what the verbs need of the engine.
type Engine interface {
	// Once reads everything and returns one complete snapshot.
	Once(ctx context.Context) (*model.Snapshot, error)
	// Look is Once for one group in depth, with its partitions counted, after watching
	// it for as long.
	Look(ctx context.Context, k model.Key, watch time.Duration) (*model.Snapshot, error)
	// LookUntil is Look that ends earlier when what is known of the group is enough.
	LookUntil(ctx context.Context, k model.Key, watch time.Duration, enough func(*model.Group) bool) (*model.Snapshot, error)
	// Survey is Once for these groups, all watched for as long at the same time; with
	// counts, the partitions of each are counted at the end; with instances, it is listened
	// until all of them were heard. What was deleted meanwhile is left out.
	Survey(ctx context.Context, keys []model.Key, watch time.Duration, counts, instances bool) ([]*model.Group, error)
	// Subjects lists at most n subjects of a group's messages that contain a text.
	Subjects(ctx context.Context, k model.Key, part string, n int) (found []string, more bool, err error)
	// Apply carries out a plan as it stands, or not at all, and says what it did.
	Apply(ctx context.Context, p *model.Plan) (string, error)
	// ReadOnlyBy is what has writes refused, or empty.
	ReadOnlyBy() string
	// Guard runs what uses JetStream directly; what is not permitted ends it at once.
	Guard(ctx context.Context, run func(context.Context) error) error
	// JetStream is the connection's JetStream, with the API prefix in use.
	JetStream() jetstream.JetStream
}

// Env is what a verb runs with.
type Env struct {
	Context context.Context
	Engine  Engine
	In      io.Reader
	Out     io.Writer
	Err     io.Writer // for what is not the result
	JSON    bool      // print JSON instead of text
	// Show prints one group in full, or, with names, these of its members.
	Show func(w io.Writer, g *model.Group, only ...string) error
}

// print writes what a verb has to say: as text, or v as a line of JSON.
func (e *Env) print(v any, text func(io.Writer) error) error {
	write := text
	if e.JSON {
		write = func(w io.Writer) error { return json.NewEncoder(w).Encode(v) }
	}
	if err := write(e.Out); err != nil {
		return fmt.Errorf("printing it failed: %w", err)
	}
	return nil
}

// say is print for what a write did.
func (e *Env) say(k model.Key, format string, args ...any) error {
	done := fmt.Sprintf(format, args...)
	return e.print(struct {
		Key  model.Key `json:"key"`
		Done string    `json:"done"`
	}{k, done}, func(w io.Writer) error { _, err := fmt.Fprintln(w, done); return err })
}

// lists says where to look for the name of what was not found.
const lists = "`pcgtop report` lists what there is"

// noGroup is why there is no group of a kind, and what to do about it.
func noGroup(s *model.Snapshot, kind model.Kind, name string) error {
	hint := lists
	if kind == kindParti {
		hint = cmp.Or(s.Sought(kind), lists+"; a deployment that is not found by itself is named with --parti PREFIX")
	}
	return fmt.Errorf("%s group %s: %w; %s", kind, name, ErrNotFound, hint)
}

// ErrNotFound is wrapped when what was named does not exist.
var ErrNotFound = errors.New("not found")

// Missing is why there is no group of the name STREAM[/GROUP]: it does not exist, or, where
// not every group could be read, it is not known whether it does.
func Missing(s *model.Snapshot, name string) error {
	if unseen := s.Unseen(); len(unseen) > 0 {
		return fmt.Errorf("%s: whether it exists cannot be told: %s", name, strings.Join(unseen, "; "))
	}
	var sought []string
	for _, n := range s.NotFound {
		sought = append(sought, n.Text)
	}
	return fmt.Errorf("%s: %w; %s", name, ErrNotFound, cmp.Or(strings.Join(sought, "; "), lists))
}

// Whole fails where what was printed of groups is not all: the consumers of some could not
// be read, so that nobody knows what runs and what waits there. why is what else is missing.
func Whole(groups []*model.Group, why ...string) error {
	failed := 0
	for _, g := range groups {
		if g.ReadError == "" {
			continue
		}
		if failed++; failed == 1 {
			why = append(why, fmt.Sprintf("%s: %s", g.Key, g.ReadError))
		}
	}
	if failed > 1 {
		why = append(why, model.Count(failed-1, "more group"))
	}
	if len(why) > 0 {
		return fmt.Errorf("not everything could be read: %s", strings.Join(why, "; "))
	}
	return nil
}

// ErrUsage is what an error is when the arguments make no sense, whatever there is.
var ErrUsage = errors.New("wrong usage")

// usageError is an error of the arguments, in its own words.
type usageError struct{ error }

func (usageError) Is(target error) bool { return target == ErrUsage }

func (u usageError) Unwrap() error { return u.error }

// Usage makes an error of the arguments.
func Usage(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// ErrReadOnly is wrapped when a verb would write and writes are off.
var ErrReadOnly = errors.New("read-only")

func (e *Env) mayWrite() error {
	if by := e.Engine.ReadOnlyBy(); by != "" {
		return fmt.Errorf("%w, set by %s: nothing was written; leave that out to write", ErrReadOnly, by)
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
	if why := s.Unknown(k.Kind); why != "" {
		return nil, fmt.Errorf("%s group %s: its config cannot be read: %s", k.Kind, k, why)
	}
	return nil, noGroup(s, k.Kind, k.String())
}

// apply plans an intent against the group as it is now and carries it out.
func (e *Env) apply(k model.Key, intent func(*model.Group) model.Intent, d draining) error {
	if err := e.mayWrite(); err != nil {
		return err
	}
	g, err := e.group(k)
	if err != nil {
		return err
	}
	in := intent(g)
	if in.Action == model.ActionStepDown && g.Member(in.Members[0]) == nil {
		return fmt.Errorf("member %q of %s: %w", in.Members[0], k, ErrNotFound)
	}
	p, err := model.NewPlan(g, in)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", in.Action, k, err)
	}
	if p, err = d.of(p); err != nil {
		return err
	}
	done, err := e.carryOut(p)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", in.Action, k, err)
	}
	return e.tell(done, p)
}

// always is an intent that does not depend on the group.
func always(a model.Action, members []string, mappings []model.Mapping) func(*model.Group) model.Intent {
	return func(*model.Group) model.Intent {
		return model.Intent{Action: a, Members: members, Mappings: mappings}
	}
}

// asking is where questions go: not among JSON.
func (e *Env) asking() io.Writer {
	if e.JSON {
		return e.Err
	}
	return e.Out
}

// confirm asks a question that only the given word answers.
func (e *Env) confirm(word, question string) error {
	fmt.Fprintf(e.asking(), "%s\nType %q to go on: ", question, word)
	var answer string
	if _, err := fmt.Fscanln(e.In, &answer); err != nil && answer == "" {
		return errors.New("not confirmed: nothing was deleted; use --force to delete without asking")
	}
	if answer != word {
		return errors.New("not confirmed: nothing was deleted")
	}
	return nil
}

// parseMappings reads arguments such as m1:0,1,2 or m1:0-2.
func parseMappings(args []string) ([]model.Mapping, error) {
	var list []model.Mapping
	for _, arg := range args {
		m, err := model.ParseMapping(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}

// parseFilters puts filters and their wildcards together: the nth list of positions is
// the nth filter's. No lists at all: the whole subject chooses the partition.
func parseFilters(filters, wildcards []string) ([]model.Filter, error) {
	if len(wildcards) > 0 && len(wildcards) != len(filters) {
		return nil, Usage("%d filters, %d --wildcards: give one for each filter, '' where the whole subject is to choose", len(filters), len(wildcards))
	}
	var list []model.Filter
	for i, subject := range filters {
		f := model.Filter{Subject: subject}
		if len(wildcards) > 0 && wildcards[i] != "" {
			for _, n := range strings.Split(wildcards[i], ",") {
				w, err := strconv.Atoi(strings.TrimSpace(n))
				if err != nil {
					return nil, Usage("--wildcards %q: %q is not the position of a wildcard", wildcards[i], n)
				}
				f.Wildcards = append(f.Wildcards, w)
			}
		}
		list = append(list, f)
	}
	return list, nil
}

// parseWeights reads the loads of n partitions: as many numbers, or some as P=W.
func parseWeights(text string, n int) ([]float64, error) {
	parts := strings.Split(text, ",")
	weights := make([]float64, n)
	listed := !strings.Contains(text, "=")
	for i := range weights {
		weights[i] = 1
	}
	for i, part := range parts {
		at, number := strconv.Itoa(i), part
		if !listed {
			var ok bool
			if at, number, ok = strings.Cut(part, "="); !ok {
				return nil, Usage("--weights: %q is not PARTITION=WEIGHT", part)
			}
		}
		w, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err != nil || !(w >= 0 && w < 1e300) {
			return nil, Usage("--weights: %q is not a weight: give PARTITION=WEIGHT, or a number for each partition", number)
		}
		if listed && len(parts) != n {
			return nil, Usage("--weights: %s for %s", model.Count(len(parts), "number"), model.Count(n, "partition"))
		}
		p, err := strconv.Atoi(strings.TrimSpace(at))
		if err != nil || p < 0 || p >= n {
			return nil, Usage("--weights: no partition %q: there are 0 to %d", at, n-1)
		}
		weights[p] = w
	}
	return weights, nil
}
