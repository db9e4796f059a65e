package observe

import (
	"testing"
	"time"
)

// Noise moves nothing; a change for good does, soon; the end of it is nothing.
func TestSteady(t *testing.T) {
	var s steady
	first := s.add(0.4)
	for _, v := range []float64{0.5, 0.3, 0.45, 0.6, 0.35, 0.5, 0.4} {
		if got := s.add(v); got != first {
			t.Errorf("%v moved it to %v", v, got)
		}
	}
	n := 0
	for ; s.add(40) < 30; n++ {
		if n > 12 {
			t.Fatalf("still %v", s.said)
		}
	}
	for n := 0; s.add(0) > 0; n++ {
		if n > 30 {
			t.Fatalf("still %v", s.said)
		}
	}
}

// What was too much in a burst at the start is not said to be so for longer than it is.
func TestSteadyKeepsToWhatItMayBe(t *testing.T) {
	s := steady{most: 20}
	if got := s.add(26); got != 26 {
		t.Errorf("a burst of 26 is said to be %v", got)
	}
	for n := 0; s.add(18) > 20; n++ {
		if n > 6 {
			t.Fatalf("still %v", s.said)
		}
	}
}

// A reading that comes right after a late one is left out, and what was counted since
// is in the next.
func TestMeter(t *testing.T) {
	at := time.Now()
	m := meter{10, at}
	for _, c := range []struct {
		total     float64
		after     time.Duration
		perSecond float64
		ok        bool
	}{
		{15, time.Second, 5, true},
		{75, 61 * time.Second, 1, true},
		{80, 61*time.Second + 200*time.Microsecond, 0, false},
		{85, 62 * time.Second, 10, true},
	} {
		if got, ok := m.read(c.total, at.Add(c.after)); got != c.perSecond || ok != c.ok {
			t.Errorf("after %v: %v, %v", c.after, got, ok)
		}
	}
}

// One long round trip is nothing; all of them long is.
func TestLowest(t *testing.T) {
	var l lowest
	l.add(3)
	for range lowestOf - 1 {
		if got := l.add(100); got != 3 {
			t.Fatalf("%d", got)
		}
	}
	if got := l.add(100); got != time.Duration(100) {
		t.Fatalf("still %d", got)
	}
}
