package command

import (
	"strings"
	"testing"

	"pcgtop/model"
)

// Whose a partition is that cannot be told is not said to be nobody's.
func TestWhereSaysWhose(t *testing.T) {
	for said, p := range map[string]model.Place{
		"nobody owns it":           {Subject: "jobs.x"},
		"whose it is is not known": {Subject: "jobs.x", Unknown: true},
		"worker-0 (stable)":        {Subject: "jobs.x", Owner: "worker-0", State: "stable"},
	} {
		var b strings.Builder
		if err := (placed{Places: []model.Place{p}}).text(&b); err != nil || !strings.Contains(b.String(), "  "+said) {
			t.Errorf("%v: %q, want %q", err, b.String(), said)
		}
	}
}
