package tui

import (
	"bufio"
	"fmt"
	"io"
	"log"
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

// newest passes lines on, one at a time; of those that come while somebody is busy with one
// only the last is, for no more is shown. tell never waits. After end nothing may be told.
func newest(pass func(line string)) (tell func(line string), end func()) {
	lines := make(chan string, 1)
	go func() {
		for line := range lines {
			pass(line)
		}
	}()
	tell = func(line string) {
		select {
		case <-lines: // has waited in vain
		default:
		}
		lines <- line
	}
	return tell, func() { close(lines) }
}

// aside takes what is written to standard error while the screen stands, by whatever
// library or by the runtime: it would paint over it. Each line is told, and all are
// written out by restore, when the terminal is the shell's again. What a crash writes goes
// to last, and so does what the standard logger writes, which may be the reason why it
// exits; without last a crash goes to the terminal at once. Where standard error is no
// terminal it is left alone.
func aside(last *os.File, tell func(line string)) (restore func()) {
	if !tty.IsTerminal(os.Stderr.Fd()) {
		return func() {}
	}
	r, w, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	defer w.Close()
	widen(w)
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
	crash := saved
	if last != nil {
		crash = last
		log.SetOutput(io.MultiWriter(last, os.Stderr))
	}
	_ = debug.SetCrashOutput(crash, debug.CrashOptions{}) // the pipe is read no more then
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
		log.SetOutput(os.Stderr)
		if err := redirect(int(saved.Fd()), 2); err != nil {
			return // standard error stays where it went
		}
		saved.Close()
		done.Wait()
		for _, line := range kept {
			fmt.Fprintln(os.Stderr, shown(line))
		}
	}
}

// shown is a text as it may stand on a terminal: without what that would act upon.
func shown(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", "    "), "\n")
	for i, line := range lines {
		lines[i] = glyph.Clean(line)
	}
	return strings.Join(lines, "\n")
}
