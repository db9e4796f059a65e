package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pcgtop/keymap"
)

func settings() []Setting {
	return Settings([]string{"dark", "light", "contrast"}, []string{"verdict", "name", "lag"})
}

// load reads a file with this text.
func load(t *testing.T, text string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path, settings())
}

// lookup is an environment of name, value, name, value.
func lookup(pairs ...string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1], true
			}
		}
		return "", false
	}
}

const sample = `# all of it
theme: light
refresh: 2s
columns: [name, lag]
keys:
  step-down: Z
contexts:
  prod-eu:
    read_only: true
    refresh: 5s
    columns: verdict, lag
`

// A flag wins over the environment, that over the context's section, that over the rest
// of the file, that over the default; each says where it is from.
func TestPrecedence(t *testing.T) {
	file, err := load(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	at := func(line int, more string) string { return fmt.Sprintf("%s:%d%s", file.Path, line, more) }
	for _, c := range []struct {
		name, context string
		flags         map[string]string
		env           []string
		setting       string
		want, from    string
	}{
		{"default", "", nil, nil, "timeout", "5s", "default"},
		{"file", "", nil, nil, "refresh", "2s", at(3, "")},
		{"file, another context", "dev", nil, nil, "refresh", "2s", at(3, "")},
		{"context before file", "prod-eu", nil, nil, "refresh", "5s", at(10, ", context prod-eu")},
		{"file where the context says nothing", "prod-eu", nil, nil, "theme", "light", at(2, "")},
		{"a list", "", nil, nil, "columns", "name,lag", at(4, "")},
		{"environment before context", "prod-eu", nil, []string{"PCGTOP_REFRESH", "7s"}, "refresh", "7s", "PCGTOP_REFRESH"},
		{"flag before environment", "prod-eu", map[string]string{"refresh": "9s"}, []string{"PCGTOP_REFRESH", "7s"}, "refresh", "9s", "--refresh"},
		{"an empty variable is none", "", nil, []string{"PCGTOP_THEME", ""}, "theme", "light", at(2, "")},
		{"read-only by context", "prod-eu", nil, nil, "read_only", "true", at(9, ", context prod-eu")},
		{"not elsewhere", "", nil, nil, "read_only", "false", "default"},
		{"read-only by variable", "", nil, []string{"PCGTOP_READ_ONLY", "1"}, "read_only", "true", "PCGTOP_READ_ONLY"},
		{"switched off on purpose", "prod-eu", nil, []string{"PCGTOP_READ_ONLY", "0"}, "read_only", "false", "PCGTOP_READ_ONLY"},
		{"NO_COLOR of any value", "", nil, []string{"NO_COLOR", "0"}, "no_color", "true", "NO_COLOR"},
		{"1 is true", "", nil, []string{"PCGTOP_ASCII", "1"}, "ascii", "true", "PCGTOP_ASCII"},
	} {
		all, err := Sources{settings(), c.flags, lookup(c.env...), file}.For(c.context)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, v := range all {
			if v.Name == c.setting && (v.Value != c.want || v.From != c.from) {
				t.Errorf("%s: %s is %q from %q, want %q from %q", c.name, c.setting, v.Value, v.From, c.want, c.from)
			}
		}
	}
	all, _ := Sources{settings(), nil, lookup(), file}.For("prod-eu")
	if !all.Bool("read_only") || all.Duration("refresh").Seconds() != 5 || all.Number("max_requests") != 20 || fmt.Sprint(all.List("columns")) != "[verdict lag]" {
		t.Errorf("in types: %v", all)
	}
	if id := keymap.StepDown; fmt.Sprint(file.Keys[id]) != "[Z]" || file.KeyLine(id) != at(6, "") || file.KeyLine(keymap.Quit) != "" {
		t.Errorf("keys: %v, %q", file.Keys, file.KeyLine(id))
	}
}

// What is wrong with a file is one line: where, what, and what to do.
func TestRefusedFiles(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"thme: dark", `:1: unknown setting "thme": did you mean theme?`},
		{"\n\nzzzzzzzzz: 1", `:3: unknown setting "zzzzzzzzz": there are keys, contexts, theme, `},
		{"theme: drak", `:1: theme is "drak": give one of auto, dark, light, contrast`},
		{"refresh: fast", `:1: refresh is "fast": give a duration of at least 100ms`},
		{"refresh: 10ms", `:1: refresh is "10ms": give a duration of at least 100ms`},
		{"refresh: 999999h", `:1: refresh is "999999h": give a duration of at most 1h0m0s`},
		{"timeout: 61m", `:1: timeout is "61m": give a duration of at most 1h0m0s`},
		{"refresh: 5", `:1: refresh is "5": give a duration`},
		{"max_requests: 0", `:1: max_requests is "0": give a number of at least 1`},
		{"max_requests: .nan", `:1: max_requests is ".nan"`},
		{"max_requests: NaN", `:1: max_requests is "NaN"`},
		{"read_only: yes", `:1: read_only is "yes": give true or false`},
		{"columns: [name, lg]", `:1: columns is "name,lg": there is no "lg": did you mean lag?`},
		{"columns: [lag, name, lag]", `:1: columns is "lag,name,lag": lag stands there twice: give it once`},
		{"theme:", `:1: theme has no value that can be used`},
		{"theme: {a: b}", `:1: theme has no value that can be used`},
		{"theme: [dark]", `:1: theme: give one value, not a list`},
		{"theme: []", `:1: theme: give one value, not a list`},
		{"theme: [dark, light]", `:1: theme: give one value, not a list`},
		{"theme: dark\ntheme: light", `:2: theme was set in line 1 already`},
		{"contexts:\n  p:\n    them: dark", `:3: unknown setting "them": did you mean theme?`},
		{"contexts:\n  p:\n    keys: {quit: Q}", `:3: unknown setting "keys"`},
		{"contexts: {p: dark}", `:1: context p holds no settings`},
		{"contexts: []", `:1: contexts holds no settings`},
		{"- theme", `:1: the file holds no settings`},
		{"just text", `:1: the file holds no settings`},
		{"theme: dark\n---\ntheme: light", `a second document`},
		{"theme: [", `:1: not YAML: `},
		{"a: b: c", `:1: not YAML: `},
		{"theme: \x01", `not YAML: `},
		{"&a a: *a", `:1: `},
		{"<<: {theme: dark}", `:1: unknown setting "<<"`},
		{strings.Repeat("# long\n", 1<<18), `is larger than`},
	} {
		f, err := load(t, c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%.40q: %v, want %q", c.text, err, c.want)
		}
		if err == nil {
			t.Logf("%+v", f)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"\nkeys:\n  stepdown: z", `:3: keys: stepdown: there is no such action`},
		{"keys:\n  add: z\n  drop: z", `keys: add: z is the key of drop in a group`},
		{"keys: {drop: s}", `:1: keys: drop: s is the key of step-down in a group`},
		{"keys: {give: z}", `:1: keys: give: its keys are the members' letters`},
		{"keys: {add: []}", `:1: keys: add: give it at least one key`},
	} {
		f, err := load(t, c.text)
		if err == nil {
			_, err = f.Rebind(keymap.New())
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
	for _, c := range []struct {
		flags map[string]string
		env   []string
		want  string
	}{
		{map[string]string{"theme": "pink"}, nil, `--theme is "pink": give one of`},
		{nil, []string{"PCGTOP_MOUSE", "maybe"}, `PCGTOP_MOUSE is "maybe": give true or false`},
		{nil, []string{"PCGTOP_READ_ONLY", "no"}, `PCGTOP_READ_ONLY is "no": give true or false`},
		{nil, []string{"NATS_TIMEOUT", "soon"}, `NATS_TIMEOUT is "soon": give a duration`},
	} {
		if _, err := (Sources{settings(), c.flags, lookup(c.env...), &File{}}).For(""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v %v: %v, want %q", c.flags, c.env, err, c.want)
		}
	}
}

func TestFilesThatSayNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "# a comment\n", "---\n", "keys: {}\ncontexts: {}\n"} {
		if f, err := load(t, text); err != nil || !f.Exists {
			t.Errorf("%q: %v", text, err)
		}
	}
	if f, err := Load(filepath.Join(t.TempDir(), "none.yaml"), settings()); err != nil || f.Exists {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Load(t.TempDir(), settings()); err == nil {
		t.Error("a folder was read as a file")
	}
	for _, c := range []struct {
		env  []string
		want string
	}{{[]string{"XDG_CONFIG_HOME", "/x", "HOME", "/h"}, "/x/pcgtop/config.yaml"},
		{[]string{"XDG_CONFIG_HOME", "x", "HOME", "/h"}, "/h/.config/pcgtop/config.yaml"}, {[]string{"HOME", "/h"}, "/h/.config/pcgtop/config.yaml"}, {nil, ""}} {
		if got := Path(lookup(c.env...)); got != c.want {
			t.Errorf("%v: %q", c.env, got)
		}
	}
}

// No text makes reading fail in any other way than with one line.
func FuzzLoad(f *testing.F) {
	for _, text := range []string{sample, "a: &x [*x]", "contexts: &c {p: *c}", "keys: {quit: [Q, ctrl+q]}", "? {a: b}\n: c", "!!binary x: y"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := load(t, text)
		if err == nil {
			_, err = file.Rebind(keymap.New())
		}
		if err != nil && (!strings.Contains(err.Error(), "config.yaml") || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
