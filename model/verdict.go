package model

import (
	"slices"
	"time"
)

// Verdict is the one word for a group, worst first in the order of the constants.
type Verdict string

const (
	VerdictUnreadable Verdict = "unreadable" // the stored config cannot be used
	VerdictBroken     Verdict = "broken"     // it cannot work: no origin, no work stream
	VerdictDegraded   Verdict = "degraded"   // part of it does not work
	VerdictUnknown    Verdict = "reading"    // not read yet
	VerdictIdle       Verdict = "idle"       // nothing waits, nothing flows
	VerdictOK         Verdict = "ok"
)

func verdictOrder() []Verdict {
	return []Verdict{VerdictUnreadable, VerdictBroken, VerdictDegraded, VerdictUnknown, VerdictIdle, VerdictOK}
}

// Rank orders verdicts, the worst being 0.
func (v Verdict) Rank() int { return slices.Index(verdictOrder(), v) }

// InNeed tells whether somebody should look.
func (v Verdict) InNeed() bool { return v.Rank() < VerdictUnknown.Rank() }

func verdict(g *Group) Verdict {
	switch {
	case g.Unreadable != "":
		return VerdictUnreadable
	case g.ReadAt.IsZero():
		return VerdictUnknown
	}
	for _, f := range g.Findings {
		switch f.Severity {
		case Critical:
			return VerdictBroken
		case Warning:
			return VerdictDegraded
		}
	}
	if g.Lag() == 0 && !g.active() {
		return VerdictIdle
	}
	return VerdictOK
}

// idleAfter is how long nothing may have been delivered or acknowledged before a group
// without lag counts as idle.
const idleAfter = 10 * time.Second

func (g *Group) active() bool {
	return slices.ContainsFunc(g.Members, func(m *Member) bool {
		c := m.Consumer
		return c != nil && m.Elsewhere == "" && !c.LastActive.IsZero() && c.TS.Sub(c.LastActive) < idleAfter
	})
}
