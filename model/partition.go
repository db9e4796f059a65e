package model

import "fmt"

// Partition is one slice of a group's subjects. A large account has very many of them.
type Partition struct {
	Number  int             `json:"partition"`
	Member  int             `json:"member"`                  // index into Group.Members, -1 when nobody owns it
	Owner   string          `json:"owner,omitempty"`         // that member's name
	Unknown bool            `json:"owner_unknown,omitempty"` // whether anybody owns it cannot be told
	*Traits                 // nil as a rule: see [Partition.Told]
	Count   *PartitionCount `json:"count,omitempty"` // what waits there; nil: not counted
}

// Traits are what some kinds of groups tell of a partition besides.
type Traits struct {
	Name   string `json:"name,omitempty"` // what identifies it, where its number does not
	Weight int64  `json:"weight,omitempty"`
	Label  string `json:"label,omitempty"`
	Note   string `json:"note,omitempty"`   // what is going on with it
	Filter string `json:"filter,omitempty"` // its subjects, where its own consumer or its kind tells
}

// Told is what its kind tells of the partition; of most kinds that is nothing.
func (p Partition) Told() Traits {
	if p.Traits == nil {
		return Traits{}
	}
	return *p.Traits
}

// Owned tells whether the config gives the partition to anybody.
func (p Partition) Owned() bool { return p.Member >= 0 }

// Whose is the owner's name, or what is to be said where there is none.
func (p Partition) Whose() string {
	switch {
	case p.Owned():
		return p.Owner
	case p.Unknown:
		return "unknown"
	}
	return "nobody"
}

// StateOf is the state of the partition's owner, or what is to be said where there is none.
func (g *Group) StateOf(p Partition) State {
	switch {
	case p.Owned():
		return g.Members[p.Member].State
	case p.Unknown:
		return StateUnknown
	}
	return "unowned"
}

// Title is the partition's number, and its name where it has one.
func (p Partition) Title() string {
	if name := p.Told().Name; name != "" {
		return fmt.Sprintf("%d %s", p.Number, name)
	}
	return fmt.Sprint(p.Number)
}

// ID is what identifies the partition within its group.
func (p Partition) ID() string {
	if name := p.Told().Name; name != "" {
		return name
	}
	return fmt.Sprint(p.Number)
}
