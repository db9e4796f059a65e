package command

import (
	"context"
	"fmt"
	"time"

	"pcgtop/engine/pcgroups"
	"pcgtop/model"

	"github.com/nats-io/nats.go/jetstream"
)

// Static is `pcgtop static`.
type Static struct {
	Sleep  time.Duration `default:"20ms" only:"consume" help:"Time spent on a message."`
	Output string        `short:"o" enum:"text,json" default:"text" help:"text or json."`

	Ls     StaticList `cmd:"" aliases:"list" help:"List the static groups of a stream."`
	Info   StaticInfo `cmd:"" help:"Show a group in full."`
	Create struct {
		Balanced StaticBalanced `cmd:"" help:"Create a group whose partitions are dealt evenly."`
		Mapped   StaticMapped   `cmd:"" help:"Create a group whose members own the partitions listed."`
	} `cmd:"" help:"Create a static group; it never changes afterwards."`
	Delete     StaticDelete     `cmd:"" aliases:"rm" help:"Delete a group and its own consumers."`
	MemberInfo StaticMemberInfo `cmd:"" aliases:"memberinfo,minfo" help:"Show one member."`
	StepDown   StaticStepDown   `cmd:"" aliases:"stepdown,sd" help:"Make a member's pinned instance step down."`
	Consume    StaticConsume    `cmd:"" aliases:"join" help:"Join as a member and print its messages, until interrupted."`
}

// target names a group.
type target struct {
	Stream string `arg:"" help:"Stream name."`
	Name   string `arg:"" help:"Group name."`
}

func (t target) key(kind model.Kind) model.Key {
	return model.Key{Kind: kind, Stream: t.Stream, Group: t.Name}
}

// StaticList is `static ls`.
type StaticList struct {
	Stream string `arg:"" help:"Stream name."`
}

// Run lists the groups, a line each.
func (c StaticList) Run(e *Env) error {
	return e.ls(pcgroups.ListStaticConsumerGroups, c.Stream)
}

// StaticInfo is `static info`.
type StaticInfo struct{ target }

// Run shows the group.
func (c StaticInfo) Run(e *Env) error { return e.info(c.key(model.KindStatic)) }

// StaticBalanced is `static create balanced`.
type StaticBalanced struct {
	target
	MaxMembers uint     `arg:"" help:"Number of partitions, which is the most members that can own one."`
	Members    []string `arg:"" help:"Member names."`
	Filter     []string `help:"Subject filter; repeat for several." sep:"none"`
}

// Run creates the group.
func (c StaticBalanced) Run(e *Env) error {
	return e.createStatic(c.target, c.MaxMembers, c.Filter, c.Members, nil)
}

// StaticMapped is `static create mapped`.
type StaticMapped struct {
	target
	MaxMembers uint     `arg:"" help:"Number of partitions."`
	Mappings   []string `arg:"" help:"MEMBER:PARTITIONS, such as m1:0-4,15."`
	Filter     []string `help:"Subject filter; repeat for several." sep:"none"`
}

// Run creates the group.
func (c StaticMapped) Run(e *Env) error {
	mappings, err := parseMappings(c.Mappings)
	if err != nil {
		return usageError{err}
	}
	return e.createStatic(c.target, c.MaxMembers, c.Filter, nil, wireMappings(mappings))
}

func (e *Env) createStatic(t target, n uint, filters, members []string, mappings []pcgroups.MemberMapping) error {
	if err := e.mayWrite(); err != nil {
		return err
	}
	k := t.key(model.KindStatic)
	if err := creatable(k, n); err != nil {
		return err
	}
	var subjects []model.Filter
	for _, f := range filters {
		subjects = append(subjects, model.Filter{Subject: f})
	}
	if err := e.withinStream(k, subjects); err != nil {
		return err
	}
	err := e.create(k, members, n, func(ctx context.Context, js jetstream.JetStream) error {
		_, err := pcgroups.CreateStatic(ctx, js, t.Stream, t.Name, n, filters, members, mappings)
		return err
	})
	if err == nil {
		e.warnOfStamp(k)
	}
	return err
}

// warnOfStamp notes that the stream's transform does not fit a group just made. It is
// only a note: the group is there.
func (e *Env) warnOfStamp(k model.Key) {
	s, err := e.Engine.Look(e.Context, k, 0)
	if err != nil || s.Group(k) == nil {
		return
	}
	for _, f := range s.Group(k).Findings {
		if f.ID == "stamp-differs" {
			fmt.Fprintf(e.Err, "note: %s; %s\n", f.Text, f.Hint)
		}
	}
}

func wireMappings(list []model.Mapping) []pcgroups.MemberMapping {
	var out []pcgroups.MemberMapping
	for _, m := range list {
		out = append(out, pcgroups.MemberMapping{Member: m.Member, Partitions: m.Partitions})
	}
	return out
}

// StaticDelete is `static delete`.
type StaticDelete struct {
	target
	Force bool `short:"f" help:"Do not ask."`
}

// Run deletes the group.
func (c StaticDelete) Run(e *Env) error {
	return e.delete(c.key(model.KindStatic), c.Force)
}

// member names a member of a group.
type member struct {
	target
	Member string `arg:"" help:"Member name."`
}

// StaticMemberInfo is `static member-info`.
type StaticMemberInfo struct{ member }

// Run shows the member.
func (c StaticMemberInfo) Run(e *Env) error {
	return e.memberInfo(c.key(model.KindStatic), c.Member)
}

// StaticStepDown is `static step-down`.
type StaticStepDown struct{ member }

// Run unpins the member's pinned instance.
func (c StaticStepDown) Run(e *Env) error {
	return e.apply(c.key(model.KindStatic), always(model.ActionStepDown, []string{c.Member}, nil), draining{})
}

// StaticConsume is `static consume`.
type StaticConsume struct {
	member
	client
}

// ConnectionName is the member's process.
func (c StaticConsume) ConnectionName() string { return c.name(c.member) }

// Run joins the group.
func (c StaticConsume) Run(e *Env, s *Static) error {
	return e.consume(c.member, s.Sleep, func(ctx context.Context, h func(jetstream.Msg), config jetstream.ConsumerConfig) (pcgroups.ConsumerGroupConsumeContext, error) {
		return pcgroups.StaticConsume(ctx, e.Engine.JetStream(), c.Stream, c.Name, c.Member, h, config)
	})
}
