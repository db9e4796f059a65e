//go:build unix

package recording

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"pcgtop/model"
)

// A pipe that nobody writes to, or reads from, keeps nobody waiting.
func TestPipes(t *testing.T) {
	for name, try := range map[string]func(string) error{
		"open": func(pipe string) error {
			_, err := Open(pipe)
			if !errors.Is(err, ErrNone) {
				t.Errorf("it is not said that a pipe is no recording: %v", err)
			}
			return err
		},
		"create": func(pipe string) error {
			_, err := Create(pipe, true, false)
			return err
		},
	} {
		pipe := filepath.Join(t.TempDir(), "pipe")
		if err := syscall.Mkfifo(pipe, 0o644); err != nil {
			t.Skip(err)
		}
		over := make(chan error, 1)
		go func() { over <- try(pipe) }()
		select {
		case err := <-over:
			if err == nil {
				t.Errorf("%s: a pipe is taken for a file", name)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s still waits for the other end of the pipe", name)
		}
	}
}

// What is recorded into a pipe arrives there, and the pipe's mode is nobody's business here.
func TestIntoAPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o644); err != nil {
		t.Skip(err)
	}
	before, err := os.Stat(pipe)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	r, err := Create(pipe, true, false)
	if err != nil {
		t.Fatal(err)
	}
	r.Add(&model.Snapshot{Schema: model.Schema})
	if _, err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(reader); err != nil || len(text) == 0 {
		t.Errorf("%d bytes came, %v", len(text), err)
	}
	if after, err := os.Stat(pipe); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%v became %v, %v", before.Mode(), after.Mode(), err)
	}
}
