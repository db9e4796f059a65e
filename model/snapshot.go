package model

import (
	"slices"
	"time"
)

// Schema names the JSON form of a [Snapshot].
const Schema = "pcgtop/1"

// Snapshot is everything known at one moment. It is immutable: [Reduce] makes the
// next one and shares with it whatever did not change, so a reader may keep any
// part for as long as it likes. What its JSON form leaves out is needed by [Reduce]
// alone; see [Snapshot.Restore] for one that was read.
type Snapshot struct {
	Schema   string    `json:"schema"`
	Seq      uint64    `json:"seq"`       // counts up by one a snapshot
	Taken    time.Time `json:"taken"`     // local clock
	ReadOnly bool      `json:"read_only"` // writes are refused by the engine
	Server   Server    `json:"server"`
	Link     Link      `json:"link"`
	Requests Requests  `json:"requests"`
	Buckets  []Bucket  `json:"buckets"`
	Denied   []string  `json:"denied,omitempty"` // what this account may not do: operation and subject
	Groups   []*Group  `json:"groups"`           // by key
	Events   []Event   `json:"events"`           // newest first, at most MaxEvents

	NotFound []NotFound `json:"not_found,omitempty"` // what was to be looked for and is not there
	Applied  []Applied  `json:"applied,omitempty"`   // what was done from here, newest first, at most MaxApplied

	home    Server      // that answered first
	seen    uint64      // how many events there were
	streams []*Stream   // by name
	told    []Key       // of groups whose kinds tell them
	gone    []tombstone // revisions of removed keys, so that a late older value stays away
	inAll   int         // partitions that the configs of static and elastic groups ask for: see [MaxInAll]
}

// Server is the NATS server at the other end.
type Server struct {
	Context string        `json:"context,omitempty"` // the NATS context connected by, if any
	URL     string        `json:"url,omitempty"`     // without credentials
	Name    string        `json:"name,omitempty"`
	Cluster string        `json:"cluster,omitempty"`
	Version string        `json:"version,omitempty"`
	API     string        `json:"api,omitempty"` // JetStream API prefix in use
	RTT     time.Duration `json:"rtt_ns"`
	First   string        `json:"first,omitempty"` // who answered at first, when that was in another cluster
}

// LinkState tells how far the picture can be trusted.
type LinkState string

const (
	LinkStarting  LinkState = "starting"   // the first read is not complete
	LinkLive      LinkState = "live"       // connected, everything read
	LinkLost      LinkState = "lost"       // not connected; values are old
	LinkRereading LinkState = "re-reading" // connected again, not everything read again
)

// Link is the state of the connection and since when it is so (local clock).
type Link struct {
	State LinkState `json:"state"`
	Since time.Time `json:"since"`
	Heard time.Time `json:"heard"` // when the server last told us anything, local clock
	away  bool      // it was lost, and not everything was read again since
}

// Requests is what watching costs: API requests made per second, of a budget.
type Requests struct {
	PerSecond float64 `json:"per_second"`
	Budget    float64 `json:"budget"`
}

// Bucket is the state of one of the two config buckets.
type Bucket struct {
	Kind    Kind      `json:"kind"`
	Exists  bool      `json:"exists"`
	Problem string    `json:"problem,omitempty"` // why its groups are not known
	Since   time.Time `json:"since"`             // local clock
}

// NotFound is what a kind was told to look for and did not find.
type NotFound struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // what, where, and what to do
}

// Group finds a group by its key; nil when there is none.
func (s *Snapshot) Group(k Key) *Group {
	if i, ok := s.find(k); ok {
		return s.Groups[i]
	}
	return nil
}

func (s *Snapshot) find(k Key) (int, bool) {
	return slices.BinarySearchFunc(s.Groups, k, func(g *Group, k Key) int { return g.Key.Compare(k) })
}

// Lookup finds groups by the name people write, STREAM/GROUP, or all groups of a
// stream when group is empty. Both kinds may carry one name.
func (s *Snapshot) Lookup(stream, group string) []*Group {
	var found []*Group
	for _, g := range s.Groups {
		if g.Key.Stream == stream && (group == "" || g.Key.Group == group) {
			found = append(found, g)
		}
	}
	return found
}

// InNeed counts the groups whose verdict asks for somebody.
func (s *Snapshot) InNeed() int {
	n := 0
	for _, g := range s.Groups {
		if g.Verdict.InNeed() {
			n++
		}
	}
	return n
}

// Unknown says why not every group of a kind is known; empty when all are.
func (s *Snapshot) Unknown(k Kind) string {
	b, _ := s.Bucket(k)
	return b.Problem
}

// Unseen says which kinds of groups are not known, and why: a line each.
func (s *Snapshot) Unseen() []string {
	var list []string
	for _, k := range []Kind{KindStatic, KindElastic} {
		if why := s.Unknown(k); why != "" {
			list = append(list, string(k)+" groups are not known: "+why)
		}
	}
	return list
}

