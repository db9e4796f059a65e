package model

import (
	"fmt"
	"slices"
)

// Edit is what a plan changes of a group that its kind describes: a value that the kind
// stores, and no membership.
type Edit struct {
	Target  string   `json:"target"`            // what is written: bucket/key
	Lines   []string `json:"lines"`             // what changes, a line each
	Before  int      `json:"before"`            // how many partitions, or ids, there are
	After   int      `json:"after"`             // and how many there will be
	Of      string   `json:"of"`                // what is counted, one of them: partition
	Confirm string   `json:"confirm,omitempty"` // words that have to be typed first; empty: none
	Notes   []string `json:"notes,omitempty"`   // what becomes of it
}

// NewEdit is a plan that a group's kind worked out, against a revision of what is written.
func NewEdit(k Key, in Intent, revision uint64, e Edit, command []string) *Plan {
	return &Plan{Intent: in, Key: k, Revision: revision, Members: []string{}, Mappings: []Mapping{}, Changes: []Change{}, Pins: []PinLoss{}, Edit: &e, Command: command}
}

// Counted says how many there are, and will be: 12 partitions ▸ 13.
func (e *Edit) Counted() string { return fmt.Sprintf("%s ▸ %d", Count(e.Before, e.Of), e.After) }

// Same tells whether another plan would change the same, and nothing else.
func (e *Edit) Same(o *Edit) bool {
	return o != nil && e.Target == o.Target && e.Before == o.Before && e.After == o.After && slices.Equal(e.Lines, o.Lines)
}
