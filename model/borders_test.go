package model_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBorders holds every folder to what it may import: a pattern is a package path,
// or all below it when it ends in /... . The standard library is open to all.
func TestBorders(t *testing.T) {
	may := map[string][]string{
		"pcgtop/model":                {},
		"pcgtop/model/recording":      {"pcgtop/model"},
		"pcgtop/keymap":               {"charm.land/bubbles/v2/key"},
		"pcgtop/internal/flatline":    {},
		"pcgtop/internal/pause":       {},
		"pcgtop/internal/unanswered":  {"github.com/nats-io/nats.go/..."},
		"pcgtop/internal/natstest":    {"github.com/nats-io/nats.go/...", "github.com/nats-io/nats-server/v2/..."},
		"pcgtop/config":               {"pcgtop/keymap", "go.yaml.in/yaml/v3"},
		"pcgtop/tui/...":              {"pcgtop/model", "pcgtop/keymap", "pcgtop/tui/...", "charm.land/...", "github.com/charmbracelet/..."},
		"pcgtop/engine":               {"pcgtop/internal/unanswered", "pcgtop/internal/pause", "pcgtop/model", "pcgtop/engine/pcgroups", "pcgtop/engine/observe", "pcgtop/engine/parti", "pcgtop/engine/consumergroup", "github.com/nats-io/nats.go/...", "github.com/nats-io/jsm.go/natscontext"},
		"pcgtop/engine/pcgroups":      {"pcgtop/internal/unanswered", "pcgtop/internal/pause", "pcgtop/model", "github.com/nats-io/nats.go/..."},
		"pcgtop/engine/observe":       {"pcgtop/internal/pause", "pcgtop/model", "pcgtop/engine/pcgroups", "github.com/nats-io/nats.go/..."},
		"pcgtop/engine/consumergroup": {"pcgtop/model", "pcgtop/engine/observe"},
		"pcgtop/engine/command":       {"pcgtop/model", "pcgtop/model/recording", "pcgtop/engine/pcgroups", "github.com/nats-io/nats.go/..."},
		"pcgtop/engine/command/shell": {"github.com/alecthomas/kong"},
		"pcgtop/engine/parti":         {"pcgtop/internal/unanswered", "pcgtop/internal/pause", "pcgtop/model", "pcgtop/engine/observe", "github.com/nats-io/nats.go/..."},
		"pcgtop/engine/parti/standin": {"pcgtop/internal/pause", "github.com/nats-io/nats.go/..."},
		"pcgtop/engine/demo":          {"pcgtop/internal/pause", "pcgtop/engine/pcgroups", "pcgtop/engine/parti/standin", "github.com/nats-io/nats.go/...", "github.com/nats-io/nats-server/v2/..."},
		"pcgtop":                      {"pcgtop/...", "github.com/alecthomas/kong", "charm.land/...", "github.com/charmbracelet/..."},
	}
	// What go list reads is not seen by the test cache: look at the sources, so that a
	// cached result ends when one of them changes.
	_ = filepath.WalkDir("..", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".go") {
			_, err = os.Stat(path)
		}
		return err
	})
	cmd := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) < 5 {
		t.Fatalf("only %d packages are listed", len(lines))
	}
	for _, line := range lines {
		pkg, imports, _ := strings.Cut(line, " ")
		rules, known := rulesFor(may, pkg)
		if !known {
			t.Errorf("%s: no rule says what it may import", pkg)
			continue
		}
		for _, imp := range strings.Fields(imports) {
			if host, _, _ := strings.Cut(imp, "/"); !strings.Contains(host, ".") && host != "pcgtop" {
				continue
			}
			if !slices.ContainsFunc(rules, func(pattern string) bool { return covers(pattern, imp) }) {
				t.Errorf("%s imports %s, which is across a border", pkg, imp)
			}
		}
	}
}

// rulesFor finds the rule for a package, or that of the nearest folder above it.
func rulesFor(may map[string][]string, pkg string) ([]string, bool) {
	if rules, ok := may[pkg]; ok {
		return rules, true
	}
	for dir := pkg; dir != "."; dir = path.Dir(dir) {
		if rules, ok := may[dir+"/..."]; ok {
			return rules, true
		}
	}
	return nil, false
}

func covers(pattern, pkg string) bool {
	prefix, tree := strings.CutSuffix(pattern, "/...")
	return pkg == prefix || tree && strings.HasPrefix(pkg, prefix+"/")
}
