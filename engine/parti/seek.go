package parti

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"pcgtop/engine/observe"
)

// search is a stream that was looked through for a deployment's durables.
type search struct {
	consumers int // how many it had
	at        time.Time
}

// Which streams are looked through: a few at a time, and again when they have more or fewer
// consumers, but not too often.
const (
	seekAtOnce = 3
	seekAgain  = 10 * time.Second
	seekAnyway = time.Minute
)

// seek looks for the streams that the workers consume from.
func (f *following) seek(list []observe.Stream) {
	if list == nil {
		return
	}
	f.byStemMu.Lock()
	all := make([]*followed, 0, len(f.byStem))
	for _, d := range f.byStem {
		all = append(all, d)
	}
	f.byStemMu.Unlock()
	for _, d := range all {
		partitions, workers, stream := d.wanted()
		there := slices.ContainsFunc(list, func(s observe.Stream) bool { return s.Name() == stream })
		if stream != "" && there || len(partitions) == 0 { // nothing is assigned, or not read yet
			continue
		}
		found := f.look(d, f.candidates(d, list, len(partitions), len(workers)), partitions, workers)
		if found != stream {
			f.mu.Lock()
			f.streams[d.stem] = found
			f.mu.Unlock()
			d.consumeFrom(found)
		}
	}
}

// candidates are streams to look through, the likeliest first: those that Parti made, then
// those with about as many consumers as there would be durables, one a partition or worker.
func (f *following) candidates(d *followed, list []observe.Stream, partitions, workers int) []observe.Stream {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []observe.Stream
	for _, s := range list {
		name := s.Name()
		if s.Consumers() == 0 || strings.HasPrefix(name, "KV_") || strings.HasPrefix(name, "OBJ_") {
			continue
		}
		if last, asked := f.asked[d.stem][name]; asked && (time.Since(last.at) < seekAgain || last.consumers == s.Consumers() && time.Since(last.at) < seekAnyway) {
			continue
		}
		out = append(out, s)
	}
	apart := func(a, b int) int { return max(a-b, b-a) }
	slices.SortStableFunc(out, func(a, b observe.Stream) int {
		rank := func(s observe.Stream) (managed, off int) {
			if s.Metadata()[metaManaged] == "" {
				managed = 1
			}
			return managed, min(apart(s.Consumers(), partitions), apart(s.Consumers(), workers))
		}
		managedA, offA := rank(a)
		managedB, offB := rank(b)
		return cmp.Or(cmp.Compare(managedA, managedB), cmp.Compare(offA, offB))
	})
	return out[:min(len(out), seekAtOnce)]
}

// look reads the consumers of streams until some are the deployment's.
func (f *following) look(d *followed, streams []observe.Stream, partitions []share, workers []string) (found string) {
	for _, s := range streams {
		consumers, err := f.account.Consumers(f.ctx, s.Name())
		if f.ctx.Err() != nil {
			return ""
		}
		f.mu.Lock()
		if f.asked[d.stem] == nil {
			f.asked[d.stem] = map[string]search{}
		}
		f.asked[d.stem][s.Name()] = search{s.Consumers(), time.Now()}
		f.mu.Unlock()
		if err == nil && join(consumers, partitions, workers).found() > 0 {
			f.mu.Lock()
			delete(f.asked[d.stem], s.Name()) // if it is lost, it is looked through anew
			f.mu.Unlock()
			return s.Name()
		}
	}
	return ""
}

// wanted is what durables are looked for, and the stream where they were found.
func (d *deployment) wanted() (partitions []share, workers []string, stream string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.state.assemble()
	if d.state.shown != nil {
		partitions = slices.Clone(d.state.shown.shares)
	}
	return partitions, d.workers(), d.stream
}

// consumeFrom notes the stream that the workers consume from.
func (d *deployment) consumeFrom(stream string) {
	d.mu.Lock()
	d.stream = stream
	d.mu.Unlock()
	d.signal()
}
