package parti

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"pcgtop/model"
)

// settleTime is how long a change of the assignment may be on its way before what has not
// followed counts as a fault. Parti's workers apply a version within a heartbeat or two.
const settleTime = 10 * time.Second

// handoffTTL is what counts for a claim that does not say when it is stuck: Parti's sweep.
const handoffTTL = 2 * time.Minute

// look is a deployment at one moment, worked out for telling it. It is used under the lock.
type look struct {
	*deployment
	now        time.Time // server clock
	shown      *version  // never nil
	target     int64     // the newest version that was decided
	since      time.Time // when that was, server clock
	live       map[string]bool
	unknown    string // why it is not known what is assigned; empty: it is
	doubt      string // why it is not known of all; empty: it is
	workers    []string
	lagging    []string // live workers that have not applied the target
	silent     []string // workers in the assignment that do not live
	waiting    []string // live workers that are not in the assignment
	leader     string   // empty: none
	leaderless string   // why there is none
	source     sourceAt
	sourceOf   *record[[]Partition] // nil: no source is known
	partitions []listed
}

// listed is a partition with what is to be said of it.
type listed struct {
	share
	note   string
	parked bool // in the source, in nobody's payload
	coming bool // as parked, but the leader has not seen that source yet
}

func (d *deployment) lookAt(stream *model.Stream, now time.Time) *look {
	d.state.assemble()
	l := &look{deployment: d, now: now, shown: d.state.shown, live: map[string]bool{}, workers: d.workers()}
	if l.shown == nil {
		l.shown = &version{}
	}
	l.unknown = l.unassigned()
	l.doubt = l.unknown
	if m := l.shown.missing; l.doubt == "" && len(m) > 0 {
		l.doubt = "the assignment of " + some(m) + " is not there or unreadable"
	}
	l.target, l.since = l.shown.number, l.shown.at
	if c := d.state.coming; c != nil {
		l.target, l.since = c.number, c.at
	}
	for _, w := range d.live(now) {
		l.live[w] = true
	}
	for _, w := range l.shown.workers {
		if h := d.state.heartbeats[w]; !l.live[w] && d.deaf() {
			continue
		} else if !l.live[w] {
			l.silent = append(l.silent, w)
		} else if h.value.Schema > 0 && l.shown.commit != nil && h.value.Applied < l.target {
			l.lagging = append(l.lagging, w)
		}
	}
	for _, w := range l.workers {
		if l.unknown == "" && l.live[w] && !slices.Contains(l.shown.workers, w) {
			l.waiting = append(l.waiting, w)
		}
	}
	l.lead()
	l.pickSource()
	l.list()
	l.joined(stream)
	return l
}

// joint is what durables were joined by.
type joint struct {
	first   **model.Consumer
	n       int
	shown   *version
	source  uint64
	workers string
}

// joined makes the durables known, anew only when there is something new to join.
func (l *look) joined(stream *model.Stream) {
	if len(stream.Consumers) == 0 {
		l.joint, l.durables = joint{}, durables{}
		return
	}
	by := joint{&stream.Consumers[0], len(stream.Consumers), l.shown, 0, strings.Join(l.workers, " ")}
	if l.sourceOf != nil {
		by.source = l.sourceOf.revision
	}
	if by != l.joint {
		l.joint, l.durables = by, join(stream.Consumers, l.shares(), l.workers)
	}
}

// lead finds out who leads.
func (l *look) lead() {
	r := l.state.leader
	switch {
	case !l.has(roleElection):
		return // it cannot be known
	case r.revision == 0:
		l.leaderless = "nobody holds the leader key"
	case r.problem != "":
		l.leaderless = "the leader key is unreadable: " + r.problem
	case l.now.Sub(r.at) > l.ttl(roleElection):
		l.leaderless = fmt.Sprintf("%s led and has not renewed the key for %s", r.value, ago(l.now.Sub(r.at)))
	default:
		l.leader = r.value
	}
}

