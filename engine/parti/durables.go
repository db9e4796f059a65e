package parti

import (
	"slices"
	"strings"

	"pcgtop/model"
)

// Durables as in Parti's sources, internal/dynamicbuild: in version 1 one a worker,
// <prefix>-<worker>; in version 2 one a partition, <prefix>_<keys>_<hash>, where the keys are
// joined by dots, cut at 50 bytes and made fit for a name, and the hash is 16 hex digits of
// the subject, which is its only filter.
const (
	keysMost = 50
	hashLen  = 16
)

// durables are those of a stream that belong to a deployment.
type durables struct {
	partition map[string]string // by a partition's identity: its own
	worker    map[string]string // by worker: its own
	orphans   []string          // of partitions or workers that are no more, by name
}

// found counts what belongs to somebody.
func (d durables) found() int { return len(d.partition) + len(d.worker) }

// join finds whose durables a stream's consumers are.
func join(consumers []*model.Consumer, partitions []share, workers []string) durables {
	d := durables{partition: map[string]string{}, worker: map[string]string{}}
	dotted := make(map[string]string, len(partitions))
	longest := 1
	for _, p := range partitions {
		dotted[p.dotted()] = p.identity()
		longest = max(longest, len(p.Keys))
	}
	known := make(map[string]bool, len(workers))
	kinds := map[string]bool{} // what stable ids begin with
	for _, w := range workers {
		known[w] = true
		if p, ok := idPrefix(w); ok {
			kinds[p] = true
		}
	}
	prefixes := map[string]int{} // with the separator behind
	var loose []string
	for _, c := range consumers {
		if rest, ok := cutHash(c.Name); ok && len(c.Filters) == 1 {
			if keys, prefix, ok := partitionOf(rest, c.Filters[0], dotted, longest); ok {
				d.partition[dotted[keys]] = c.Name
				prefixes[prefix+"_"]++
				continue
			}
		}
		if w, prefix, ok := workerOf(c.Name, known); ok && consumes(c.Filters, dotted, longest) {
			d.worker[w] = c.Name
			prefixes[prefix+"-"]++
			continue
		}
		loose = append(loose, c.Name)
	}
	for _, name := range loose {
		for prefix := range prefixes {
			rest, ours := strings.CutPrefix(name, prefix)
			if ours && orphaned(rest, prefix, kinds) {
				d.orphans = append(d.orphans, name)
				break
			}
		}
	}
	slices.Sort(d.orphans)
	return d
}

// orphaned tells whether the rest of a durable's name, behind a prefix of ours, is that of a
// partition or a worker.
func orphaned(rest, prefix string, kinds map[string]bool) bool {
	if strings.HasSuffix(prefix, "_") {
		_, ok := cutHash(rest)
		return ok
	}
	kind, ok := idPrefix(rest)
	return ok && kinds[kind]
}

// cutHash is a durable's name without the hash at its end; ok is false without one.
func cutHash(name string) (rest string, ok bool) {
	i := len(name) - hashLen - 1
	if i <= 0 || name[i] != '_' || strings.Trim(name[i+1:], "0123456789abcdef") != "" {
		return "", false
	}
	return name[:i], true
}

// partitionOf finds the partition whose keys are in the filter and at the end of the name:
// the name alone could be that of several. What stands before it is the prefix.
func partitionOf(rest, filter string, dotted map[string]string, longest int) (keys, prefix string, ok bool) {
	tokens := strings.Split(filter, ".")
	for n := min(longest, len(tokens)); n > 0; n-- {
		for i := range len(tokens) - n + 1 {
			keys = strings.Join(tokens[i:i+n], ".")
			if _, known := dotted[keys]; !known {
				continue
			}
			if prefix, ok = strings.CutSuffix(rest, "_"+fit(keys)); ok {
				return keys, prefix, true
			}
		}
	}
	return "", "", false
}

// consumes tells whether a filter is one of a partition's, as far as partitions are known:
// workers of several deployments may have the same names.
func consumes(filters []string, dotted map[string]string, longest int) bool {
	for _, f := range filters {
		tokens := strings.Split(f, ".")
		for n := 1; n <= min(longest, len(tokens)); n++ {
			for i := range len(tokens) - n + 1 {
				if _, known := dotted[strings.Join(tokens[i:i+n], ".")]; known {
					return true
				}
			}
		}
	}
	return len(filters) == 0 || len(dotted) == 0
}

// fit makes keys fit for a durable's name.
func fit(keys string) string {
	name := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, keys)
	return name[:min(len(name), keysMost)]
}

// workerOf finds the worker that a durable's name ends in, behind a dash.
func workerOf(name string, known map[string]bool) (worker, prefix string, ok bool) {
	for i := range len(name) {
		if name[i] == '-' && i > 0 && known[name[i+1:]] {
			return name[i+1:], name[:i], true
		}
	}
	return "", "", false
}
