package model

import (
	"slices"
	"time"
)

// State is the one word for a member, derived from three separate facts: it is
// configured, its consumer exists, somebody pulls.
type State string

const (
	StateUnknown     State = "unknown"      // its consumer was not read yet
	StateOffline     State = "offline"      // the server has it but cannot run it
	StateForeign     State = "foreign"      // a consumer nobody configured
	StateCannotRun   State = "cannot run"   // a name no consumer can have
	StateNoPartition State = "no partition" // more members than partitions, or an empty mapping
	StateElsewhere   State = "elsewhere"    // the consumer of that name belongs to another group
	StatePaused      State = "paused"
	StateAbsent      State = "absent"  // configured, no consumer
	StateNoPull      State = "no pull" // a consumer, nobody pulling
	StateWaiting     State = "waiting" // pulling, no pin: normal until the next message
	StatePinned      State = "pinned"
	StateAnew        State = "made anew" // of other kinds: its consumer went or came a moment ago, which says nothing yet
)

// Member is a name in a group. Any number of processes may run it; the server pins
// at most one of them.
type Member struct {
	Name       string    `json:"name"`
	Configured bool      `json:"configured"`
	State      State     `json:"state"`
	Why        string    `json:"why,omitempty"`       // more about the state, where a word is not enough
	Live       bool      `json:"live,omitempty"`      // of groups of other kinds: somebody runs it
	Facts      []string  `json:"facts,omitempty"`     // and what else their kind says of it
	Partitions []int     `json:"partitions"`          // owned by the config, in order
	Consumer   *Consumer `json:"consumer,omitempty"`  // nil when there is none
	LostAt     time.Time `json:"lost_at,omitzero"`    // when its consumer went, server clock; zero if never seen
	Elsewhere  string    `json:"elsewhere,omitempty"` // the group its consumer's name belongs to

	Running []Instance `json:"instances,omitempty"` // of the open group: its processes, the pinned one first

	Pins          []PinChange `json:"pins,omitempty"`         // what became of its pin, oldest first, bounded
	PinsPerMinute int         `json:"pin_changes_per_min"`    // how often an instance was pinned in the last minute, but for what a change of the config brought
	PinTimeouts   int         `json:"pin_timeouts,omitempty"` // how often the pin was lost by timeout within PinWindow
	pinsNow       time.Time   // when the two were counted, server clock
	plight        plight
	skip          *skip // what its consumer skipped of the open group; nil: nothing that is known
}

// Consumer is the server's view of a member's consumer, all from one answer.
type Consumer struct {
	Name           string        `json:"name"`
	Durables       int           `json:"durables,omitempty"` // it stands for so many consumers, one a partition; 0: it is one
	Created        time.Time     `json:"created"`
	Filters        []string      `json:"filters"`
	AckWait        time.Duration `json:"ack_wait_ns"`
	Pending        uint64        `json:"pending"`     // messages not yet delivered
	AckPending     uint64        `json:"ack_pending"` // delivered, not acknowledged
	Redelivered    uint64        `json:"redelivered"`
	Waiting        int           `json:"waiting"` // pulls waiting now
	Delivered      uint64        `json:"delivered"`
	AckFloor       uint64        `json:"ack_floor"` // consumer sequence
	AckFloorStream uint64        `json:"ack_floor_stream"`
	LastActive     time.Time     `json:"last_active,omitzero"`
	LastDelivered  time.Time     `json:"last_delivered,omitzero"`         // server clock
	LastAck        time.Time     `json:"last_ack,omitzero"`               // server clock
	Inactive       time.Duration `json:"inactive_threshold_ns,omitempty"` // without a pull it is deleted after this; 0: never
	Push           bool          `json:"push,omitempty"`                  // the server delivers to a subject, nobody pulls
	Offline        string        `json:"offline,omitempty"`               // why the server cannot run it
	Unheard        bool          `json:"unheard,omitempty"`               // it exists, and nobody answered for it: this is from before
	Paused         bool          `json:"paused,omitempty"`
	PauseRemaining time.Duration `json:"pause_remaining_ns,omitempty"`
	PriorityGroup  string        `json:"priority_group,omitempty"`
	NoPins         bool          `json:"no_pins,omitempty"`    // its server is older than 2.11 and pins nobody
	PinID          string        `json:"pin_id,omitempty"`     // empty: nobody is pinned
	PinnedAt       time.Time     `json:"pinned_at,omitzero"`   // zero when nobody is pinned
	PinChanged     time.Time     `json:"pin_changed,omitzero"` // when the pin was last seen to change, server clock
	PullSeen       time.Time     `json:"pull_seen,omitzero"`   // last answer in which somebody pulled, server clock
	Out            float64       `json:"out_per_s"`            // acknowledged per second
	In             float64       `json:"in_per_s"`             // arrived per second
	RateSpan       time.Duration `json:"rate_span_ns"`         // between the answers that the rates are from; 0: not measured yet
	TS             time.Time     `json:"ts"`                   // the answer's time, server clock
	SpareMost      int           `json:"spare_most,omitempty"` // the most waiting pulls of late that may be of instances that stand by
	Lone           bool          `json:"lone,omitempty"`       // for long, no answer had more pulls than one instance makes
	held           []int         // the partitions that the filters name, where holds tells
	holds          holds
	rateAt         time.Time
	rateAcked      uint64
	rateArrived    uint64
	trail          trail // what only several answers tell
}

// holds tells whether a consumer's filters were read for the partitions that they name.
type holds int

const (
	holdsUnread holds = iota
	holdsParts        // they name partitions alone
	holdsOther        // some filter names none
)

// partitions is [PartitionsOf] the filters, read once.
func (c *Consumer) partitions() ([]int, bool) {
	if c.holds == holdsUnread {
		return PartitionsOf(c.Filters)
	}
	return c.held, c.holds == holdsParts
}

// hold reads the filters for the partitions they name, or takes that over from the answer
// before, which as a rule has the same.
func (c *Consumer) hold(old *Consumer) {
	if old != nil && old.holds != holdsUnread && slices.Equal(old.Filters, c.Filters) {
		c.Filters, c.held, c.holds = old.Filters, old.held, old.holds
		return
	}
	held, ok := PartitionsOf(c.Filters)
	if c.held, c.holds = held, holdsOther; ok {
		c.holds = holdsParts
	}
}

// pullGrace is how long a member may be seen without a waiting pull before it
// counts as not pulling: clients leave a gap of a round trip between two pulls.
const pullGrace = 1500 * time.Millisecond

func (c *Consumer) pulling() bool {
	return !c.PullSeen.IsZero() && c.TS.Sub(c.PullSeen) <= pullGrace
}

// Pulls tells whether somebody pulls from the consumer, or did a moment before the answer.
func (c *Consumer) Pulls() bool { return c.pulling() || c.Waiting > 0 }

// pinTimeout is the shortest time after which the server takes a pin away from an
// instance that does not pull.
func (c *Consumer) pinTimeout() time.Duration { return max(c.AckWait, time.Second) }

// busy tells whether an instance, the pinned one where any is, seems to be at work on what
// it was given: longer than its ack wait after the last sign of life it does not.
func (c *Consumer) busy() bool {
	if c.AckPending == 0 || c.PriorityGroup != "" && c.PinID == "" {
		return false
	}
	last := c.LastDelivered
	if c.LastAck.After(last) {
		last = c.LastAck
	}
	return c.AckWait == 0 || last.IsZero() || c.TS.Sub(last) <= c.AckWait
}

// arrived counts the messages that ever reached the consumer.
func (c *Consumer) arrived() uint64 { return c.AckFloor + c.AckPending + c.Pending }
