// Package config settles how pcgtop is set: by flags, by the environment, by
// config.yaml and by defaults, in this order, and keeps where each setting came from.
// How to connect is not settled here but by the engine, as the nats CLI does it.
package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Setting is one thing that can be set.
type Setting struct {
	Name     string // in config.yaml
	Flag     string // without dashes
	Variable string // in the environment
	Default  string
	Check    func(text string) error
}

// Settings are all there are, in the order in which they are shown. looks are the names
// of themes, columns those of the overview's columns.
func Settings(looks, columns []string) []Setting {
	return []Setting{
		{"theme", "theme", "PCGTOP_THEME", "auto", oneOf(append([]string{"auto"}, looks...))},
		{"no_color", "no-color", "NO_COLOR", "false", boolean},
		{"ascii", "ascii", "PCGTOP_ASCII", "false", boolean},
		{"mouse", "mouse", "PCGTOP_MOUSE", "false", boolean},
		{"columns", "columns", "PCGTOP_COLUMNS", "", listOf(columns)},
		{"refresh", "refresh", "PCGTOP_REFRESH", "1s", duration(100*time.Millisecond, time.Hour)},
		{"max_requests", "max-requests", "PCGTOP_MAX_REQUESTS", "20", number(1)},
		{"timeout", "timeout", "NATS_TIMEOUT", "5s", duration(time.Millisecond, time.Hour)},
		{"read_only", "read-only", "PCGTOP_READ_ONLY", "false", boolean},
		{"hide_addresses", "hide-addresses", "PCGTOP_HIDE_ADDRESSES", "false", boolean},
		{"log_events", "log-events", "PCGTOP_LOG_EVENTS", "", anything},
		{"audit", "audit", "PCGTOP_AUDIT", "", anything},
	}
}

// Sources are where settings come from, the first that has one wins.
type Sources struct {
	Settings []Setting
	Flags    map[string]string                // given on the command line, by the flag's name
	Lookup   func(name string) (string, bool) // the environment
	File     *File                            // never nil
}

// Value is a setting as it is in force.
type Value struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	From  string `json:"from"` // a flag, a variable, a line of the file, or default
}

// Effective is every setting as it is in force.
type Effective []Value

// For settles the settings for a NATS context; an empty name is for none.
func (s Sources) For(context string) (Effective, error) {
	var all Effective
	for _, set := range s.Settings {
		v := Value{set.Name, set.Default, "default"}
		if e, ok := s.File.find(context, set.Name); ok {
			v.Value, v.From = e.text, e.from
		}
		if text, ok := s.Lookup(set.Variable); ok && text != "" {
			v.Value, v.From = meant(set, text), set.Variable
		}
		if text, ok := s.Flags[set.Flag]; ok {
			v.Value, v.From = text, "--"+set.Flag
		}
		if err := set.Check(v.Value); v.From != "default" && err != nil {
			return nil, fmt.Errorf("%s is %q: %w", or(v.From, set.Name), v.Value, err)
		}
		all = append(all, v)
	}
	return all, nil
}

// or names what is wrong: a flag and a variable by themselves, a line with its setting.
func or(from, name string) string {
	if strings.Contains(from, ":") {
		return from + ": " + name
	}
	return from
}

// meant reads a variable. NO_COLOR counts when it holds anything at all.
func meant(set Setting, text string) string {
	switch _, err := strconv.ParseBool(text); {
	case set.Variable == "NO_COLOR":
		return "true"
	case set.Default == "false" && err == nil: // 1, t, TRUE
		on, _ := strconv.ParseBool(text)
		return strconv.FormatBool(on)
	}
	return text
}

// Text is a setting as text; the others are the same in other types. A setting was
// checked when it was settled, so none of them fails.
func (e Effective) Text(name string) string {
	i := slices.IndexFunc(e, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	return e[i].Value
}

// From is where a setting came from, see [Value].
func (e Effective) From(name string) string {
	i := slices.IndexFunc(e, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	return e[i].From
}

func (e Effective) Bool(name string) bool { return e.Text(name) == "true" }

func (e Effective) Duration(name string) time.Duration {
	d, _ := time.ParseDuration(e.Text(name))
	return d
}

func (e Effective) Number(name string) float64 {
	n, _ := strconv.ParseFloat(e.Text(name), 64)
	return n
}

func (e Effective) List(name string) []string {
	return strings.FieldsFunc(e.Text(name), func(r rune) bool { return r == ',' || r == ' ' })
}
