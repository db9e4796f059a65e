package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

type listFunc func(ctx context.Context, js jetstream.JetStream, stream string) ([]string, error)

// ls prints the groups of one stream.
func (e *Env) ls(list listFunc, stream string) error {
	if stream == "" || strings.ContainsAny(stream, "*> .") {
		return Usage("%q is not the name of a stream; pcgtop report lists the groups of all", stream)
	}
	if err := model.CheckStreamLen(stream); err != nil {
		return Usage("%w", err)
	}
	var names []string
	err := e.Engine.Guard(e.Context, func(ctx context.Context) (err error) {
		names, err = list(ctx, e.Engine.JetStream(), stream)
		if errors.Is(err, pcgroups.ErrGroupNotFound) { // no bucket: no groups
			err = nil
		}
		if err != nil || len(names) > 0 {
			return err
		}
		if _, err := e.Engine.JetStream().Stream(ctx, stream); errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s: %w", stream, ErrNotFound)
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.Sort(names)
	return e.print(append([]string{}, names...), func(w io.Writer) error {
		for _, n := range names {
			if _, err := fmt.Fprintln(w, n); err != nil {
				return err
			}
		}
		return nil
	})
}

// info shows a group in full, with what waits in each partition. It fails, once it has,
// where that is not all.
func (e *Env) info(k model.Key) error {
	g, err := e.group(k)
	if err != nil {
		return err
	}
	s, err := e.Engine.Look(e.Context, k, 0)
	if err != nil {
		return err
	}
	if now := s.Group(k); now != nil {
		g = now
	}
	if err := e.print(g.Printed(), func(w io.Writer) error { return e.Show(w, g) }); err != nil {
		return err
	}
	return Whole([]*model.Group{g})
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
	if err := e.print(m, func(w io.Writer) error { return e.Show(w, g, name) }); err != nil {
		return err
	}
	return Whole([]*model.Group{g})
}

// delete lists what will go, asks unless forced, and deletes that and nothing else. Where
// nothing is there that a group of the name has, or has left behind, it is not found.
func (e *Env) delete(k model.Key, force bool) error {
	if err := e.mayWrite(); err != nil {
		return err
	}
	js := e.Engine.JetStream()
	var plan, done *pcgroups.DeleteReport
	err := e.Engine.Guard(e.Context, func(ctx context.Context) (err error) {
		plan, err = pcgroups.PlanDelete(ctx, js, k.Kind, k.Stream, k.Group)
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting %s: %w", k, err)
	}
	if !plan.Found() {
		list(e.asking(), "is left alone", plan.LeftAlone)
		return fmt.Errorf("%s group %s: %w; %s", k.Kind, k, ErrNotFound, lists)
	}
	if !force && len(plan.Removed) > 0 {
		list(e.asking(), "will be deleted", plan.Removed)
		list(e.asking(), "is left alone", plan.LeftAlone)
		if err := e.confirm(k.Group, fmt.Sprintf("Delete %s group %s?", k.Kind, k)); err != nil {
			return err
		}
	}
	err = e.recorded(model.ActionDelete, k, nil, func(ctx context.Context) (err error) {
		done, err = pcgroups.DeleteGroup(ctx, js, k.Kind, k.Stream, k.Group, plan.Revision)
		return err
	})
	if err != nil {
		stays := ""
		if done != nil {
			list(e.asking(), "deleted", done.Removed)
			stays = unfinished(k, plan, done)
		}
		return fmt.Errorf("deleting %s: %w%s", k, err, stays)
	}
	return e.print(deletion{k, texts(done.Removed), texts(done.LeftAlone), texts(done.AlreadyGone)}, func(w io.Writer) error {
		list(w, "deleted", done.Removed)
		list(w, "left alone", done.LeftAlone)
		list(w, "was gone already", done.AlreadyGone)
		return nil
	})
}

// unfinished says what a deletion has left behind, and what finishes it.
func unfinished(k model.Key, plan, done *pcgroups.DeleteReport) string {
	var left, names []string
	for _, r := range plan.Removed {
		if !slices.Contains(done.Removed, r) && !slices.Contains(done.AlreadyGone, r) {
			left, names = append(left, r.String()), append(names, r.Name)
		}
	}
	switch {
	case len(left) == 0:
		return ""
	case k.Kind == model.KindStatic: // whose members nobody knows any more
		return fmt.Sprintf("; left behind: %s: remove it by nats consumer rm %s %s", strings.Join(left, ", "), k.Stream, names[0])
	}
	return fmt.Sprintf("; left behind: %s: once it may be deleted, delete the group once more to finish", strings.Join(left, ", "))
}

// deletion is what delete prints as JSON.
type deletion struct {
	Key         model.Key `json:"key"`
	Deleted     []string  `json:"deleted"`
	LeftAlone   []string  `json:"left_alone"`
	AlreadyGone []string  `json:"already_gone"`
}

func texts(resources []pcgroups.Resource) []string {
	list := []string{}
	for _, r := range resources {
		list = append(list, r.String())
	}
	return list
}

func list(w io.Writer, what string, resources []pcgroups.Resource) {
	for _, r := range resources {
		fmt.Fprintln(w, what+": "+r.String())
	}
}

// Named is a verb whose connection has a name of its own, which others see it by.
type Named interface{ ConnectionName() string }

// client names the process of a member.
type client struct {
	ClientName string `placeholder:"NAME" help:"Name of the connection, as it is listed among a member's instances (pcgtop-MEMBER-PID)."`
}

func (c client) name(m member) string {
	if c.ClientName != "" {
		return c.ClientName
	}
	return fmt.Sprintf("pcgtop-%s-%d", m.Member, os.Getpid())
}

type joinFunc func(ctx context.Context, handler func(jetstream.Msg), config jetstream.ConsumerConfig) (pcgroups.ConsumerGroupConsumeContext, error)

// received is what consume prints of a message.
type received struct {
	Member  string `json:"member"`
	Subject string `json:"subject"`
	Seq     uint64 `json:"stream_seq"`
	PinID   string `json:"pin_id"`
	Error   string `json:"error,omitempty"` // why it was not acknowledged
}

// consumeAckWait is the ack wait of what consume is given, and so how long a message in hand
// is finished for at the end.
const consumeAckWait = 2 * time.Second

// consume joins as a member and prints what it is given until the context ends or the
// member does. The message in hand is then finished first, for at most the ack wait.
func (e *Env) consume(m member, work time.Duration, join joinFunc) error {
	if err := e.mayWrite(); err != nil { // it makes a consumer and acknowledges messages
		return err
	}
	printed := make(chan error, 1)
	ended := make(chan struct{})
	defer close(ended)
	handler := func(msg jetstream.Msg) {
		select {
		case <-time.After(work):
		case <-ended: // it takes too long, and is not acknowledged: the next instance gets it
			return
		}
		acking, cancel := context.WithTimeout(context.WithoutCancel(e.Context), consumeAckWait)
		defer cancel()
		if err := e.received(m, msg, msg.DoubleAck(acking)); err != nil {
			select {
			case printed <- err:
			default:
			}
		}
	}
	var ctx pcgroups.ConsumerGroupConsumeContext
	err := e.Engine.Guard(e.Context, func(joining context.Context) (err error) {
		ctx, err = join(joining, handler, jetstream.ConsumerConfig{AckPolicy: jetstream.AckExplicitPolicy, AckWait: consumeAckWait, MaxAckPending: 1})
		return err
	})
	if err != nil {
		return fmt.Errorf("joining %s/%s as %s: %w", m.Stream, m.Name, m.Member, notFound(err))
	}
	select {
	case err = <-ctx.Done():
		if err != nil {
			return fmt.Errorf("member %s of %s/%s ended: %w", m.Member, m.Stream, m.Name, err)
		}
		return nil
	case err = <-printed: // nobody reads what is printed any more
	case <-e.Context.Done():
	}
	ctx.Stop()
	return errors.Join(err, <-ctx.Done())
}

func (e *Env) received(m member, msg jetstream.Msg, failed error) error {
	r := received{Member: m.Member, Subject: msg.Subject(), PinID: msg.Headers().Get("Nats-Pin-Id")}
	if meta, err := msg.Metadata(); err == nil {
		r.Seq = meta.Sequence.Stream
	}
	result := "acked"
	if failed != nil {
		r.Error = failed.Error()
		result = "not acked: " + r.Error
	}
	return e.print(r, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "[%s] %q seq %d pin %s %s\n", r.Member, r.Subject, r.Seq, r.PinID, result)
		return err
	})
}
