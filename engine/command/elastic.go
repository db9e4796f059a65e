package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

// Elastic is `pcgtop elastic`.
type Elastic struct {
	Sleep  time.Duration `default:"20ms" only:"consume" help:"Time spent on a message."`
	Output string        `short:"o" enum:"text,json" default:"text" help:"text or json."`

	Ls            ElasticList          `cmd:"" aliases:"list" help:"List the elastic groups of a stream."`
	Info          ElasticInfo          `cmd:"" help:"Show a group in full."`
	Create        ElasticCreate        `cmd:"" help:"Create a group and its work stream; it has no members yet."`
	Delete        ElasticDelete        `cmd:"" aliases:"rm" help:"Delete a group and its own work stream, with what waits in it."`
	Add           ElasticAdd           `cmd:"" help:"Add members."`
	Drop          ElasticDrop          `cmd:"" help:"Drop members."`
	CreateMapping ElasticCreateMapping `cmd:"" aliases:"cm,createmapping" help:"Give each partition to a member by name."`
	DeleteMapping ElasticDeleteMapping `cmd:"" aliases:"dm,deletemapping" help:"Remove the mappings; the group is then without members."`
	Plan          ElasticPlan          `cmd:"" help:"Work out who should own which partition, show it, and with --apply carry it out."`
	Balance       ElasticBalance       `cmd:"" help:"Back from mappings to the same members, balanced, in one step."`
	MemberInfo    ElasticMemberInfo    `cmd:"" aliases:"memberinfo,minfo" help:"Show one member."`
	StepDown      ElasticStepDown      `cmd:"" aliases:"stepdown,sd" help:"Make a member's pinned instance step down."`
	Consume       ElasticConsume       `cmd:"" aliases:"join" help:"Join as a member and print its messages, until interrupted."`
}

// ElasticList is `elastic ls`.
type ElasticList struct {
	Stream string `arg:"" help:"Stream name."`
}

// Run lists the groups, a line each.
func (c ElasticList) Run(e *Env) error {
	return e.ls(pcgroups.ListElasticConsumerGroups, c.Stream)
}

// ElasticInfo is `elastic info`.
type ElasticInfo struct{ target }

// Run shows the group.
func (c ElasticInfo) Run(e *Env) error { return e.info(c.key(model.KindElastic)) }

// ElasticCreate is `elastic create`.
type ElasticCreate struct {
	target
	MaxMembers       uint     `arg:"" help:"Number of partitions, which is the most members that can own one."`
	Filter           []string `sep:"none" help:"Subject filter; repeat for several. Without one, all subjects."`
	Wildcards        []string `sep:"none" placeholder:"1,2" help:"Which wildcards of the filter choose the partition; once for each filter, in order. Without it the whole subject chooses."`
	MaxBufferedMsgs  int64    `default:"0" help:"Most messages in the work stream; 0 is no limit."`
	MaxBufferedBytes int64    `default:"0" help:"Most bytes in the work stream; 0 is no limit."`
}

// Run creates the group.
func (c ElasticCreate) Run(e *Env) error {
	if err := e.mayWrite(); err != nil {
		return err
	}
	filters, err := parseFilters(c.Filter, c.Wildcards)
	if err != nil {
		return err
	}
	k := c.key(model.KindElastic)
	if err := creatable(k, c.MaxMembers); err != nil {
		return err
	}
	if err := e.withinStream(k, filters); err != nil {
		return err
	}
	var wire []pcgroups.PartitioningFilter
	for _, f := range filters {
		wire = append(wire, pcgroups.PartitioningFilter{Filter: f.Subject, PartitioningWildcards: f.Wildcards})
	}
	return e.create(k, nil, c.MaxMembers, func(ctx context.Context, js jetstream.JetStream) error {
		_, err := pcgroups.CreateElastic(ctx, js, c.Stream, c.Name, c.MaxMembers, wire, c.MaxBufferedMsgs, c.MaxBufferedBytes)
		return err
	})
}

// ElasticDelete is `elastic delete`.
type ElasticDelete struct {
	target
	Force bool `short:"f" help:"Do not ask."`
}

// Run deletes the group.
func (c ElasticDelete) Run(e *Env) error {
	return e.delete(c.key(model.KindElastic), c.Force)
}

// names lists members of a group.
type names struct {
	target
	Members []string `arg:"" help:"Member names."`
}

// ElasticAdd is `elastic add`.
type ElasticAdd struct {
	names
	draining
}

// Run adds the members that are not there yet.
func (c ElasticAdd) Run(e *Env) error {
	return e.apply(c.key(model.KindElastic), c.missing, c.draining)
}

// missing adds those who are not members yet, once each; if all are, it changes nothing.
func (c ElasticAdd) missing(g *model.Group) model.Intent {
	in := model.Intent{Action: model.ActionAdd}
	for _, name := range c.Members {
		if m := g.Member(name); (m == nil || !m.Configured) && !slices.Contains(in.Members, name) {
			in.Members = append(in.Members, name)
		}
	}
	if len(in.Members) == 0 {
		in.Members = c.Members // the plan says what is wrong with that
	}
	return in
}

