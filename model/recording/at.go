package recording

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// ParseAt reads a moment of a recording that goes from start to end: a time of day
// (14:03, 14:03:22), a date and time (RFC 3339, or with a blank and no zone), how long
// after the start (+90s) or before the end (-1m), or how far through (50%). Times
// without a zone are of the one given.
func ParseAt(text string, start, end time.Time, zone *time.Location) (time.Time, error) {
	text = strings.TrimSpace(text)
	t, err := parseAt(text, start.In(zone), end)
	if err != nil {
		return t, err
	}
	if t.Before(start) && !t.Before(start.Truncate(time.Minute)) {
		t = start // written to the minute or second
	}
	if t.Before(start) || t.After(end.Add(time.Second)) {
		return t, fmt.Errorf("%s is not in the recording, which goes from %s to %s", text,
			start.In(zone).Format(time.DateTime), end.In(zone).Format(time.DateTime))
	}
	return t, nil
}

func parseAt(text string, start, end time.Time) (time.Time, error) {
	if d, err := time.ParseDuration(text); err == nil && (text[0] == '+' || text[0] == '-') {
		if d < 0 || text[0] == '-' {
			return end.Add(d), nil
		}
		return start.Add(d), nil
	}
	if part, ok := strings.CutSuffix(text, "%"); ok {
		if p, err := strconv.ParseFloat(part, 64); err == nil && p >= 0 && p <= 100 {
			return start.Add(time.Duration(p / 100 * float64(end.Sub(start)))), nil
		}
	}
	for _, form := range []string{time.RFC3339, time.DateTime, "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(form, text, start.Location()); err == nil {
			return t, nil
		}
	}
	for _, form := range []string{time.TimeOnly, "15:04"} {
		if c, err := time.Parse(form, text); err == nil {
			y, m, d := start.Date()
			t := time.Date(y, m, d, c.Hour(), c.Minute(), c.Second(), c.Nanosecond(), start.Location())
			if t.Before(start.Truncate(time.Minute)) {
				t = t.AddDate(0, 0, 1) // past midnight
			}
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time: give 14:03, 14:03:22, a date and time, +90s from the start, -1m from the end, or 50%%", text)
}
