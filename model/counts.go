package model

import (
	"slices"
	"time"
)

// Counts is how and when a group's partitions were counted. Only the open group is.
type Counts struct {
	At    time.Time     `json:"at"`              // server clock
	Every time.Duration `json:"every_ns"`        // until the next time, so that the budget holds
	Took  time.Duration `json:"took_ns"`         // from the first request to the last answer
	Error string        `json:"error,omitempty"` // why they could not be counted
	Hop   *HopCount     `json:"hop,omitempty"`   // what waits at the origin
	Reach *Reach        `json:"reach,omitempty"` // asked for only where config and stream disagree
}

// HopCount is what an origin holds beyond what its work stream took, counted.
type HopCount struct {
	Behind uint64    `json:"behind"`
	Oldest time.Time `json:"oldest,omitzero"`    // server clock
	Last   uint64    `json:"last_seq,omitempty"` // the work stream's last message when it was counted; 0: not told
}

// behind is what waits at the origin as of another answer about the work stream: what was
// sourced between the two is in one of them only.
func (c *HopCount) behind(work StreamFacts) uint64 {
	if c.Last == 0 || work.LastSeq == 0 {
		return c.Behind
	}
	return beyond(c.Behind+c.Last, work.LastSeq)
}

// Reach is how many of a stream's messages a group's members can get at.
type Reach struct {
	Stored uint64 `json:"stored"`
	Within uint64 `json:"within"`
}

// Beyond is how many messages no member can ever get.
func (r Reach) Beyond() uint64 { return beyond(r.Stored, r.Within) }

// PartitionCount is what waits in one partition. In a static group it is counted from
// the owner's ack floor on, so that it is an upper bound while messages above the floor
// are acknowledged.
type PartitionCount struct {
	Pending  uint64        `json:"pending"`
	Oldest   time.Time     `json:"oldest,omitzero"`          // when the first of them was stored, server clock
	First    uint64        `json:"first_seq,omitempty"`      // of that message, where it is sure to be there
	AtMost   bool          `json:"oldest_at_most,omitempty"` // the first may be gone since Oldest was read: none is older
	In       float64       `json:"in_per_s"`
	Out      float64       `json:"out_per_s"`
	RateSpan time.Duration `json:"rate_span_ns"`             // between the two counts that the rates are from; 0: not measured yet
	AtLeast  bool          `json:"rates_at_least,omitempty"` // messages may have come and gone between two counts
}

// Drain is how long until the partition is empty at its present rates.
func (c *PartitionCount) Drain() (time.Duration, bool) {
	if c == nil || c.RateSpan == 0 || c.AtLeast {
		return 0, false
	}
	return Drain(c.Pending, c.In, c.Out)
}

// PartitionsCounted is a count of the partitions of one group, in order, or an error.
type PartitionsCounted struct {
	Key        Key
	Counts     Counts
	Partitions []Counted // 0..N-1
}

// Counted is one partition as it was counted.
type Counted struct {
	Pending  uint64
	Oldest   time.Time // zero when there is none, or when it is not known
	First    uint64    // the sequence of that message; 0 when AtMost
	AtMost   bool      // Oldest was read at an earlier count, and that message may be gone
	Newer    uint64    // of them, what was stored after the count before
	HasNewer bool      // Newer was counted
	Before   *Before   // the count before, where that is not the group's last one
	Kept     bool      // only Pending was counted: rates stay as they are
}

// Before is an earlier count of one partition.
type Before struct {
	At      time.Time // server clock
	Pending uint64
}

// countsKept is how many times their interval counts are shown before they are
// forgotten: the group is not open any more then.
const countsKept = 3

func (o PartitionsCounted) apply(r *reduction) {
	r.heard()
	i, ok := r.next.find(o.Key)
	if !ok {
		return
	}
	g := *r.next.Groups[i]
	var before time.Time
	if g.Counts != nil {
		before = g.Counts.At
	}
	counts := o.Counts
	g.Counts = &counts
	g.Partitions = slices.Clone(g.Partitions)
	for p := range g.Partitions {
		switch {
		case counts.Error != "":
			g.Partitions[p].Count = nil
		case p < len(o.Partitions):
			c, since := o.Partitions[p], before
			if c.Before != nil {
				since = c.Before.At
			}
			g.Partitions[p].Count = c.after(g.Partitions[p].Count, counts.At.Sub(since), g.Queued())
		}
	}
	r.ownGroups()
	r.next.Groups[i] = &g
	r.touched[o.Key] = true
}

// after compares a count with the one before.
func (c Counted) after(old *PartitionCount, span time.Duration, queued bool) *PartitionCount {
	n := &PartitionCount{Pending: c.Pending, Oldest: c.Oldest, First: c.First, AtMost: c.AtMost}
	if old == nil {
		return n
	}
	n.In, n.Out, n.RateSpan, n.AtLeast = old.In, old.Out, old.RateSpan, old.AtLeast
	if c.Kept || span < rateSpan {
		return n
	}
	was := old.Pending
	if c.Before != nil {
		was = c.Before.Pending
	}
	newer := c.Newer
	if !c.HasNewer { // nothing waited: all there is now is newer
		newer = c.Pending
	}
	n.RateSpan = span.Round(time.Millisecond)
	n.In, n.Out = perSecond(newer, span), perSecond(beyond(was+newer, c.Pending), span)
	n.AtLeast = queued && newer >= c.Pending // what is handled leaves no trace in a work queue
	return n
}

// keepCounts carries counts over to partitions dealt anew, or forgets old ones and those of a
// stream that is gone.
func (g *Group) keepCounts(before []Partition, at time.Time) {
	c := g.Counts
	if c == nil {
		return
	}
	old := at.Sub(c.At) > countsKept*c.Every+stoppedAfter || c.Error == "" && g.Stream.Known && !g.Stream.Exists
	if old {
		g.Counts = nil
	}
	for p := range g.Partitions {
		switch {
		case old:
			g.Partitions[p].Count = nil
		case p < len(before):
			g.Partitions[p].Count = before[p].Count
		}
	}
}

// Counted tells whether there is a count of every partition.
func (g *Group) Counted() bool {
	return g.Counts != nil && g.Counts.Error == "" && len(g.Partitions) > 0 &&
		!slices.ContainsFunc(g.Partitions, func(p Partition) bool { return p.Count == nil })
}

// CountOf sums the counts of some partitions up. The oldest is that of those where it is
// known exactly.
func (g *Group) CountOf(partitions []int) (sum uint64, oldest time.Time) {
	for _, p := range partitions {
		if p < 0 || p >= len(g.Partitions) || g.Partitions[p].Count == nil {
			continue
		}
		c := g.Partitions[p].Count
		sum += c.Pending
		if !c.Oldest.IsZero() && !c.AtMost && (oldest.IsZero() || c.Oldest.Before(oldest)) {
			oldest = c.Oldest
		}
	}
	return sum, oldest
}

// Oldest is when the group's first waiting message was stored, as far as it was
// counted, and exactly.
func (g *Group) Oldest() time.Time {
	var oldest time.Time
	if g.Hop != nil {
		oldest = g.Hop.Oldest
	}
	for _, p := range g.Partitions {
		if c := p.Count; c != nil && !c.Oldest.IsZero() && !c.AtMost && (oldest.IsZero() || c.Oldest.Before(oldest)) {
			oldest = c.Oldest
		}
	}
	return oldest
}
