package model

import (
	"slices"
	"strings"
	"time"
)

// Stream is what was read about one stream: its facts, from STREAM.LIST or INFO,
// and its consumers, from CONSUMER.LIST. The two are read at different times.
type Stream struct {
	Name      string
	Facts     StreamFacts
	Consumers []*Consumer // by name
	Read      time.Time   // when the consumers were read, local clock; zero: never
	TS        time.Time   // the same by the server's clock
	Error     string      // why the last read failed

	gone      []Gone                 // see [Stream.Gone]; only where groups of other kinds consume
	since     time.Time              // see [Stream.Since]
	pins      map[string][]PinChange // by consumer, see [Member.Pins]
	pauses    map[string]pause       // that stand, by consumer
	watch     *Watch                 // nil: nobody listens to pulls
	instances map[string][]Instance  // by consumer
	heirs     map[string]heirs       // by consumer: who can have a pin that no pull named yet
}

// StreamFacts is a stream's config and state, as far as groups need it.
type StreamFacts struct {
	Known      bool        `json:"known"`  // it was asked for and answered
	Exists     bool        `json:"exists"` // false with Known: there is none of that name
	Created    time.Time   `json:"created,omitzero"`
	Messages   uint64      `json:"messages"`
	Bytes      uint64      `json:"bytes"`
	FirstSeq   uint64      `json:"first_seq"`
	LastSeq    uint64      `json:"last_seq"`
	MaxMsgs    int64       `json:"max_msgs"`  // -1: no limit
	MaxBytes   int64       `json:"max_bytes"` // -1: no limit
	Subjects   []string    `json:"subjects,omitempty"`
	Direct     bool        `json:"allow_direct"`         // it answers direct gets
	WorkQueue  bool        `json:"work_queue"`           // what is acknowledged is removed from it
	Offline    string      `json:"offline,omitempty"`    // why the server cannot run it
	Leader     string      `json:"leader,omitempty"`     // the server that leads it, where several hold it
	Replicas   int         `json:"replicas,omitempty"`   // servers that hold it, where that is more than one
	Down       []string    `json:"down,omitempty"`       // those of them that the leader does not hear of
	Leaderless bool        `json:"leaderless,omitempty"` // nobody leads it: for want of a quorum, or until one is elected
	Sources    []Source    `json:"sources,omitempty"`
	Transforms []Transform `json:"transforms,omitempty"` // of the stream itself
}

// Source is one stream another is sourced from.
type Source struct {
	Name       string        `json:"name"`
	Lag        uint64        `json:"lag"`             // as of the last message that came; 0 while none comes
	Seq        uint64        `json:"seq,omitempty"`   // of the origin's message stored last; 0: none, or not told (nats-server before 2.15)
	Error      string        `json:"error,omitempty"` // why nothing comes
	Active     time.Duration `json:"active_ns"`       // since it was last heard, -1: never
	Transforms []Transform   `json:"transforms,omitempty"`
}

// Transform maps subjects to subjects.
type Transform struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// stored are the subjects under which it stores messages, with wildcards; none when that
// cannot be told, as it is fed by other streams.
func (f StreamFacts) stored() []string {
	if len(f.Sources) > 0 {
		return nil
	}
	return StoredSubjects(f.Subjects, f.Transforms)
}

// matchesNone tells whether it is certain that no subject of the stream matches any of the
// filters.
func (f StreamFacts) matchesNone(filters []string) bool {
	stored := f.stored()
	if len(stored) == 0 || len(filters) == 0 {
		return false
	}
	for _, subject := range stored {
		for _, filter := range filters {
			if Overlap(subject, filter) {
				return false
			}
		}
	}
	return true
}

// Fill is how full the stream is against its own limits, 0 to 1, and false when it
// has none.
func (f StreamFacts) Fill() (float64, bool) {
	fill, limited := 0.0, false
	if f.MaxMsgs > 0 {
		fill, limited = float64(f.Messages)/float64(f.MaxMsgs), true
	}
	if f.MaxBytes > 0 {
		fill, limited = max(fill, float64(f.Bytes)/float64(f.MaxBytes)), true
	}
	return fill, limited
}

// consumer finds a consumer by name; nil when there is none.
func (s *Stream) consumer(name string) *Consumer {
	i, ok := slices.BinarySearchFunc(s.Consumers, name, func(c *Consumer, n string) int { return strings.Compare(c.Name, n) })
	if !ok {
		return nil
	}
	return s.Consumers[i]
}

// Consumer finds a consumer of a stream as it was read last, by name; nil when none was.
func (s *Snapshot) Consumer(stream, name string) *Consumer {
	i, ok := slices.BinarySearchFunc(s.streams, stream, func(s *Stream, n string) int { return strings.Compare(s.Name, n) })
	if !ok {
		return nil
	}
	return s.streams[i].consumer(name)
}

// Consumer finds a consumer by name; nil when there is none.
func (s *Stream) Consumer(name string) *Consumer { return s.consumer(name) }

// startingWith finds the consumers whose names begin so.
func (s *Stream) startingWith(prefix string) []*Consumer {
	from, _ := slices.BinarySearchFunc(s.Consumers, prefix, func(c *Consumer, n string) int { return strings.Compare(c.Name, n) })
	to := from
	for to < len(s.Consumers) && strings.HasPrefix(s.Consumers[to].Name, prefix) {
		to++
	}
	return s.Consumers[from:to]
}

// with returns a copy of the stream in which a consumer is replaced, added, or, when
// c is nil, removed.
func (s *Stream) with(name string, c *Consumer) *Stream {
	next := *s
	i, ok := slices.BinarySearchFunc(s.Consumers, name, func(c *Consumer, n string) int { return strings.Compare(c.Name, n) })
	next.Consumers = slices.Clone(s.Consumers)
	switch {
	case ok && c == nil:
		next.Consumers = slices.Delete(next.Consumers, i, i+1)
	case ok:
		next.Consumers[i] = c
	case c != nil:
		next.Consumers = slices.Insert(next.Consumers, i, c)
	}
	return &next
}