// ElasticDrop is `elastic drop`.
type ElasticDrop struct {
	names
	draining
}

// Run drops the members.
func (c ElasticDrop) Run(e *Env) error {
	return e.apply(c.key(model.KindElastic), always(model.ActionDrop, c.Members, nil), c.draining)
}

// ElasticCreateMapping is `elastic create-mapping`.
type ElasticCreateMapping struct {
	target
	Mappings []string `arg:"" help:"MEMBER:PARTITIONS, such as m1:0-4,15."`
	draining
}

// Run writes the mappings in place of what decided before.
func (c ElasticCreateMapping) Run(e *Env) error {
	mappings, err := parseMappings(c.Mappings)
	if err != nil {
		return usageError{err}
	}
	return e.apply(c.key(model.KindElastic), always(model.ActionRemap, nil, mappings), c.draining)
}

// ElasticDeleteMapping is `elastic delete-mapping`.
type ElasticDeleteMapping struct{ target }

// Run removes the mappings, as the `cg` tool does.
func (c ElasticDeleteMapping) Run(e *Env) error {
	if err := e.mayWrite(); err != nil {
		return err
	}
	g, err := e.group(c.key(model.KindElastic))
	if err != nil {
		return err
	}
	if g.Unreadable == "" && !g.Config.Mapped() {
		return e.say(g.Key, "%s has no mappings: nothing to remove", g.Key)
	}
	err = e.recorded("delete-mapping", c.key(model.KindElastic), nil, func(ctx context.Context) error {
		return pcgroups.DeleteMemberMappings(ctx, e.Engine.JetStream(), c.Stream, c.Name)
	})
	if err != nil {
		return fmt.Errorf("removing the mappings of %s: %w", c.key(model.KindElastic), notFound(err))
	}
	return e.say(c.key(model.KindElastic), "mappings removed; add members, or nobody consumes")
}

// ElasticBalance is `elastic balance`.
type ElasticBalance struct {
	target
	draining
}

// Run writes the mapped members as a balanced membership.
func (c ElasticBalance) Run(e *Env) error {
	return e.apply(c.key(model.KindElastic), always(model.ActionBalance, nil, nil), c.draining)
}

// ElasticMemberInfo is `elastic member-info`.
type ElasticMemberInfo struct{ member }

// Run shows the member.
func (c ElasticMemberInfo) Run(e *Env) error {
	return e.memberInfo(c.key(model.KindElastic), c.Member)
}

// ElasticStepDown is `elastic step-down`.
type ElasticStepDown struct{ member }

// Run unpins the member's pinned instance.
func (c ElasticStepDown) Run(e *Env) error {
	return e.apply(c.key(model.KindElastic), always(model.ActionStepDown, []string{c.Member}, nil), draining{})
}

// ElasticConsume is `elastic consume`.
type ElasticConsume struct {
	member
	client
	Join bool `help:"Add the member to the membership first, and drop it at a clean end."`
}

// ConnectionName is the member's process.
func (c ElasticConsume) ConnectionName() string { return c.name(c.member) }

// Run joins the group.
func (c ElasticConsume) Run(e *Env, s *Elastic) (err error) {
	if c.Join {
		if err := e.mayWrite(); err != nil {
			return err
		}
		js := e.Engine.JetStream()
		err := e.recorded(model.ActionAdd, c.key(model.KindElastic), []string{c.Member}, func(ctx context.Context) error {
			_, err := pcgroups.AddMembers(ctx, js, c.Stream, c.Name, []string{c.Member})
			return err
		})
		if err != nil {
			return fmt.Errorf("adding %s to %s: %w", c.Member, c.key(model.KindElastic), notFound(err))
		}
		defer func() {
			if err != nil {
				return // somebody may want to look, or start it again
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(e.Context), leaveTimeout)
			defer cancel()
			if _, err = pcgroups.DeleteMembers(ctx, js, c.Stream, c.Name, []string{c.Member}); err != nil {
				err = fmt.Errorf("dropping %s from %s: %w", c.Member, c.key(model.KindElastic), err)
			}
		}()
	}
	config, err := pcgroups.GetElasticConsumerGroupConfig(e.Context, e.Engine.JetStream(), c.Stream, c.Name)
	if err == nil && !config.IsInMembership(c.Member) {
		fmt.Fprintf(e.Err, "%s is not a member of %s/%s: waiting until it is added\n", c.Member, c.Stream, c.Name)
	}
	return e.consume(c.member, s.Sleep, func(ctx context.Context, h func(jetstream.Msg), config jetstream.ConsumerConfig) (pcgroups.ConsumerGroupConsumeContext, error) {
		return pcgroups.ElasticConsume(ctx, e.Engine.JetStream(), c.Stream, c.Name, c.Member, h, config)
	})
}

// leaveTimeout bounds the dropping of a member that leaves.
const leaveTimeout = 5 * time.Second

// notFound marks an error of the library that means that there is no such group or
// stream.
func notFound(err error) error {
	if errors.Is(err, pcgroups.ErrGroupNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		return fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	return err
}
