package model

import (
	"fmt"
	"slices"
)

// Short is what is wrong in a few words, the number first, for where room is short.
func (f Finding) Short() string {
	if f.Brief != "" {
		return f.Brief
	}
	return f.Text
}

// briefs says each finding that has a number in a few words, together with those of the
// same rule and severity: so many of the partitions, so many messages, whose.
func (v *view) briefs(list []Finding) {
	type kind struct {
		id       string
		severity Severity
	}
	if len(list) == 0 {
		return
	}
	members := make(map[string]*Member, len(v.Members)) // there may be as many findings as members
	for _, m := range v.Members {
		members[m.Name] = m
	}
	alike := map[kind][]*Member{}
	for _, f := range list {
		k := kind{f.ID, f.Severity}
		alike[k] = append(alike[k], members[f.Member])
	}
	said := make(map[kind]string, len(alike))
	for k, of := range alike {
		said[k] = v.brief(k.id, of)
	}
	for i, f := range list {
		list[i].Brief = said[kind{f.ID, f.Severity}]
	}
}

// brief is what a rule found, in a few words; members are those that it found it of, nil
// where it is about the group. Empty: its text cannot be said in less.
func (v *view) brief(id string, members []*Member) string {
	m := members[0]
	if m == nil {
		return v.briefOfGroup(id)
	}
	sum := func(f func(*Member) uint64) string {
		n := uint64(0)
		for _, m := range members {
			n += f(m)
		}
		return Thousands(n)
	}
	who, absent := m.Name, "never seen: " // what is wrong goes before a name, which may be long
	if !m.LostAt.IsZero() {
		absent = "gone for " + whole(v.stream.TS.Sub(m.LostAt)) + ": "
		if at := v.stream.Facts; at.Known && !at.Exists { // its clock stands, too
			absent = "gone: "
		}
	}
	if n := len(members); n > 1 {
		who, absent = Count(n, "member"), "unconsumed: "
	}
	parts := fmt.Sprintf("%s/%s ", sum(func(m *Member) uint64 { return uint64(len(m.Partitions)) }), Thousands(v.Config.Partitions))
	switch id {
	case "absent":
		return parts + absent + who
	case "no-pull":
		return parts + "not pulled: " + who
	case "paused":
		return parts + "paused: " + who
	case "offline":
		return parts + "offline: " + who
	case "stalled":
		stalled := " stalled: "
		if !slices.ContainsFunc(members, func(m *Member) bool { return !m.plight.drought.slow() }) {
			stalled = " stalled, slow handler: "
		}
		return sum((*Member).lag) + stalled + who
	case "stuck-unacked":
		return fmt.Sprintf("%s stuck unacked: %s", sum(func(m *Member) uint64 { return m.Consumer.AckPending }), who)
	case "passed-over":
		return fmt.Sprintf("%s passed over: %s", sum(func(m *Member) uint64 { return max(1, m.skipped().n) }), who)
	case "nothing-acked":
		return fmt.Sprintf("%s wait, none acked yet: %s", sum(func(m *Member) uint64 { return m.Consumer.Lag() }), who)
	case "redelivering":
		return fmt.Sprintf("%s delivered again: %s", sum(func(m *Member) uint64 { return m.Consumer.Redelivered }), who)
	case "not-pinned":
		return fmt.Sprintf("%s wait, none pinned: %s", sum(func(m *Member) uint64 { return m.Consumer.Pending }), who)
	}
	return ""
}

func (v *view) briefOfGroup(id string) string {
	switch id {
	case "unreadable":
		return v.Unreadable // the verdict says the rest
	case "unowned":
		text := fmt.Sprintf("%s/%s unowned", Thousands(len(v.nobodys())), Thousands(len(v.Partitions)))
		if v.configured() == 0 {
			text += ": no members"
		}
		return text
	case "behind":
		w, _ := v.grown()
		return fmt.Sprintf("lag +%s in %s", Thousands(w.lag), whole(w.span))
	case "buffer-full":
		return fmt.Sprintf("%s full, %s at origin", v.Stream.limit(), Thousands(v.Hop.Behind))
	case "sourcing-stopped":
		return Thousands(v.Hop.Behind) + " at origin, none comes"
	case "sourcing-behind":
		return "~" + Thousands(v.Hop.Behind) + " at origin, behind"
	}
	return ""
}
