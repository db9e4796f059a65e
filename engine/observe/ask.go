package observe

import (
	"context"
	"slices"
	"strconv"
	"time"

	"pcgtop/model"
)

// cell is the counts of one partition: all that waits, and what came since the count
// before.
type cell struct{ all, newer []*tally }

// askNewer adds the counts of what was stored after the count before, for the rates.
// Where nothing older is left, all is newer, and nothing has to be asked; but what a
// static group has handled in between is still in its stream.
func askNewer(b *burst, g *model.Group, cells []cell, looks []look) {
	for p := range cells {
		seq := looks[p].seq
		older := slices.ContainsFunc(cells[p].all, func(t *tally) bool { return t.pending > 0 && t.first <= seq })
		if seq > 0 && (!g.Queued() || older) {
			for _, t := range cells[p].all {
				from := seq + 1
				if g.Queued() {
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
	if g.Queued() || !g.Partitions[p].Owned() {
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
	if s := g.Partitions[p].Told().Filter; g.Queue && s != "" {
		return []string{s}
	}
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

// oldestSeq is the sequence of the first message of any tally, 0 of none.
func oldestSeq(tallies []*tally) (seq uint64) {
	for _, t := range tallies {
		if t.pending > 0 && (seq == 0 || t.first < seq) {
			seq = t.first
		}
	}
	return seq
}

// messageSize is the mean size of the stream's messages in bytes.
func (i *streamInfo) messageSize() uint64 { return i.State.Bytes / max(1, i.State.Messages) }
