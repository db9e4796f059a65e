package parti

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pcgtop/model"
)

// sourceAt is where a partition source may lie.
type sourceAt struct{ bucket, key string }

func (at sourceAt) String() string { return at.bucket + "/" + at.key }

// likeness is how well a key fits as the partition source, the better the greater.
type likeness int

const (
	fitNone  likeness = iota
	fitNamed          // its bucket is called so
	fitSure           // its bucket says so itself
	fitShare          // it has some of what is assigned
	fitKnown          // it was the source before: what is in it now does not matter
)

// pickSource finds the partition source among what could be one. Of several that have
// something of what is assigned, it is the one that has most.
func (l *look) pickSource() {
	best, most := fitNone, 0
	for _, at := range slices.SortedFunc(maps.Keys(l.state.sources), func(a, b sourceAt) int {
		return cmp.Or(strings.Compare(a.bucket, b.bucket), strings.Compare(a.key, b.key))
	}) {
		r := l.state.sources[at]
		n := l.assigned(r.value)
		if r.problem != "" {
			n = -1 // one that can be read comes before it
		}
		if how := l.fits(at, n); how > best || how == best && n > most {
			best, most, l.source, l.sourceOf = how, n, at, &r
		}
	}
	if best == fitShare {
		l.deployment.matched = l.source
	}
}

func (l *look) fits(at sourceAt, shared int) likeness {
	switch b := l.buckets[at.bucket]; {
	case at == l.matched:
		return fitKnown
	case shared > 0:
		return fitShare
	case b.sure:
		return fitSure
	case b.calledSource() && !ownKey(at.key):
		return fitNamed
	}
	return fitNone
}

// calledSource tells whether a bucket beside the others has the name of one for a source.
func (p place) calledSource() bool {
	_, word := stemOf(p.bucket)
	return p.role == roleSource && word == "source"
}

// assigned counts those of the partitions that somebody has.
func (l *look) assigned(list []Partition) (n int) {
	owners := l.shown.owners()
	for _, p := range list {
		if _, has := owners[p.identity()]; has {
			n++
		}
	}
	return n
}

// sourcePending tells whether the source is newer than what the leader made the assignment
// of.
func (l *look) sourcePending() bool {
	c := l.shown.commit
	return l.sourceOf != nil && c != nil && c.SourceKnown && l.sourceOf.revision > c.Source
}

// sourceAmiss: a source that is gone, or has what is no use.
func (l *look) sourceAmiss() []model.ToldFinding {
	amiss := func(hint, format string, args ...any) []model.ToldFinding {
		return []model.ToldFinding{finding("source", model.Warning, model.VerdictDegraded, hint, format, args...)}
	}
	if l.sourceOf == nil {
		if why := l.sourceGone(); why != "" {
			return amiss("store it again, or see who removed it", "%s", why)
		}
		return nil
	}
	switch r := l.sourceOf; {
	case r.problem != "":
		return amiss("repair what is stored", "the partition source %s is unreadable: %s", l.source, r.problem)
	case len(r.value) == 0:
		return amiss("repair what is stored", "the partition source %s has no partition in it", l.source)
	case len(l.shown.shares) > 0 && l.assigned(r.value) == 0:
		return amiss("see whether it was meant", "the partition source %s has nothing of what is assigned", l.source)
	}
	return nil
}

// sourceGone says what became of a source that was there; empty: none was, or its bucket
// cannot be read, which is said of the bucket.
func (l *look) sourceGone() string {
	switch b := l.buckets[l.matched.bucket]; {
	case l.matched == sourceAt{} || b.refused != "":
		return ""
	case !b.exists:
		return fmt.Sprintf("the partition source %s is gone with its bucket", l.matched)
	}
	return fmt.Sprintf("the partition source %s is gone: the key is not there", l.matched)
}

// noSource says why there is no source to edit; empty: there is one.
func (l *look) noSource() string {
	switch {
	case l.sourceOf == nil:
		for _, name := range slices.Sorted(maps.Keys(l.buckets)) {
			if b := l.buckets[name]; b.refused != "" && l.ofSource(b) {
				return fmt.Sprintf("the partition source's bucket %s cannot be read: %s", name, b.refused)
			}
		}
		return cmp.Or(l.sourceGone(), "no partition source is known of it")
	case l.sourceOf.problem != "":
		return fmt.Sprintf("the partition source %s is unreadable: %s", l.source, l.sourceOf.problem)
	case ownKey(l.source.key):
		return "what looks like its source lies under a key of Parti's own: " + l.source.key
	}
	return ""
}

// ofSource tells whether a bucket is the source's, and not only looked at for one.
func (l *look) ofSource(b bucket) bool {
	return b.role == roleSource && (b.sure || b.calledSource() || b.bucket == l.matched.bucket)
}

// ownKey tells keys that Parti itself writes.
func ownKey(key string) bool {
	own := func(prefix string) bool { return strings.HasPrefix(key, prefix) }
	return key == keyLeader || own(keyHeartbeat) || own(keyWorker) || own(keyClaim)
}
