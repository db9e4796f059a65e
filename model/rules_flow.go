package model

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// whole writes a duration in whole seconds, as findings say it.
func whole(d time.Duration) string { return d.Round(time.Second).String() }

// stalled finds members that have messages and acknowledge nothing.
func stalled(v *view) []Finding {
	return about(append(v.consumed(), v.in(StateAbsent)...), func(m *Member) Finding {
		c, still, d := m.Consumer, v.still(m), m.plight.drought
		if still == 0 {
			return Finding{}
		}
		f := Finding{Text: fmt.Sprintf("%s wait and nothing was acknowledged for %s", Thousands(m.lag()), whole(still)), Hint: "see what its instance does"}
		if why := m.hangs(); why != "" {
			f.Text = why + ": " + f.Text
		}
		f.Text = m.Name + " stalled: " + f.Text
		switch {
		case m.State == StateNoPull && !d.slow() || len(m.silent()) > 0:
			f.Hint = m.remedy()
		case d.slow():
			f.Hint += "; make its handler faster, or join with a longer ack wait"
		case c == nil:
			f.Hint += ", or start one"
		case v.Refusal(ActionStepDown) == "":
			f.Hint += "; step it down (s)"
		}
		switch {
		case d.slow():
			f.Text += ", by " + Count(d.anew+1, "consumer")
		case c == nil:
			f.Text += ", and its consumer is gone"
		}
		if c != nil && c.AckPending > 0 {
			f.Text += fmt.Sprintf(", %s unacked", Thousands(c.AckPending))
		}
		return f
	})
}

func stuckUnacked(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		c := m.Consumer
		if !c.stuck() {
			return Finding{}
		}
		text := m.Name + " stuck: "
		if why := m.hangs(); why != "" {
			text += why + ": "
		}
		return Finding{Text: text + fmt.Sprintf("%s unacked for %s > ack wait %s, no waiting pull", Thousands(c.AckPending), whole(c.unackedFor()), c.AckWait), Hint: m.remedy()}
	})
}

// stuck tells whether what was delivered waits for longer than the ack wait, and nobody
// pulls.
func (c *Consumer) stuck() bool {
	return c.AckWait > 0 && c.unackedFor() > c.AckWait && c.Waiting == 0 && !c.Paused
}

func passedOver(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		s := m.skipped()
		if !s.sure() {
			return Finding{}
		}
		n := Count(int(max(1, s.n)), "message")
		return Finding{
			Text: fmt.Sprintf("%s passed over ~%s in its own partitions, which no consumer counts; the first in partition %d for %s", m.Name, n, s.partition, whole(max(0, v.stream.TS.Sub(s.stored)))),
			Hint: "delete the consumer " + m.Consumer.Name + ": its member makes it anew, and gets them",
		}
	})
}

func redelivering(v *view) []Finding {
	return about(v.consumed(), func(m *Member) Finding {
		c := m.Consumer
		if c.Redelivered == 0 {
			return Finding{}
		}
		f := Finding{Text: fmt.Sprintf("%s: %s delivered more than once, not acknowledged yet", m.Name, Count(int(c.Redelivered), "message")), Hint: "its handler fails, or takes longer than the ack wait"}
		if c.TS.Sub(c.trail.againSince) < 2*max(c.AckWait, time.Second) {
			f.Severity = Info // as after an instance has gone
		}
		return f
	})
}

func growing(v *view) []Finding {
	w, grows := v.grown()
	if !grows || w.lag == 0 || v.stream.TS.Sub(v.acked()) > WindowNeed/3 {
		return nil
	}
	f := Finding{Text: fmt.Sprintf("lag grew by %s in %s to %s: %s/s in, %s/s out", Thousands(w.lag), whole(w.span), Thousands(v.Lag()), Thousands(uint64(math.Round(w.in()))), Thousands(uint64(math.Round(w.out())))), Hint: "make handlers faster, or spread the partitions over more members"}
	if v.Refusal(ActionAdd) == "" {
		f.Hint += " (a)"
	}
	f.Text += w.unconsumed()
	return one(f)
}

func sourcingStopped(v *view) []Finding {
	if v.Hop == nil || v.Hop.State != HopStopped || v.origin.Created.After(v.Stream.Created) && !v.Stream.Created.IsZero() {
		return nil
	}
	f := Finding{Text: fmt.Sprintf("sourcing stopped: %s wait at the origin and none comes", Thousands(v.Hop.Behind)), Hint: "see the servers' logs about stream " + v.Key.ConsumeStream()}
	if v.Hop.Why != "" {
		f.Text += ": " + v.Hop.Why
	}
	return one(f)
}

func bufferFull(v *view) []Finding {
	if v.Hop == nil || v.Hop.State != HopFull {
		return nil
	}
	return one(Finding{Text: fmt.Sprintf("buffer full %s, %s waiting at origin, sourcing paused", v.Stream.limit(), Thousands(v.Hop.Behind)), Hint: "it goes on as members acknowledge; a larger buffer needs another group"})
}

// sourcingMany is how many messages may be on their way from the origin at any time.
const sourcingMany = 100

func sourcingBehind(v *view) []Finding {
	if v.Hop == nil || v.Hop.State != HopBehind {
		return nil
	}
	n, whole := v.lagging()
	if n <= sourcingMany {
		return nil
	}
	f := Finding{Text: fmt.Sprintf("sourcing is behind: ~%s wait at the origin", Thousands(v.Hop.Behind)), Hint: "the work stream takes messages slower than they are published"}
	if !whole {
		f.Severity = Info
	}
	return one(f)
}

// A partition is a whale when it holds so much of a lag that matters.
const (
	whaleLag   = 100
	whaleShare = 0.5
)

func whale(v *view) []Finding {
	if !v.Counted() || len(v.Partitions) < 3 {
		return nil
	}
	p, sum := heaviest(v.Partitions)
	of := "the lag"
	if !whales(p, sum) { // what piles up where nobody consumes hides it from the sum
		taken := slices.DeleteFunc(slices.Clone(v.Partitions), func(p Partition) bool { return !v.taken(p) })
		if len(taken) < 3 {
			return nil
		}
		p, sum = heaviest(taken)
		of = "what waits where somebody consumes"
	}
	if !whales(p, sum) {
		return nil
	}
	owner := "nobody's"
	if p.Owned() {
		owner = p.Owner
	}
	n := p.Count.Pending
	f := Finding{Text: fmt.Sprintf("partition %d (%s) holds %.0f %% of %s: %s of %s messages", p.Number, owner, float64(n)/float64(sum)*100, of, Thousands(n), Thousands(sum)), Hint: "give it a member of its own (m)"}
	if v.Key.Kind == KindStatic {
		f.Hint = "see which key it is (w)"
	}
	return one(f)
}

// heaviest is the partition in which most waits, and what waits in all of them.
func heaviest(list []Partition) (most Partition, sum uint64) {
	for _, p := range list {
		sum += p.Count.Pending
		if most.Count == nil || p.Count.Pending > most.Count.Pending {
			most = p
		}
	}
	return most, sum
}

func whales(p Partition, sum uint64) bool {
	return sum >= whaleLag && float64(p.Count.Pending) >= whaleShare*float64(sum)
}
