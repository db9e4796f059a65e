package model

import (
	"slices"
	"time"
)

// Applied is an action that was carried out from here: what there was before, and what
// there is since, as far as it is about the config.
type Applied struct {
	At     time.Time `json:"at"` // local clock
	Key    Key       `json:"key"`
	Action Action    `json:"action"`
	Text   string    `json:"text"`   // what was done, in a line
	Before Config    `json:"before"` // at revision From
	After  Config    `json:"after"`  // at revision To
	From   uint64    `json:"from"`   // 0: there was none, or it was not about the config
	To     uint64    `json:"to"`     // what was written; 0: nothing was
	Undone bool      `json:"undone"` // by an undo since
}

// MaxApplied bounds how many applied actions a snapshot carries.
const MaxApplied = 200

// AppliedSeen is an action that was carried out.
type AppliedSeen struct{ Applied Applied }

func (o AppliedSeen) apply(r *reduction) {
	list := make([]Applied, 0, len(r.next.Applied)+1)
	list = append(list, o.Applied)
	undone := o.Applied.Action != ActionUndo
	for _, a := range r.next.Applied {
		if !undone && a.Key == o.Applied.Key && a.undoable() {
			a.Undone, undone = true, true
		}
		list = append(list, a)
	}
	r.next.Applied = list[:min(len(list), MaxApplied)]
}

// undoable tells whether undoing the action would change anything.
func (a Applied) undoable() bool {
	return !a.Undone && a.Action != ActionUndo && a.From > 0 && a.To > a.From
}

// History lists what was done to a group from here, newest first.
func (s *Snapshot) History(k Key) []Applied {
	var list []Applied
	for _, a := range s.Applied {
		if a.Key == k {
			list = append(list, a)
		}
	}
	return list
}

// Undo says what undoing the last action on the group would be, or in an error why it
// cannot be undone. When somebody else has written since, the error says what an undo
// would overwrite.
func (s *Snapshot) Undo(g *Group) (Intent, error) {
	history := s.History(g.Key)
	written := uint64(0) // the last revision that is ours
	var last *Applied
	for i := range history {
		written = max(written, history[i].To)
		if last == nil && history[i].undoable() {
			last = &history[i]
		}
	}
	switch {
	case last == nil:
		return Intent{}, refuse("nothing was done to %s from here that could be undone", g.Key)
	case g.Unreadable != "":
		return Intent{}, refuse("the stored config is unreadable: repair it first")
	case g.Revision < written:
		return Intent{}, refuse("revision %d was written and is not seen yet: try again in a moment", written)
	case g.Revision != written && !alike(s.ours(g.Key, written), &g.Config): // else it was put back
		return Intent{}, refuse("%s was changed by somebody else since (revision %d ▸ %d); undoing %q would overwrite: %s",
			g.Key, written, g.Revision, last.Text, DescribeChange(s.ours(g.Key, written), &g.Config))
	}
	if now := &g.Config; !sameMembership(now, &last.After) { // between two of ours
		return Intent{}, refuse("%s was changed by somebody else after %q; undoing it would overwrite: %s",
			g.Key, last.Text, DescribeChange(&last.After, now))
	}
	return Intent{Action: ActionUndo, Members: last.Before.Members, Mappings: mappingsOf(last.Before), Undoes: last.Text}, nil
}

// ours is the config at a revision that was written from here.
func (s *Snapshot) ours(k Key, revision uint64) *Config {
	for _, a := range s.Applied {
		if a.Key == k && a.To == revision {
			return &a.After
		}
	}
	return &Config{}
}

// alike tells whether two configs of a group differ in nothing that matters.
func alike(a, b *Config) bool { return len(differences(a, b)) == 0 }

// sameMembership tells whether two configs of a group deal alike and in the same form.
func sameMembership(a, b *Config) bool {
	x, y := a.Assignment(), b.Assignment()
	return a.Mapped() == b.Mapped() && slices.Equal(x.Members, y.Members) && slices.Equal(x.Owner, y.Owner)
}

// mappingsOf is the mappings that decide, or nil.
func mappingsOf(c Config) []Mapping {
	if c.Mapped() {
		return c.Mappings
	}
	return nil
}
