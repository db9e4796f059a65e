// Package shell completes command lines of pcgtop, from its command tree and from what
// there is on the server.
package shell

import (
	"slices"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
)

// Files stands for the names of files, which the shell itself completes.
const Files = ":files"

// Candidate is one way to go on.
type Candidate struct{ Value, Help string }

// String is a candidate as the scripts read it: a tab divides the two.
func (c Candidate) String() string { return strings.TrimSuffix(c.Value+"\t"+c.Help, "\t") }

// Values lists what a flag or an argument can be. given are the arguments before it, by
// their names.
type Values func(v *kong.Value, given map[string]string) []string

// Complete lists how the last of the words can go on. The others are what stands before
// it, without the program's name.
func Complete(app *kong.Node, words []string, values Values) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	s := &state{node: app, given: map[string]string{}}
	for _, w := range before {
		s.take(w)
	}
	return s.complete(current, values)
}

// state is where in the tree the words have led to.
type state struct {
	node    *kong.Node
	open    *kong.Flag // waits for its value
	plain   bool       // -- came: no more flags
	nth     int        // of the arguments comes next
	given   map[string]string
	entered bool // an argument came: no command can follow
}

func (s *state) take(w string) {
	switch {
	case w == "=": // bash takes --flag=value apart
	case s.open != nil:
		s.open = nil
	case w == "--":
		s.plain = true
	case !s.plain && strings.HasPrefix(w, "-") && w != "-":
		name, _, has := strings.Cut(w, "=")
		if f := s.flag(name); f != nil && !has && !f.IsBool() {
			s.open = f
		}
	default:
		s.argument(w)
	}
}

// argument goes down to a command, or counts.
func (s *state) argument(w string) {
	if !s.entered {
		for _, c := range s.node.Children {
			if c.Name == w || slices.Contains(c.Aliases, w) {
				s.node = c
				return
			}
		}
		if s.node.DefaultCmd != nil {
			s.node = s.node.DefaultCmd
		}
	}
	s.entered = true
	if at := s.positional(); at != nil {
		s.given[at.Name] = w
		if !at.IsCumulative() {
			s.nth++
		}
	}
}

func (s *state) positional() *kong.Value {
	if s.nth < len(s.node.Positional) {
		return s.node.Positional[s.nth]
	}
	return nil
}

// flags are those of the command and of all above it.
func (s *state) flags() []*kong.Flag {
	var list []*kong.Flag
	for n := s.node; n != nil; n = n.Parent {
		list = append(list, n.Flags...)
	}
	if d := s.node.DefaultCmd; d != nil {
		list = append(list, d.Flags...)
	}
	return list
}

// Takes tells whether a flag means anything to a command: one above may be tagged to be
// only for the command of a name.
func Takes(command *kong.Node, f *kong.Flag) bool {
	only := f.Tag.Get("only")
	return only == "" || only == command.Name
}

func (s *state) flag(name string) *kong.Flag {
	for _, f := range s.flags() {
		if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

func (s *state) complete(current string, values Values) []Candidate {
	if current == "=" {
		current = "" // bash, right behind it
	}
	if s.open != nil {
		return fitting(current, "", s.values(s.open.Value, values))
	}
	if name, part, has := strings.Cut(current, "="); has && !s.plain && strings.HasPrefix(name, "--") {
		if f := s.flag(name); f != nil {
			return fitting(part, name+"=", s.values(f.Value, values))
		}
		return nil
	}
	if strings.HasPrefix(current, "-") && !s.plain {
		var list []Candidate
		for _, f := range s.flags() {
			if !f.Hidden && Takes(s.node, f) {
				list = append(list, Candidate{"--" + f.Name, f.Help})
			}
		}
		return fitting(current, "", list)
	}
	var list []Candidate
	at := s.positional()
	if !s.entered {
		for _, c := range s.node.Children {
			if !c.Hidden {
				list = append(list, Candidate{c.Name, c.Help})
			}
		}
		if d := s.node.DefaultCmd; d != nil && len(d.Positional) > 0 {
			at = d.Positional[0]
		}
	}
	if at != nil {
		list = append(list, s.values(at, values)...)
	}
	return fitting(current, "", list)
}

// values are those of an enum, or what the caller knows.
func (s *state) values(v *kong.Value, values Values) []Candidate {
	known := values(v, s.given)
	if v.Enum != "" {
		known = v.EnumSlice()
	}
	list := make([]Candidate, len(known))
	for i, k := range known {
		list[i] = Candidate{Value: k}
	}
	return list
}

// fitting keeps what begins so, and can stand on a line.
func fitting(part, prefix string, list []Candidate) []Candidate {
	var fit []Candidate
	for _, c := range list {
		switch {
		case c.Value == Files:
			fit = append(fit, c)
		case strings.HasPrefix(c.Value, part) && !strings.ContainsFunc(c.Value, unicode.IsControl):
			fit = append(fit, Candidate{prefix + c.Value, strings.ReplaceAll(c.Help, "\n", " ")})
		}
	}
	return fit
}
