package model

import (
	"fmt"
	"slices"
)

// Strategy is a way to deal a group's partitions to its members.
type Strategy string

const (
	StrategyBalanced Strategy = "balanced"     // as every member works it out from the names alone
	StrategyFewest   Strategy = "fewest-moves" // even counts, and as few moves as any plan with them
	StrategyLoad     Strategy = "load"         // even loads within a tolerance, with few moves
	StrategyIsolate  Strategy = "isolate"      // one partition gets a member to itself, the others even counts
)

// Strategies lists all of them, in the order in which they are offered.
func Strategies() []Strategy {
	return []Strategy{StrategyBalanced, StrategyFewest, StrategyLoad, StrategyIsolate}
}

// DefaultTolerance is how much heavier than a longest-first plan the heaviest member of
// [StrategyLoad] may be, as a share, unless asked for otherwise.
const DefaultTolerance = 0.10

// Heaviest asks [StrategyIsolate] for whichever partition weighs most.
const Heaviest = -1

// Ask is what a deal is to be made from.
type Ask struct {
	Strategy  Strategy
	Before    Assignment // who owns what now
	Members   []string   // who is to own; nil: the members of Before
	Weights   []float64  // load of each partition, in any unit; nil or all 0: all alike
	Rules     Constraints
	Tolerance float64 // of [StrategyLoad]; 0: [DefaultTolerance]
	Isolate   int     // the partition of [StrategyIsolate], or [Heaviest]
}

// Deal is who is to own each partition.
type Deal struct {
	Strategy Strategy `json:"strategy"`
	Members  []string `json:"members"`         // sorted
	Owner    []int    `json:"owner"`           // of each partition, into Members
	Balanced bool     `json:"balanced"`        // it is what the members work out by themselves: no mapping is needed
	Notes    []string `json:"notes,omitempty"` // what somebody should know before it is applied
	Alone    []Alone  `json:"alone,omitempty"` // who got a member to itself
	Price    Price    `json:"price"`
}

// Propose makes a deal. The error says in a line why there is none and wraps
// [ErrRefused]. It is pure: the same question gets the same answer.
func Propose(a Ask) (*Deal, error) {
	t, err := newTable(a)
	if err != nil {
		return nil, err
	}
	d := &Deal{Strategy: a.Strategy, Members: t.members, Alone: t.rules.Alone}
	switch a.Strategy {
	case StrategyBalanced:
		d.Owner, err = t.balanced()
	case StrategyFewest:
		d.Owner, err = t.fewest()
	case StrategyLoad:
		d.Owner, err = t.byLoad(tolerance(a.Tolerance))
	case StrategyIsolate:
		d.Owner, d.Alone, err = isolate(a, t)
	default:
		return nil, refuse("no strategy %q: there are balanced, fewest-moves, load and isolate", a.Strategy)
	}
	if err != nil {
		return nil, err
	}
	d.Balanced = slices.Equal(d.Owner, Assign(t.n, t.members, nil).Owner)
	d.Price = PriceOf(a.Before, d.Assignment(), a.Weights)
	d.Price.Forced = t.forced()
	for i, idle := range d.idle() {
		if idle && !d.Balanced {
			d.Notes = append(d.Notes, fmt.Sprintf("%s owns no partition then, so it is not named in the mapping", t.members[i]))
		}
	}
	return d, nil
}

func tolerance(t float64) float64 {
	if t > 0 {
		return t
	}
	return DefaultTolerance
}

// Assignment is the deal in the form of a config's.
func (d *Deal) Assignment() Assignment { return Assignment{Members: d.Members, Owner: d.Owner} }

// Mappings lists what each member gets, without those that get nothing.
func (d *Deal) Mappings() []Mapping {
	var list []Mapping
	for i, share := range d.Assignment().Shares() {
		if len(share) > 0 {
			list = append(list, Mapping{Member: d.Members[i], Partitions: share})
		}
	}
	return list
}

// Intent is the deal as something to do: a membership where that is enough, for it
// stays easy to change, and a mapping where it is not.
func (d *Deal) Intent() Intent {
	if d.Balanced {
		return Intent{Action: ActionMembers, Members: d.Members, Strategy: d.Strategy}
	}
	return Intent{Action: ActionRemap, Mappings: d.Mappings(), Strategy: d.Strategy}
}

func (d *Deal) idle() []bool {
	idle := slices.Repeat([]bool{true}, len(d.Members))
	for _, o := range d.Owner {
		idle[o] = false
	}
	return idle
}
