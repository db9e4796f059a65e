package observe

import (
	"math"
	"slices"
	"time"
)

// steady is a measured value that goes up and down by chance. What it is said to be
// changes only when it has moved for good, so that a picture of it stands still while
// nothing happens. The zero value has measured nothing.
type steady struct {
	mean, said float64
	any        bool
	most       float64 // what it may be; it is not said to be more for longer than it is. 0: anything
}

// add takes a measurement and returns what the value is said to be: the mean, in which
// the newest counts for a quarter, when that is off by a third from what was said last.
func (s *steady) add(v float64) float64 {
	if !s.any {
		s.mean, s.said, s.any = v, v, true
		return v
	}
	s.mean += (v - s.mean) / 4
	if math.Abs(s.mean-s.said) > s.said/3 || s.most > 0 && s.said > s.most && s.mean <= s.most {
		s.said = s.mean
	}
	if v == 0 && s.mean < 0.1 {
		s.mean, s.said = 0, 0
	}
	return s.said
}

// meter tells how often a second something is counted.
type meter struct {
	total float64
	at    time.Time
}

// shortest is the time over which a meter can be read: after one that came late, as when
// the program was stopped for a while, the next reading comes too soon.
const shortest = time.Second / 2

// read is given the count as it is now. It is false when the last reading was a moment ago.
func (m *meter) read(total float64, now time.Time) (perSecond float64, ok bool) {
	span := now.Sub(m.at)
	if span < shortest {
		return 0, false
	}
	perSecond = math.Round(total-m.total) / span.Round(100*time.Millisecond).Seconds()
	m.total, m.at = total, now
	return perSecond, true
}

// lowest is the shortest of the last round trips: what is above it is waiting, here or
// there, and comes and goes.
type lowest struct{ last []time.Duration }

// lowestOf is how many round trips that are.
const lowestOf = 12

func (l *lowest) add(d time.Duration) time.Duration {
	l.last = append(l.last, d)
	l.last = l.last[max(0, len(l.last)-lowestOf):]
	return slices.Min(l.last)
}
