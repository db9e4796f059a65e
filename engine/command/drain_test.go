package command

import (
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// What is said of a drained handover is what is the case: a deadline only where there is
// one, and drained only what was.
func TestHandoverWords(t *testing.T) {
	at := time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC)
	for _, c := range []struct{ got, want string }{
		{waiting(model.Handover{}), "no member runs: nothing to drain"},
		{waiting(model.Handover{Paused: []string{"a", "b"}, Unacked: 3, Deadline: at}), "paused 2 members; waiting for 3 unacknowledged, until " + at.Local().Format(time.TimeOnly) + " at most"},
		{waiting(model.Handover{Left: []string{"c"}, Deadline: at}), "; c paused by somebody else, left so"},
		{drained(model.Handover{Drained: 445 * time.Millisecond}), "drained after 445ms; writing"},
		{drained(model.Handover{Drained: 445 * time.Millisecond, Unacked: 1}), "the deadline came after 445ms with 1 unacknowledged; writing"},
	} {
		if !strings.Contains(c.got, c.want) {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
