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