// list lists the partitions: those assigned, and those that are only in the source.
func (l *look) list() {
	l.partitions = make([]listed, len(l.shown.shares))
	for i, s := range l.shown.shares {
		l.partitions[i].share = s
	}
	if l.sourceOf != nil && l.sourceOf.problem == "" {
		owners := l.shown.owners()
		for _, p := range l.sourceOf.value {
			if _, assigned := owners[p.identity()]; !assigned && len(p.Keys) > 0 {
				l.partitions = append(l.partitions, listed{share: share{Partition: p}, coming: l.sourcePending(), parked: l.doubt == "" && !l.sourcePending()})
			}
		}
	}
	if len(l.partitions) > len(l.shown.shares) { // those are in order
		slices.SortStableFunc(l.partitions, func(a, b listed) int { return a.compare(b.Partition) })
		l.partitions = slices.CompactFunc(l.partitions, func(a, b listed) bool { return a.compare(b.Partition) == 0 })
	}
	l.note()
}

func (l *look) shares() []share {
	out := make([]share, len(l.partitions))
	for i, p := range l.partitions {
		out[i] = p.share
	}
	return out
}

// note says what is going on with each partition.
func (l *look) note() {
	before := l.state.before.owners()
	behind := map[string]bool{}
	for _, w := range l.lagging {
		behind[w] = true
	}
	sourced := map[string]bool{}
	if l.sourcePending() && l.sourceOf.problem == "" {
		for _, p := range l.sourceOf.value {
			sourced[p.identity()] = true
		}
	}
	handoffs := l.handoffs()
	for i := range l.partitions {
		p := &l.partitions[i]
		was := before[p.identity()]
		switch {
		case len(handoffs[p.identity()]) > 0:
			p.note = describe(handoffs[p.identity()][0], l.now)
		case p.rival != "":
			p.note = fmt.Sprintf("in progress: %s (%d) ▸ %s (%d)", p.rival, p.older, p.owner, p.version)
		case p.owner == "" && l.doubt != "":
			p.note = l.doubt
		case p.parked:
			p.note = "parked"
		case p.coming:
			p.note = "pending: not assigned yet"
		case was != "" && was != p.owner && (behind[was] && l.live[was] || behind[p.owner]):
			p.note = "in progress: " + was + " ▸ " + p.owner
		case l.sourcePending() && len(sourced) > 0 && !sourced[p.identity()]:
			p.note = "pending: leaves with the next version"
		case p.version < l.shown.number:
			p.note = fmt.Sprintf("of version %d", p.version)
		}
	}
}

// handoffs finds the claims that are not stable, by the partitions' identities. A claim has
// the keys joined by dashes, which can be those of several partitions: the owners tell then.
func (l *look) handoffs() map[string][]record[claim] {
	if l.openHandoffs() == 0 {
		return nil
	}
	dashed := map[string][]*listed{}
	for i := range l.partitions {
		p := &l.partitions[i]
		for _, id := range slices.Compact([]string{p.dashed(), p.dotted()}) {
			dashed[id] = append(dashed[id], p)
		}
	}
	out := map[string][]record[claim]{}
	for _, key := range slices.Sorted(maps.Keys(l.state.claims)) {
		c := l.state.claims[key]
		if c.problem != "" || c.value.State == "stable" {
			continue
		}
		fit := dashed[c.value.Partition]
		if len(fit) > 1 {
			if of := slices.DeleteFunc(slices.Clone(fit), func(p *listed) bool {
				return p.owner != c.value.Owner && p.owner != c.value.Pending
			}); len(of) > 0 {
				fit = of
			}
		}
		for _, p := range fit {
			out[p.identity()] = append(out[p.identity()], c)
		}
	}
	return out
}

// describe says what a claim is about: "handoff: prepare, worker-1 ▸ worker-3".
func describe(r record[claim], now time.Time) string {
	c := r.value
	state := c.State
	if state == "" {
		state = "unknown"
	}
	text := "handoff: " + state
	switch {
	case c.Pending != "" && c.Owner != "":
		text += ", " + c.Owner + " ▸ " + c.Pending
	case c.Pending != "":
		text += ", to " + c.Pending
	case c.Owner != "":
		text += ", of " + c.Owner
	}
	if stuck(r, now) {
		text += ", stuck for " + ago(now.Sub(r.at))
	}
	return text
}

// stuck tells whether a handoff takes longer than its claim allows.
func stuck(r record[claim], now time.Time) bool {
	ttl := time.Duration(r.value.TTL) * time.Second
	if ttl <= 0 {
		ttl = handoffTTL
	}
	return r.problem == "" && r.value.State != "stable" && now.Sub(r.at) > ttl
}

// ago is a span in words, no finer than a second.
func ago(d time.Duration) string {
	switch d = max(0, d).Truncate(time.Second); {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d m", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}
