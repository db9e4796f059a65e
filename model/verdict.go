package model

import (
	"slices"
	"time"
)

// Verdict is the one word for a group, worst first in the order of the constants.
type Verdict string

const (
	VerdictUnreadable Verdict = "unreadable" // the stored config cannot be used
	VerdictOffline    Verdict = "offline"    // the server cannot run its stream
	VerdictBroken     Verdict = "broken"     // it cannot work: no origin, no work stream, config and stream differ
	VerdictStalled    Verdict = "stalled"    // messages wait and a member acknowledges none
	VerdictBehind     Verdict = "behind"     // the lag grows
	VerdictDegraded   Verdict = "degraded"   // part of it does not work
	VerdictUnknown    Verdict = "reading"    // not read yet
	VerdictIdle       Verdict = "idle"       // nothing waits, nothing flows
	VerdictOK         Verdict = "ok"
)

// Verdicts lists all of them, the worst first.
func Verdicts() []Verdict {
	return []Verdict{VerdictUnreadable, VerdictOffline, VerdictBroken, VerdictStalled, VerdictBehind, VerdictDegraded, VerdictUnknown, VerdictIdle, VerdictOK}
}

// Rank orders verdicts, the worst being 0.
func (v Verdict) Rank() int { return slices.Index(Verdicts(), v) }

// InNeed tells whether somebody should look.
func (v Verdict) InNeed() bool { return v.Rank() < VerdictUnknown.Rank() }

// verdict is the worst that a finding leads to; found is that of them, empty for none.
func verdict(g *Group, found Verdict) Verdict {
	worst := VerdictOK
	if g.Lag() == 0 && !g.active() {
		worst = VerdictIdle
	}
	if found != "" && found.Rank() < worst.Rank() {
		worst = found
	}
	if g.ReadAt.IsZero() && worst.Rank() > VerdictBroken.Rank() {
		return VerdictUnknown // what is known of the members is nothing
	}
	return worst
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
