package e2e

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/engine/parti/standin"
)

// openingMost is how long it may take from the start of the program to the first whole
// picture of a group that was named, as the median of a few. Under the race detector the
// server and the terminal, which are in this process, take about twice as long.
func openingMost() time.Duration {
	if raced {
		return time.Second
	}
	return 500 * time.Millisecond
}

// opens starts the program for a group and measures how long it takes until the picture of
// it is whole: its partitions and a member's row with its numbers, which fits the pattern.
func (a *account) opens(t *testing.T, target, row string) {
	t.Helper()
	whole := regexp.MustCompile(row)
	var took []time.Duration
	for range 5 {
		begin := time.Now()
		term := open(t, 120, 40, "-s", a.url, target)
		screen := ""
		for !strings.Contains(screen, "▸ "+target) || !strings.Contains(screen, " partitions") || !whole.MatchString(screen) {
			if time.Since(begin) > patience {
				t.Fatalf("%s is not opened:\n%s", target, screen)
			}
			time.Sleep(time.Millisecond)
			screen = term.text()
		}
		took = append(took, time.Since(begin))
		term.see("● live")
		term.press("q")
		term.exit(patience)
	}
	slices.Sort(took)
	t.Logf("%s: %v", target, took)
	if median := took[len(took)/2]; median > openingMost() {
		t.Errorf("%s is opened after %v", target, median)
	}
}

// TestOpeningByName: a group that is named on the command line is on the screen at once, of
// whatever kind, though its kind may have to be searched for and the rest of the account has
// to be read, too.
func TestOpeningByName(t *testing.T) {
	a := serve(t, "--parti", "--consumergroup")
	a.opens(t, "TELEMETRY/rollup", `m1 +pinned .* 0-4,15 +\d+`)
	a.opens(t, "parti/prod", `worker-0 +\w+ +(\d+: )?\S+ +\d+`)
	a.opens(t, "SHIPMENTS/ship", `packer-1 +pulling +\S+ +\d+`)
}

// TestOpeningLarge is the same for a large deployment of Parti: 200 workers, 1,500 partitions
// and as many durables.
func TestOpeningLarge(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	s, js := ownServer(t)
	list := make([]standin.Partition, 1500)
	for i := range list {
		list[i] = standin.Partition{Keys: []string{"eu", fmt.Sprint(i)}, Weight: 1}
	}
	f, err := standin.Start(t.Context(), js, standin.Options{Stream: "JOBS", Workers: 200, Partitions: list, Source: true, Memory: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Stop)
	a := &account{url: s.ClientURL(), js: js}
	a.opens(t, "parti/worker", `(?s)1,500 partitions.*200 members.*worker-0 +stable +8: eu\S+ +\d+`)
}
