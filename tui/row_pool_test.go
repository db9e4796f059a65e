package tui

import (
	"testing"
)

// The rows of a frame are those of the one before: a frame that changes nothing makes no
// new ones, however many were drawn, and what was drawn before is not seen in it.
func TestRowsAreUsedAgain(t *testing.T) {
	s := newStage(t, 120, 40).show(sketch().snapshot())
	first := s.plain()
	s.press("?").press("esc") // a window is more rows
	held := len(s.m.theme.pool.rows)
	for range 3 {
		s.show(sketch().snapshot())
		if got := s.plain(); got != first {
			t.Fatalf("a frame that changes nothing is\n%s\nwant\n%s", got, first)
		}
	}
	if n := len(s.m.theme.pool.rows); n != held || n > mostPooled {
		t.Errorf("%d rows are kept, %d before", n, held)
	}
	draw := func() { s.m.fresh = false; s.m.View() }
	if n := testing.AllocsPerRun(10, func() {
		s.m.theme.pool.reuse()
		for range mostPooled {
			s.m.theme.row()
		}
	}); n != 0 { // but in the first round, which is not counted
		t.Errorf("%v allocations for rows that are there", n)
	}
	if draw(); s.m.drawn == "" || len(s.m.theme.pool.rows) != mostPooled {
		t.Errorf("%d rows are kept, want %d", len(s.m.theme.pool.rows), mostPooled)
	}
}
