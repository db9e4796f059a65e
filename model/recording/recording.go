package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"syscall"
	"time"

	"pcgtop/model"
)

// ErrNone is wrapped when a file holds no picture that can be read.
var ErrNone = errors.New("no recording that can be read")

// Recording is a file that was opened. It is not for use by several goroutines at once.
type Recording struct {
	name       string
	file       io.ReaderAt
	close      func() error
	size       int64
	compressed bool
	taken      []int64 // when each picture was, ns; never falling
	fulls      []full
	problem    string

	state *state   // of the picture shown last; nil: none
	ahead *scanner // what comes after it
}

// full is a picture that can be read without those before.
type full struct {
	picture int
	at      place
}

// Open finds the pictures of a file, reading it once. What cannot be read is left out,
// see [Recording.Problem]; an error says that nothing can.
func Open(name string) (*Recording, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not keep us waiting
	if err != nil {
		return nil, fmt.Errorf("opening the recording: %w", err)
	}
	var r *Recording
	info, err := f.Stat()
	switch {
	case err != nil:
		err = fmt.Errorf("opening the recording: %w", err)
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%s: %w: it is no file", name, ErrNone)
	default:
		r, err = Read(name, f, info.Size())
	}
	if err != nil {
		_ = f.Close() // it was only read
		return nil, err
	}
	r.close = f.Close
	return r, nil
}

// Read is [Open] for so many bytes that are not in a file. The name is what errors call
// them.
func Read(name string, from io.ReaderAt, size int64) (*Recording, error) {
	r := &Recording{name: name, file: from, size: size, close: func() error { return nil }}
	if err := r.index(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", name, ErrNone, err)
	}
	return r, nil
}

// Close closes the file.
func (r *Recording) Close() error { return r.close() }

func (r *Recording) index() error {
	var magic [2]byte
	n, _ := r.file.ReadAt(magic[:], 0) // an empty file has none
	r.compressed = n == 2 && bytes.Equal(magic[:], []byte{0x1f, 0x8b})
	s, err := scan(r.file, r.size, r.compressed, place{})
	if err != nil {
		return err
	}
	for s.next() {
		if s.head.After == 0 {
			r.fulls = append(r.fulls, full{len(r.taken), s.at})
		}
		at := s.head.Taken.UnixNano()
		if n := len(r.taken); n > 0 {
			at = max(at, r.taken[n-1])
		}
		r.taken = append(r.taken, at)
	}
	r.problem = s.problem
	if len(r.taken) == 0 && r.problem == "" {
		return errors.New("it is empty")
	}
	if len(r.taken) == 0 {
		return errors.New(r.problem)
	}
	if s.skipped > 0 {
		r.problem = fmt.Sprintf("%s (%s left out)", r.problem, model.Count(s.skipped, "line"))
	}
	return nil
}

// Name is the file's.
func (r *Recording) Name() string { return r.name }

// Problem is what could not be read, in a line; empty when all was.
func (r *Recording) Problem() string { return r.problem }

// Len is how many pictures there are, at least one.
func (r *Recording) Len() int { return len(r.taken) }

// Time is when a picture was taken.
func (r *Recording) Time(i int) time.Time { return time.Unix(0, r.taken[i]).UTC() }

// Find is the last picture that was taken no later than t; the first if all were.
func (r *Recording) Find(t time.Time) int {
	at, _ := slices.BinarySearchFunc(r.taken, t.UnixNano(), func(taken, t int64) int {
		if taken <= t {
			return -1
		}
		return 1
	})
	return max(0, at-1)
}

// Snapshot reads a picture. One that comes soon after the last one read takes no more
// than what lies between.
func (r *Recording) Snapshot(i int) (*model.Snapshot, error) {
	at, _ := slices.BinarySearchFunc(r.fulls, i, func(f full, i int) int {
		if f.picture <= i {
			return -1
		}
		return 1
	})
	from := r.fulls[at-1]
	if r.state == nil || r.state.picture > i || r.state.picture < from.picture {
		if err := r.rewind(from); err != nil {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
	}
	for r.state.picture < i {
		if !r.ahead.next() {
			r.state = nil
			return nil, fmt.Errorf("%s: it was changed while it was read", r.name)
		}
		if err := r.state.take(r.ahead); err != nil {
			return nil, r.broken(err)
		}
	}
	s, err := r.state.snapshot()
	if err != nil {
		return nil, r.broken(err)
	}
	return s, nil
}

// brokenError is a picture that cannot be read.
type brokenError struct {
	name    string
	picture int
	err     error
}

func (e *brokenError) Error() string {
	return fmt.Sprintf("%s: picture %d: %v", e.name, e.picture, e.err)
}
func (e *brokenError) Unwrap() error { return e.err }

// broken forgets a state that can no longer be built upon.
func (r *Recording) broken(err error) error {
	picture := r.state.picture
	r.state = nil
	return &brokenError{r.name, picture, err}
}

// Last is the last picture up to i that can be read, and why i itself cannot; empty when
// it can.
func (r *Recording) Last(i int) (s *model.Snapshot, problem string, err error) {
	for {
		s, err = r.Snapshot(i)
		broken := (*brokenError)(nil)
		if err == nil || !errors.As(err, &broken) || broken.picture < 1 {
			return s, problem, err
		}
		if problem == "" {
			problem = err.Error()
		}
		i = broken.picture - 1
	}
}

// rewind goes to a full picture.
func (r *Recording) rewind(f full) error {
	s, err := scan(r.file, r.size, r.compressed, f.at)
	if err != nil {
		return err
	}
	r.ahead, r.state = s, &state{picture: f.picture - 1}
	if !s.next() {
		r.state = nil
		return errors.New("it was changed while it was read")
	}
	if err := r.state.take(s); err != nil {
		return r.broken(err)
	}
	return nil
}

// Resume is the first picture after i that can be read without it; Len when there is
// none.
func (r *Recording) Resume(i int) int {
	for _, f := range r.fulls {
		if f.picture > i {
			return f.picture
		}
	}
	return r.Len()
}
