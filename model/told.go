package model

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// Teller describes a group of a kind that the model itself knows nothing of. It has to
// be pure but for what its kind learned meanwhile, and safe for use by any goroutine.
type Teller interface {
	// Tell describes the group as of now (local clock). stream is what was read of the
	// stream that the group consumes from; never nil, and not read where there is none.
	Tell(stream *Stream, now time.Time) Told
}

// GroupTold is a group of another kind, or news of it.
type GroupTold struct {
	Key    Key
	Stream string // whose consumers are the group's; empty: it is known by what is stored alone
	Teller Teller
}

// Told is a group as its kind tells it.
type Told struct {
	Revision   uint64            // of what is configured: it goes up with each change; 0: there is none
	Written    time.Time         // when that was stored, server clock
	News       string            // what a new revision is called in the events: "version 41, planned scale"
	Raw        string            // what is stored, as it is
	Unreadable string            // why the newest stored value cannot be used
	Facts      []string          // what is said of the group behind its kind, a few words each, the important first
	Actions    []Action          // what can be done to it
	Refusals   map[Action]string // why what its kind could do cannot be done now
	Members    []ToldMember
	Partitions []ToldPartition // numbered in this order
	Unsure     bool            // not all of what is assigned can be told: what has no owner here may have one
	Stray      uint64          // about how many messages wait on the stream for nobody, while partitions are not counted
	Findings   []ToldFinding   // of the kind's own; those about consumers are added by the model
}

// ToldMember is one member of such a group.
type ToldMember struct {
	Name     string
	Foreign  bool     // nobody configured it
	Live     bool     // somebody runs it
	State    State    // a word; offline, paused and no pull are of a member's consumer
	Why      string   // more about the state
	Facts    []string // what else is known of it, a few words each; one with a name has it in front: "applied: 2 of 3"
	Consumer string   // its own consumer on the group's stream; empty: it has none, or one a partition
}

// ToldPartition is one partition of such a group. Its messages wait in its own consumer,
// where it has one, or under subjects of their own.
type ToldPartition struct {
	Name     string // what identifies it beside its number; empty: its number does
	Owner    string // a member's name; empty: nobody
	Weight   int64  // 0: not told
	Label    string
	Note     string // what is going on with it: "moves to worker-3", "parked"
	Consumer string
	Filter   string // of its messages on the stream, which is a work queue; empty: they are not counted there
}

// ToldFinding is a finding and the verdict that it leads to; empty: none.
type ToldFinding struct {
	Finding
	Verdict Verdict
}

// told tells whether the model leaves it to the kind to describe such groups.
func (k Kind) told() bool { return k != KindStatic && k != KindElastic }

// Pushed tells whether all that is known of the group is pushed by the server: it does not
// age while the link is live.
func (g *Group) Pushed() bool { return g.Key.Kind.told() && g.Reads == "" }

// ConsumeStream is the stream whose consumers are the group's members; empty when there
// is none.
func (g *Group) ConsumeStream() string {
	if g.Key.Kind.told() {
		return g.Reads
	}
	return g.Key.ConsumeStream()
}

// Queued tells whether what lies in the stream that the group consumes from is all that is
// not done: it is a work queue.
func (g *Group) Queued() bool {
	return g.Key.Kind == KindElastic || g.Queue
}

// Countable tells whether it is known under which subjects of the stream the messages of
// each partition lie.
func (g *Group) Countable() bool {
	if g.Key.Kind.told() {
		return g.Queued()
	}
	return g.Revision > 0
}

// Pins tells whether the server pins instances of the group's members.
func (g *Group) Pins() bool { return g.Key.Kind.Pins() }

// Pins tells whether the server pins instances of such groups' members; of the others,
// instances are not told apart.
func (k Kind) Pins() bool { return !k.told() }

