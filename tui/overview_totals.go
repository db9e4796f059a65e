package tui

import (
	"math"

	"pcgtop/model"
)

// totals are the sums over the rows that are shown, and how wide the widest of each
// column is.
type totals struct {
	groups, partitions        int
	unread                    bool // nothing was read of any of them
	pulling, configured       int  // of those that were read; of all, if none was
	running                   model.InstanceCount
	pending, lag, unacked     uint64
	atLeast                   bool // more may wait than pending and lag tell
	out, in                   float64
	rated                     bool // some rate was measured
	history                   []uint64
	parts, members, instances int // widths
	kinds, kindNames          int // how many kinds there are, and how wide the widest of their names is
}

// ledger is the totals as they are kept: a row can be taken out again, so that a change
// costs what it changes. Rates are in thousandths, which is how exact they are.
type ledger struct {
	groups, partitions        int
	read                      int // rows of which something was read
	configured                int // members of all rows
	pulling, could            int // members of rows that were read: those that pull, and all
	pinned, standby, bounds   int // bounds: rows whose standbys are at most so many
	pending, lag, unacked     uint64
	vague                     int // rows of which more may wait than is known
	rated                     int // rows whose rates were measured
	out, in                   int64
	history                   [model.HistoryLen]uint64 // the newest last
	lengths                   tally                    // of histories
	parts, members, instances tally                    // widths
	signs, names              tally
	kinds                     map[model.Kind]int
}

// tally counts how often each of a few numbers occurs.
type tally map[int]int

func (t *tally) count(n, times int) {
	if *t == nil {
		*t = tally{}
	}
	if (*t)[n] += times; (*t)[n] == 0 {
		delete(*t, n)
	}
}

// most is the largest, 0 without any.
func (t tally) most() (most int) {
	for n := range t {
		most = max(most, n)
	}
	return most
}

func (l *ledger) add(e *entry)  { l.enter(e, 1) }
func (l *ledger) drop(e *entry) { l.enter(e, -1) }

// enter counts a row in, or with -1 out.
func (l *ledger) enter(e *entry, times int) {
	n := uint64(times) // of unsigned sums -1 is as good as any number
	l.groups += times
	l.partitions += times * e.partitions
	l.configured += times * e.configured
	l.parts.count(digits(e.partitions), times)
	l.signs.count(e.sign, times)
	l.names.count(e.name, times)
	l.countKind(e.group.Key.Kind, times)
	if !e.read {
		return
	}
	l.read += times
	l.pulling, l.could = l.pulling+times*e.pulling, l.could+times*e.configured
	l.pinned, l.standby = l.pinned+times*e.running.Pinned, l.standby+times*e.running.Standby
	if e.running.AtMost {
		l.bounds += times
	}
	l.members.count(e.wideMembers, times)
	l.instances.count(e.wideInstances, times)
	l.pending += n * e.pending
	l.lag += n * e.lag
	l.unacked += n * e.unacked
	if e.atLeast {
		l.vague += times
	}
	if e.rated {
		l.rated += times
		l.out += int64(times) * thousandths(e.out)
		l.in += int64(times) * thousandths(e.in)
	}
	l.lengths.count(len(e.history), times)
	newest := l.history[model.HistoryLen-len(e.history):]
	for i, v := range e.history { // the newest values belong together
		newest[i] += n * v
	}
}

func (l *ledger) countKind(k model.Kind, times int) {
	if l.kinds == nil {
		l.kinds = map[model.Kind]int{}
	}
	if l.kinds[k] += times; l.kinds[k] == 0 {
		delete(l.kinds, k)
	}
}

func thousandths(rate float64) int64 { return int64(math.Round(rate * 1000)) }

// totals adds up, and makes room for the sums.
func (l *ledger) totals() totals {
	s := totals{
		groups: l.groups, partitions: l.partitions, unread: l.read == 0 && l.groups > 0, pulling: l.pulling, configured: l.could,
		running: model.InstanceCount{Pinned: l.pinned, Standby: l.standby, AtMost: l.bounds > 0},
		pending: l.pending, lag: l.lag, atLeast: l.vague > 0, unacked: l.unacked, rated: l.rated > 0, out: float64(l.out) / 1000, in: float64(l.in) / 1000,
	}
	if s.unread {
		s.configured = l.configured
	}
	if n := l.lengths.most(); n > 0 {
		s.history = append(s.history, l.history[model.HistoryLen-n:]...)
	}
	s.parts = max(l.parts.most(), digits(s.partitions))
	s.members = max(l.members.most(), digits(s.pulling)+1+digits(s.configured))
	s.instances = max(l.instances.most(), wide(s.running))
	s.kinds = len(l.kinds)
	for k := range l.kinds {
		s.kindNames = max(s.kindNames, len(k))
	}
	return s
}

// digits is how many cells a number takes, with its commas.
func digits(n int) int {
	if n >= 0 && n < 10 {
		return 1 // most of those that are asked about, thousands of them a picture
	}
	return len(model.Thousands(n))
}

// instanceCount writes who is pinned and how many stand by.
func instanceCount(n model.InstanceCount) string {
	bound := ""
	if n.AtMost {
		bound = "≤"
	}
	return model.Thousands(n.Pinned) + " +" + bound + model.Thousands(n.Standby)
}

// wide is how many cells a count of instances takes.
func wide(n model.InstanceCount) int {
	w := digits(n.Pinned) + 2 + digits(n.Standby)
	if n.AtMost {
		w++
	}
	return w
}
