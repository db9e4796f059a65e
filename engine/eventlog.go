package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"

	"pcgtop/model"
)

// eventLog appends every event to a file, a JSON line each, for nobody else to read. Its
// methods do nothing on nil. One goroutine at a time writes.
type eventLog struct {
	file   *os.File
	seq    uint64 // of the last event written
	failed bool
}

// openEventLog opens the file, which is made if there is none; nil for no name.
func openEventLog(name string) (*eventLog, error) {
	if name == "" {
		return nil, nil
	}
	const own = 0o600
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, own)
	if err != nil {
		return nil, fmt.Errorf("event log: %w", err)
	}
	if info, err := f.Stat(); err != nil || info.Mode().IsRegular() { // a device is not ours to close to others
		if err = errors.Join(err, f.Chmod(own)); err != nil { // it may have been there
			return nil, fmt.Errorf("event log: %w", errors.Join(err, f.Close()))
		}
	}
	return &eventLog{file: f}, nil
}

// write appends the events that are new in the snapshot. It fails once: after that it
// does nothing.
func (l *eventLog) write(s *model.Snapshot) error {
	if l == nil || l.failed {
		return nil
	}
	var lines []byte
	for _, e := range s.EventsSince(l.seq) {
		line, err := json.Marshal(e)
		if err != nil {
			return fmt.Errorf("event log: %w", err)
		}
		lines, l.seq = append(append(lines, line...), '\n'), e.Seq
	}
	if len(lines) == 0 {
		return nil
	}
	if _, err := l.file.Write(lines); err != nil {
		l.failed = true
		return fmt.Errorf("event log: %w", err)
	}
	return nil
}

func (l *eventLog) close() {
	if l != nil {
		_ = l.file.Close() // each line was written when it came
	}
}
