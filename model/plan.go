package model

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// Action is something that can be done to a group.
type Action string

const (
	ActionStepDown Action = "step-down" // unpin a member's pinned instance
	ActionAdd      Action = "add"       // add members
	ActionDrop     Action = "drop"      // drop members
	ActionRemap    Action = "remap"     // give each partition to a member by name
	ActionBalance  Action = "balance"   // from mappings back to a balanced membership
	ActionMembers  Action = "members"   // be balanced among exactly these members
	ActionUndo     Action = "undo"      // back to what was stored before an action of ours
	ActionCreate   Action = "create"    // make a group
	ActionDelete   Action = "delete"    // remove a group and what is its own

	ActionEditSource Action = "edit-source" // change the list of partitions that is shared out
	ActionRemoveID   Action = "remove-id"   // remove the id of a member that is no more
)

// OfKind tells whether such a plan is worked out by the kind of the group, for the model
// knows nothing of what it changes.
func (a Action) OfKind() bool { return a == ActionEditSource || a == ActionRemoveID }

// Intent is what somebody wants to do, before it is checked against the group.
type Intent struct {
	Action   Action    `json:"action"`
	Members  []string  `json:"members,omitempty"`  // to add, to drop, or the one to step down
	Mappings []Mapping `json:"mappings,omitempty"` // for a remap: who is to own what
	Strategy Strategy  `json:"strategy,omitempty"` // how the mappings or members were come by, if not by hand
	Undoes   string    `json:"undoes,omitempty"`   // for an undo: what was done
	Weights  []float64 `json:"weights,omitempty"`  // loads to count with; nil: those measured
	Edits    []string  `json:"edits,omitempty"`    // to edit a source: one change each, as its kind writes them
}

// Plan is a change worked out against one revision of a group, to be confirmed and
// then applied as it stands or not at all.
type Plan struct {
	Intent   Intent    `json:"intent"`
	Key      Key       `json:"key"`
	Revision uint64    `json:"revision"`          // compare-and-set: the write fails at any other
	Base     Config    `json:"base"`              // the config at that revision
	Members  []string  `json:"members"`           // the membership to write
	Mappings []Mapping `json:"mappings"`          // or the mappings
	Changes  []Change  `json:"changes"`           // one a partition, in order
	Least    int       `json:"least"`             // how few moves would reach the same counts
	Pins     []PinLoss `json:"pins"`              // the pins at risk
	Standby  []string  `json:"standby,omitempty"` // for a step-down: the instances one of which takes over, where they are known
	Warnings []string  `json:"warnings,omitempty"`
	Command  []string  `json:"command"` // the same, as arguments of pcgtop

	Price    Price         `json:"price"`              // what it costs and gains
	Drain    time.Duration `json:"drain_ns,omitempty"` // hand over drained, pausing no longer than this; 0: write at once
	Creation *Creation     `json:"creation,omitempty"` // for a create: what will be made
	Deletion *Deletion     `json:"deletion,omitempty"` // for a delete: what will go
	Edit     *Edit         `json:"edit,omitempty"`     // for an action of the group's kind: what it changes
}

// Change is one partition before and after. An empty name is nobody.
type Change struct {
	Partition int    `json:"partition"`
	Before    string `json:"before"`
	After     string `json:"after"`
	Had       bool   `json:"had_to"` // it cannot stay: its owner leaves, or it had none
}

// Moves tells whether the partition changes hands.
func (c Change) Moves() bool { return c.Before != c.After }

// PinLoss is a pin that the change takes away.
type PinLoss struct {
	Member  string    `json:"member"`
	PinID   string    `json:"pin_id"`
	Since   time.Time `json:"since"`
	Holder  string    `json:"holder,omitempty"` // the instance that loses it, where instances are known
	Certain bool      `json:"certain"`          // false: only if the member's library restarts at every change, as orbit.go does
}

// Moved counts the partitions that change hands.
func (p *Plan) Moved() int {
	n := 0
	for _, c := range p.Changes {
		if c.Moves() {
			n++
		}
	}
	return n
}

// HadTo is how many of the moves could not be spared. Where the number of partitions that each
// member is to have is given, no other plan reaches it with fewer. By load, and by hand, the
// numbers are chosen as well: there only what cannot stay had to move, for its owner leaves,
// there is none, or a rule forbids it.
func (p *Plan) HadTo() int {
	if p.Intent.Strategy == StrategyLoad || p.Intent.Strategy == "" && p.Intent.Action == ActionRemap {
		return p.Price.Forced
	}
	return max(p.Least, p.Price.Forced)
}

// WritesConfig tells whether applying the plan writes the group's config.
func (p *Plan) WritesConfig() bool {
	switch p.Intent.Action {
	case ActionStepDown, ActionCreate, ActionDelete, ActionEditSource, ActionRemoveID:
		return false
	}
	return true
}

// ErrRefused is wrapped by every reason why an action makes no plan.
var ErrRefused = errors.New("refused")

// ErrUnsure is wrapped by the error of carrying out a plan of which it is not known what
// came: no answer arrived, so that it may have been done, or be done yet.
var ErrUnsure = errors.New("no answer came, so it is not known")

func refuse(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrRefused}, args...)...)
}

