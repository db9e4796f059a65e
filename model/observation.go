package model

import "time"

// Observation is one thing the engine heard. [Reduce] folds it into the snapshot.
type Observation interface{ apply(*reduction) }

// ConfigSeen is a stored config. Config is nil when Problem says why it cannot be
// used. An older revision than the one known is ignored, whatever order they come in.
type ConfigSeen struct {
	Key      Key
	Revision uint64
	Written  time.Time // server clock
	Raw      string
	Config   *Config
	Problem  string
}

// ConfigGone is the removal of a config: by delete, purge or expiry.
type ConfigGone struct {
	Key      Key
	Revision uint64    // of the removal's marker; 0 when it left none
	At       time.Time // server clock, zero if unknown
}

// BucketSeen is the state of a config bucket. Reset means that it is another bucket
// than before, or none: what was known of its groups no longer holds. Problem says why
// its groups cannot be read; what was known of them then stays.
type BucketSeen struct {
	Kind    Kind
	Exists  bool
	Reset   bool
	Problem string
}

// ConsumersRead is the whole list of a stream's consumers, or why there is none.
type ConsumersRead struct {
	Stream    string
	Missing   bool // there is no such stream
	Error     string
	Consumers []*Consumer // any order
	TS        time.Time   // server clock
}

// StreamRead is one stream's facts.
type StreamRead struct {
	Name  string
	Facts StreamFacts
}

// ConsumerCreated and ConsumerDeleted are the server's advisories.
type ConsumerCreated struct {
	Stream, Consumer string
	At               time.Time // server clock
}

// ConsumerDeleted: see [ConsumerCreated].
type ConsumerDeleted struct {
	Stream, Consumer string
	At               time.Time // server clock
}

// PinSeen is a PINNED advisory, or with an empty PinID an UNPINNED one and its
// reason (admin, timeout).
type PinSeen struct {
	Stream, Consumer string
	PriorityGroup    string
	PinID            string
	Reason           string
	At               time.Time // server clock
	Heard            time.Time // local clock; zero: now
}

// LinkSeen is a change of the connection.
type LinkSeen struct {
	State LinkState
	Why   string    // it was lost, where more is known than that
	Heard time.Time // when a ping was answered last, local clock; zero: not told
}

// ServerSeen is who is at the other end and how far away.
type ServerSeen struct{ Server Server }

// RequestsSeen is the present cost of watching.
type RequestsSeen struct{ Requests Requests }

// DeniedSeen is an operation that this account may not do. Clear forgets them all,
// after a new connection.
type DeniedSeen struct {
	What  string
	Clear bool
}

// NotFoundSeen is what a kind was told to look for and does not find, in a line; an empty Text:
// it is there.
type NotFoundSeen struct {
	Kind Kind
	Text string
}

// EventSeen adds a line to the events, such as the result of an own action.
type EventSeen struct{ Event Event }
