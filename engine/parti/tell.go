package parti

import (
	"fmt"
	"strings"
	"time"

	"pcgtop/model"
)

// States of members, as far as they are Parti's: words for what heartbeats and assignment
// tell together. Parti's own states are not stored.
const (
	stateStable  model.State = "stable"  // lives, and has applied what is assigned
	stateLagging model.State = "lagging" // lives, and has not applied the newest version
	stateWaiting model.State = "waiting" // lives, nothing is assigned to it yet
	stateExpired model.State = "expired" // its heartbeat is older than the bucket keeps one
	stateStopped model.State = "stopped" // it took its heartbeat back
	stateClaimed model.State = "claimed" // it has a stable id and no heartbeat yet
	stateStale   model.State = "stale"   // it has a stable id that nobody renews
	stateUnheard model.State = "unheard" // its heartbeats cannot be read
	stateAlive   model.State = "alive"   // lives; what is assigned cannot be read
)

// Tell implements [model.Teller].
func (d *deployment) Tell(stream *model.Stream, now time.Time) model.Told {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.lookAt(stream, now.Add(d.ahead))
	t := model.Told{
		Revision: uint64(max(0, l.shown.number)), Written: l.shown.at, News: l.news(), Raw: d.state.raw(), Unreadable: d.state.commit.problem,
		Facts: l.facts(), Members: l.members(), Partitions: l.tellPartitions(), Unsure: l.doubt != "", Findings: l.findings(),
	}
	t.Refusals = map[model.Action]string{model.ActionEditSource: l.noSource(), model.ActionRemoveID: l.noStaleID()}
	for _, action := range []model.Action{model.ActionEditSource, model.ActionRemoveID} {
		if t.Refusals[action] == "" {
			t.Actions = append(t.Actions, action)
		}
	}
	return t
}

// lifecycle is why the leader made the version, in words.
func (v *version) why() string { return strings.ReplaceAll(v.lifecycle, "_", " ") }

func (l *look) news() string {
	text := fmt.Sprintf("version %d", l.shown.number)
	if why := l.shown.why(); why != "" {
		text += ", " + why
	}
	return text
}

// facts are what is said of the deployment, the important first.
func (l *look) facts() []string {
	var facts []string
	add := func(format string, args ...any) { facts = append(facts, fmt.Sprintf(format, args...)) }
	switch c := l.state.coming; {
	case c != nil:
		add("version %d, %d in progress", l.shown.number, c.number)
	case l.unknown != "":
		add("what is assigned is not known")
	case l.shown.revision > 0:
		add("version %d", l.shown.number)
	default:
		add("nothing is assigned yet")
	}
	add("inferred: %s", l.inferred())
	switch {
	case l.leader != "":
		add("leader %s", l.leader)
	case l.leaderless != "":
		add("no leader")
	}
	if why := l.shown.why(); why != "" {
		add("%s", why)
	}
	if n := l.openHandoffs(); n > 0 {
		add("%s", model.Count(n, "handoff"))
	}
	if l.sourceOf != nil {
		text := fmt.Sprintf("source %s at revision %d", l.source, l.sourceOf.revision)
		if why := l.choice(); why != "" {
			text += " (" + why + ")"
		}
		add("%s", text)
	}
	switch {
	case l.shown.commit != nil:
		add("format v2")
	case l.shown.revision > 0:
		add("format v1")
	}
	return facts
}

// inferred is the state of the whole, deduced: Parti does not store its own.
func (l *look) inferred() string {
	switch {
	case l.deaf():
		return "not to be told without heartbeats"
	case len(l.live) == 0:
		return "nobody runs"
	case l.unknown != "":
		return "not to be told without the assignment"
	case len(l.shown.workers) == 0:
		return "waiting"
	case l.shown.lifecycle == "emergency" && (len(l.lagging) > 0 || l.state.coming != nil):
		return "emergency"
	case len(l.silent) > 0 || len(l.waiting) > 0:
		return "scaling"
	case len(l.lagging) > 0 || len(l.shown.behind) > 0 || l.state.coming != nil || l.openHandoffs() > 0:
		return "rebalancing"
	}
	return "stable"
}

