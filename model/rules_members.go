package model

import (
	"fmt"
	"strings"
	"time"
)

// absentGrace is how long a member may be without a consumer before that is wrong:
// members delete and create their consumers when the membership changes.
const absentGrace = 3 * time.Second

// wait says how many messages wait in partitions, as far as they were counted. since is
// when they were left, zero if that is not known: a count from before does not say that
// nothing came since.
func (v *view) wait(partitions []int, since time.Time) string {
	if !v.Counted() {
		return ""
	}
	switch n, _ := v.CountOf(partitions); n {
	case 0:
		if v.Counts.At.Before(since) {
			return ""
		}
		return ", nothing waits there"
	default:
		return ", " + countWaiting(n) + " there"
	}
}

func countWaiting(n uint64) string {
	if n == 1 {
		return "1 message waits"
	}
	return Thousands(n) + " messages wait"
}

// piling is [growth.unconsumed] of the window.
func (v *view) piling() string {
	if v.lacksStream() { // what was there is gone, too
		return ""
	}
	w, _ := v.grown()
	return w.unconsumed()
}

// unconsumed says by how much the lag grew where nobody consumes.
func (w growth) unconsumed() string {
	if w.stray <= slack {
		return ""
	}
	return fmt.Sprintf("; what nobody consumes grew by %s in %s", Thousands(w.stray), whole(w.span))
}

func absent(v *view) []Finding {
	list := v.each(StateAbsent, func(m *Member) Finding {
		f := Finding{Hint: m.remedy()}
		switch {
		case v.lacksStream(): // nobody can consume before it is back, which is told and advised
			f.Hint = ""
		case v.Key.Kind == KindElastic && v.Config.Mapped():
			f.Hint += ", or remap (m)"
		case v.Key.Kind == KindElastic:
			f.Hint += ", or drop it (x)"
		}
		since := "never seen"
		if !m.LostAt.IsZero() {
			gone := v.stream.TS.Sub(m.LostAt)
			since = "gone for " + gone.Round(time.Second).String()
			if at := v.stream.Facts; at.Known && !at.Exists { // its clock stands, too
				since = "gone"
			} else if gone < absentGrace && !v.unwell(m) { // who was unwell before is no better without a consumer
				f.Severity = Info
			}
		}
		f.Text = fmt.Sprintf("%s %s: it owns %s (%s)", m.Name, since, Count(len(m.Partitions), "partition"), Ranges(m.Partitions)) + v.wait(m.Partitions, m.LostAt)
		return f
	})
	if n := v.Stray(); n > 0 && len(list) == 1 && !v.Counted() {
		list[0].Text += ", ~" + countWaiting(n) + " there"
	}
	if len(list) > 0 {
		list[0].Text += v.piling()
	}
	return list
}

// nobodys are the partitions that no member owns that can run.
func (v *view) nobodys() (list []int) {
	some := len(v.Partitions)
	for _, m := range v.Members {
		if m.State != StateCannotRun {
			some -= len(m.Partitions)
		}
	}
	if some <= 0 {
		return nil
	}
	for _, p := range v.Partitions {
		if !p.Owned() || v.Members[p.Member].State == StateCannotRun {
			list = append(list, p.Number)
		}
	}
	return list
}

func unowned(v *view) []Finding {
	nobody := v.nobodys()
	if len(nobody) == 0 {
		return nil
	}
	f := Finding{Text: fmt.Sprintf("%s unowned: %s", Count(len(nobody), "partition"), Ranges(nobody)), Hint: "give them to a member that can run (a, m)"}
	if v.Key.Kind == KindStatic {
		f.Hint = "a static group is fixed: delete it and create it with members that can run"
	}
	if v.configured() == 0 {
		f.Text, f.Hint = "no members: nobody owns any partition", "add members (a)"
	}
	f.Text += v.wait(nobody, time.Time{})
	if len(v.in(StateAbsent)) == 0 { // which says it already
		f.Text += v.piling()
	}
	return one(f)
}

func cannotRun(v *view) []Finding {
	return v.each(StateCannotRun, func(m *Member) Finding {
		return Finding{Text: m.Why, Hint: "no consumer can have that name: drop it"}
	})
}

func offline(v *view) []Finding {
	return v.each(StateOffline, func(m *Member) Finding {
		return Finding{Text: m.Name + "'s consumer is offline: " + m.Consumer.Offline, Hint: "run servers that support it"}
	})
}

func noAnswer(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		if !m.Consumer.Unheard {
			return Finding{}
		}
		return Finding{Text: "nobody answers for " + m.Name + "'s consumer: it has no leader, or its server is down; what is shown is old", Hint: "see whether all servers are up"}
	})
}

func noPull(v *view) []Finding {
	return v.each(StateNoPull, func(m *Member) Finding {
		if m.Consumer.NoPins && v.Pins() {
			return Finding{Text: m.Name + " gets nothing: its server is older than 2.11, and pins nobody", Hint: "run nats-server 2.11 or later"}
		}
		text := m.Name + " has a consumer but nobody pulls"
		if seen := m.Consumer.PullSeen; !seen.IsZero() {
			ago := v.stream.TS.Sub(seen)
			text += ", last pull " + ago.Round(time.Second).String() + " ago"
			if left := m.Consumer.Inactive - ago; m.Consumer.Inactive > 0 && left > 0 && left < time.Minute {
				text += ", expires in ~" + left.Round(time.Second).String()
			}
		}
		return Finding{Text: text, Hint: m.remedy()}
	})
}

