package model

import (
	"slices"
	"strings"
	"time"
)

// DefaultDrain is how long a drained handover pauses members at most, unless asked for
// otherwise.
const DefaultDrain = 10 * time.Second

// Drainable tells whether the plan hands partitions over, so that draining makes a
// difference.
func (p *Plan) Drainable() bool {
	return p.WritesConfig() && p.Key.Kind == KindElastic && p.Moved() > 0
}

// WithDrain is the same plan, handed over drained with members paused for no longer than
// this, or with 0 written at once.
func (p *Plan) WithDrain(longest time.Duration) *Plan {
	next := *p
	next.Drain = max(0, longest)
	if !p.Drainable() {
		next.Drain = 0
	}
	next.Command = next.command()
	return &next
}

// Losing lists the members that lose a partition, and all that lose or gain one, sorted.
func (p *Plan) Losing() (losing, touched []string) {
	for _, c := range p.Changes {
		if !c.Moves() {
			continue
		}
		if c.Before != "" {
			losing, touched = append(losing, c.Before), append(touched, c.Before)
		}
		if c.After != "" {
			touched = append(touched, c.After)
		}
	}
	return sortedUnique(losing), sortedUnique(touched)
}

// After is who owns what once the plan is applied.
func (p *Plan) After() Assignment { return Assign(p.Base.Partitions, p.Members, p.Mappings) }

// drained appends to a command what makes it hand over drained.
func (p *Plan) drained(args []string) []string {
	switch p.Drain {
	case 0:
		return args
	case DefaultDrain:
		return append(args, "--drain")
	}
	return append(args, "--drain", "--longest", p.Drain.String())
}

// exactly plans a balanced group of exactly these members.
func (p *Plan) exactly(g *Group) error {
	if len(p.Intent.Members) == 0 {
		return refuse("no member named")
	}
	p.Members, p.Mappings = sortedUnique(p.Intent.Members), nil
	for _, name := range p.Members {
		if err := g.Key.CheckMember(name); err != nil && !contains(g.Config.Assignment().Members, name) {
			return err
		}
	}
	if g.Config.Mapped() {
		p.Warnings = append(p.Warnings, "the group becomes balanced: its members work out by themselves who owns what, and can be added and dropped")
	}
	return nil
}

// undo plans what was stored before an action. That may be any membership that was
// possible then, also none.
func (p *Plan) undo(g *Group) error {
	p.Members, p.Mappings = sortedUnique(p.Intent.Members), slices.Clone(p.Intent.Mappings)
	switch {
	case len(p.Members) > 0:
		p.Mappings = nil
	case len(p.Mappings) > 0:
		p.Members = nil
	default:
		p.Members, p.Mappings = []string{}, nil
		p.Warnings = append(p.Warnings, "the group had no members then: nobody will consume")
	}
	switch after := p.Mappings != nil; {
	case after && !g.Config.Mapped():
		p.Warnings = append(p.Warnings, "the group becomes mapped again")
	case !after && g.Config.Mapped():
		p.Warnings = append(p.Warnings, "the group becomes balanced again")
	}
	return nil
}

// exactCommand is a balanced membership as a command.
func (p *Plan) exactCommand() []string {
	if len(p.Members) == 0 {
		return append([]string{"pcgtop", string(p.Key.Kind), "drop", p.Key.Stream, p.Key.Group}, p.Base.Assignment().Members...)
	}
	return []string{"pcgtop", string(p.Key.Kind), "plan", p.Key.Stream, p.Key.Group,
		"--strategy", string(StrategyBalanced), "--members", strings.Join(p.Members, ","), "--apply"}
}
