package e2e

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"pcgtop/engine"
	"pcgtop/engine/demo"
	"pcgtop/model"
	"pcgtop/model/recording"
	"pcgtop/tui"
)

// fed is a source that is told what to show.
type fed struct {
	snapshots chan *model.Snapshot
	focus     func(*model.Key, []model.Key)
}

func (f *fed) Snapshots() <-chan *model.Snapshot       { return f.snapshots }
func (f *fed) ReadNow()                                {}
func (f *fed) Focus(open *model.Key, seen []model.Key) { f.focus(open, seen) }
func (f *fed) Toggle()                                 {}
func (f *fed) Step(int)                                {}
func (f *fed) Faster(int)                              {}
func (f *fed) Seek(time.Duration)                      {}
func (f *fed) Go(string, *time.Location) error         { return nil }
func (f *fed) Playback() model.Playback                { return model.Playback{} }

// watched is a screen without a terminal, which is shown one snapshot after the other.
type watched struct {
	screen tea.Model
	listen tea.Cmd
	feed   chan *model.Snapshot
}

func watch(f *fed, o tui.Options) *watched {
	f.snapshots = make(chan *model.Snapshot, 1)
	o.Source, o.Look, o.Zone, o.Stream, o.Group = f, tui.Dark, time.UTC, "TELEMETRY", "rollup"
	m := tui.New(o)
	w := &watched{screen: m, listen: m.Init(), feed: f.snapshots}
	w.screen.Update(tea.WindowSizeMsg{Width: 160, Height: 50})
	return w
}

// frame shows a snapshot, presses keys, and returns the screen without the header and
// the footer, which say that it is a replay.
func (w *watched) frame(s *model.Snapshot, keys string) string {
	w.feed <- s
	_, w.listen = w.screen.Update(w.listen())
	for _, k := range keys {
		key := tea.Key{Code: k}
		if k >= ' ' {
			key.Text = string(k)
		}
		w.screen.Update(tea.KeyPressMsg(key))
	}
	lines := strings.Split(w.screen.(*tui.Model).View().Content, "\n")
	frame := strings.Join(lines[1:len(lines)-1], "\n")
	// Since when events are known is the one thing that a replay says in words of its own.
	return regexp.MustCompile(`since (pcgtop started|the recording began)((\x1b\[[0-9;]*m)*) *`).ReplaceAllString(frame, "since then$2")
}