// working tells whether nothing but what became of a member before speaks against it.
func (v *view) working(m *Member) bool {
	return (m.State == StatePinned || m.State == StateWaiting && m.Consumer.Pending == 0) && v.still(m) == 0 && !m.Consumer.stuck()
}

func nothingAcked(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		c, waits := m.Consumer, v.firstWaits(m)
		if waits == 0 && !v.unwell(m) || !v.working(m) {
			return Finding{}
		}
		f := Finding{
			Text: fmt.Sprintf("%s has acknowledged nothing since its consumer was made %s ago: %s", m.Name, whole(c.TS.Sub(c.Created)), countWaiting(c.Lag())),
			Hint: fmt.Sprintf("see what its handler does: one that is slower than the ack wait of %s never gets to acknowledge", c.AckWait),
		}
		if c.trail.ackMoved.After(c.Created) {
			f.Text = fmt.Sprintf("%s has acknowledged nothing since it did not consume: %s", m.Name, countWaiting(c.Lag()))
		}
		if waits > 0 {
			f.Text += ", the first for " + whole(waits)
		}
		return f
	})
}

func paused(v *view) []Finding {
	return v.each(StatePaused, func(m *Member) Finding {
		text := fmt.Sprintf("%s is paused for %s more", m.Name, m.Consumer.PauseRemaining.Round(time.Second))
		if n := m.Consumer.Lag(); n > 0 {
			text += fmt.Sprintf(", %s wait", Thousands(n))
		}
		return Finding{Text: text, Hint: "resume it, or wait"}
	})
}

func notPinned(v *view) []Finding {
	return v.each(StateWaiting, func(m *Member) Finding {
		if m.Consumer.Pending == 0 {
			return Finding{} // it will be pinned at the next message
		}
		f := Finding{Text: fmt.Sprintf("%s: nobody is pinned and %s wait", m.Name, Thousands(m.Consumer.Pending)), Hint: "see whether its instances pull with the priority group"}
		if !m.Consumer.PinChanged.IsZero() && v.stream.TS.Sub(m.Consumer.PinChanged) < absentGrace && !v.unwell(m) {
			f.Severity = Info
		}
		return f
	})
}

func foreign(v *view) []Finding {
	return v.each(StateForeign, func(m *Member) Finding {
		return Finding{Text: strings.TrimSuffix("consumer "+m.Consumer.Name+" is no member; "+m.Why, "; ")}
	})
}

// few names at most five and says how many more there are.
func few(members []*Member) string {
	const most = 5
	var names []string
	for _, m := range members[:min(most, len(members))] {
		names = append(names, m.Name)
	}
	text := strings.Join(names, ", ")
	if n := len(members) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

func noPartition(v *view) []Finding {
	idle := v.in(StateNoPartition)
	if len(idle) == 0 {
		return nil
	}
	return one(Finding{Text: fmt.Sprintf("no partition for %s (%s, %s)", few(idle), Count(v.configured(), "member"), Count(v.Config.Partitions, "partition"))})
}

// standbyWindow is how long no second instance may have been seen to pull before there
// is none: a busy one pulls now and then.
const standbyWindow = 10 * time.Second

func noStandby(v *view) []Finding {
	var alone []*Member
	for _, m := range v.consumed() {
		if (m.State == StatePinned || m.State == StateWaiting) && m.alone(v.Watch, v.ReadAt) {
			alone = append(alone, m)
		}
	}
	if len(alone) == 0 {
		return nil
	}
	f := Finding{Text: "no standby for " + few(alone), Hint: "start a second instance"}
	if len(alone) == 1 {
		f.Member = alone[0].Name
		if names := alone[0].pullers(); len(names) == 1 {
			f.Text += ": only " + names[0] + " pulls"
		}
	}
	return one(f)
}

// alone tells whether a member has no second instance: by its instances, where they are
// listened to for long enough, or else by its waiting pulls: there was no second one, at a
// moment when both would have pulled, since long after any was seen.
func (m *Member) alone(w *Watch, now time.Time) bool {
	c := m.Consumer
	if m.heard(w, now) && len(m.Running) > 0 && c.TS.Sub(c.Created) > standbyWindow {
		return len(m.pullers()) < 2
	}
	return c.Lone
}

// pullers names the instances that pull.
func (m *Member) pullers() []string {
	var names []string
	for n := range m.Running {
		if i := &m.Running[n]; !i.Silent {
			names = append(names, i.Name())
		}
	}
	return names
}

// ackWaitLeast is the shortest ack wait with which pins stay where they are in quiet
// moments.
const ackWaitLeast = 2 * time.Second

func ackWaitShort(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		if w := m.Consumer.AckWait; w <= 0 || w >= ackWaitLeast {
			return Finding{}
		}
		return Finding{Text: fmt.Sprintf("%s has an ack wait of %s: pins flap below %s", m.Name, m.Consumer.AckWait, ackWaitLeast), Hint: "join with a longer ack wait"}
	})
}
