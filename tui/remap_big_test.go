package tui

import (
	"testing"
	"time"
)

// BenchmarkRemapEditor presses the editor's keys on 1,024 partitions of 256 members, and
// draws a frame for each.
func BenchmarkRemapEditor(b *testing.B) {
	for _, z := range []size{{40, 12}, {200, 60}} {
		for name, keys := range map[string][]string{
			"move": {"right"}, "give": {"B"}, "turn": {"]"}, "mark owner's": {"o"},
			"balanced": {"1"}, "fewest moves": {"2"}, "by load": {"3"}, "isolate": {"4"}, "plan": {"B", "enter", "esc"},
		} {
			b.Run(z.String()+"/"+name, func(b *testing.B) {
				s := newStage(b, z.w, z.h)
				s.blind = true
				s.show(world{groups: []fixture{crowd(1024, 256)}}.snapshot()).press("enter", "m")
				for b.Loop() {
					s.press(keys...)
					s.m.View()
				}
			})
		}
	}
}

// The largest group that plans are bounded for is edited without a pause that is felt: the
// best of some tries, for the machine may be busy.
func TestBigRemapEditorIsQuick(t *testing.T) {
	for _, z := range []size{{40, 12}, {200, 60}} {
		s := newStage(t, z.w, z.h)
		s.show(world{groups: []fixture{crowd(1024, 256)}}.snapshot()).press("enter", "m")
		if _, ok := s.m.window().(*remapWindow); !ok {
			t.Fatal("no editor")
		}
		s.blind = true
		for _, key := range []string{"right", "B", "]", "o", "1", "2", "3", "4"} {
			best := time.Hour
			for range 5 {
				begin := time.Now()
				s.press(key)
				s.m.View()
				best = min(best, time.Since(begin))
			}
			if best > 100*time.Millisecond {
				t.Errorf("%s: %s takes %s", z, key, best)
			}
		}
		s.blind = false
		s.press("B", "enter").sees("1,024 partitions")
	}
}
