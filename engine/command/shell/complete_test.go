package shell

import (
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// grammar has one of everything that pcgtop's has.
type grammar struct {
	Server string `short:"s" help:"Where."`
	Quiet  bool   `help:"Say nothing."`

	Top struct {
		Target string `arg:"" optional:""`
		Deep   bool
	} `cmd:"" default:"withargs"`
	Draw struct {
		Output string `short:"o" placeholder:"FILE"`
		Form   string `enum:"svg,text" default:"svg"`
	} `cmd:"" help:"Draw it."`
	Group struct {
		Wait bool `only:"add"`
		Deep bool
		Add  struct {
			Stream  string   `arg:""`
			Group   string   `arg:""`
			Members []string `arg:""`
		} `cmd:"" aliases:"plus" help:"Add to it."`
		List struct{} `cmd:""`
	} `cmd:""`
	Secret struct{} `cmd:"" hidden:""`
}

func TestComplete(t *testing.T) {
	parser, err := kong.New(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	values := func(v *kong.Value, given map[string]string) []string {
		switch v.Name {
		case "output":
			return []string{Files}
		case "target":
			return []string{"ORDERS", "ORDERS/a", "bad\tname"}
		case "group":
			return []string{"of-" + given["stream"]}
		case "members":
			return []string{given["stream"] + "-" + given["group"]}
		case "server":
			return []string{"one", "two"}
		}
		return nil
	}
	for words, want := range map[string]string{
		"":                               "top draw group ORDERS ORDERS/a",
		"d":                              "draw",
		"O":                              "ORDERS ORDERS/a",
		"ORDERS/a ":                      "",
		"top O":                          "ORDERS ORDERS/a",
		"draw -":                         "--output --form --help --server --quiet",
		"group add -":                    "--wait --deep --help --server --quiet",
		"group plus --w":                 "--wait",
		"group list -":                   "--deep --help --server --quiet",
		"group --w":                      "",
		"draw --f":                       "--form",
		"draw --form ":                   "svg text",
		"draw --form=t":                  "--form=text",
		"draw --form = t":                "text", // as bash divides it
		"draw --form =":                  "svg text",
		"draw -o ":                       ":files",
		"draw -o x --form s":             "svg",
		"-s ":                            "one two",
		"-s t":                           "two",
		"-s one ":                        "top draw group ORDERS ORDERS/a",
		"--server=one d":                 "draw",
		"--quiet d":                      "draw",
		"--d":                            "--deep",
		"group ":                         "add list",
		"group add ":                     "",
		"group add S ":                   "of-S",
		"group plus S ":                  "of-S",
		"group add --quiet S g ":         "S-g",
		"group add S g m ":               "S-g",
		"group add -s one S g m S":       "S-g",
		"group add -- S ":                "of-S",
		"nonsense --form":                "",
		"secret":                         "",
		"draw --unknown=":                "",
		"draw --unknown --output x ":     "",
		"top ORDERS -- ":                 "",
		"group add S g --server o":       "one",
		"group add S g --server one m S": "S-g",
	} {
		var got []string
		for _, c := range Complete(parser.Model.Node, strings.Split(words, " "), values) {
			got = append(got, c.Value)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, not %q", words, strings.Join(got, " "), want)
		}
	}
	if got := Complete(parser.Model.Node, nil, values); len(got) == 0 || got[1].String() != "draw\tDraw it." {
		t.Errorf("no words: %v", got)
	}
}

func TestScripts(t *testing.T) {
	for _, s := range Shells() {
		if text, err := Script(s); err != nil || !strings.Contains(text, "complete -- ") {
			t.Errorf("%s: %v %q", s, err, text)
		}
	}
	if _, err := Script("cmd"); err == nil || !strings.Contains(err.Error(), "one of bash, zsh, fish") {
		t.Errorf("%v", err)
	}
}
