package parti

import (
	"maps"
	"slices"

	"pcgtop/model"
)

// What cannot be read, or is not there, is no knowledge: nothing is concluded from it.

// unassigned says why it is not known what is assigned; empty: it is, or nothing is.
func (l *look) unassigned() string {
	switch {
	case l.state.shown != nil && (l.state.shown.revision > 0 || len(l.state.shown.missing) == 0):
		return ""
	case l.state.commit.problem != "":
		return "the commit is unreadable"
	case l.state.shown != nil:
		return "the assignments are unreadable"
	}
	for _, b := range l.buckets {
		if b.role == roleAssignment && b.refused != "" {
			return "assignments cannot be read"
		}
	}
	return ""
}

// deaf tells whether heartbeats cannot be read: who has none may live all the same.
func (d *deployment) deaf() bool { return !d.has(roleHeartbeat) }

// deafness says why they cannot.
func (d *deployment) deafness() string {
	for _, b := range d.buckets {
		if b.role == roleHeartbeat && b.refused != "" {
			return "heartbeats cannot be read"
		}
	}
	return "there is no bucket of heartbeats"
}

// gone: buckets that are not there any more, while others of the deployment are.
func (l *look) gone() (list []model.ToldFinding) {
	for _, name := range slices.Sorted(maps.Keys(l.buckets)) {
		b := l.buckets[name]
		if b.role == roleSource || b.exists || !b.existed || b.refused != "" {
			continue // what became of a source is said elsewhere
		}
		hint := "workers cannot go on without it: see who removed it"
		if b.role == roleHeartbeat {
			hint = "who lives is not known without it: see who removed it"
		}
		list = append(list, finding("bucket-gone", model.Warning, model.VerdictDegraded, hint, "the bucket %s is gone", name))
	}
	if len(list) == 0 && l.heartless() {
		list = append(list, finding("bucket-gone", model.Warning, model.VerdictDegraded, "who lives is not known without one", "no bucket of heartbeats is found"))
	}
	return list
}

// heartless tells whether no bucket of heartbeats is there, not even one that is refused.
func (l *look) heartless() bool {
	for _, b := range l.buckets {
		if b.role == roleHeartbeat && (b.exists || b.refused != "") {
			return false
		}
	}
	return true
}
