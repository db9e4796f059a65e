package parti

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// version is one version of the assignment, put together.
type version struct {
	number    int64
	revision  uint64    // of the key that decides, in its bucket; version 1: of the newest one
	at        time.Time // when that was stored, server clock
	lifecycle string
	commit    *commit // nil: version 1
	workers   []string
	labels    map[string][]string // by worker, where they are stored with the assignment
	shares    []share             // by partition
	missing   []string            // workers whose payload is not there, or is not what it should be
	behind    []string            // version 1: workers whose assignment is of an older version
	owned     map[string]string   // see owners
}

// share is a partition and who has it.
type share struct {
	Partition
	owner   string
	version int64
	rival   string // another worker whose assignment names it too; empty: none
	older   int64  // that one's version
}

// committed puts the version that a commit stands for together.
func committed(r record[commit], payloads map[string]record[payload]) *version {
	c := r.value
	v := &version{number: c.Version, revision: r.revision, at: r.at, lifecycle: c.Lifecycle, commit: &c, labels: map[string][]string{}}
	v.workers = slices.Sorted(maps.Keys(c.Payloads))
	for _, w := range c.Workers {
		if _, known := c.Payloads[w]; !known {
			v.workers = append(v.workers, w)
		}
	}
	slices.Sort(v.workers)
	v.workers = slices.Compact(v.workers)
	var list []share
	for _, w := range v.workers {
		ref := c.Payloads[w]
		p, there := payloads[ref.key()]
		if !there || p.problem != "" {
			v.missing = append(v.missing, w)
			continue
		}
		if p.value.LabelsKnown {
			v.labels[w] = p.value.Labels
		}
		for _, part := range p.value.Partitions {
			list = append(list, share{Partition: part, owner: w, version: c.Version})
		}
	}
	v.shares = settle(list)
	return v
}

// key is where the payload lies.
func (r payloadRef) key() string {
	if r.Key != "" {
		return r.Key
	}
	return keyPayload + r.Hash
}

// gathered puts the newest version together out of every worker's own assignment, as
// version 1 stores them one after the other.
func gathered(aliases map[string]record[assignment]) *version {
	v := &version{labels: map[string][]string{}}
	var list []share
	for _, w := range slices.Sorted(maps.Keys(aliases)) {
		a := aliases[w]
		if a.problem != "" {
			v.missing = append(v.missing, w)
			continue
		}
		v.workers = append(v.workers, w)
		if v.revision == 0 || a.value.Version > v.number || a.value.Version == v.number && a.revision > v.revision {
			v.number, v.revision, v.at, v.lifecycle = a.value.Version, a.revision, a.at, a.value.Lifecycle
		}
		for _, p := range a.value.Partitions {
			list = append(list, share{Partition: p, owner: w, version: a.value.Version})
		}
	}
	for _, w := range v.workers {
		if aliases[w].value.Version < v.number {
			v.behind = append(v.behind, w)
		}
	}
	v.shares = settle(list)
	return v
}

// settle sorts shares and lets each partition have one owner: of two that have it, the one
// of the newer version.
func settle(list []share) []share {
	slices.SortStableFunc(list, func(a, b share) int {
		return cmp.Or(a.compare(b.Partition), cmp.Compare(b.version, a.version), cmp.Compare(a.owner, b.owner))
	})
	out := list[:0]
	for _, s := range list {
		if n := len(out); n > 0 && out[n-1].compare(s.Partition) == 0 {
			if out[n-1].owner != s.owner && out[n-1].rival == "" {
				out[n-1].rival, out[n-1].older = s.owner, s.version
			}
			continue
		}
		out = append(out, s)
	}
	return out
}

// owners is who has what, by the partitions' identities.
func (v *version) owners() map[string]string {
	if v == nil {
		return nil
	}
	if v.owned == nil {
		v.owned = make(map[string]string, len(v.shares))
		for _, s := range v.shares {
			v.owned[s.identity()] = s.owner
		}
	}
	return v.owned
}
