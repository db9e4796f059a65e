package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pcgtop/engine/parti/standin"
)

// openingMost is how long it may take from the start of the program to the first whole
// picture of a group that was named. Under the race detector the server and the terminal,
// which are in this process, take about twice as long.
func openingMost() time.Duration {
	if raced {
		return time.Second
	}
	return 500 * time.Millisecond
}

// opens starts the program for a group and measures how long it takes until the picture of
// it is whole: its partitions and a member's row with its numbers, which fits the pattern.
// Of five in a row the median has to be quick enough: of the first five or, where the
// machine is busy with other tests, of later ones.
func (a *account) opens(t *testing.T, target, row string) {
	t.Helper()
	const most = 25
	whole := regexp.MustCompile(row)
	var all []time.Duration
	for len(all) < most {
		all = append(all, a.opened(t, target, whole).Round(time.Millisecond))
		quick := 0
		for _, took := range all[max(0, len(all)-5):] {
			if took <= openingMost() {
				quick++
			}
		}
		if quick == 3 {
			t.Logf("%s: %v", target, all)
			return
		}
	}
	t.Errorf("%s is opened too late: %v", target, all)
}

// opened is how long it takes once.
func (a *account) opened(t *testing.T, target string, whole *regexp.Regexp) time.Duration {
	t.Helper()
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
	took := time.Since(begin)
	term.see("● live")
	term.press("q")
	term.exit(patience)
	return took
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
