// Package flatline measures whether what a step costs stays the same while what lies beside it
// grows. Benchmarks use it.
package flatline

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// Groups are sizes of an account.
func Groups() []int { return []int{10, 100, 1000, 10_000} }

// Partitions are sizes of a group.
func Partitions() []int { return []int{16, 64, 256, 1024} }

// Measure takes the time of steps beside things of several sizes, one after the other again and again,
// so that whatever else the machine does meets all alike. It reports the median of each, and
// the ratio of that of the largest to that of the smallest: 1 is a flat line.
func Measure(b *testing.B, what string, sizes []int, prepare func(n int) (step func())) {
	var steps []func()
	for _, n := range sizes {
		steps = append(steps, prepare(n))
	}
	took := make([][]time.Duration, len(sizes))
	for b.Loop() {
		for i, step := range steps {
			start := time.Now()
			step()
			took[i] = append(took[i], time.Since(start))
		}
	}
	median := func(i int) float64 {
		slices.Sort(took[i])
		return float64(took[i][len(took[i])/2].Nanoseconds())
	}
	for i, n := range sizes {
		b.ReportMetric(median(i), fmt.Sprintf("ns/%d-%s", n, what))
	}
	b.ReportMetric(median(len(sizes)-1)/median(0), "ratio")
	b.ReportMetric(0, "ns/op") // of all together, which says nothing
}
