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
	fitNone   likeness = iota
	fitNamed           // its bucket is called so, and it has nothing of what is assigned
	fitShare           // it has some of what is assigned, and nothing else speaks for it
	fitCalled          // its bucket is called so, and it has some of that, or cannot be read
	fitSure            // its bucket says so itself
	fitKnown           // it was the source before: what is in it now does not matter
)

// pickSource finds the partition source among what could be one. Of several that fit as
// well, it is the one that has most of what is assigned. Once one has, it stays the source.
func (l *look) pickSource() {
	best, most := fitNone, 0
	for _, at := range l.state.sourceKeys() {
		r := l.state.sources[at]
		n := l.assigned(r.value)
		if r.problem != "" {
			n = -1 // of the same bucket, one that can be read comes before it
		}
		if how := l.fits(at, n); how > best || how == best && n > most {
			best, most, l.source, l.sourceOf = how, n, at, &r
		}
	}
	if most > 0 && l.sourcesRead() {
		l.deployment.matched = l.source
	}
}

// sourceKeys are what could be the partition source, in order.
func (s *state) sourceKeys() []sourceAt {
	return slices.SortedFunc(maps.Keys(s.sources), func(a, b sourceAt) int {
		return cmp.Or(strings.Compare(a.bucket, b.bucket), strings.Compare(a.key, b.key))
	})
}

// sourcesRead tells whether all that could be the source was read: until then, another may
// have more.
func (d *deployment) sourcesRead() bool {
	for _, b := range d.buckets {
		if b.role == roleSource && !b.read {
			return false
		}
	}
	return true
}

// fits tells how well a key fits that has so many of the assigned partitions; -1: it is
// unreadable.
func (l *look) fits(at sourceAt, shared int) likeness {
	b := l.buckets[at.bucket]
	called := b.calledSource() && !ownKey(at.key)
	switch {
	case at == l.matched:
		return fitKnown
	case b.sure:
		return fitSure
	case called && shared != 0:
		return fitCalled
	case shared > 0:
		return fitShare
	case called:
		return fitNamed
	}
	return fitNone
}

// supposed tells whether nothing but what is in it says that the source is one.
func (l *look) supposed() bool {
	b := l.buckets[l.source.bucket]
	return !b.sure && !b.calledSource()
}

// rivals are keys that cannot be read and could be the source, as far as that can be said.
func (l *look) rivals() (names []string) {
	for _, at := range l.state.sourceKeys() {
		b := l.buckets[at.bucket]
		if at != l.source && l.state.sources[at].problem != "" && !ownKey(at.key) && (b.sure || b.calledSource() || l.supposed()) {
			names = append(names, at.String())
		}
	}
	return names
}

// choice says by what the source was told where that is no more than likely; empty: it is
// said somewhere, or no source is known.
func (l *look) choice() string {
	if l.sourceOf == nil {
		return ""
	}
	var why []string
	if l.supposed() {
		why = append(why, fmt.Sprintf("has %d of the %s that are assigned", l.assigned(l.sourceOf.value), model.Count(len(l.shown.shares), "partition")))
	}
	if r := l.rivals(); len(r) > 0 {
		why = append(why, some(r)+" could be the source too and cannot be read as one")
	}
	return strings.Join(why, "; ")
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
	case len(l.rivals()) > 0 && l.assigned(r.value) < len(l.shown.shares):
		return []model.ToldFinding{finding("source-choice", model.Info, "", "repair what is stored, or mark the bucket as the source's ("+metaComponent+": partition-source)", "%s is taken for the partition source: %s", l.source, l.choice())}
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
		none := "no partition source is known of it"
		if r := l.rivals(); len(r) > 0 {
			none += ": " + some(r) + " cannot be read as one"
		}
		return cmp.Or(l.sourceGone(), none)
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
