package observe

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"pcgtop/model"
)

// followPartitions counts what waits in each partition of the open group, again and
// again. Other groups' partitions are never counted.
func (l *link) followPartitions(ctx context.Context) error {
	if l.opts.Group == nil {
		return nil
	}
	var last counted
	for {
		asked := false
		wait, _ := l.api.budget.owed()
		timer := time.NewTimer(max(wait, l.opts.Refresh-time.Since(last.begun)))
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-l.counts:
			asked = true
		case <-timer.C:
		}
		timer.Stop()
		if asked && last.key == l.openKey() && (wait > last.due || time.Since(last.begun) < l.opts.Refresh) {
			continue // it was counted a moment ago, or twice already without being paid for
		}
		last = l.countOpen(ctx, last)
	}
}

func (l *link) openKey() model.Key {
	if k := l.plan.openGroup(); k != nil {
		return *k
	}
	return model.Key{}
}

// counted is what is kept of a count for the next one.
type counted struct {
	key     model.Key
	begun   time.Time
	created time.Time     // of the stream
	seq     uint64        // its last sequence
	due     time.Duration // how long it takes to pay for it
}

// notYet is how soon a group is looked for again whose config or stream was not read
// yet.
const notYet = 20 * time.Millisecond

// countOpen counts the open group's partitions and tells the result.
func (l *link) countOpen(ctx context.Context, last counted) counted {
	k := l.openKey()
	next := counted{key: k, begun: time.Now()}
	g := l.opts.Group(k)
	if k == (model.Key{}) {
		return next
	}
	if g == nil || g.Revision == 0 || g.ReadAt.IsZero() || !g.Stream.Known {
		next.begun = next.begun.Add(notYet - l.opts.Refresh)
		return next
	}
	if last.key != k {
		last = counted{}
	}
	o, now, err := l.countPartitions(ctx, g, last)
	if err != nil {
		if ctx.Err() != nil || !l.nc.IsConnected() {
			return next
		}
		o.Counts.Error = plain(err)
	}
	next.created, next.seq, next.due = now.created, now.seq, now.due
	owed, _ := l.api.budget.owed()
	o.Counts.Every = max(l.opts.Refresh, owed)
	if o.Counts.At.IsZero() {
		o.Counts.At = l.clock.now()
	}
	l.emit(o)
	return next
}

// errNoDirect says why partitions cannot be counted.
var errNoDirect = errors.New("no direct gets (allow_direct)")

// countPartitions asks for what waits in each partition, and, for an elastic group, at
// its origin.
func (l *link) countPartitions(ctx context.Context, g *model.Group, last counted) (model.PartitionsCounted, counted, error) {
	o := model.PartitionsCounted{Key: g.Key}
	var now counted
	name := g.Key.ConsumeStream()
	if !usable(name) {
		return o, now, errNotFound
	}
	info, err := l.api.streamInfo(ctx, name)
	if err != nil {
		return o, now, err
	}
	l.clock.set(info.TS)
	o.Counts.At = info.TS
	now.created, now.seq = info.Created, info.State.LastSeq
	if !info.Config.AllowDirect {
		return o, now, errNoDirect
	}
	if !last.created.Equal(info.Created) {
		last = counted{}
	}
	all, newer := &burst{link: l}, &burst{link: l}
	cells := askPartitions(all, g, name)
	hop := l.askHop(ctx, all, g, info)
	reach := askReach(all, g, name)
	begun := time.Now()
	if err := all.run(ctx, info.messageSize()); err != nil {
		return o, now, err
	}
	o.Counts.Took = time.Since(begun)
	askNewer(newer, g, cells, last)
	if err := newer.run(ctx, info.messageSize()); err != nil {
		return o, now, err
	}
	now.due = time.Duration(float64(all.cost+newer.cost) / (l.opts.MaxRequests / 2) * float64(time.Second))
	for _, c := range cells {
		one := model.Counted{HasNewer: c.newer != nil}
		one.Pending, one.Oldest = sum(c.all)
		one.Newer, _ = sum(c.newer)
		if g.Key.Kind == model.KindElastic {
			one.Newer = min(one.Newer, one.Pending)
		}
		o.Partitions = append(o.Partitions, one)
	}
	if hop != nil {
		n, oldest := sum(hop)
		o.Counts.Hop = &model.HopCount{Behind: n, Oldest: oldest}
	}
	if reach != nil {
		within, _ := sum(reach)
		o.Counts.Reach = &model.Reach{Stored: info.State.Messages, Within: within}
	}
	return o, now, nil
}

