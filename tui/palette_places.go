package tui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// mostPlaces is how many groups and members are listed at most: whoever looks for one of
// more types on.
const mostPlaces = 500

// goal is a group, or a member of it, that fits what is typed.
type goal struct {
	group  *model.Group
	member int // -1: the group itself
	score  int
}

func (p goal) kind() choiceKind {
	if p.member < 0 {
		return choiceGroup
	}
	return choiceMember
}

// name is what is searched.
func (p goal) name() string {
	if p.member < 0 {
		return p.group.Key.String()
	}
	return p.group.Members[p.member].Name + " of " + p.group.Key.String()
}

// choice goes there.
func (p goal) choice(words []string) choice {
	key, member := p.group.Key, ""
	note := string(key.Kind) + " group, " + string(p.group.Verdict)
	if p.member >= 0 {
		m := p.group.Members[p.member]
		member, note = m.Name, "member, "+string(m.State)
	}
	name := p.name()
	_, hits, _ := fuzzy(words, name)
	return choice{name: name, note: note, kind: p.kind(), score: p.score, hits: hits,
		do: func(m *Model, _ string) tea.Cmd { m.goTo(key, member); return nil }}
}

// placesFor lists the groups and members that fit, the best first, and tells how many are
// left out. Without a word there are too many to be read, and none is listed. A large
// account has tens of thousands: only what is listed is made.
func placesFor(words []string, s *model.Snapshot) (list []choice, left int) {
	if len(words) == 0 || s == nil {
		return nil, 0
	}
	var fit []goal
	for _, g := range s.Groups {
		for n := -1; n < len(g.Members); n++ {
			p := goal{group: g, member: n}
			var ok bool
			if p.score, ok = suits(words, p.name(), nil); ok {
				fit = append(fit, p)
			}
		}
	}
	slices.SortStableFunc(fit, func(a, b goal) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.kind(), b.kind()))
	})
	left = max(0, len(fit)-mostPlaces)
	for _, p := range fit[:len(fit)-left] {
		list = append(list, p.choice(words))
	}
	return list, left
}

// goTo opens a group, and selects a member of it.
func (m *Model) goTo(k model.Key, member string) {
	if m.snap.Group(k) == nil {
		m.say(sorry, k.String()+" is gone")
		return
	}
	m.events = nil
	if m.group == nil || m.group.key != k {
		m.open(k)
	}
	m.group.table = nil
	if member != "" {
		m.group.choose(member)
	}
}

// toEvent goes to the group and the member that an event is about.
func (m *Model) toEvent(e *model.Event) {
	if e.Key == (model.Key{}) {
		m.say(sorry, "that concerns no group")
		return
	}
	m.goTo(e.Key, e.Member)
}
