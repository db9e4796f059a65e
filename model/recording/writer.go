package recording

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"

	"pcgtop/model"
)

// refull is how many times the room of the last full line changes may take before the
// next one comes.
const refull = 8

// Options of a recording.
type Options struct {
	Addresses bool // keep network addresses; else they are left out
	Compress  bool // write gzip
}

// Writer writes snapshots as lines. It is not for use by several goroutines at once.
type Writer struct {
	to       *count
	zip      *gzip.Writer // nil: not compressed
	form     *form        // nil: addresses are kept
	last     *model.Snapshot
	full     int // bytes of the last full line
	since    int // bytes of changes since
	pictures int
}

// NewWriter writes to w.
func NewWriter(w io.Writer, o Options) *Writer {
	n := &Writer{to: &count{w: w}}
	if o.Compress {
		n.zip, _ = gzip.NewWriterLevel(n.to, gzip.BestCompression) // the level is one there is
	}
	if !o.Addresses {
		n.form = newForm()
	}
	return n
}

// Write adds a snapshot. One that is not newer than the last is left out.
func (w *Writer) Write(s *model.Snapshot) error {
	if w.last != nil && s.Seq <= w.last.Seq {
		return nil
	}
	full := w.last == nil || w.since > refull*w.full
	line, err := w.line(s, full)
	if err != nil {
		return fmt.Errorf("recording snapshot %d: %w", s.Seq, err)
	}
	if full {
		w.full, w.since = len(line), 0
		if err := w.member(); err != nil {
			return err
		}
	} else {
		w.since += len(line)
	}
	if _, err := w.out().Write(append(line, '\n')); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	w.last = s
	w.pictures++
	return nil
}

func (w *Writer) line(s *model.Snapshot, full bool) ([]byte, error) {
	h := head{Schema: s.Schema, Seq: s.Seq, Taken: s.Taken}
	switch {
	case !full:
		h.After = w.last.Seq
		rest, err := w.form.change(w.last, s)
		if err != nil {
			return nil, err
		}
		return h.line(rest)
	case w.form != nil:
		whole, err := w.form.whole(s)
		if err != nil {
			return nil, err
		}
		return h.line(whole)
	}
	return json.Marshal(s)
}

// member begins a gzip member, where one was begun before.
func (w *Writer) member() error {
	if w.zip == nil || w.pictures == 0 {
		return nil
	}
	if err := w.zip.Close(); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	w.zip.Reset(w.to)
	return nil
}

func (w *Writer) out() io.Writer {
	if w.zip != nil {
		return w.zip
	}
	return w.to
}

// Flush makes everything that was written readable.
func (w *Writer) Flush() error {
	if w.zip == nil {
		return nil
	}
	if err := w.zip.Flush(); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}

// Close ends the recording; it does not close what it is written to.
func (w *Writer) Close() error {
	if w.zip == nil {
		return nil
	}
	if err := w.zip.Close(); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	return nil
}

// Pictures and Bytes tell how much was written.
func (w *Writer) Pictures() int { return w.pictures }

// Bytes: see [Writer.Pictures].
func (w *Writer) Bytes() int64 { return w.to.n }

// count counts what is written.
type count struct {
	w io.Writer
	n int64
}

func (c *count) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}
