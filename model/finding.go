package model

import (
	"cmp"
	"slices"
)

// Severity sorts findings.
type Severity string

const (
	Critical Severity = "critical" // the group does not work
	Warning  Severity = "warning"  // part of it does not
	Info     Severity = "info"     // worth knowing
)

func (s Severity) rank() int { return slices.Index([]Severity{Critical, Warning, Info}, s) }

// Finding is one thing that is wrong with a group, and what to do about it.
type Finding struct {
	ID       string   `json:"id"` // of the rule, stable: absent, unowned, …
	Severity Severity `json:"severity"`
	Member   string   `json:"member,omitempty"`
	Text     string   `json:"text"`            // what is wrong
	Brief    string   `json:"brief,omitempty"` // the same in a few words, the number first; empty: there is none
	Hint     string   `json:"hint,omitempty"`
}

// findings applies every rule, the worst first; findings of equal weight keep the order
// of the rules, but for a growing lag (see [Finding.unrun]). worst is the verdict that they lead to, empty when that is none.
func findings(rules []Rule, g *Group, stream, origin *Stream) (list []Finding, worst Verdict) {
	list = []Finding{} // which is no null in JSON
	v := &view{Group: g, stream: stream, origin: origin.Facts}
	for _, r := range rules {
		for _, f := range r.find(v) {
			f.ID = r.ID
			if f.Severity == "" {
				f.Severity = r.Severity
			}
			if f.Severity != Info && r.Verdict != "" && (worst == "" || r.Verdict.Rank() < worst.Rank()) {
				worst = r.Verdict
			}
			list = append(list, f)
		}
	}
	v.briefs(list)
	unrun := slices.ContainsFunc(list, Finding.unrun)
	slices.SortStableFunc(list, func(a, b Finding) int {
		n := cmp.Compare(a.Severity.rank(), b.Severity.rank())
		if n == 0 && unrun && (a.ID == "behind") != (b.ID == "behind") {
			if n = -1; a.ID == "behind" {
				n = 1
			}
		}
		return n
	})
	return list, worst
}

// unrun tells whether partitions have nobody who runs them. A lag that grows comes of that,
// as a rule: faster handlers do not help where there are none, so it is told behind it.
func (f Finding) unrun() bool {
	return f.Severity == Warning && slices.Contains([]string{"absent", "unowned", "no-pull", "cannot-run", "offline"}, f.ID)
}

// view is what the rules look at.
type view struct {
	*Group
	stream *Stream
	origin StreamFacts // of an elastic group
}

// in lists the members in a state.
func (g *Group) in(s State) []*Member {
	var list []*Member
	for _, m := range g.Members {
		if m.State == s {
			list = append(list, m)
		}
	}
	return list
}

// each makes a finding for every member in a state, leaving out empty ones.
func (g *Group) each(s State, f func(*Member) Finding) []Finding { return about(g.in(s), f) }

// consumed lists the members that are configured and have their own consumer, and no more
// than one.
func (g *Group) consumed() []*Member {
	var list []*Member
	for _, m := range g.Members {
		if m.Configured && m.Consumer != nil && m.Elsewhere == "" && m.State != StateCannotRun && m.Consumer.Durables == 0 {
			list = append(list, m)
		}
	}
	return list
}

// about makes a finding for every member, leaving out empty ones.
func about(members []*Member, f func(*Member) Finding) []Finding {
	var list []Finding
	for _, m := range members {
		if finding := f(m); finding.Text != "" {
			finding.Member = m.Name
			list = append(list, finding)
		}
	}
	return list
}

func one(f Finding) []Finding { return []Finding{f} }
