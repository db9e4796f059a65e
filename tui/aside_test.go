package tui

import (
	"slices"
	"testing"
)

// However much is written to standard error while the screen is busy, the writer does not
// wait, and the last of it is what is seen.
func TestStrayLinesDoNotPileUp(t *testing.T) {
	passed, busy := make(chan string), make(chan bool)
	tell, end := newest(func(line string) {
		busy <- true
		passed <- line
	})
	tell("first")
	<-busy
	for _, line := range []string{"second", "third", "last"} {
		tell(line)
	}
	got := []string{<-passed}
	<-busy
	got = append(got, <-passed)
	if !slices.Equal(got, []string{"first", "last"}) {
		t.Errorf("passed on: %q", got)
	}
	end()
}
