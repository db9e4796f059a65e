package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"pcgtop/engine"
	"pcgtop/engine/command"
	"pcgtop/engine/observe"
)

// What a program ends with: a line that says why, a panic's trace before it, and an exit
// code that scripts can tell apart.
func TestFail(t *testing.T) {
	panicked := observe.Guard(func() error { panic("oh no") })
	for _, c := range []struct {
		err  error
		code int
		says []string
	}{
		{errors.New("it broke\nin two"), exitFailed, []string{"pcgtop: it broke"}},
		{fmt.Errorf("engine: %w", panicked), exitFailed, []string{"pcgtop: engine: panic: oh no", "goroutine ", "main_test.go"}},
		{fmt.Errorf("group S/g: %w", engine.ErrNotFound), exitNotFound, []string{"pcgtop: group S/g: not found"}},
		{command.Usage("too much"), exitUsage, []string{"pcgtop: too much"}},
		{fmt.Errorf("%w (TERM is dumb)", errNoTerminal), exitUsage, []string{"pcgtop report"}},
	} {
		said, code := failing(t, c.err)
		if code != c.code {
			t.Errorf("%v: exit code %d, want %d", c.err, code, c.code)
		}
		for _, want := range c.says {
			if !strings.Contains(said, want) {
				t.Errorf("%v: %q, want %q", c.err, said, want)
			}
		}
		if trace := errors.As(c.err, new(*observe.PanicError)); !trace && strings.Count(said, "\n") != 1 {
			t.Errorf("%v: not one line: %q", c.err, said)
		}
	}
}

// failing is what fail writes to standard error, and the exit code.
func failing(t *testing.T, err error) (said string, code int) {
	t.Helper()
	r, w, failed := os.Pipe()
	if failed != nil {
		t.Fatal(failed)
	}
	defer r.Close()
	before := os.Stderr
	os.Stderr = w
	code = fail(err, exitFailed)
	os.Stderr = before
	w.Close()
	all, failed := io.ReadAll(r)
	if failed != nil {
		t.Fatal(failed)
	}
	return string(all), code
}
