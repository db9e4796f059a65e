package tui

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"sync"

	tty "github.com/charmbracelet/x/term"

	"pcgtop/tui/glyph"
)

// strayMsg is a line that something wrote to standard error.
type strayMsg string

// mostStray is how many lines are kept for when the screen is gone.
const mostStray = 1000

// aside takes what is written to standard error while the screen stands, by whatever
// library or by the runtime: it would paint over it. Each line is told, and all are
// written out by restore, when the terminal is the shell's again. A crash still gets
// there at once. Where standard error is no terminal it is left alone.
func aside(tell func(line string)) (restore func()) {
	if !tty.IsTerminal(os.Stderr.Fd()) {
		return func() {}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	defer w.Close()
	saved, err := duplicate(2)
	if err != nil {
		r.Close()
		return func() {}
	}
	if err := redirect(int(w.Fd()), 2); err != nil {
		r.Close()
		saved.Close()
		return func() {}
	}
	_ = debug.SetCrashOutput(saved, debug.CrashOptions{}) // without it a crash is told when the screen is gone, or not at all
	var kept []string
	var done sync.WaitGroup
	done.Go(func() {
		defer r.Close()
		for lines := bufio.NewReader(r); ; {
			line, err := lines.ReadString('\n')
			if line = strings.TrimRight(line, "\r\n"); line != "" {
				if len(kept) < mostStray {
					kept = append(kept, line)
				}
				tell(line)
			}
			if err != nil {
				return
			}
		}
	})
	return func() {
		_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
		if err := redirect(int(saved.Fd()), 2); err != nil {
			return // standard error stays where it went
		}
		saved.Close()
		done.Wait()
		for _, line := range kept {
			fmt.Fprintln(os.Stderr, glyph.Clean(strings.ReplaceAll(line, "\t", "    ")))
		}
	}
}
