// Package flatline measures whether what a step costs stays the same while what lies beside it
// grows. Benchmarks use it.
package flatline

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// Groups are sizes of an account.
func Groups() []int { return []int{10, 100, 1000, 10_000} }

// Partitions are sizes of a group.
func Partitions() []int { return []int{16, 64, 256, 1024} }

// Line is what is measured.
type Line struct {
	Step   string  // what is done
	Beside string  // what grows, in the plural
	Sizes  []int   // how many of them there are, the fewest first
	Goal   float64 // how many times as long it may take beside the most as beside the fewest
}

// Measure takes the time of steps beside things of several sizes, one after the other again and again,
// so that whatever else the machine does meets all alike. It prints the median of each, and
// how many times that of the smallest is that of the largest, beside the goal.
func (l Line) Measure(b *testing.B, prepare func(n int) (step func())) {
	var steps []func()
	for _, n := range l.Sizes {
		steps = append(steps, prepare(n))
	}
	took := make([][]time.Duration, len(l.Sizes))
	for b.Loop() {
		for i, step := range steps {
			start := time.Now()
			step()
			took[i] = append(took[i], time.Since(start))
		}
	}
	var medians []time.Duration
	var cells []string
	for i := range l.Sizes {
		slices.Sort(took[i])
		medians = append(medians, took[i][len(took[i])/2])
		cells = append(cells, rounded(medians[i]))
	}
	last := len(l.Sizes) - 1
	ratio := float64(medians[last]) / float64(medians[0])
	verdict := ""
	if ratio > l.Goal {
		verdict = ", MISSED"
	}
	fmt.Printf("\n%s, beside %d to %d %s: at most %.1f times as long; measured %s: %.2f times%s\n",
		l.Step, l.Sizes[0], l.Sizes[last], l.Beside, l.Goal, strings.Join(cells, ", "), ratio, verdict)
	b.ReportMetric(ratio, "ratio")
	b.ReportMetric(0, "ns/op") // of all together, which says nothing
}

// rounded is a time with three digits.
func rounded(d time.Duration) string {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
