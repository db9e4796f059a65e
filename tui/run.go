package tui

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
)

// framesPerSecond is how often the terminal is written to at most. A key waits for as long as
// is between two frames at most, and each costs the processor something.
const framesPerSecond = 90

// Run shows the screen until the user quits, ctx ends, or the terminal is closed, and
// restores the terminal in each case. The end of ctx is no error. Whoever calls it ends
// ctx at SIGTERM and SIGHUP. extra is for tests.
func Run(ctx context.Context, o Options, extra ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	o.Context = ctx
	resumed := make(chan struct{}, 1)
	settings := []tea.ProgramOption{tea.WithFPS(framesPerSecond), tea.WithInput(&terminal{os.Stdin, cancel}), tea.WithFilter(func(_ tea.Model, msg tea.Msg) tea.Msg {
		if _, again := msg.(tea.ResumeMsg); again {
			select {
			case resumed <- struct{}{}:
			default:
			}
		}
		return msg
	})}
	if o.NoColor {
		settings = append(settings, tea.WithColorProfile(colorprofile.ASCII))
	}
	m := New(o)
	m.suspend = suspend
	p := tea.NewProgram(m, append(settings, extra...)...)
	// Quitting waits until the keyboard is no longer read; the end of a context given to
	// Bubble Tea closes it under the reader.
	defer context.AfterFunc(ctx, p.Quit)()
	defer suspending(p.Send, resumed)()
	last, release := keep()
	tell, told := newest(func(line string) { p.Send(strayMsg(line)) })
	restore := aside(last, tell)
	_, err := p.Run()
	restore()
	told()
	release()
	m.endRecording()
	switch {
	case err == nil, errors.Is(err, tea.ErrInterrupted):
		return nil
	case errors.Is(err, tea.ErrProgramPanic):
		return err
	case ctx.Err() != nil: // the terminal is gone
		return nil
	}
	return fmt.Errorf("the screen ended: %w", err)
}

// terminal is standard input that notices when the terminal is gone. Bubble Tea takes
// the end of its input for silence and would wait for ever.
type terminal struct {
	*os.File
	gone func()
}

func (t *terminal) Read(p []byte) (int, error) {
	n, err := t.File.Read(p)
	if err != nil {
		t.gone()
	}
	return n, err
}
