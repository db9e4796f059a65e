package tui

import (
	"fmt"
	"math"
	"strings"
	"time"

	"pcgtop/model"
)

// number writes a count with commas, or short when it would take more than w cells.
func number(n uint64, w int) string {
	if full := model.Thousands(n); len(full) <= w {
		return full
	}
	v, unit := float64(n), ""
	for _, u := range []string{"k", "M", "G", "T", "P", "E"} {
		if v < 999.5 {
			break
		}
		v, unit = v/1000, u
	}
	if v < 9.95 && w > 4 {
		return fmt.Sprintf("%.1f %s", v, unit)
	}
	return fmt.Sprintf("%.0f %s", v, unit)
}

// rate writes events per second.
func rate(f float64, w int) string {
	switch {
	case math.IsNaN(f) || f <= 0:
		return "0"
	case f < 9.95:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", f), ".0")
	}
	return number(uint64(math.Round(min(f, 1e18))), w)
}

// age writes a duration in one unit, as people say it.
func age(d time.Duration) string {
	switch {
	case d < 0:
		return "0 s"
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", math.Floor(d.Seconds()*10)/10)
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 100*time.Minute:
		return fmt.Sprintf("%d m", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

// since is age between two times of one clock; never computed from no time at all.
func since(then, now time.Time) string {
	if then.IsZero() || now.IsZero() {
		return "-"
	}
	return age(now.Sub(then))
}

// rtt writes a round trip.
func rtt(d time.Duration) string {
	ms := float64(d) / float64(time.Millisecond)
	if ms < 9.95 {
		return fmt.Sprintf("%.1f ms", ms)
	}
	return fmt.Sprintf("%.0f ms", ms)
}

// spark draws the newest values as w bars, against the highest of them: a trend, not a
// size. Small values stay low, so that noise does not look like trouble.
func spark(values []uint64, w int) string {
	const steps, quiet = 8, 64
	if len(values) == 0 || w <= 0 {
		return ""
	}
	bars := make([]uint64, min(w, len(values)))
	top := uint64(quiet)
	for i := range bars {
		for _, v := range values[i*len(values)/len(bars) : (i+1)*len(values)/len(bars)] {
			bars[i] = max(bars[i], v)
		}
		top = max(top, bars[i])
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", w-len(bars)))
	for _, v := range bars {
		step := int(float64(v) / float64(top) * (steps - 1))
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(step, steps-1)])
	}
	return b.String()
}