// TestReplayEqualsTheScreen: what was on the screen while the demo was recorded is what
// the replay of the file shows, frame for frame, on every screen that was gone through.
func TestReplayEqualsTheScreen(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("watches the demo for a while")
	}
	running, err := demo.Start(t.Context(), demo.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := running.Stop(); err != nil {
			t.Error(err)
		}
	}()
	e, err := engine.Connect(t.Context(), engine.Options{Server: running.URL(), Lookup: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()

	name := filepath.Join(t.TempDir(), "demo.gz")
	file, err := recording.Create(name, false, true)
	if err != nil {
		t.Fatal(err)
	}
	// The group, its partitions, their map, the events, all groups, and back.
	keys := map[int]string{20: "j", 30: "\r", 40: "\t", 50: "\x1be", 60: "\x1b\x1b", 75: "\r"}
	const pictures = 90
	live := watch(&fed{focus: e.Focus}, tui.Options{})
	var frames []string
	for s := range e.Snapshots() {
		file.Add(s)
		frames = append(frames, live.frame(s, keys[len(frames)]))
		if len(frames) == pictures {
			cancel()
			break
		}
	}
	for range e.Snapshots() {
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, err := file.Close(); err != nil {
		t.Fatal(err)
	}

	r, err := recording.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if r.Len() != pictures {
		t.Fatalf("%d pictures were recorded, not %d", r.Len(), pictures)
	}
	none := &fed{focus: func(*model.Key, []model.Key) {}}
	replayed := watch(none, tui.Options{Player: none})
	different := map[string]bool{}
	for i, want := range frames {
		s, err := r.Snapshot(i)
		if err != nil {
			t.Fatal(err)
		}
		if got := replayed.frame(s, keys[i]); got != want {
			t.Fatalf("picture %d:\n%s\nnot\n%s", i, ansi.Strip(got), ansi.Strip(want))
		}
		different[want] = true
	}
	if len(different) < pictures/4 || !strings.Contains(strings.Join(frames, ""), "PARTITIONS") || !strings.Contains(strings.Join(frames, ""), "EVENTS") {
		t.Errorf("little was shown: %d different frames", len(different))
	}
}

// TestRecordAndReplay with the real program: without a screen, and from it.
func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	a := serve(t)
	dir := t.TempDir()
	name, taped := filepath.Join(dir, "a.jsonl.gz"), filepath.Join(dir, "b.jsonl")
	if _, stderr, code := a.run(t, "", "record", name, "TELEMETRY/rollup", "--for", "8s"); code != 0 || !strings.Contains(stderr, "recorded ") || !strings.HasSuffix(stderr, " kB, to "+name+"\n") {
		t.Fatalf("%d %q", code, stderr)
	}
	for _, c := range []struct {
		args, says string
		code       int
	}{
		{"record " + name, "is there already: give another name, or --force to replace it\n", 1},
		{"record " + taped + " NOPE", `"NOPE"`, 3},
		{"record /no/such/folder/x", "/no/such/folder/x", 1},
		{"report --replay " + name, "TELEMETRY/rollup", 0},
		{"report --replay " + name + " --at +6s TELEMETRY/rollup", "m3 never seen: it owns 5 partitions (10-14)", 0},
		{"report --replay " + name + " --at +6s --instances TELEMETRY/rollup", "roll-m1-a", 0},
		{"report --replay " + name + " --at +2h", "is not in the recording, which goes from", 2},
		{"report --replay " + name + " --at soon", `"soon" is no time`, 2},
		{"report --at +6s", "give --replay FILE too", 2},
		{"report --replay /no/such/file", "/no/such/file", 1},
		{"replay " + name, "no terminal", 2},
	} {
		stdout, stderr, code := a.run(t, "", strings.Fields(c.args)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.says) || code != 0 && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %d\n%s%s", c.args, code, stdout, stderr)
		}
	}
	if stdout, _, _ := a.run(t, "", "report", "--replay", name, "-o", "json", "-n", "3", "--every", "2s"); strings.Count(stdout, "\n") != 3 || strings.Count(stdout, `{"schema":"pcgtop/1"`) != 3 || strings.Contains(stdout, "127.0.0.1") {
		t.Errorf("three pictures as JSON: %.2000s", stdout)
	}

	// With credentials in the URL, and addresses on request.
	for _, login := range []string{"mallory:s3cr3t", "s3cr3t"} { // the second is a token
		named := strings.Replace(a.url, "nats://", "nats://"+login+"@", 1)
		if _, stderr, code := a.run(t, "", "-s", named, "record", taped, "--for", "2s", "--addresses"); code != 0 {
			t.Fatalf("%d %q", code, stderr)
		}
		b, err := os.ReadFile(taped)
		if err != nil || strings.Contains(string(b), "s3cr3t") || strings.Contains(string(b), "mallory") || !strings.Contains(string(b), `"url":"`+a.url) {
			t.Errorf("%s: %v: %.1000s", login, err, b)
		}
		if err := os.Remove(taped); err != nil {
			t.Fatal(err)
		}
	}

	live := open(t, 120, 40, "-s", a.url, "TELEMETRY/rollup")
	live.see("it owns 5 partitions (10-14)")
	live.press("\x12") // ctrl+r
	live.see("compressed when the name ends in .gz")
	live.press("\x15", taped, enter) // ctrl+u clears the line
	live.see("● rec 0:0")
	live.press("e")
	live.see("rec 0:02")
	live.press("\x12")
	live.see("recorded ", taped)
	live.press("q")
	live.exit(patience)
	if info, err := os.Stat(taped); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}

	for _, file := range []string{name, taped} {
		again := open(t, 120, 40, "replay", "--stop", file, "TELEMETRY/rollup")
		again.see("■ stopped", "RO")
		again.press("@", "100%", enter)
		again.waitFor("its end", func(s string) bool {
			m := regexp.MustCompile(`stopped \S+ (\S+) of (\S+)`).FindStringSubmatch(s)
			return m != nil && m[1] == m[2]
		})
		again.see("it owns 5 partitions (10-14)")
		at := clock(again.text())
		again.press("{", "{")
		again.waitFor("an earlier time", func(s string) bool { return clock(s) < at })
		again.press(" ", "[")
		again.see("▸ 0.5× ") // slowly enough to be seen
		again.press("]", "]", "]", "]")
		again.waitFor("the end", func(s string) bool { return strings.Contains(s, "■ stopped") && clock(s) == at })
		again.press(",")
		again.press("s")
		again.see("read-only: this is a recording")
		again.press("q")
		if code := again.exit(patience); code != 0 {
			t.Errorf("exit code %d", code)
		}
	}
}

// clock is the time of day that a replay's header shows.
func clock(screen string) string {
	m := regexp.MustCompile(`(?:■ stopped |× )(\d\d:\d\d:\d\d)`).FindStringSubmatch(screen)
	if m == nil {
		return ""
	}
	return m[1]
}