// Sought says that a kind found nothing of what it was told to look for; empty: it did.
func (s *Snapshot) Sought(k Kind) string {
	for _, n := range s.NotFound {
		if n.Kind == k {
			return n.Text
		}
	}
	return ""
}

// Bucket returns the state of the bucket of a kind, false while it is unknown.
func (s *Snapshot) Bucket(k Kind) (Bucket, bool) {
	for _, b := range s.Buckets {
		if b.Kind == k {
			return b, true
		}
	}
	return Bucket{}, false
}

// Group is one partitioned consumer group: what is configured, what was observed,
// and what is wrong.
type Group struct {
	Key       Key         `json:"key"`
	Revision  uint64      `json:"revision"` // of the config in Config
	Written   time.Time   `json:"written"`  // when that revision was stored, server clock
	Config    Config      `json:"config"`
	Raw       string      `json:"raw,omitempty"` // the stored bytes of that revision
	deal      Assignment  // of Config, made once a revision
	dealtAnew bool        // Members and Partitions are those of the deal before
	dealt     []time.Time // when revisions were stored, the latest of them, server clock

	// Unreadable says why the newest stored value cannot be used. Config is then the
	// last good one, or empty. UnreadableRevision is the revision of the bad value.
	Unreadable         string `json:"unreadable,omitempty"`
	UnreadableRevision uint64 `json:"unreadable_revision,omitempty"`

	Reads    string   `json:"reads,omitempty"`   // of groups of other kinds: the stream whose consumers are theirs
	Unsure   bool     `json:"unsure,omitempty"`  // and whether not all of what is assigned can be told
	Facts    []string `json:"facts,omitempty"`   // and what their kind says of them, a few words each
	Actions  []Action `json:"actions,omitempty"` // and what can be done to them
	teller   Teller
	Queue    bool              `json:"queue,omitempty"` // and their partitions' messages lie in a work queue, under a filter each
	refusals map[Action]string // why what could be done cannot be done now
	news     string            // what the revision is called
	stray    uint64            // what they say waits for nobody

	Members    []*Member   `json:"members"`    // configured ones by name, then foreign ones
	Partitions []Partition `json:"partitions"` // 0..N-1

	Stream    StreamFacts `json:"stream"`               // the stream the members consume from
	Hop       *Hop        `json:"hop,omitempty"`        // how that is fed; static groups have none
	Counts    *Counts     `json:"counts,omitempty"`     // how the partitions were counted; nil: they were not
	ReadAt    time.Time   `json:"read_at"`              // when its consumers were read last, local clock
	ReadError string      `json:"read_error,omitempty"` // why the last read failed

	Watch *Watch `json:"watch,omitempty"` // how far its instances are known; nil: they are not asked for

	Pending    uint64        `json:"pending"`           // sum over members
	AckPending uint64        `json:"ack_pending"`       // delivered, not acknowledged; sum over members
	Out        float64       `json:"out_per_s"`         // acknowledged per second
	In         float64       `json:"in_per_s"`          // arrived per second
	RateSpan   time.Duration `json:"rate_span_ns"`      // between the answers that the rates are from; 0: not measured yet
	History    []uint64      `json:"history"`           // lag every HistoryStep, oldest first
	Window     Window        `json:"window"`            // over which trends are judged
	TS         time.Time     `json:"ts,omitzero"`       // when its consumers were read last, server clock
	Strayed    uint64        `json:"strayed,omitempty"` // static: counted in partitions whose owner has no consumer
	historyAt  time.Time
	charted    bool     // the history is of what was counted where nobody consumes, too
	samples    []sample // as the history, for judging
	idle       int      // partitions whose owner has no consumer, or that nobody owns
	uncounted  int      // of them, those of which it is not known how much waits there
	done       uint64   // acknowledged since the group is watched
	quiet      bool     // see [Group.still]

	Verdict  Verdict   `json:"verdict"`
	Findings []Finding `json:"findings"` // worst first
}

// HistoryStep and HistoryLen bound a group's lag history: two minutes.
const (
	HistoryStep = 3 * time.Second
	HistoryLen  = 40
)

// Stored is the revision of the newest stored value, be it readable or not.
func (g *Group) Stored() uint64 { return max(g.Revision, g.UnreadableRevision) }

// Member finds a member by name; nil when there is none.
func (g *Group) Member(name string) *Member {
	for _, m := range g.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// Pulling counts the configured members somebody pulls for, and all configured.
func (g *Group) Pulling() (pulling, configured int) {
	for _, m := range g.Members {
		if m.Configured {
			configured++
			if m.Live || m.State == StateWaiting || m.State == StatePinned {
				pulling++
			}
		}
	}
	return pulling, configured
}
