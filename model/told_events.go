package model

import (
	"fmt"
	"slices"
	"strings"
)

// toldEvents are what is new in a told group.
func (r *reduction) toldEvents(old, g *Group) {
	if old.ReadAt.IsZero() && old.Revision == 0 {
		return // it was not known before
	}
	if g.Revision > old.Revision && old.Revision > 0 {
		owner := make(map[string]string, len(old.Partitions))
		for _, p := range old.Partitions {
			owner[p.ID()] = p.Owner
		}
		moved := 0
		for _, p := range g.Partitions {
			if was, known := owner[p.ID()]; !known || was != p.Owner {
				moved++
			}
		}
		r.event(Event{At: g.Written, Kind: EventConfig, Key: g.Key, Text: fmt.Sprintf("%s: %s moved", g.news, Count(moved, "partition"))})
	}
	r.toldMembers(old, g)
}

// toldMembers tells who came, who left, and whose state changed.
func (r *reduction) toldMembers(old, g *Group) {
	changes := map[string][]string{}
	before := make(map[string]*Member, len(old.Members))
	for _, m := range old.Members {
		before[m.Name] = m
	}
	for _, m := range g.Members {
		switch b := before[m.Name]; {
		case b == nil:
			changes["joined"] = append(changes["joined"], m.Name)
		case b.State == StateAnew || m.State == StateAnew:
		case b.State != m.State:
			what := string(b.State) + " ▸ " + string(m.State)
			changes[what] = append(changes[what], m.Name)
		}
		delete(before, m.Name)
	}
	for name := range before {
		changes["left"] = append(changes["left"], name)
	}
	for _, what := range sortedKeys(changes) {
		names := changes[what]
		slices.Sort(names)
		e := Event{Kind: EventInstance, Key: g.Key, Text: what}
		if len(names) == 1 {
			e.Member = names[0]
		} else {
			e.Text = fmt.Sprintf("%s %s", Count(len(names), "member"), what)
			e.Detail = strings.Join(names, ", ")
		}
		r.event(e)
	}
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
