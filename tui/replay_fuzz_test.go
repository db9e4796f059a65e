package tui

import (
	"bytes"
	"strings"
	"testing"

	"pcgtop/model"
	"pcgtop/model/recording"
)

// FuzzReplay: whatever stands in a file, it is refused in a line or shown; nothing in it
// stops the screens, or reaches the terminal.
func FuzzReplay(f *testing.F) {
	var b bytes.Buffer
	w := recording.NewWriter(&b, recording.Options{})
	for i, s := range []*model.Snapshot{sketch().snapshot(), mappedGroup().snapshot()} {
		s.Seq = uint64(i + 1)
		if err := w.Write(s); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	for _, line := range bytes.SplitAfter(b.Bytes(), []byte("\n")) {
		f.Add(bytes.Clone(line))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		r, err := recording.Read("x", bytes.NewReader(content), int64(len(content)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("more than a line: %q", err)
			}
			return
		}
		s := newStage(t, 80, 24, replaying(newDeck()))
		for i := range min(r.Len(), 2) {
			snap, err := r.Snapshot(i)
			if err != nil {
				continue
			}
			s.show(snap)
			for _, screen := range [][]string{{"enter"}, {"enter"}, {"tab"}, {"esc", "U"}, {"esc", "w", "a"}, {"esc", "e"}} {
				s.blind = true
				s.press(screen...)
				checkFrame(t, s.m)
			}
			s.press("esc", "esc", "esc", "esc")
			s.blind = false
		}
	})
}
