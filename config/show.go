package config

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"pcgtop/keymap"
)

// Shown is what `pcgtop config` prints. It holds no credentials: of the way to log in it
// says only where it is from.
type Shown struct {
	File       string  `json:"file"`
	Exists     bool    `json:"file_exists"`
	Context    string  `json:"context,omitempty"` // the NATS context whose section is in force
	Settings   []Value `json:"settings"`
	Connection []Value `json:"connection"`
	Keys       []Keys  `json:"keys"`
}

// Keys are those of one action on some screens.
type Keys struct {
	Action string   `json:"action"`
	Keys   []string `json:"keys"`
	Where  string   `json:"where"`
	Short  string   `json:"short"` // as hints say it
	Does   string   `json:"does"`
	From   string   `json:"from"`
}

// KeysOf lists a table's actions, and where the keys of each come from.
func KeysOf(t keymap.Table, f *File) []Keys {
	var list []Keys
	for _, a := range t {
		from := f.KeyLine(a.ID)
		if from == "" {
			from = "default"
		}
		list = append(list, Keys{string(a.ID), a.Binding.Keys(), a.Where.String(), a.Binding.Help().Desc, a.Long, from})
	}
	return list
}

// JSON prints everything.
func (s Shown) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(s)
}

// Text prints it for people: of the keys those that were changed, or all.
func (s Shown) Text(w io.Writer, all bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	is := "not there"
	if s.Exists {
		is = "read"
	}
	if s.File == "" {
		is = "no home folder is known"
	}
	fmt.Fprintf(t, "file\t%s\t%s\n", dash(s.File), is)
	fmt.Fprintf(t, "context\t%s\n", dash(s.Context))
	for _, part := range []struct {
		title  string
		values []Value
	}{{"SETTING", s.Settings}, {"CONNECTION", s.Connection}} {
		fmt.Fprintf(t, "\n%s\tVALUE\tFROM\n", part.title)
		for _, v := range part.values {
			fmt.Fprintf(t, "%s\t%s\t%s\n", v.Name, dash(v.Value), v.From)
		}
	}
	head := "\nACTION\tKEYS\tFROM\tDOES\n"
	for _, k := range together(s.Keys) {
		if all || k.From != "default" {
			fmt.Fprintf(t, "%s%s\t%s\t%s\t%s\n", head, k.Action, strings.Join(k.Keys, " "), k.From, k.Short)
			head = ""
		}
	}
	return t.Flush()
}

// together makes one line of an action that does its like on several screens.
func together(list []Keys) []Keys {
	var lines []Keys
	for _, k := range list {
		i := slices.IndexFunc(lines, func(l Keys) bool { return l.Action == k.Action })
		if i < 0 {
			lines = append(lines, k)
			continue
		}
		l := &lines[i]
		for _, key := range k.Keys {
			if !slices.Contains(l.Keys, key) {
				l.Keys = append(slices.Clip(l.Keys), key)
			}
		}
		if !slices.Contains(strings.Split(l.Short, ", "), k.Short) {
			l.Short += ", " + k.Short
		}
	}
	return lines
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
