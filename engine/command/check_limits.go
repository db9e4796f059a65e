package command

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pcgtop/model"
)

// thresholds are the flags of a check, understood.
type thresholds struct {
	lag   [2]uint64 // warning, critical; 0: none
	age   [2]time.Duration
	rules map[string]Status
}

func (c Check) thresholds() (thresholds, error) {
	t := thresholds{rules: map[string]Status{}}
	var err error
	if t.lag, err = pair(c.Lag, func(s string) (uint64, error) { return strconv.ParseUint(s, 10, 63) }); err != nil {
		return t, fmt.Errorf("--lag %q: %w; want WARN, WARN:CRIT or :CRIT in messages, the lower first, such as 1000:50000", c.Lag, err)
	}
	if t.age, err = pair(c.Age, time.ParseDuration); err != nil {
		return t, fmt.Errorf("--age %q: %w; want WARN, WARN:CRIT or :CRIT, the shorter first, such as 30s:5m", c.Age, err)
	}
	if c.NoStandby != "" {
		if t.rules["no-standby"], err = level(c.NoStandby); err != nil {
			return t, fmt.Errorf("--no-standby %q: %w", c.NoStandby, err)
		}
	}
	for _, r := range c.Rule {
		id, word, ok := strings.Cut(r, "=")
		if !ok {
			return t, fmt.Errorf("--rule %q: want ID=ok|warn|crit, such as foreign=warn", r)
		}
		if !slices.ContainsFunc(model.Rules(), func(rule model.Rule) bool { return rule.ID == id }) {
			return t, fmt.Errorf("--rule %q: there is no finding %q; there are %s", r, id, findings())
		}
		if t.rules[id], err = level(word); err != nil {
			return t, fmt.Errorf("--rule %q: %w", r, err)
		}
	}
	return t, nil
}

// standbys tells whether it matters that a member has no standby.
func (t thresholds) standbys() bool { return t.rules["no-standby"] != StatusOK }

// findings lists what there is to be found.
func findings() string {
	var ids []string
	for _, rule := range model.Rules() {
		ids = append(ids, rule.ID)
	}
	slices.Sort(ids)
	return strings.Join(ids, ", ")
}

// level reads what a finding is to count as.
func level(word string) (Status, error) {
	i := slices.Index([]string{"ok", "warn", "crit"}, word)
	if i < 0 {
		return StatusOK, fmt.Errorf("%q is none of ok, warn, crit", word)
	}
	return Status(i), nil
}

// pair reads WARN, WARN:CRIT or :CRIT. The second is not the smaller one: all would be
// critical that is a warning.
func pair[T cmp.Ordered](text string, parse func(string) (T, error)) (limits [2]T, err error) {
	if text == "" {
		return limits, nil
	}
	warn, crit, both := strings.Cut(text, ":")
	if warn != "" || !both {
		if limits[0], err = limit(warn, parse); err != nil {
			return limits, err
		}
	}
	if both {
		if limits[1], err = limit(crit, parse); err != nil {
			return limits, err
		}
		if limits[1] < limits[0] {
			return limits, fmt.Errorf("critical at %s is less than a warning at %s", crit, warn)
		}
	}
	return limits, nil
}

// limit reads one, which is more than nothing.
func limit[T cmp.Ordered](text string, parse func(string) (T, error)) (T, error) {
	v, err := parse(text)
	var zero T
	if err != nil || v <= zero {
		return zero, fmt.Errorf("%q is no limit", text)
	}
	return v, nil
}
