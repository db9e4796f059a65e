package tui

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"pcgtop/model"
)

// output is what a program has drawn so far.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// run starts the program with its input from a pipe, and returns what it drew and how
// it ended.
func run(t *testing.T, ctx context.Context, during func(in *os.File, s *source)) (string, error) {
	t.Helper()
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	src := newSource()
	var drawn output
	done := make(chan error, 1)
	go func() {
		done <- Run(ctx, Options{Source: src, Admin: &admin{}, Zone: time.UTC},
			tea.WithInput(&terminal{in, cancel}), tea.WithOutput(&drawn), tea.WithWindowSize(80, 24), tea.WithEnvironment([]string{"TERM=xterm-256color"}))
	}()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(drawn.String(), "pcgtop"); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("nothing is drawn: %q", drawn.String())
		}
	}
	during(out, src)
	select {
	case err := <-done:
		return drawn.String(), err
	case <-time.After(time.Second):
		t.Fatal("still running a second later")
		return "", nil
	}
}

func TestRunEndsAndLeavesTheAlternateScreen(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for name, end := range map[string]func(*os.File, *source){
		"q":               func(in *os.File, _ *source) { in.WriteString("q") },
		"ctrl+c":          func(in *os.File, _ *source) { in.WriteString("\x03") },
		"closed terminal": func(in *os.File, _ *source) { in.Close() },
	} {
		drawn, err := run(t, context.Background(), end)
		if err != nil || !strings.Contains(drawn, "\x1b[?1049l") || !strings.Contains(drawn, "\x1b[?25h") {
			t.Errorf("%s: %v, %q", name, err, drawn)
		}
	}
	if drawn, err := run(t, ctx, func(*os.File, *source) { cancel() }); err != nil || !strings.Contains(drawn, "\x1b[?1049l") {
		t.Errorf("end of context: %v", err)
	}
}

// A burst of snapshots arrives as the newest one.
func TestBurstArrivesAsOne(t *testing.T) {
	s := newSource()
	for i := range 10 {
		snap := *sketch().snapshot()
		snap.Seq = uint64(i)
		s.snapshots <- &snap
	}
	msg := listen(context.Background(), s.snapshots)()
	if got := msg.(snapshotMsg).snapshot.Seq; got != 9 {
		t.Errorf("snapshot %d", got)
	}
	close(s.snapshots)
	if _, ended := listen(context.Background(), s.snapshots)().(endedMsg); !ended {
		t.Error("the end is not noticed")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if msg := listen(ctx, make(chan *model.Snapshot))(); msg != nil {
		t.Errorf("%v", msg)
	}
}

// The source ending is said, and nothing waits for it any more.
func TestEndOfTheSource(t *testing.T) {
	s := newStage(t, 80, 24).show(sketch().snapshot())
	if cmd := s.send(endedMsg{}); cmd != nil {
		t.Error("it listens on")
	}
	s.sees("ended 14:03:22")
}
