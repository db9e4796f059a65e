package observe

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"pcgtop/model"
)

// A stream's info can list its subjects, each with how many messages it holds. Of a work
// stream, which holds only what is not done, that is what waits in every partition, in
// one request instead of one for each.

// Of one answer: at most so many subjects (nats-server, JSMaxSubjectDetails), and so many
// cost as much as one request of another kind.
const (
	subjectsMost       = 100_000
	subjectsPerRequest = 2000
)

// How often partitions are counted, and how closely.
const (
	countsEvery = 2               // refreshes between two counts, and not more often
	countsFresh = 4 * time.Second // while a quarter of the budget pays in that time, no more of it is taken
	directMost  = 5 * time.Second // while asking for each in which anything waits takes no longer, it tells more
)

// totals is what waits in each partition, as the subjects of a work stream tell.
type totals struct {
	info    *streamInfo // of the same moment
	pending []uint64
	cost    int  // in requests
	some    bool // not every partition in which anything waits can be asked for each time
}

// totals asks for the subjects of a work stream. It is nil when that costs more than asking
// for each partition, or when the subjects do not fit the config.
func (l *link) totals(ctx context.Context, g *model.Group, info *streamInfo) (*totals, error) {
	subjects, each := max(0, info.State.NumSubjects), len(g.Partitions)*costOf(info.messageSize())
	cost := 1 + subjects/subjectsPerRequest
	if g.Key.Kind != model.KindElastic || g.ConfigDiffers() || subjects > subjectsMost || cost >= each {
		return nil, nil
	}
	l.api.budget.borrow(cost - 1)
	now := &streamInfo{}
	if err := l.api.ask(ctx, "STREAM.INFO."+g.Key.ConsumeStream(), map[string]string{"subjects_filter": ">"}, now); err != nil {
		return nil, err
	}
	if len(now.State.Subjects) >= subjectsMost {
		return nil, nil // there may be more
	}
	t := &totals{info: now, pending: make([]uint64, len(g.Partitions)), cost: cost}
	busy := 0
	for subject, n := range now.State.Subjects {
		token, _, _ := strings.Cut(subject, ".")
		if p, err := strconv.Atoi(token); err == nil && p >= 0 && p < len(t.pending) && token == strconv.Itoa(p) {
			if t.pending[p] == 0 && n > 0 {
				busy++
			}
			t.pending[p] += n
		}
	}
	t.some = l.atHalf(busy*costOf(now.messageSize())) > directMost
	return t, nil
}

// choose picks the partitions to ask for: all, or, where totals tell what waits, those in
// which anything does that were never asked for, and those whose first message may be gone.
// Where these are too many it is as many as the budget pays for, those of which least is
// known first.
func (l *link) choose(t *totals, looks []look) (ask []int) {
	if t == nil {
		for p := range looks {
			ask = append(ask, p)
		}
		return ask
	}
	var again []int
	for p, n := range t.pending {
		switch {
		case n == 0:
		case looks[p].at.IsZero(), looks[p].loose && !t.some:
			ask = append(ask, p)
		case looks[p].loose:
			again = append(again, p)
		}
	}
	slices.SortStableFunc(again, func(a, b int) int {
		return cmp.Or(cmp.Compare(min(looks[a].first, 1), min(looks[b].first, 1)), looks[a].at.Compare(looks[b].at))
	})
	owed, _ := l.api.budget.owed()
	const asks = 2 // what waits, and what of it is new
	room := (l.countsEvery()-owed).Seconds()*l.opts.MaxRequests/2 - float64(t.cost+len(ask))
	n := max(0, int(room/float64(asks*costOf(t.info.messageSize()))))
	if owed <= 0 && len(ask) == 0 {
		n = max(1, n)
	}
	return append(ask, again[:min(n, len(again))]...)
}

// atHalf is how long it takes to pay for so many requests out of the half of the budget
// that counts may take.
func (l *link) atHalf(requests int) time.Duration {
	return time.Duration(float64(requests) / (l.opts.MaxRequests / 2) * float64(time.Second))
}

func (l *link) countsEvery() time.Duration { return countsEvery * l.opts.Refresh }

// payFor is how long counts that cost so many requests are apart. They take a quarter of the
// budget, and up to half of it only so as not to become old.
func (l *link) payFor(requests int) time.Duration {
	half := l.atHalf(requests)
	return max(l.countsEvery(), half, min(2*half, countsFresh))
}

// consumed tells of each partition whether any consumer takes from it, be it a member's
// or not.
func consumed(g *model.Group) []bool {
	taken := make([]bool, len(g.Partitions))
	for _, m := range g.Members {
		if m.Consumer == nil {
			continue
		}
		held, ok := model.PartitionsOf(m.Consumer.Filters)
		for p := range taken {
			taken[p] = taken[p] || !ok || slices.Contains(held, p)
		}
	}
	return taken
}

// told is what totals tell of a partition that was not asked for.
func (l *look) told(pending uint64, info *streamInfo) model.Counted {
	one := model.Counted{Pending: pending}
	switch {
	case pending == 0:
		one.Before = l.before()
		*l = look{at: info.TS, seq: info.State.LastSeq}
	case l.loose && l.first == 0: // it was empty then
		one.Oldest, one.AtMost, one.Kept = l.at, true, true
	case l.loose:
		one.Oldest, one.AtMost, one.Kept = l.oldest, true, true
	default: // nobody took any: what is more is new
		one.Oldest, one.First = l.oldest, l.first
		one.Newer, one.HasNewer, one.Before = beyond(pending, l.pending), true, l.before()
		l.at, l.seq, l.pending = info.TS, info.State.LastSeq, pending
	}
	return one
}

func (l *look) before() *model.Before {
	if l.at.IsZero() {
		return nil
	}
	return &model.Before{At: l.at, Pending: l.pending}
}

// loosen notes the partitions whose first message may be gone by now.
func loosen(looks []look, g *model.Group, t *totals) {
	if t == nil {
		return
	}
	taken := consumed(g)
	for p := range looks {
		l := &looks[p]
		l.loose = l.loose || taken[p] || l.first == 0 || l.first < t.info.State.FirstSeq || t.pending[p] < l.pending
	}
}

// beyond is a - b, and 0 where that would be negative.
func beyond(a, b uint64) uint64 { return a - min(a, b) }