// cell is the counts of one partition: all that waits, and what came since the count
// before.
type cell struct{ all, newer []*tally }

// askPartitions adds the counts of all partitions to the burst.
func askPartitions(b *burst, g *model.Group, stream string) []cell {
	cells := make([]cell, len(g.Partitions))
	for p := range cells {
		cells[p].all = b.ask(stream, floorOf(g, p)+1, filtersOf(g, p))
	}
	return cells
}

// askNewer adds the counts of what was stored after the count before, for the rates.
// Where nothing older is left, all is newer, and nothing has to be asked; but what a
// static group has handled in between is still in its stream.
func askNewer(b *burst, g *model.Group, cells []cell, last counted) {
	if last.seq == 0 {
		return
	}
	for p := range cells {
		older := slices.ContainsFunc(cells[p].all, func(t *tally) bool { return t.pending > 0 && t.first <= last.seq })
		if g.Key.Kind == model.KindStatic || older {
			for _, t := range cells[p].all {
				from := last.seq + 1
				if g.Key.Kind == model.KindElastic {
					from = max(from, t.from)
				}
				cells[p].newer = append(cells[p].newer, b.ask(t.stream, from, []string{t.filter})...)
			}
		}
	}
}

// floorOf is the stream sequence up to which a static group's owner has acknowledged
// everything. A work queue holds only what is not done, so there it is 0.
func floorOf(g *model.Group, p int) uint64 {
	if g.Key.Kind == model.KindElastic || !g.Partitions[p].Owned() {
		return 0
	}
	if m := g.Members[g.Partitions[p].Member]; m.Consumer != nil && m.Elsewhere == "" {
		return m.Consumer.AckFloorStream
	}
	return 0
}

// filtersOf is what a member's consumer takes of a partition. A work stream holds
// nothing else.
func filtersOf(g *model.Group, p int) []string {
	prefix := strconv.Itoa(p) + "."
	if g.Key.Kind == model.KindElastic || g.Config.Mapped() || len(g.Config.Filters) == 0 {
		return []string{prefix + ">"}
	}
	var filters []string
	for _, f := range g.Config.Filters {
		filters = append(filters, prefix+f.Subject)
	}
	return filters
}

// askHop adds the count of what the origin holds beyond what was sourced.
func (l *link) askHop(ctx context.Context, b *burst, g *model.Group, info *streamInfo) []*tally {
	facts := info.facts()
	if g.Key.Kind != model.KindElastic || len(facts.Sources) != 1 || facts.Sources[0].Name != g.Key.Stream || !usable(g.Key.Stream) {
		return nil
	}
	origin, err := l.api.streamInfo(ctx, g.Key.Stream)
	src := facts.Sources[0]
	if err != nil || !origin.Config.AllowDirect || src.Seq == 0 && facts.LastSeq > 0 && !origin.Created.After(facts.Created) || src.Seq > origin.State.LastSeq {
		return nil // the sequence is not told, or not of this origin
	}
	filters := []string{">"}
	if len(src.Transforms) > 0 {
		filters = nil
		for _, t := range src.Transforms {
			filters = append(filters, t.From)
		}
	}
	return b.ask(g.Key.Stream, src.Seq+1, filters)
}

// askReach adds the count of what members can get at, where config and stream disagree.
func askReach(b *burst, g *model.Group, stream string) []*tally {
	why, _ := g.StampDiffers()
	if why == "" && !g.ConfigDiffers() {
		return nil
	}
	all := []*tally{}
	for p := range g.Partitions {
		filters := []string{strconv.Itoa(p) + ".>"}
		if !g.Config.Mapped() && len(g.Config.Filters) > 0 {
			filters = nil
			for _, f := range g.Config.Filters {
				filters = append(filters, strconv.Itoa(p)+"."+f.Subject)
			}
		}
		all = append(all, b.ask(stream, 1, filters)...)
	}
	return all
}

// sum adds tallies up; the oldest message is the oldest of any.
func sum(tallies []*tally) (n uint64, oldest time.Time) {
	for _, t := range tallies {
		n += t.pending
		if !t.oldest.IsZero() && (oldest.IsZero() || t.oldest.Before(oldest)) {
			oldest = t.oldest
		}
	}
	return n, oldest
}

// messageSize is the mean size of the stream's messages in bytes.
func (i *streamInfo) messageSize() uint64 { return i.State.Bytes / max(1, i.State.Messages) }
