package model

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestReadmeListsEveryRule: the table of findings is the table of rules.
func TestReadmeListsEveryRule(t *testing.T) {
	raw, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(raw)
	for _, r := range Rules() {
		verdict := ""
		if r.Verdict != "" {
			verdict = "`" + string(r.Verdict) + "`"
		}
		if row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", r.ID, r.Severity, verdict, r.About); !strings.Contains(readme, row) {
			t.Errorf("the README has no row %s", row)
		}
	}
	if _, table, _ := strings.Cut(readme, "| finding |"); strings.Count(strings.Split(table, "\n\n")[0], "\n| `") != len(Rules()) {
		t.Error("the README lists findings that there are no rules for")
	}
}
