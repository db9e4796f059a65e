package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync"
	"syscall"
	"time"

	"pcgtop/model"
)

// flushEvery is how much of a session is lost at most when the program is killed.
const flushEvery = time.Second

// queue is how many snapshots may wait for the disk; what comes then is left out, which
// is no loss to the ones after it.
const queue = 64

// Recorder writes a session to a file while it goes on. Its methods may be called from
// any goroutine.
type Recorder struct {
	file  *os.File
	named bool // by a name, at which the file may be another one at the end
	queue chan *model.Snapshot
	over  chan struct{}
	begun time.Time

	mu     sync.Mutex
	closed bool
	writer *Writer
	err    error // the first thing that failed; nothing is written after it
}

// Create makes a file that only its owner can read, and begins to write what
// [Recorder.Add] is given. A name that ends in .gz makes a compressed one. A file that
// is there is replaced with force alone; the error says so and wraps [fs.ErrExist].
func Create(name string, force, addresses bool) (*Recorder, error) {
	const own = 0o600
	flags := os.O_CREATE | os.O_EXCL | os.O_WRONLY
	if info, err := os.Stat(name); force && err == nil && info.Mode().IsRegular() {
		// Replaced, not written over: whoever records to it now keeps what is his.
		if err := os.Remove(name); err != nil {
			return nil, fmt.Errorf("recording: %w", err)
		}
	} else if force && err == nil { // a device or a pipe, which stays what it is, and must not keep us waiting
		flags = os.O_WRONLY | syscall.O_NONBLOCK
	}
	f, err := os.OpenFile(name, flags, own)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, existsError{name}
	case err != nil:
		return nil, fmt.Errorf("recording: %w", err)
	}
	return start(f, true, Options{Addresses: addresses, Compress: strings.HasSuffix(name, ".gz")}), nil
}

// To is [Create] for a file that is open, such as standard output. It is not compressed.
func To(f *os.File, addresses bool) *Recorder {
	return start(f, false, Options{Addresses: addresses})
}

func start(f *os.File, named bool, o Options) *Recorder {
	r := &Recorder{file: f, named: named, queue: make(chan *model.Snapshot, queue), over: make(chan struct{}), begun: time.Now(), writer: NewWriter(f, o)}
	go r.run()
	return r
}

// existsError names a file that is in the way.
type existsError struct{ name string }

func (e existsError) Error() string {
	return "recording: " + e.name + " is there already: give another name"
}
func (existsError) Is(target error) bool { return target == fs.ErrExist }

// Add writes a snapshot soon. It does not wait.
func (r *Recorder) Add(s *model.Snapshot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	select {
	case r.queue <- s:
	default:
	}
}

// run writes what comes, and makes it readable each second, until the queue is closed.
func (r *Recorder) run() {
	defer close(r.over)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	unflushed := false
	for {
		select {
		case s, more := <-r.queue:
			if !more {
				return
			}
			r.try(func(w *Writer) error { return w.Write(s) })
			unflushed = true
		case <-tick.C:
			if unflushed {
				r.try((*Writer).Flush)
				unflushed = false
			}
		}
	}
}

// try does something to the file unless something has failed.
func (r *Recorder) try(do func(*Writer) error) {
	if r.Err() != nil {
		return
	}
	if err := do(r.writer); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.err = err
	}
}

// Err is what failed, if anything did; nothing is written after it.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// replaced says that the file is no more the one of the name that it was made by.
func (r *Recorder) replaced() error {
	if !r.named {
		return nil
	}
	mine, err := r.file.Stat()
	if err != nil {
		return err
	}
	if now, err := os.Stat(r.file.Name()); err != nil || !os.SameFile(mine, now) {
		return errors.New("it was removed or replaced meanwhile: what was recorded is lost")
	}
	return nil
}

// Close writes what waits, ends the recording and says in a line what was written.
func (r *Recorder) Close() (string, error) {
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.queue)
	}
	r.mu.Unlock()
	<-r.over
	r.try((*Writer).Close)
	replaced := r.replaced()
	if err := errors.Join(r.Err(), r.file.Close(), replaced); err != nil {
		return "", fmt.Errorf("recording to %s: %w", r.file.Name(), err)
	}
	return fmt.Sprintf("recorded %s in %s, %.1f kB, to %s", model.Count(r.writer.Pictures(), "picture"),
		time.Since(r.begun).Round(time.Second), float64(r.writer.Bytes())/1000, r.file.Name()), nil
}