func (o GroupTold) apply(r *reduction) {
	r.heard()
	i, known := r.next.find(o.Key)
	g := &Group{Key: o.Key, Members: []*Member{}, Partitions: []Partition{}, History: []uint64{}, Findings: []Finding{}}
	if known {
		old := *r.next.Groups[i]
		g = &old
	}
	g.teller, g.Reads = o.Teller, o.Stream
	r.ownGroups()
	if known {
		r.next.Groups[i] = g
	} else {
		r.next.Groups = slices.Insert(r.next.Groups, i, g)
		if r.next.Link.State != LinkStarting {
			r.event(Event{Kind: EventConfig, Key: o.Key, Text: "group found"})
		}
	}
	if !slices.Contains(r.next.told, o.Key) {
		r.next.told = append(slices.Clone(r.next.told), o.Key)
	}
	r.touched[o.Key] = true
}

// toldOn goes through the told groups that consume from a stream, by their place.
func (r *reduction) toldOn(stream string) iter.Seq2[int, *Group] {
	return func(yield func(int, *Group) bool) {
		for _, k := range r.next.told {
			if i, ok := r.next.find(k); ok && r.next.Groups[i].Reads == stream && !yield(i, r.next.Groups[i]) {
				return
			}
		}
	}
}

// tell makes a told group anew, as [derive] does the others.
func tell(rules []Rule, prev *Group, stream *Stream, now time.Time) *Group {
	t := prev.teller.Tell(stream, now)
	g := *prev
	g.Stream, g.ReadAt, g.ReadError = stream.Facts, stream.Read, stream.Error
	if g.Reads == "" {
		g.ReadAt, g.ReadError = now, ""
	}
	g.Revision, g.Written, g.Raw, g.Unreadable = t.Revision, t.Written, t.Raw, t.Unreadable
	g.Config, g.Unsure = Config{Partitions: len(t.Partitions)}, t.Unsure
	g.Facts, g.Actions, g.refusals, g.news, g.stray = t.Facts, t.Actions, t.Refusals, t.News, t.Stray
	g.tellMembers(t, stream)
	g.tellPartitions(t, prev, stream)
	g.done += g.acknowledged(prev.Members)
	g.total(stream)
	var worst Verdict
	g.Findings, worst = findings(anyKind(rules), &g, stream, &Stream{})
	for _, f := range append(stalledPartitions(&g, t, stream), t.Findings...) {
		g.Findings = append(g.Findings, f.Finding)
		if f.Severity != Info && f.Verdict != "" && (worst == "" || f.Verdict.Rank() < worst.Rank()) {
			worst = f.Verdict
		}
	}
	slices.SortStableFunc(g.Findings, func(a, b Finding) int { return cmp.Compare(a.Severity.rank(), b.Severity.rank()) })
	g.Verdict = verdict(&g, worst)
	return &g
}

// tellMembers takes the members over: configured ones by name, then foreign ones.
func (g *Group) tellMembers(t Told, stream *Stream) {
	told := slices.Clone(t.Members)
	slices.SortStableFunc(told, func(a, b ToldMember) int {
		if a.Foreign != b.Foreign {
			if a.Foreign {
				return 1
			}
			return -1
		}
		return strings.Compare(a.Name, b.Name)
	})
	own := map[string][]*Consumer{}
	for _, p := range t.Partitions {
		if c := stream.consumer(p.Consumer); c != nil && p.Owner != "" {
			own[p.Owner] = append(own[p.Owner], c)
		}
	}
	g.Members = make([]*Member, 0, len(told))
	for _, m := range told {
		c := stream.consumer(m.Consumer)
		if c == nil {
			c = together(own[m.Name])
		}
		if slices.Contains([]State{StateOffline, StatePaused, StateNoPull}, m.State) && c == nil {
			m.State = StateAbsent
		}
		g.Members = append(g.Members, &Member{Name: m.Name, Configured: !m.Foreign, Live: m.Live, State: m.State, Why: m.Why, Facts: m.Facts, Partitions: []int{}, Consumer: c})
	}
}

