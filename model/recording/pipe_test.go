//go:build unix

package recording

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// A pipe that nobody writes to, or reads from, keeps nobody waiting.
func TestPipes(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip(err)
	}
	over := make(chan error, 2)
	go func() {
		_, err := Open(name)
		over <- err
	}()
	go func() {
		_, err := Create(name, true, false)
		over <- err
	}()
	none := 0
	for range 2 {
		select {
		case err := <-over:
			if err == nil {
				t.Error("a pipe is taken for a file")
			}
			if errors.Is(err, ErrNone) {
				none++
			}
		case <-time.After(10 * time.Second):
			t.Fatal("still waiting for the other end of the pipe")
		}
	}
	if none != 1 {
		t.Error("it is not said that a pipe is no recording")
	}
}