func (l *look) openHandoffs() int {
	n := 0
	for _, c := range l.state.claims {
		if c.problem == "" && c.value.State != "stable" {
			n++
		}
	}
	return n
}

// members are the workers.
func (l *look) members() []model.ToldMember {
	assigned := map[string]bool{}
	for _, w := range l.shown.workers {
		assigned[w] = true
	}
	out := make([]model.ToldMember, 0, len(l.workers))
	for _, w := range l.workers {
		m := model.ToldMember{Name: w, Live: l.live[w], Consumer: l.durables.worker[w], Facts: l.workerFacts(w)}
		m.State, m.Why = l.workerState(w, assigned[w])
		out = append(out, m)
	}
	return out
}

// workerState deduces a worker's state, and says from what.
func (l *look) workerState(w string, assigned bool) (model.State, string) {
	h, beats := l.state.heartbeats[w]
	id, claimed := l.state.ids[w]
	because := func(format string, args ...any) string { return "inferred: " + fmt.Sprintf(format, args...) }
	switch {
	case l.deaf() && claimed:
		return stateUnheard, because("stable id renewed %s ago, %s", ago(l.now.Sub(id.at)), l.deafness())
	case l.deaf():
		return stateUnheard, because("%s", l.deafness())
	case l.live[w] && l.unknown != "":
		return stateAlive, because("alive, %s", l.unknown)
	case l.live[w] && !assigned:
		return stateWaiting, because("not in version %d", l.shown.number)
	case l.live[w] && h.value.Schema > 0 && l.shown.commit != nil && h.value.Applied < l.target:
		return stateLagging, because("behind version %d", l.target)
	case l.live[w] && l.shown.commit == nil:
		return stateStable, because("alive and assigned")
	case l.live[w]:
		return stateStable, because("alive and up to date")
	case beats:
		return stateExpired, because("heartbeat %s old, counts for %s", ago(l.now.Sub(h.at)), ago(l.ttl(roleHeartbeat)))
	case !l.state.stopped[w].IsZero():
		return stateStopped, because("heartbeat taken back %s ago", ago(l.now.Sub(l.state.stopped[w])))
	case claimed && !assigned && l.now.Sub(id.at) <= l.ttl(roleIDs)+staleGrace:
		return stateClaimed, because("stable id, no heartbeat yet")
	case claimed && !assigned:
		return stateStale, because("stable id not renewed for %s, no heartbeat", ago(l.now.Sub(id.at)))
	}
	return stateExpired, because("in version %d, no heartbeat", l.shown.number)
}

func (l *look) workerFacts(w string) []string {
	var facts []string
	if w == l.leader {
		facts = append(facts, "leader")
	}
	h, beats := l.state.heartbeats[w]
	if beats {
		facts = append(facts, "heartbeat: "+ago(l.now.Sub(h.at))+" ago")
		if h.value.Schema > 0 {
			facts = append(facts, fmt.Sprintf("applied: %d of %d", h.value.Applied, l.target))
		}
	}
	labels := h.value.Labels
	if len(labels) == 0 {
		labels = l.shown.labels[w]
	}
	if len(labels) > 0 {
		facts = append(facts, "labels: "+strings.Join(labels, ", "))
	}
	if h.value.Capabilities&canTwoPhase != 0 {
		facts = append(facts, "two-phase")
	}
	if h.value.Capabilities&canGate != 0 {
		facts = append(facts, "gated")
	}
	if l.has(roleIDs) {
		if _, claimed := l.state.ids[w]; !claimed {
			facts = append(facts, "no stable id")
		}
	}
	return facts
}

func (l *look) tellPartitions() []model.ToldPartition {
	parts := make([]Partition, len(l.partitions))
	for i, p := range l.partitions {
		parts[i] = p.Partition
	}
	out := make([]model.ToldPartition, len(parts))
	for i, name := range names(parts) {
		p := l.partitions[i]
		out[i] = model.ToldPartition{Name: name, Owner: p.owner, Weight: p.Weight, Label: p.Label, Note: p.note, Consumer: l.durables.partition[p.identity()]}
	}
	return out
}
