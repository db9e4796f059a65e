package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"go.yaml.in/yaml/v3"

	"pcgtop/keymap"
)

// maxFile is more than anybody writes by hand, in bytes.
const maxFile = 1 << 20

// File is what config.yaml says.
type File struct {
	Path   string
	Exists bool

	Keys     map[keymap.ID][]string // the keys that were changed
	lines    map[keymap.ID]int      // where
	top      map[string]entry
	contexts map[string]map[string]entry
}

// entry is one value as it is written.
type entry struct{ text, from string }

// Path is where config.yaml is: pcgtop/config.yaml in XDG_CONFIG_HOME, or in .config of
// the home folder. A relative XDG_CONFIG_HOME counts as none, as the XDG Base Directory
// Specification says.
func Path(lookup func(string) (string, bool)) string {
	if root, _ := lookup("XDG_CONFIG_HOME"); filepath.IsAbs(root) {
		return filepath.Join(root, "pcgtop", "config.yaml")
	}
	if home, _ := lookup("HOME"); home != "" {
		return filepath.Join(home, ".config", "pcgtop", "config.yaml")
	}
	return ""
}

// Load reads a file; one that is not there is an empty one. What is unknown or wrong is
// an error that names the line, and nothing of the file is used then.
func Load(path string, settings []Setting) (*File, error) {
	f := &File{Path: path, Keys: map[keymap.ID][]string{}, lines: map[keymap.ID]int{}, top: map[string]entry{}, contexts: map[string]map[string]entry{}}
	if path == "" {
		return f, nil
	}
	text, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the settings: %w", err)
	}
	f.Exists = true
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var doc, second yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return f, nil // empty, or comments alone
	} else if err != nil {
		return nil, f.syntax(err)
	}
	if decoder.Decode(&second) == nil {
		return nil, f.at(second.Line, "a second document: write one")
	}
	if doc.Content[0].Tag == "!!null" {
		return f, nil
	}
	return f, f.take(doc.Content[0], settings)
}

func read(path string) (string, error) {
	in, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not keep us waiting
	if err != nil {
		return "", err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil || info.Mode()&os.ModeNamedPipe != 0 {
		return "", errors.Join(err, fmt.Errorf("%s is a pipe; give a file", path))
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return string(text), err
}

func (f *File) at(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", f.Path, line, fmt.Sprintf(format, args...))
}

// syntax puts the line that the YAML library names in front.
func (f *File) syntax(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := regexp.MustCompile(`^line (\d+): (.*)`).FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s:%s: not YAML: %s", f.Path, m[1], m[2])
	}
	if strings.HasPrefix(text, "unknown anchor") { // it does not say where
		return fmt.Errorf("%s: not YAML: %s", f.Path, text)
	}
	return f.at(1, "not YAML: %s", text) // the first line is the one that it does not name
}

// take reads the document.
func (f *File) take(n *yaml.Node, settings []Setting) error {
	return f.pairs(n, "the file", func(key string, line int, v *yaml.Node) error {
		switch key {
		case "keys":
			return f.pairs(v, "keys", f.takeKeys)
		case "contexts":
			return f.pairs(v, "contexts", func(name string, _ int, v *yaml.Node) error {
				f.contexts[name] = map[string]entry{}
				return f.pairs(v, "context "+name, func(key string, line int, v *yaml.Node) error {
					return f.set(f.contexts[name], settings, key, line, v, ", context "+name)
				})
			})
		}
		return f.set(f.top, settings, key, line, v, "")
	})
}

// pairs goes through a mapping. A key that comes twice would hide what the first said.
func (f *File) pairs(n *yaml.Node, what string, each func(key string, line int, v *yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return f.at(n.Line, "%s holds no settings: write NAME: VALUE lines", what)
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Kind != yaml.ScalarNode {
			return f.at(k.Line, "a name is expected here")
		}
		if first, twice := seen[k.Value]; twice {
			return f.at(k.Line, "%s was set in line %d already: remove one of the two", k.Value, first)
		}
		seen[k.Value] = k.Line
		if v.Kind == yaml.AliasNode {
			v = v.Alias
		}
		if err := each(k.Value, k.Line, v); err != nil {
			return err
		}
	}
	return nil
}

// set takes one setting.
func (f *File) set(into map[string]entry, settings []Setting, key string, line int, v *yaml.Node, where string) error {
	i := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == key })
	if i < 0 {
		names := []string{"keys", "contexts"}
		if where != "" {
			names = nil
		}
		for _, s := range settings {
			names = append(names, s.Name)
		}
		return f.at(line, "unknown setting %q%s", key, known(key, names))
	}
	list, err := f.list(key, v)
	if err != nil {
		return err
	}
	text := strings.Join(list, ",")
	if v.Kind == yaml.SequenceNode && key != "columns" {
		return f.at(v.Line, "%s: give one value, not a list", key)
	}
	if err := settings[i].Check(text); err != nil {
		return f.at(v.Line, "%s is %q: %v", key, text, err)
	}
	into[key] = entry{text, fmt.Sprintf("%s:%d%s", f.Path, line, where)}
	return nil
}

// takeKeys takes the keys of one action.
func (f *File) takeKeys(key string, line int, v *yaml.Node) error {
	list, err := f.list(key, v)
	f.Keys[keymap.ID(key)], f.lines[keymap.ID(key)] = list, line
	return err
}

// list is a value, or several of them.
func (f *File) list(key string, v *yaml.Node) ([]string, error) {
	nodes := []*yaml.Node{v}
	if v.Kind == yaml.SequenceNode {
		nodes = v.Content
	}
	var list []string
	for _, n := range nodes {
		if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
			return nil, f.at(n.Line, "%s has no value that can be used: write it behind the colon", key)
		}
		list = append(list, n.Value)
	}
	return list, nil
}

// find is what the file says for a context: its own section before what is for all.
func (f *File) find(context, name string) (entry, bool) {
	if e, ok := f.contexts[context][name]; ok && context != "" {
		return e, true
	}
	e, ok := f.top[name]
	return e, ok
}

// Rebind gives the actions of a key table the keys that the file says.
func (f *File) Rebind(t keymap.Table) (keymap.Table, error) {
	rebound, err := t.Rebind(f.Keys)
	var wrong *keymap.RebindError
	if errors.As(err, &wrong) {
		return nil, f.at(f.lines[wrong.ID], "keys: %v", wrong)
	}
	return rebound, err
}

// KeyLine is where an action's keys were changed; empty when they were not.
func (f *File) KeyLine(id keymap.ID) string {
	if line, changed := f.lines[id]; changed {
		return fmt.Sprintf("%s:%d", f.Path, line)
	}
	return ""
}
