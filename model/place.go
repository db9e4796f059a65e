package model

import (
	"strconv"
	"strings"
	"time"
)

// Place is where the messages of a subject go in a group.
type Place struct {
	Subject   string          `json:"subject"`
	Partition int             `json:"partition"`
	Owner     string          `json:"owner,omitempty"`         // empty: nobody
	Unknown   bool            `json:"owner_unknown,omitempty"` // whether anybody owns it cannot be told
	State     State           `json:"state,omitempty"`
	PinID     string          `json:"pin_id,omitempty"`
	Instance  *Instance       `json:"instance,omitempty"` // the pinned one; nil: not known
	Perhaps   []string        `json:"perhaps,omitempty"`  // or one of these is
	Count     *PartitionCount `json:"count,omitempty"`    // what waits there before it; nil: not counted
	CountedAt time.Time       `json:"counted_at,omitzero"`
	Uncounted string          `json:"not_counted,omitempty"` // why what waits there could not be counted
}

// Place finds the partition that a subject goes to and who owns it. The reason is empty
// unless the subject goes nowhere. A subject that carries its partition in front
// already, as stored ones do, is taken at its word.
func (g *Group) Place(subject string) (p Place, reason string) {
	if !literal(subject) {
		return Place{}, "it is no subject that can be published to"
	}
	n, found := g.byFilter(subject)
	if stamping := len(g.Stamping()) > 0; !found && !stamping && g.Key.Kind.told() {
		return Place{}, "where a subject goes is not told by " + string(g.Key.Kind) + " groups"
	}
	for _, t := range g.Stamping() {
		if found {
			break
		}
		if n, found = t.Partition(subject); found {
			break
		}
	}
	if first, rest, more := strings.Cut(subject, "."); !found && more && !g.Key.Kind.told() {
		if v, err := strconv.Atoi(first); err == nil && v >= 0 && v < len(g.Partitions) && (g.Key.Kind == KindStatic || g.takes(rest)) {
			n, found = v, true
		}
	}
	if found && g.Key.Kind == KindStatic && !g.Config.Mapped() && len(g.Config.Filters) > 0 && n < len(g.Partitions) {
		found = g.takes(subject) || g.takes(after(subject))
	}
	switch {
	case !found:
		return Place{}, "no filter of the group takes it"
	case n >= len(g.Partitions):
		return Place{}, "it goes to partition " + strconv.Itoa(n) + ", which the group does not cover"
	}
	part := g.Partitions[n]
	p = Place{Subject: subject, Partition: n, Owner: part.Owner, Unknown: part.Unknown, Count: part.Count}
	if g.Counts != nil {
		if p.Uncounted = g.Counts.Error; part.Count != nil {
			p.CountedAt = g.Counts.At
		}
	}
	if part.Owned() {
		m := g.Members[part.Member]
		p.State = m.State
		if m.Consumer != nil {
			p.PinID, p.Instance, p.Perhaps = m.Consumer.PinID, m.Holder(), m.Perhaps()
		}
	}
	return p, ""
}

// Pinned says which instance is pinned and where it runs, as far as that is known; empty
// where it is not.
func (p Place) Pinned() string {
	switch {
	case p.Instance != nil:
		return p.Instance.described()
	case len(p.Perhaps) > 0:
		return anyOf(p.Perhaps)
	}
	return ""
}

// byFilter finds the partition whose own filter takes the subject.
func (g *Group) byFilter(subject string) (partition int, found bool) {
	for _, p := range g.Partitions {
		if f := p.Told().Filter; f != "" && Covers(f, subject) {
			return p.Number, true
		}
	}
	return 0, false
}

// after is a subject without its first token.
func after(subject string) string {
	_, rest, _ := strings.Cut(subject, ".")
	return rest
}

// takes tells whether one of the group's filters does.
func (g *Group) takes(subject string) bool {
	for _, t := range g.Config.WorkTransforms() {
		if Covers(t.From, subject) {
			return true
		}
	}
	return false
}
