package recording

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"pcgtop/model"
)

// What a file may ask for: a snapshot of 10,000 groups takes 60 MB.
const (
	maxLine    = 96 << 20   // bytes of a line
	maxChanges = 1024 << 20 // bytes of changes without a full line
	leastPart  = 24         // bytes of a line for each object in it, on average
)

// place is where a line begins: in the gzip member that begins at an offset of the file,
// so many bytes from its beginning. Without compression the file counts as one member.
type place struct{ member, skip int64 }

// scanner reads the lines of a recording that make pictures, in order, and says of the
// others what is wrong with them.
type scanner struct {
	file   *bufio.Reader // the bytes of the file
	offset *count        // how many of them were read into file
	start  int64         // where it began to read
	zip    *gzip.Reader  // nil: not compressed
	member int64         // where the present gzip member begins
	lines  *bufio.Reader
	read   int64 // bytes of the member that lines gave

	line    []byte
	head    head
	at      place
	number  int // of the line, from 1, where reading began
	changes int // bytes of changes since the last full line
	seq     uint64
	skipped int
	problem string // the first thing that was wrong
}

// scan reads from a place on.
func scan(r io.ReaderAt, size int64, compressed bool, from place) (*scanner, error) {
	s := &scanner{start: from.member}
	if !compressed {
		s.start, s.at, s.read = 0, from, from.skip
		s.lines = bufio.NewReaderSize(io.NewSectionReader(r, from.skip, size-from.skip), 1<<16)
		return s, nil
	}
	s.offset = &count{w: io.Discard}
	s.file = bufio.NewReaderSize(io.TeeReader(io.NewSectionReader(r, from.member, size-from.member), s.offset), 1<<16)
	s.member = from.member
	zip, err := gzip.NewReader(s.file)
	if err != nil {
		return nil, fmt.Errorf("decompressing: %w", err)
	}
	zip.Multistream(false)
	s.zip, s.lines = zip, bufio.NewReaderSize(zip, 1<<16)
	if _, err := io.CopyN(io.Discard, s.lines, from.skip); err != nil {
		return nil, err
	}
	s.read = from.skip
	return s, nil
}

// next goes to the next line that makes a picture; false at the end.
func (s *scanner) next() bool {
	for {
		line, err := s.readLine()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				s.wrong("%v", err)
			}
			return false
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if s.take(line) {
			return true
		}
	}
}

// take judges a line.
func (s *scanner) take(line []byte) bool {
	h, err := headOf(line)
	switch {
	case err != nil:
		s.drop("no JSON: %v", err)
	case h.Schema != model.Schema:
		s.drop("its schema is %.40q, and this pcgtop reads %s", h.Schema, model.Schema)
	case h.Seq == 0 || h.Taken.IsZero():
		s.drop("no snapshot")
	case bytes.Count(line, []byte{'{'}) > 64+len(line)/leastPart:
		s.drop("more parts than a snapshot has")
	case h.After == 0:
		s.changes = 0
		s.keep(line, h)
		return true
	case s.seq == 0 || h.After != s.seq:
		s.drop("it follows a snapshot that is missing")
	case s.changes+len(line) > maxChanges:
		s.drop("too many changes without a full snapshot")
	default:
		s.changes += len(line)
		s.keep(line, h)
		return true
	}
	return false
}

func (s *scanner) keep(line []byte, h head) { s.line, s.head, s.seq = line, h, h.Seq }

// drop leaves a line out, and those that build on it.
func (s *scanner) drop(format string, args ...any) {
	s.skipped++
	s.seq = 0
	s.wrong("line %d: %s", s.number, fmt.Sprintf(format, args...))
}

// wrong keeps what was wrong first.
func (s *scanner) wrong(format string, args ...any) {
	if s.problem == "" {
		s.problem = fmt.Sprintf(format, args...)
	}
}

// readLine reads a line, over the ends of gzip members.
func (s *scanner) readLine() ([]byte, error) {
	var line []byte
	for {
		if line == nil {
			s.at = place{s.member, s.read}
		}
		part, err := s.lines.ReadSlice('\n')
		line = append(line, part...)
		s.read += int64(len(part))
		switch {
		case err == nil:
			s.number++
			return line, nil
		case len(line) > maxLine:
			s.number++
			return nil, fmt.Errorf("line %d is longer than %d MB", s.number, maxLine>>20)
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF) && s.another():
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, io.EOF
		case errors.Is(err, io.EOF) && json.Valid(line):
			s.number++
			return line, nil
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, errors.New("its end is missing")
		default:
			return nil, fmt.Errorf("after line %d: %w", s.number, err)
		}
	}
}

// another begins the next gzip member, if there is one.
func (s *scanner) another() bool {
	if s.zip == nil {
		return false
	}
	at := s.start + s.offset.n - int64(s.file.Buffered())
	if err := s.zip.Reset(s.file); err != nil {
		if !errors.Is(err, io.EOF) {
			s.wrong("after line %d: %v", s.number, err)
		}
		return false
	}
	s.zip.Multistream(false)
	s.lines.Reset(s.zip)
	s.member, s.read = at, 0
	return true
}
