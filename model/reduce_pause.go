package model

import (
	"maps"
	"time"
)

// PauseSeen is an advisory about a consumer's pause.
type PauseSeen struct {
	Stream, Consumer string
	Paused           bool      // false: it is over
	Until            time.Time // server clock; zero: not told, or taken back early
	At               time.Time // server clock
}

// pause is one that stands.
type pause struct {
	at    time.Time // when it was told or read first, server clock
	until time.Time // zero: not told
}

const (
	pauseOver = "resumed"
	pauseGone = "pause ended with the consumer"
)

func (o PauseSeen) apply(r *reduction) {
	r.heard()
	s := *r.stream(o.Stream)
	text := pauseOver
	switch {
	case o.Paused:
		s.pauses = withPause(s.pauses, o.Consumer, pause{o.At, o.Until})
		text = "paused"
		if !o.Until.IsZero() {
			text += " until " + o.Until.UTC().Format(time.RFC3339)
		}
	case s.strayEnd(o):
		return
	default:
		s.pauses = withoutPause(s.pauses, o.Consumer)
	}
	r.putStream(&s)
	r.memberEvent(o.Stream, o.Consumer, Event{At: o.At, Kind: EventPause, Text: text})
}

// strayEnd tells whether the pause that is over is none that stood: the server tells of a
// consumer that was deleted while it was paused that it is resumed when the pause would
// have run out (nats-server 2.15), be there another one of that name by then or not.
func (s *Stream) strayEnd(o PauseSeen) bool {
	if p, known := s.pauses[o.Consumer]; known {
		return !o.Until.IsZero() && !p.until.IsZero() && !o.Until.Equal(p.until)
	}
	c := s.consumer(o.Consumer)
	return !s.Read.IsZero() && (c == nil || !c.Paused)
}

func (s *Stream) paused(consumer string) bool { _, known := s.pauses[consumer]; return known }

// pausesRead compares the pauses that stood with the consumers just read. s is a copy that
// nobody has yet.
func (r *reduction) pausesRead(s *Stream) {
	for name, p := range s.pauses {
		c := s.consumer(name)
		over := Event{At: s.TS, Kind: EventPause, Text: pauseGone}
		switch {
		case !s.TS.After(p.at): // that was before
			continue
		case c == nil:
		case c.Created.After(p.at):
			over.At = c.Created
		case c.Paused || c.Unheard:
			continue
		default:
			over.Text = pauseOver
		}
		s.pauses = withoutPause(s.pauses, name)
		r.memberEvent(s.Name, name, over)
	}
	for _, c := range s.Consumers {
		if c.Paused && !s.paused(c.Name) {
			s.pauses = withPause(s.pauses, c.Name, pause{at: c.TS})
		}
	}
}

func withPause(old map[string]pause, consumer string, p pause) map[string]pause {
	next := maps.Clone(old)
	if next == nil {
		next = map[string]pause{}
	}
	next[consumer] = p
	return next
}

func withoutPause(old map[string]pause, consumer string) map[string]pause {
	next := maps.Clone(old)
	delete(next, consumer)
	return next
}
