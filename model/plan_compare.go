package model

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// compare fills in who owns what before and after, and what that costs.
func (p *Plan) compare(g *Group) {
	before, after := g.Config.Assignment(), Assign(g.Config.Partitions, p.Members, p.Mappings)
	gains, losses := map[string]int{}, map[string]int{}
	changed := map[string]bool{}
	for n := range after.Owner {
		was, had := before.OwnerName(n)
		is, has := after.OwnerName(n)
		_, stays := slices.BinarySearch(after.Members, was)
		p.Changes = append(p.Changes, Change{Partition: n, Before: was, After: is, Had: !had || !stays})
		if has {
			gains[is]++
		}
		if had {
			losses[was]++
		}
		if was != is || had != has {
			changed[was], changed[is] = true, true
		}
	}
	for name, n := range gains {
		p.Least += max(0, n-losses[name])
	}
	for _, m := range g.Members {
		if m.Configured && m.Consumer != nil && m.Consumer.PinID != "" && m.Elsewhere == "" {
			p.Pins = append(p.Pins, PinLoss{Member: m.Name, PinID: m.Consumer.PinID, Since: m.Consumer.PinnedAt, Holder: m.holderName(), Certain: changed[m.Name]})
		}
	}
	weights := p.Intent.Weights
	if weights == nil {
		weights = Weights(g)
	}
	p.Price = PriceOf(before, after, weights)
	if p.Moved() == 0 {
		p.Warnings = append(p.Warnings, "no partition changes hands")
	}
	p.warnOfIdleOwners(g)
}

// warnOfIdleOwners says which partitions go to members that nobody runs, as far as can
// be seen: they would wait.
func (p *Plan) warnOfIdleOwners(g *Group) {
	gained := map[string]int{}
	for _, c := range p.Changes {
		if c.Moves() {
			gained[c.After]++
		}
	}
	for _, m := range g.Members {
		name := m.Name
		n := gained[name]
		if m.Configured || m.Consumer != nil {
			delete(gained, name)
		}
		if n > 0 && m.Configured && (m.State == StateAbsent || m.State == StateNoPull || m.State == StateCannotRun || m.State == StatePaused) {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s is %s: the %s it gains would wait", name, described(m.State), Count(n, "partition")))
		}
	}
	delete(gained, "") // nobody
	p.warnOfNewOwners(gained)
}

// warnOfNewOwners says who is new. An instance that was started early waits unseen: only a
// member of the group has a consumer.
func (p *Plan) warnOfNewOwners(gained map[string]int) {
	const most = 3
	names, n := slices.Sorted(maps.Keys(gained)), 0
	for _, name := range names {
		n += gained[name]
	}
	who := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		who += fmt.Sprintf(" and %d more", len(names)-most)
	}
	switch len(names) {
	case 0:
	case 1:
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s is new: what it gains (%s) waits until an instance of it runs", who, Count(n, "partition")))
	default:
		p.Warnings = append(p.Warnings, fmt.Sprintf("%s are new: what they gain (%s) waits until instances of them run", who, Count(n, "partition")))
	}
}

func described(s State) string {
	switch s {
	case StateNoPull:
		return "not pulling"
	case StateCannotRun:
		return "unable to run"
	}
	return string(s)
}

// command is the plan as arguments of pcgtop.
func (p *Plan) command() []string {
	verb := string(p.Intent.Action)
	switch {
	case p.Intent.Action == ActionRemap, p.Intent.Action == ActionUndo && p.Mappings != nil:
		verb = "create-mapping"
	case p.Intent.Action == ActionMembers, p.Intent.Action == ActionUndo:
		return p.drained(p.exactCommand())
	}
	args := []string{"pcgtop", string(p.Key.Kind), verb, p.Key.Stream, p.Key.Group}
	if verb == "create-mapping" {
		return p.drained(append(args, mappingArgs(p.Mappings)...))
	}
	return p.drained(append(args, p.Intent.Members...))
}

// String writes a mapping as the command line takes it: m1:0,1,2.
func (m Mapping) String() string {
	numbers := make([]string, len(m.Partitions))
	for i, n := range m.Partitions {
		numbers[i] = strconv.Itoa(n)
	}
	return m.Member + ":" + strings.Join(numbers, ",")
}

func mappingArgs(list []Mapping) []string {
	args := make([]string, 0, len(list))
	for _, m := range list {
		args = append(args, m.String())
	}
	return args
}

// DescribeChange says in one line what differs between two configs.
func DescribeChange(before, after *Config) string {
	if parts := differences(before, after); len(parts) > 0 {
		return strings.Join(parts, ", ")
	}
	return "nothing that matters changed"
}

// differences names what members and their partitions depend on.
func differences(before, after *Config) (parts []string) {
	b, a := before.Assignment(), after.Assignment()
	for _, name := range a.Members {
		if _, ok := slices.BinarySearch(b.Members, name); !ok {
			parts = append(parts, "+"+name)
		}
	}
	for _, name := range b.Members {
		if _, ok := slices.BinarySearch(a.Members, name); !ok {
			parts = append(parts, "-"+name)
		}
	}
	switch {
	case before.Mapped() && !after.Mapped():
		parts = append(parts, "balanced")
	case !before.Mapped() && after.Mapped():
		parts = append(parts, "mapped")
	}
	if before.Partitions != after.Partitions {
		parts = append(parts, fmt.Sprintf("partitions %d ▸ %d", before.Partitions, after.Partitions))
	}
	if !slices.EqualFunc(before.Filters, after.Filters, func(x, y Filter) bool {
		return x.Subject == y.Subject && slices.Equal(x.Wildcards, y.Wildcards)
	}) {
		parts = append(parts, "filters changed")
	}
	if before.MaxBufferedMsgs != after.MaxBufferedMsgs || before.MaxBufferedBytes != after.MaxBufferedBytes {
		parts = append(parts, "limits changed")
	}
	if moves := DescribeMoves(b, a); moves != "" {
		parts = append(parts, moves)
	}
	return parts
}

// DescribeMoves lists which partitions go from whom to whom: 5-7 m2▸m1. Nobody is ·.
func DescribeMoves(before, after Assignment) string {
	type hands struct{ from, to string }
	var order []hands
	moved := map[hands][]int{}
	for p := range max(len(before.Owner), len(after.Owner)) {
		from, had := before.OwnerName(p)
		to, has := after.OwnerName(p)
		if from == to && had == has {
			continue
		}
		h := hands{or(from, had, "·"), or(to, has, "·")}
		if moved[h] == nil {
			order = append(order, h)
		}
		moved[h] = append(moved[h], p)
	}
	var parts []string
	for _, h := range order {
		parts = append(parts, Ranges(moved[h])+" "+h.from+"▸"+h.to)
	}
	return strings.Join(parts, ", ")
}

func or(text string, ok bool, other string) string {
	if !ok {
		return other
	}
	return text
}
