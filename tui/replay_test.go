package tui

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"pcgtop/keymap"
	"pcgtop/model"
	"pcgtop/model/recording"
)

// deck is a Player that remembers what it is told.
type deck struct {
	*source
	did  []string
	now  model.Playback
	fail error
}

func newDeck() *deck {
	return &deck{source: newSource(), now: model.Playback{Start: moment().Add(-83 * time.Second), End: moment().Add(time.Hour), At: moment(), Speed: 1, Playing: true, Of: 9}}
}

func (d *deck) note(format string, args ...any) { d.did = append(d.did, fmt.Sprintf(format, args...)) }
func (d *deck) Toggle()                         { d.note("toggle") }
func (d *deck) Step(n int)                      { d.note("step %d", n) }
func (d *deck) Faster(n int)                    { d.note("faster %d", n) }
func (d *deck) Seek(by time.Duration)           { d.note("seek %v", by) }
func (d *deck) Playback() model.Playback        { return d.now }
func (d *deck) Go(at string, _ *time.Location) error {
	d.note("go %s", at)
	return d.fail
}

// replaying makes a stage show what is played.
func replaying(d *deck) func(*Options) {
	return func(o *Options) { o.Source, o.Player, o.Admin, o.Finder, o.Record = d, d, nil, nil, nil }
}

// taped brings a snapshot through a recording. The one before makes it a change line.
func taped(t testing.TB, before, s *model.Snapshot) *model.Snapshot {
	t.Helper()
	var b bytes.Buffer
	w := recording.NewWriter(&b, recording.Options{Addresses: true})
	first, second := *before, *s
	first.Seq, second.Seq = 1, 2
	for _, s := range []*model.Snapshot{&first, &second} {
		if err := w.Write(s); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "r")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := recording.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	back, err := r.Snapshot(1)
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// TestARecordingShowsWhatWasThere: every screen of every world, drawn from a recording,
// is what it was.
func TestARecordingShowsWhatWasThere(t *testing.T) {
	t.Parallel()
	worlds := map[string]world{"hostile": hostile(), "sketch": sketch(), "many": many(), "names": foreignNames(), "lost": lost(sketch()),
		"crowd": {groups: []fixture{crowd(600, 300)}}, "mapped": mappedGroup(), "crowded": crowded()}
	readOnly := func(o *Options) { o.Admin, o.Finder = nil, nil }
	for name, w := range worlds {
		live := w.snapshot()
		back := taped(t, model.Reduce(nil, moment()), live)
		for screen, keys := range screens() {
			for _, z := range []size{{80, 24}, {200, 60}} {
				a := newStage(t, z.w, z.h, readOnly).show(live).press(keys...)
				b := newStage(t, z.w, z.h, readOnly).show(back).press(keys...)
				if name == "hostile" {
					continue // JSON keeps no invalid UTF-8: that it is drawn is enough
				}
				if x, y := a.m.View().Content, b.m.View().Content; x != y {
					t.Errorf("%s, %s, %s:\n%s\nnot\n%s", name, screen, z, ansi.Strip(y), ansi.Strip(x))
				}
			}
		}
	}
}

func TestReplayKeys(t *testing.T) {
	d := newDeck()
	s := newStage(t, 120, 40, replaying(d)).show(sketch().snapshot())
	s.press("space", ".", ",", "]", "[", "}", "{", "@").typed("+90s").press("enter")
	s.press("enter", "space", "enter", "]", "e", ".")
	if got := strings.Join(d.did, "; "); got != "toggle; step 1; step -1; faster 1; faster -1; seek 10s; seek -10s; go +90s; toggle; faster 1; step 1" {
		t.Errorf("%s", got)
	}
	if len(s.m.windows) != 0 {
		t.Error("the window stays")
	}
	d.fail = errors.New("25:00 is not in the recording")
	s.press("@").typed("25:00").press("enter")
	if !strings.Contains(s.m.View().Content, "25:00 is not in the recording") {
		t.Errorf("the reason is not shown:\n%s", s.m.View().Content)
	}
	s.press("esc").press("r", "ctrl+r")
	if d.reads != 0 || s.m.recorder != nil || !strings.Contains(s.m.View().Content, "this is a recording already") {
		t.Error("a recording was read or recorded")
	}
}

// What a recording does not hold happened before it began, not before pcgtop started.
func TestAReplayTellsSinceWhenEventsAreKnown(t *testing.T) {
	s := newStage(t, 120, 40, replaying(newDeck())).show(sketch().snapshot())
	s.press("enter").sees("none since the recording began").press("e").sees("nothing happened since the recording began")
	newStage(t, 120, 40).show(world{}.snapshot()).press("e").sees("nothing happened since pcgtop started")
}

// A live screen has none of it.
func TestLiveScreensDoNotOfferToPlay(t *testing.T) {
	s := newStage(t, 120, 60).show(sketch().snapshot())
	if _, bound := s.m.keys.Match(keymap.Overview, "."); bound {
		t.Error("a live screen can be stepped")
	}
	s.press("?")
	if strings.Contains(s.m.View().Content, "Play") {
		t.Error("help tells of it")
	}
}

func TestReplayFrames(t *testing.T) {
	for _, z := range sizes() {
		d := newDeck()
		s := newStage(t, z.w, z.h, replaying(d)).show(sketch().snapshot())
		s.golden("replay-"+z.String(), true)
		d.now.Playing, d.now.Speed = false, 10
		s.press("down", "enter").golden("replay-group-"+z.String(), false)
		d.now.Playing = true
		s.press("?").golden("help-replay-"+z.String(), false)
		s.press("esc", "@").typed("14:0").golden("replay-go-to-"+z.String(), false)
		d.now.Problem = "line 151: no JSON (3 lines left out)"
		s.press("esc").show(sketch().snapshot()).golden("replay-damaged-"+z.String(), false)
	}
}

func TestRecordingFromTheScreen(t *testing.T) {
	s := newStage(t, 120, 40).show(sketch().snapshot()).press("ctrl+r")
	s.golden("record-120x40", false)
	for range 40 {
		s.press("backspace")
	}
	s.typed("a.gz").press("enter")
	if s.taped.file != "a.gz" || len(s.taped.snapshots) != 1 {
		t.Fatalf("%+v", s.taped)
	}
	later := sketch().snapshot()
	later.Taken = later.Taken.Add(75 * time.Second)
	s.show(later).golden("recording-120x40", false)
	if s.taped.snapshots[1] != later {
		t.Error("what was shown was not recorded")
	}
	s.press("ctrl+r")
	if s.taped.closed != 1 || !strings.Contains(s.m.View().Content, "recorded 2 pictures to a.gz") {
		t.Errorf("%+v\n%s", s.taped, s.m.View().Content)
	}
	s.show(sketch().snapshot())
	if len(s.taped.snapshots) != 2 {
		t.Error("it is recorded after the end")
	}

	s.taped.refuses = errors.New("a.gz is there already")
	s.press("ctrl+r", "enter")
	if s.m.recorder != nil || len(s.m.windows) != 1 || !strings.Contains(s.m.View().Content, "a.gz is there already") {
		t.Errorf("%s", s.m.View().Content)
	}
	s.taped.refuses = nil
	s.press("enter")
	s.taped.err = errors.New("no space left on device")
	s.show(sketch().snapshot())
	if s.m.recorder != nil || !strings.Contains(s.m.View().Content, "no space left on device") {
		t.Errorf("a failure is not told:\n%s", s.m.View().Content)
	}
}
