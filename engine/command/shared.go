package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

func (e *Env) lines(names []string, err error) error {
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, n := range names {
		if _, err := fmt.Fprintln(e.Out, n); err != nil {
			return err
		}
	}
	return nil
}

func (e *Env) info(k model.Key) error {
	g, err := e.group(k)
	if err != nil {
		return err
	}
	return e.Show(e.Out, g)
}

func (e *Env) memberInfo(k model.Key, name string) error {
	g, err := e.group(k)
	if err != nil {
		return err
	}
	m := g.Member(name)
	if m == nil {
		return fmt.Errorf("member %q of %s: %w", name, k, ErrNotFound)
	}
	one := *g
	one.Members, one.Findings, one.Partitions = []*model.Member{m}, nil, nil
	return e.Show(e.Out, &one)
}

// delete lists what will go, asks unless forced, and deletes that and nothing else.
func (e *Env) delete(k model.Key, force bool) error {
	if err := e.mayWrite(); err != nil {
		return err
	}
	js := e.Engine.JetStream()
	plan, err := pcgroups.PlanDelete(e.Context, js, k.Kind, k.Stream, k.Group)
	if err != nil {
		return fmt.Errorf("deleting %s: %w", k, err)
	}
	if !force && len(plan.Removed) > 0 {
		e.list("will be deleted", plan.Removed)
		e.list("is left alone", plan.LeftAlone)
		if err := e.confirm(k.Group, fmt.Sprintf("Delete %s group %s?", k.Kind, k)); err != nil {
			return err
		}
	}
	done, err := pcgroups.DeleteGroup(e.Context, js, k.Kind, k.Stream, k.Group, plan.Revision)
	if done != nil {
		e.list("deleted", done.Removed)
		e.list("left alone", done.LeftAlone)
		e.list("was gone already", done.AlreadyGone)
	}
	if err != nil {
		return fmt.Errorf("deleting %s: %w", k, err)
	}
	return nil
}

func (e *Env) list(what string, resources []pcgroups.Resource) {
	for _, r := range resources {
		line := fmt.Sprintf("%s: %s %q", what, r.Kind, r.Name)
		if r.Why != "" {
			line += ", " + r.Why
		}
		fmt.Fprintln(e.Out, line)
	}
}

type consumeFunc func(ctx context.Context, js jetstream.JetStream, stream, group, member string, handler func(jetstream.Msg), config jetstream.ConsumerConfig) (pcgroups.ConsumerGroupConsumeContext, error)

// consume joins as a member and prints what it is given until the context ends or the
// member does.
func (e *Env) consume(join consumeFunc, m member, work time.Duration) error {
	ctx, err := join(e.Context, e.Engine.JetStream(), m.Stream, m.Name, m.Member, func(msg jetstream.Msg) {
		seq := uint64(0)
		if meta, err := msg.Metadata(); err == nil {
			seq = meta.Sequence.Stream
		}
		select {
		case <-time.After(work):
		case <-e.Context.Done(): // not acknowledged: the next instance gets it
			return
		}
		result := "acked"
		if err := msg.DoubleAck(e.Context); err != nil {
			result = "not acked: " + err.Error()
		}
		fmt.Fprintf(e.Out, "[%s] %q seq %d pin %s %s\n", m.Member, msg.Subject(), seq, msg.Headers().Get("Nats-Pin-Id"), result)
	}, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: 2 * time.Second, MaxAckPending: 1})
	if err != nil {
		return fmt.Errorf("joining %s/%s as %s: %w", m.Stream, m.Name, m.Member, notFound(err))
	}
	select {
	case err = <-ctx.Done():
	case <-e.Context.Done():
		ctx.Stop()
		err = <-ctx.Done()
	}
	if err != nil {
		return fmt.Errorf("member %s of %s/%s ended: %w", m.Member, m.Stream, m.Name, err)
	}
	return nil
}
