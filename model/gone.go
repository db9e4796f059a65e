package model

import (
	"slices"
	"time"
)

// Gone is a consumer that is there no more, or has other filters since, as it was.
type Gone struct {
	Consumer *Consumer
	At       time.Time // server clock
}

// goneKept is how long it is remembered.
const goneKept = 10 * time.Second

// Gone lists the consumers that went in the last seconds, the latest last.
func (s *Stream) Gone() []Gone { return s.gone }

// Since is when the consumers were read first, server clock; zero: they never were.
func (s *Stream) Since() time.Time { return s.since }

// lose notes consumers that went, and forgets those that did long ago. s is a copy that
// nobody has yet.
func (s *Stream) lose(lost ...Gone) {
	kept := slices.DeleteFunc(slices.Clone(s.gone), func(g Gone) bool { return s.TS.Sub(g.At) > goneKept })
	s.gone = append(kept, lost...)
}

// went lists what is no more as it was in a list read before.
func (s *Stream) went(before []*Consumer) (lost []Gone) {
	for _, old := range before {
		now := s.consumer(old.Name)
		switch {
		case now == nil:
			lost = append(lost, Gone{old, s.TS})
		case !now.Created.Equal(old.Created):
			lost = append(lost, Gone{old, now.Created})
		case !slices.Equal(now.Filters, old.Filters):
			lost = append(lost, Gone{old, s.TS})
		}
	}
	return lost
}

// tellsOf tells whether a told group consumes from the stream.
func (r *reduction) tellsOf(stream string) bool {
	for range r.toldOn(stream) {
		return true
	}
	return false
}
