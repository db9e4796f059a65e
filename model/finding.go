package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
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
	ID       string   `json:"id"` // stable, for scripts: absent, unowned, …
	Severity Severity `json:"severity"`
	Member   string   `json:"member,omitempty"`
	Text     string   `json:"text"` // what is wrong
	Hint     string   `json:"hint,omitempty"`
}

// absentGrace is how long a member may be without a consumer before that is wrong:
// members delete and create their consumers when the membership changes.
const absentGrace = 3 * time.Second

// findings applies every rule, the worst first; rules of equal weight keep their order.
func findings(g *Group, s *Stream) []Finding {
	var list []Finding
	for _, rule := range []func(*Group, *Stream) []Finding{unreadable, unreachable, noStream, absent, unowned, cannotRun, elsewhere, noPull, paused, notPinned, foreign, noPartition} {
		list = append(list, rule(g, s)...)
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
	return list
}

func unreadable(g *Group, _ *Stream) []Finding {
	if g.Unreadable == "" {
		return nil
	}
	f := Finding{ID: "unreadable", Severity: Critical, Text: fmt.Sprintf("unreadable config: %s, revision %d", g.Unreadable, g.UnreadableRevision), Hint: "repair or delete the key " + g.Key.BucketKey()}
	if g.Revision > 0 {
		f.Text += fmt.Sprintf("; showing revision %d, old", g.Revision)
	}
	return []Finding{f}
}

func unreachable(g *Group, _ *Stream) []Finding {
	if g.ReadError == "" {
		return nil
	}
	return []Finding{{ID: "unread", Severity: Info, Text: "consumers not read: " + g.ReadError}}
}

func noStream(g *Group, _ *Stream) []Finding {
	name := g.Key.ConsumeStream()
	switch f := g.Stream; {
	case !f.Known || g.Unreadable != "" && g.Revision == 0:
		return nil
	case !f.Exists && g.Key.Kind == KindElastic:
		return []Finding{{ID: "no-work-stream", Severity: Critical, Text: "no work stream " + name + ": nothing can be consumed", Hint: "create the group again with the same settings"}}
	case !f.Exists:
		return []Finding{{ID: "no-stream", Severity: Critical, Text: "no stream " + name + ": nothing can be consumed"}}
	case g.Key.Kind == KindElastic && (len(f.Sources) != 1 || f.Sources[0].Name != g.Key.Stream):
		return []Finding{{ID: "not-our-stream", Severity: Critical, Text: "stream " + name + " is not sourced from " + g.Key.Stream + ": it belongs to another group", Hint: "delete this group; its stream will be left alone"}}
	}
	return nil
}

func absent(g *Group, s *Stream) []Finding {
	var list []Finding
	for _, m := range g.in(StateAbsent) {
		f := Finding{ID: "absent", Severity: Warning, Member: m.Name, Hint: "start an instance of " + m.Name}
		switch {
		case g.Key.Kind == KindElastic && g.Config.Mapped():
			f.Hint += ", or remap (m)"
		case g.Key.Kind == KindElastic:
			f.Hint += ", or drop it (x)"
		}
		since := "never seen"
		if !m.LostAt.IsZero() {
			gone := s.TS.Sub(m.LostAt)
			since = "gone for " + gone.Round(time.Second).String()
			if gone < absentGrace {
				f.Severity = Info
			}
		}
		f.Text = fmt.Sprintf("%s %s: it owns %s (%s)", m.Name, since, Count(len(m.Partitions), "partition"), Ranges(m.Partitions))
		list = append(list, f)
	}
	if n := g.Stray(); n > 0 && len(list) == 1 {
		list[0].Text += fmt.Sprintf(", ~%s there", countWaiting(n))
	}
	return list
}

func countWaiting(n uint64) string {
	if n == 1 {
		return "1 message waits"
	}
	return fmt.Sprintf("%d messages wait", n)
}

func unowned(g *Group, _ *Stream) []Finding {
	var nobody []int
	for _, p := range g.Partitions {
		if !p.Owned() || g.Members[p.Member].State == StateCannotRun {
			nobody = append(nobody, p.Number)
		}
	}
	if len(nobody) == 0 {
		return nil
	}
	f := Finding{ID: "unowned", Severity: Warning, Text: fmt.Sprintf("%s unowned: %s", Count(len(nobody), "partition"), Ranges(nobody)), Hint: "give them to a member that can run (a, m)"}
	if g.Key.Kind == KindStatic {
		f.Hint = "a static group is fixed: delete it and create it with members that can run"
	}
	if g.configured() == 0 {
		f.Text, f.Hint = "no members: nobody owns any partition", "add members (a)"
	}
	return []Finding{f}
}

func cannotRun(g *Group, _ *Stream) []Finding {
	return g.each(StateCannotRun, func(m *Member) Finding {
		return Finding{ID: "cannot-run", Severity: Warning, Text: m.Why, Hint: "no consumer can have that name: drop it"}
	})
}

func elsewhere(g *Group, _ *Stream) []Finding {
	return g.each(StateElsewhere, func(m *Member) Finding {
		return Finding{ID: "collision", Severity: Warning, Text: m.Name + ": " + m.Why, Hint: "two groups want the same consumer name: rename one"}
	})
}

func noPull(g *Group, s *Stream) []Finding {
	return g.each(StateNoPull, func(m *Member) Finding {
		text := m.Name + " has a consumer but nobody pulls"
		if seen := m.Consumer.PullSeen; !seen.IsZero() {
			text += ", last pull " + s.TS.Sub(seen).Round(time.Second).String() + " ago"
		}
		return Finding{ID: "no-pull", Severity: Warning, Text: text, Hint: "start an instance of " + m.Name}
	})
}

func paused(g *Group, _ *Stream) []Finding {
	return g.each(StatePaused, func(m *Member) Finding {
		return Finding{ID: "paused", Severity: Warning, Text: fmt.Sprintf("%s is paused for %s more", m.Name, m.Consumer.PauseRemaining.Round(time.Second)), Hint: "resume it, or wait"}
	})
}

func notPinned(g *Group, s *Stream) []Finding {
	return g.each(StateWaiting, func(m *Member) Finding {
		if m.Consumer.Pending == 0 {
			return Finding{} // it will be pinned at the next message
		}
		f := Finding{ID: "not-pinned", Severity: Warning, Text: fmt.Sprintf("%s: nobody is pinned and %d wait", m.Name, m.Consumer.Pending), Hint: "see whether its instances pull with the priority group"}
		if !m.Consumer.PinChanged.IsZero() && s.TS.Sub(m.Consumer.PinChanged) < absentGrace {
			f.Severity = Info
		}
		return f
	})
}

func foreign(g *Group, _ *Stream) []Finding {
	return g.each(StateForeign, func(m *Member) Finding {
		return Finding{ID: "foreign", Severity: Info, Text: strings.TrimSuffix("consumer "+m.Consumer.Name+" is no member; "+m.Why, "; ")}
	})
}

func noPartition(g *Group, _ *Stream) []Finding {
	idle := g.in(StateNoPartition)
	if len(idle) == 0 {
		return nil
	}
	const few = 5
	names := ""
	for i, m := range idle[:min(few, len(idle))] {
		if i > 0 {
			names += ", "
		}
		names += m.Name
	}
	if n := len(idle) - few; n > 0 {
		names += fmt.Sprintf(" and %d more", n)
	}
	return []Finding{{ID: "no-partition", Severity: Info, Text: fmt.Sprintf("no partition for %s (%s, %s)", names, Count(g.configured(), "member"), Count(g.Config.Partitions, "partition"))}}
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
func (g *Group) each(s State, f func(*Member) Finding) []Finding {
	var list []Finding
	for _, m := range g.in(s) {
		if finding := f(m); finding.ID != "" {
			finding.Member = m.Name
			list = append(list, finding)
		}
	}
	return list
}
