package config

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

func anything(string) error { return nil }

func boolean(text string) error {
	if text != "true" && text != "false" {
		return errors.New("give true or false")
	}
	return nil
}

func duration(least, most time.Duration) func(string) error {
	return func(text string) error {
		switch d, err := time.ParseDuration(text); {
		case err != nil || d < least:
			return fmt.Errorf("give a duration of at least %s, such as 1s or 500ms", least)
		case d > most:
			return fmt.Errorf("give a duration of at most %s, such as 1s or 500ms", most)
		}
		return nil
	}
}

func number(least float64) func(string) error {
	return func(text string) error {
		if n, err := strconv.ParseFloat(text, 64); err != nil || !(n >= least) {
			return fmt.Errorf("give a number of at least %g", least)
		}
		return nil
	}
}

func oneOf(names []string) func(string) error {
	return func(text string) error {
		if !slices.Contains(names, text) {
			return errors.New("give one of " + strings.Join(names, ", "))
		}
		return nil
	}
}

func listOf(names []string) func(string) error {
	return func(text string) error {
		list := (Effective{{Value: text}}).List("")
		for i, name := range list {
			if !slices.Contains(names, name) {
				return fmt.Errorf("there is no %q%s", name, known(name, names))
			}
			if slices.Contains(list[:i], name) {
				return fmt.Errorf("%s stands there twice: give it once", name)
			}
		}
		return nil
	}
}

// known says what there is instead of a name that is unknown: the nearest, or all.
func known(name string, names []string) string {
	best, least := "", len(name)/2+1
	for _, n := range names {
		if d := edits(name, n); d < least {
			best, least = n, d
		}
	}
	if best != "" {
		return ": did you mean " + best + "?"
	}
	return ": there are " + strings.Join(names, ", ")
}

// edits counts the letters to be changed, put in or taken out to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		left, above := i, i+1
		for j := range len(b) {
			change := left
			if a[i] != b[j] {
				change++
			}
			left = row[j+1]
			row[j], above = above, min(change, above+1, row[j+1]+1)
		}
		row[len(b)] = above
	}
	return row[len(b)]
}