// Refusal says why an action cannot be done to the group at all, "" when it can.
func (g *Group) Refusal(a Action) string {
	switch {
	case g.Key.Kind.told() && slices.Contains(g.Actions, a):
		return ""
	case g.refusals[a] != "":
		return g.refusals[a]
	case g.Key.Kind.told(), a.OfKind():
		return "not with " + string(g.Key.Kind) + " groups"
	case g.Unreadable != "" && a != ActionDelete:
		return "the stored config is unreadable: repair it first"
	case a == ActionStepDown, a == ActionDelete:
		return ""
	case g.Key.Kind == KindStatic:
		return "a static group never changes: delete it and create another"
	case a == ActionAdd && g.Config.Mapped():
		return "the group is mapped: remap it, or go back to balanced first"
	case a == ActionDrop && g.Config.Mapped():
		return "the group is mapped: remap it, or go back to balanced first"
	case a == ActionDrop && len(g.Config.Members) == 0:
		return "the group has no members"
	case a == ActionBalance && !g.Config.Mapped():
		return "the group is balanced already"
	}
	return ""
}

// NewPlan works an intent out against the group as it is shown. The error says in one
// line why it cannot be done.
func NewPlan(g *Group, in Intent) (*Plan, error) {
	if why := g.Refusal(in.Action); why != "" {
		return nil, refuse("%s", why)
	}
	p := &Plan{Intent: in, Key: g.Key, Revision: g.Revision, Base: g.Config, Members: slices.Clone(g.Config.Members), Mappings: slices.Clone(g.Config.Mappings)}
	if g.Config.Mapped() {
		p.Members = nil
	} else {
		p.Mappings = nil
	}
	var err error
	switch in.Action {
	case ActionStepDown:
		err = p.stepDown(g)
	case ActionAdd:
		err = p.add(g)
	case ActionDrop:
		err = p.drop(g)
	case ActionRemap:
		err = p.remap(g)
	case ActionBalance:
		err = p.balance(g)
	case ActionMembers:
		err = p.exactly(g)
	case ActionUndo:
		err = p.undo(g)
	default:
		err = refuse("unknown action %q", in.Action)
	}
	if err != nil {
		return nil, err
	}
	if p.WritesConfig() {
		p.compare(g)
	}
	p.Command = p.command()
	return p, nil
}

func (p *Plan) stepDown(g *Group) error {
	if len(p.Intent.Members) != 1 {
		return refuse("step down one member at a time")
	}
	m := g.Member(p.Intent.Members[0])
	switch {
	case m == nil:
		return refuse("no member %q in %s", p.Intent.Members[0], g.Key)
	case m.Elsewhere != "":
		return refuse("%s: %s", m.Name, m.Why)
	case m.Consumer == nil && (g.ReadAt.IsZero() || g.ReadError != ""):
		return refuse("it is not known whether %s has a consumer: %s", m.Name, or(g.ReadError, g.ReadError != "", "not read yet"))
	case m.Consumer == nil:
		return refuse("%s has no consumer: nothing to step down", m.Name)
	case m.Consumer.PinID == "":
		return refuse("%s: nobody is pinned; the next message pins an instance", m.Name)
	}
	p.Pins = []PinLoss{{Member: m.Name, PinID: m.Consumer.PinID, Since: m.Consumer.PinnedAt, Holder: m.holderName(), Certain: true}}
	p.Standby = m.standby()
	if g.InstancesOf(m).Standby == 0 {
		p.Warnings = append(p.Warnings, "no other instance is pulling: the same one will be pinned again")
	}
	return nil
}

func (p *Plan) add(g *Group) error {
	if len(p.Intent.Members) == 0 {
		return refuse("no member named")
	}
	have := map[string]bool{}
	for _, name := range p.Members {
		have[name] = true
	}
	for _, name := range p.Intent.Members {
		if err := g.Key.CheckMember(name); err != nil {
			return err
		}
		if have[name] {
			return refuse("%s is a member already", name)
		}
		have[name] = true
		p.Members = append(p.Members, name)
	}
	p.Members = sortedUnique(p.Members)
	if n := len(p.Members) - g.Config.Partitions; n > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s will own no partition: %s, %s", Count(n, "member"), Count(len(p.Members), "member"), Count(g.Config.Partitions, "partition")))
	}
	return nil
}

func (p *Plan) drop(*Group) error {
	if len(p.Intent.Members) == 0 {
		return refuse("no member named")
	}
	members := sortedUnique(p.Members)
	for _, name := range p.Intent.Members {
		if !contains(members, name) {
			return refuse("no member %q", name)
		}
	}
	p.Members = without(members, p.Intent.Members)
	if len(p.Members) == 0 {
		p.Warnings = append(p.Warnings, "no member is left: nobody will consume")
	}
	return nil
}

func (p *Plan) remap(g *Group) error {
	if err := g.Key.checkMappings(g.Config.Partitions, p.Intent.Mappings); err != nil {
		return err
	}
	p.Members, p.Mappings = nil, sortedMappings(p.Intent.Mappings)
	if !g.Config.Mapped() {
		p.Warnings = append(p.Warnings, "the group becomes mapped: members can then only be changed by remapping")
	}
	return nil
}

func (p *Plan) balance(g *Group) error {
	p.Mappings = nil
	p.Members = g.Config.Assignment().Members
	for _, name := range p.Members {
		if err := g.Key.CheckMember(name); err != nil {
			return err
		}
	}
	return nil
}

// without is the names that are not among those to leave out.
func without(names, out []string) []string {
	leave := sortedUnique(out)
	return slices.DeleteFunc(names, func(n string) bool { return contains(leave, n) })
}

// Idle tells whether applying the plan would leave everything as it is.
func (p *Plan) Idle() bool {
	return p.WritesConfig() && p.Moved() == 0 && p.Base.Mapped() == (p.Mappings != nil) &&
		slices.Equal(p.Base.Assignment().Members, Assign(p.Base.Partitions, p.Members, p.Mappings).Members)
}
