package keymap

import (
	"os"
	"strings"
	"testing"
)

// The README's table of keys names a key of every action that the screens offer.
func TestReadmeNamesTheKeys(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, found := strings.Cut(string(text), "\n## Keys\n")
	if table, _, _ = strings.Cut(table, "\n## "); !found {
		t.Fatal("the README has no section of keys")
	}
	for _, a := range New() {
		table, named := table, a.Section == Sort // a capital for each column
		if a.Section == Time {
			table = string(text) // they are told where recordings are
		}
		for _, k := range a.Binding.Keys() {
			named = named || strings.Contains(table, "`"+k+"`") || strings.Contains(table, "`"+Shown(k)+"`")
		}
		if !named {
			t.Errorf("%s: %q is not in the README", a.ID, a.Binding.Keys())
		}
	}
}
