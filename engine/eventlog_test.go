package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// A file that takes no more is said once, and then left alone; a name that cannot be
// opened is an error at the start.
func TestEventLogThatCannotBeWritten(t *testing.T) {
	if _, err := openEventLog(filepath.Join(t.TempDir(), "no", "such", "place")); err == nil || !strings.HasPrefix(err.Error(), "event log: open ") {
		t.Errorf("%v", err)
	}
	const full = "/dev/full"
	before, err := os.Stat(full)
	if err != nil {
		t.Skip("no device that is full")
	}
	l, err := openEventLog(full)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if after, err := os.Stat(full); err != nil || after.Mode() != before.Mode() {
		t.Errorf("the device's mode is now %v, %v", after.Mode(), err)
	}
	s := model.Reduce(nil, time.Now(), model.EventSeen{Event: model.Event{Text: "x"}})
	if err := l.write(s); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("first: %v", err)
	}
	if err := l.write(model.Reduce(s, time.Now(), model.EventSeen{Event: model.Event{Text: "y"}})); err != nil {
		t.Errorf("again: %v", err)
	}
}
