package parti

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pcgtop/model"
)

// finding is one, and what it leads to; empty: nothing.
func finding(id string, s model.Severity, v model.Verdict, hint, format string, args ...any) model.ToldFinding {
	return model.ToldFinding{Finding: model.Finding{ID: id, Severity: s, Text: fmt.Sprintf(format, args...), Hint: hint}, Verdict: v}
}

// findings are what is wrong with the deployment, and what is worth knowing.
func (l *look) findings() []model.ToldFinding {
	var list []model.ToldFinding
	for _, found := range [][]model.ToldFinding{l.gone(), l.stored(), l.led(), l.alive(), l.followed(), l.sourced(), l.handedOver(), l.strange(), l.left()} {
		list = append(list, found...)
	}
	return list
}

// some names at most three, and says how many more there are.
func some(names []string) string {
	const most = 3
	text := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// settled tells whether a change is so old that everybody should have followed it.
func (l *look) settled() bool { return l.now.Sub(l.since) > settleTime }

// late is a warning once a change is settled, and before that a note.
func (l *look) late() (model.Severity, model.Verdict) {
	if l.settled() {
		return model.Warning, model.VerdictDegraded
	}
	return model.Info, ""
}

// stored: what cannot be used of what is stored.
func (l *look) stored() (list []model.ToldFinding) {
	if p := l.state.commit.problem; p != "" {
		hint := "what was assigned before it is shown"
		if l.unknown != "" {
			hint = "what is assigned is not known until it can be read"
		}
		list = append(list, finding("unreadable", model.Critical, model.VerdictUnreadable, hint, "the commit is unreadable: %s", p))
	}
	if c := l.shown.commit; c != nil && c.Version < 1 {
		list = append(list, finding("version", model.Warning, model.VerdictDegraded, "see what wrote it", "the commit is of version %d: versions begin at 1", c.Version))
	}
	missing := l.shown.missing
	if c := l.state.coming; c != nil {
		missing = c.missing
	}
	if len(missing) > 0 {
		s, v := l.late()
		why := "is not there"
		if l.shown.commit == nil && l.state.coming == nil {
			why = "is unreadable"
		}
		for _, w := range missing {
			if c := l.commitOf(); c != nil {
				if p := l.state.payloads[c.Payloads[w].key()].problem; p != "" {
					why, s, v = "cannot be used: "+p, model.Warning, model.VerdictDegraded
				}
			}
		}
		text := fmt.Sprintf("version %d is in progress: the assignment of %s %s", l.target, some(missing), why)
		if l.state.coming != nil {
			text += fmt.Sprintf("; version %d is shown", l.shown.number)
		}
		list = append(list, finding("payload", s, v, "see whether the leader runs, and its log", "%s", text))
	}
	for _, name := range slices.Sorted(maps.Keys(l.buckets)) {
		if b := l.buckets[name]; b.refused != "" && (b.role != roleSource || l.ofSource(b)) { // else it was only looked at for a source
			list = append(list, finding("unread", model.Warning, model.VerdictDegraded, "allow it", "the bucket %s cannot be read: %s", name, b.refused))
		}
	}
	return list
}

// commitOf is the newest commit; nil: none, or none that is readable.
func (l *look) commitOf() *commit {
	if l.state.coming != nil {
		return l.state.coming.commit
	}
	return l.shown.commit
}

func (l *look) led() []model.ToldFinding {
	if l.leaderless == "" {
		return nil
	}
	return []model.ToldFinding{finding("no-leader", model.Warning, model.VerdictDegraded, "nothing is assigned anew until a worker leads", "no leader: %s", l.leaderless)}
}

// alive: who has partitions and does not live.
func (l *look) alive() (list []model.ToldFinding) {
	owned := map[string]int{}
	for _, s := range l.shown.shares {
		owned[s.owner]++
	}
	var silent []string
	n := 0
	for _, w := range l.silent {
		if owned[w] > 0 {
			silent, n = append(silent, w), n+owned[w]
		}
	}
	switch {
	case n > 0 && len(l.live) == 0:
		list = append(list, finding("nobody", model.Critical, model.VerdictBroken, "start workers", "no worker runs: nobody works on %s", model.Count(n, "partition")))
	case len(silent) == 1:
		f := finding("expired", model.Warning, model.VerdictDegraded, "the leader gives them to others in an emergency rebalance", "%s has no young heartbeat and owns %s", silent[0], model.Count(n, "partition"))
		f.Member = silent[0]
		list = append(list, f)
	case len(silent) > 1:
		list = append(list, finding("expired", model.Warning, model.VerdictDegraded, "the leader gives them to others in an emergency rebalance", "%s without young heartbeats own %s: %s", model.Count(len(silent), "worker"), model.Count(n, "partition"), some(silent)))
	}
	var beats []string
	for _, w := range slices.Sorted(maps.Keys(l.state.heartbeats)) {
		if p := l.state.heartbeats[w].problem; p != "" {
			beats = append(beats, w+" ("+p+")")
		}
	}
	if len(beats) > 0 {
		list = append(list, finding("heartbeat", model.Warning, model.VerdictDegraded, "see what writes them", "unreadable heartbeats: %s", some(beats)))
	}
	return list
}

// followed: who has not applied what was decided.
func (l *look) followed() (list []model.ToldFinding) {
	s, v := l.late()
	if len(l.lagging) > 0 {
		f := finding("lagging", s, v, "see what keeps them: their logs, their processing gates", "%s lagging behind version %d: %s", model.Count(len(l.lagging), "worker"), l.target, some(l.lagging))
		if len(l.lagging) == 1 {
			f.Member = l.lagging[0]
		}
		list = append(list, f)
	}
	if len(l.shown.behind) > 0 {
		list = append(list, finding("mixed", s, v, "if it stays so, see whether the leader runs", "mixed versions: %s of an older version than %d", some(l.shown.behind), l.shown.number))
	}
	return list
}

// sourced: partitions that nobody works on, and changes of the source that are on their way.
func (l *look) sourced() (list []model.ToldFinding) {
	parked := l.names(func(p listed) bool { return p.parked })
	n := len(parked)
	if c := l.shown.commit; c != nil {
		n = max(n, c.Parked)
	}
	if n > 0 {
		text := model.Count(n, "partition") + " parked: nobody works on them"
		if len(parked) > 0 {
			text += " (" + some(parked) + ")"
		}
		list = append(list, finding("parked", model.Warning, model.VerdictDegraded, "start a worker that has their label, or change the label", "%s", text))
	}
	list = append(list, l.sourceAmiss()...)
	if l.sourcePending() {
		s, v := model.Info, model.Verdict("")
		if l.now.Sub(l.sourceOf.at) > settleTime && l.settled() {
			s, v = model.Warning, model.VerdictDegraded
		}
		list = append(list, finding("source-pending", s, v, "the leader takes it up with its next version", "the partition source is at revision %d, the assignment is of revision %d", l.sourceOf.revision, l.shown.commit.Source))
	}
	return list
}

// names lists the partitions that are so.
func (l *look) names(so func(listed) bool) []string {
	var list []Partition
	for _, p := range l.partitions {
		if so(p) {
			list = append(list, p.Partition)
		}
	}
	return names(list)
}

func (l *look) handedOver() (list []model.ToldFinding) {
	var late []string
	for _, key := range slices.Sorted(maps.Keys(l.state.claims)) {
		c := l.state.claims[key]
		if c.problem != "" {
			list = append(list, finding("claim", model.Info, "", "", "the claim %s is unreadable: %s", key, c.problem))
		} else if stuck(c, l.now) {
			late = append(late, c.value.Partition+", "+strings.TrimPrefix(describe(c, l.now), "handoff: "))
		}
	}
	if len(late) > 0 {
		list = append(list, finding("handoff-stuck", model.Warning, model.VerdictDegraded, "see what the two workers do", "%s stuck: %s", model.Count(len(late), "handoff"), some(late)))
	}
	return list
}

// strange: what is stored that this program does not know, or that misleads.
func (l *look) strange() (list []model.ToldFinding) {
	var ahead []string
	if l.state.commit.revision > 0 && l.state.commit.problem == "" {
		for _, w := range slices.Sorted(maps.Keys(l.state.aliases)) {
			if a := l.state.aliases[w]; a.problem == "" && a.value.Version > l.target {
				ahead = append(ahead, fmt.Sprintf("%s%s at %d", keyWorker, w, a.value.Version))
			}
		}
	}
	if len(ahead) > 0 {
		list = append(list, finding("alias-ahead", model.Info, "", "a commit was aborted; the legacy copies do not count", "legacy copies are ahead of the commit's version %d: %s", l.target, some(ahead)))
	}
	fields, newer := map[string]bool{}, 0
	note := func(what string, o oddities) {
		for _, f := range o.fields {
			fields[what+" "+f] = true
		}
		newer = max(newer, o.newer)
	}
	note("commit", l.state.commit.odd)
	for _, r := range l.state.heartbeats {
		note("heartbeat", r.odd)
	}
	for _, r := range l.state.payloads {
		note("payload", r.odd)
	}
	for _, r := range l.state.aliases {
		note("assignment", r.odd)
	}
	for _, r := range l.state.claims {
		note("claim", r.odd)
	}
	if newer > 0 {
		list = append(list, finding("schema", model.Info, "", "what is shown may not be all there is", "schema version %d is newer than what is known here (%d)", newer, schemaKnown))
	}
	if len(fields) > 0 {
		list = append(list, finding("fields", model.Info, "", "they are left out", "unknown fields: %s", some(slices.Sorted(maps.Keys(fields)))))
	}
	return list
}

// left: what is left over of workers and partitions that are no more.
func (l *look) left() (list []model.ToldFinding) {
	if stale := l.stale(); len(stale) > 0 {
		list = append(list, finding("stale-id", model.Info, "", "it can be removed", "stable ids that nobody renews, without a heartbeat: %s", some(stale)))
	}
	if o := l.durables.orphans; len(o) > 0 && l.doubt == "" {
		list = append(list, finding("orphans", model.Info, "", "the server removes them when nobody has pulled for their inactive threshold", "%s of no partition or worker: %s", model.Count(len(o), "durable"), some(o)))
	}
	return list
}

// staleGrace is how much older than its time a stable id is before it counts as stale: the
// server removes most of them by themselves, and that is not seen at once.
const staleGrace = settleTime

// stale lists the workers whose stable ids can be removed: no heartbeat, and too old.
func (l *look) stale() (list []string) {
	if l.deaf() {
		return nil
	}
	for _, w := range slices.Sorted(maps.Keys(l.state.ids)) {
		if _, beats := l.state.heartbeats[w]; !beats && l.now.Sub(l.state.ids[w].at) > l.ttl(roleIDs)+staleGrace {
			list = append(list, w)
		}
	}
	return list
}