// together is several consumers as if they were one; nil for none.
func together(list []*Consumer) *Consumer {
	if len(list) == 0 {
		return nil
	}
	sum := &Consumer{Durables: len(list), Filters: []string{}}
	for _, c := range list {
		sum.Pending, sum.AckPending, sum.Redelivered = sum.Pending+c.Pending, sum.AckPending+c.AckPending, sum.Redelivered+c.Redelivered
		sum.Waiting, sum.Delivered, sum.AckFloor = sum.Waiting+c.Waiting, sum.Delivered+c.Delivered, sum.AckFloor+c.AckFloor
		sum.In, sum.Out, sum.RateSpan = sum.In+c.In, sum.Out+c.Out, max(sum.RateSpan, c.RateSpan)
		sum.AckWait = max(sum.AckWait, c.AckWait)
		for at, of := range map[*time.Time]time.Time{
			&sum.TS: c.TS, &sum.PullSeen: c.PullSeen, &sum.LastActive: c.LastActive, &sum.LastDelivered: c.LastDelivered,
			&sum.LastAck: c.LastAck, &sum.trail.ackMoved: c.trail.ackMoved,
		} {
			if of.After(*at) {
				*at = of
			}
		}
	}
	sum.In, sum.Out = thousandths(sum.In), thousandths(sum.Out)
	return sum
}

// tellPartitions takes the partitions over, and what waits in those that have a consumer
// of their own.
func (g *Group) tellPartitions(t Told, prev *Group, stream *Stream) {
	index := make(map[string]int, len(g.Members))
	for i, m := range g.Members {
		index[m.Name] = i
	}
	g.Partitions, g.Counts, g.Queue = make([]Partition, len(t.Partitions)), nil, len(t.Partitions) > 0 && t.Partitions[0].Filter != ""
	counted := 0
	for n, p := range t.Partitions {
		part := Partition{Number: n, Member: -1, Unknown: p.Owner == "" && t.Unsure}
		traits := Traits{Name: p.Name, Weight: p.Weight, Label: p.Label, Note: p.Note, Filter: p.Filter}
		if i, known := index[p.Owner]; known {
			part.Member, part.Owner = i, p.Owner
			g.Members[i].Partitions = append(g.Members[i].Partitions, n)
		}
		if c := stream.consumer(p.Consumer); c != nil {
			part.Count = &PartitionCount{Pending: c.Lag(), In: c.In, Out: c.Out, RateSpan: c.RateSpan}
			counted++
			if len(c.Filters) == 1 {
				traits.Filter = c.Filters[0]
			}
		}
		if traits != (Traits{}) {
			part.Traits = &traits
		}
		g.Partitions[n] = part
	}
	switch {
	case counted > 0:
		g.Counts = &Counts{At: stream.TS}
	case g.Queued() && len(g.Partitions) == len(prev.Partitions):
		g.Counts = prev.Counts
		g.keepCounts(prev.Partitions, stream.TS)
	}
}

// stalledPartitions finds partitions in whose own consumers messages wait and none is
// acknowledged.
func stalledPartitions(g *Group, t Told, stream *Stream) []ToldFinding {
	var stalled []string
	var waiting uint64
	var longest time.Duration
	for n, p := range t.Partitions {
		c := stream.consumer(p.Consumer)
		if c == nil || c.AckWait <= 0 || c.Paused || c.Offline != "" {
			continue
		}
		if still := c.idleFor(time.Time{}); still >= 2*c.AckWait {
			stalled, waiting, longest = append(stalled, g.Partitions[n].ID()), waiting+c.Lag(), max(longest, still)
		}
	}
	if len(stalled) == 0 {
		return nil
	}
	return []ToldFinding{{Finding{
		ID: "stalled", Severity: Critical, Text: fmt.Sprintf("%s stalled (%s): %s, and nothing was acknowledged for up to %s", Count(len(stalled), "partition"), firstOf(stalled), countWaiting(waiting), whole(longest)),
		Hint: "see what their members do",
	}, VerdictStalled}}
}

// firstOf names at most three and says how many more there are.
func firstOf(names []string) string {
	const most = 3
	text := strings.Join(names[:min(most, len(names))], ", ")
	if n := len(names) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// anyKind are the rules that hold whatever the kind of a group is: those about its
// stream and about single consumers.
func anyKind(rules []Rule) []Rule {
	hold := []string{"stream-offline", "stalled", "behind", "offline", "stuck-unacked", "no-pull", "paused", "redelivering", "unread"}
	return slices.DeleteFunc(slices.Clone(rules), func(r Rule) bool { return !slices.Contains(hold, r.ID) })
}
