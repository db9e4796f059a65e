package observe

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
)

// overlap is how many entries a page is asked to share with the one before, pageTries how
// often a list is read on after it shifted away from under us, and barrenMost how many
// pages after each other may bring nothing new, as those read again from further back do.
const (
	overlap    = 8
	pageTries  = 8
	barrenMost = 16
)

// page is one answer of a list: nats-server sorts the whole by name and cuts it at
// 256 entries (JSApiListLimit). Missing and offline count as part of the page.
type page[T any] struct {
	items   []T
	total   int
	missing []string
}

// readPages reads a list that may change meanwhile, so that whatever existed all the
// time is in it once. Pages overlap: if a page starts after the last name known,
// something may have slipped through between, and it is read again from further back.
func readPages[T any](name func(T) string, read func(offset int) (page[T], error)) (all []T, missing []string, err error) {
	byName := func(a, b T) int { return strings.Compare(name(a), name(b)) }
	offset, back := 0, overlap
	for tries, barren := 0, 0; ; {
		p, err := read(offset)
		if err != nil {
			return nil, nil, err
		}
		slices.SortFunc(p.items, byName)
		slices.Sort(p.missing)
		if offset > 0 && gap(all, missing, p, name) {
			if tries++; tries > pageTries {
				return nil, nil, fmt.Errorf("the list kept changing while it was read")
			}
			back *= 2
			offset = max(0, min(offset, p.total)-back)
			continue
		}
		if len(p.items)+len(p.missing) > 0 {
			if barren++; lastName(p.items, p.missing, name) > lastName(all, missing, name) {
				barren = 0
			}
			if barren > barrenMost {
				return nil, nil, fmt.Errorf("the list does not go on: %d of %d entries, again and again", len(all)+len(missing), p.total)
			}
			from := firstName(p, name)
			all = slices.DeleteFunc(all, func(t T) bool { return name(t) >= from })
			missing = slices.DeleteFunc(missing, func(n string) bool { return n >= from })
		}
		all, missing = append(all, p.items...), append(missing, p.missing...)
		end := offset + len(p.items) + len(p.missing)
		if end >= p.total || len(p.items)+len(p.missing) == 0 {
			return all, missing, nil
		}
		offset = max(offset+1, end-overlap)
	}
}

// gap tells whether entries may be missing between what was read and the next page.
func gap[T any](all []T, missing []string, p page[T], name func(T) string) bool {
	if len(p.items)+len(p.missing) == 0 {
		return true
	}
	return firstName(p, name) > lastName(all, missing, name)
}

// lastName is the last of sorted entries; empty when there are none.
func lastName[T any](items []T, missing []string, name func(T) string) (last string) {
	if len(items) > 0 {
		last = name(items[len(items)-1])
	}
	if len(missing) > 0 {
		last = max(last, missing[len(missing)-1])
	}
	return last
}

func firstName[T any](p page[T], name func(T) string) string {
	switch {
	case len(p.items) == 0:
		return p.missing[0]
	case len(p.missing) == 0:
		return name(p.items[0])
	}
	return min(name(p.items[0]), p.missing[0])
}

// listAnswer is what both lists share.
type listAnswer struct {
	answer
	Total   int               `json:"total"`
	Missing []string          `json:"missing"`
	Offline map[string]string `json:"offline"`
}

// absent lists what the page could not tell about, offline ones included.
func (a *listAnswer) absent() []string {
	names := slices.Clone(a.Missing)
	for n := range a.Offline {
		names = append(names, n)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

type offsetRequest struct {
	Offset int `json:"offset"`
}

// consumerList is all consumers of a stream, as they were listed.
type consumerList struct {
	stream  string
	infos   []*consumerInfo
	missing []string          // exist, but nobody answered for them
	offline map[string]string // and why the server cannot run some of these
	started time.Time         // when the list was asked for, local clock
}

func (l *consumerList) list() []*model.Consumer {
	consumers := make([]*model.Consumer, 0, len(l.infos))
	for _, i := range l.infos {
		consumers = append(consumers, i.consumer())
	}
	return consumers
}

// consumers reads all consumers of a stream.
func (a *api) consumers(ctx context.Context, stream string) (*consumerList, error) {
	read := &consumerList{stream: stream, offline: map[string]string{}, started: time.Now()}
	var err error
	read.infos, read.missing, err = readPages(func(c *consumerInfo) string { return c.Name }, func(offset int) (page[*consumerInfo], error) {
		var r struct {
			listAnswer
			Consumers []*consumerInfo `json:"consumers"`
		}
		err := a.ask(ctx, "CONSUMER.LIST."+stream, offsetRequest{offset}, &r)
		maps.Copy(read.offline, r.Offline)
		r.Consumers = present(r.Consumers)
		return page[*consumerInfo]{r.Consumers, r.Total, without(r.absent(), r.Consumers, func(c *consumerInfo) string { return c.Name })}, err
	})
	return read, err
}

// streams reads all streams of the account, and how many pages that took. Missing and
// offline are as for consumers.
func (a *api) streams(ctx context.Context) (list []*streamInfo, missing []string, offline map[string]string, pages int, err error) {
	offline = map[string]string{}
	name := func(s *streamInfo) string { return s.Config.Name }
	list, missing, err = readPages(name, func(offset int) (page[*streamInfo], error) {
		var r struct {
			listAnswer
			Streams []*streamInfo `json:"streams"`
		}
		pages++
		err := a.ask(ctx, "STREAM.LIST", offsetRequest{offset}, &r)
		maps.Copy(offline, r.Offline)
		r.Streams = present(r.Streams)
		return page[*streamInfo]{r.Streams, r.Total, without(r.absent(), r.Streams, name)}, err
	})
	return list, missing, offline, pages, err
}

// present drops entries that are null.
func present[T any](list []*T) []*T {
	return slices.DeleteFunc(list, func(t *T) bool { return t == nil })
}

// without drops names that the page did bring.
func without[T any](names []string, items []T, name func(T) string) []string {
	return slices.DeleteFunc(names, func(n string) bool {
		return slices.ContainsFunc(items, func(t T) bool { return name(t) == n })
	})
}

// newest is the latest time in the answers, zero when there are none.
func newest(list []*consumerInfo) time.Time {
	var at time.Time
	for _, c := range list {
		if c.TS.After(at) {
			at = c.TS
		}
	}
	return at
}
