package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// script writes the completion of a shell to a file.
func (a *account) script(t *testing.T, shell string) string {
	t.Helper()
	text, stderr, code := a.run(t, "", "completion", shell)
	if code != 0 || text == "" {
		t.Fatalf("%d %q", code, stderr)
	}
	name := filepath.Join(t.TempDir(), "pcgtop."+shell)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// inShell runs lines in a shell that finds the program as pcgtop.
func inShell(t *testing.T, shell string, args ...string) string {
	t.Helper()
	path, err := exec.LookPath(shell)
	if err != nil {
		t.Skip("there is no " + shell + " here")
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Env = environment(t.TempDir(), "PATH="+filepath.Dir(binary())+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", shell, err, out)
	}
	return string(out)
}

// TestCompletionInBash: what tab offers, commands and flags, and what there is on the
// server that the line names.
func TestCompletionInBash(t *testing.T) {
	t.Parallel()
	a := serve(t, "--parti")
	script := a.script(t, "bash")
	for line, want := range map[string]string{
		"sh":                         "shot",
		"repl":                       "replay",
		"shot --scr":                 "--screen",
		"shot --screen p":            "palette partitions plan",
		"--theme con":                "contrast contrast-dark contrast-light",
		"elastic step":               "step-down",
		"-s " + a.url + " ORDERS/":   "ORDERS/analytics ORDERS/fulfillment",
		"-s " + a.url + " where TEL": "TELEMETRY/rollup",
		"-s " + a.url + " elastic drop ORDERS ful":                "fulfillment",
		"-s " + a.url + " elastic drop ORDERS fulfillment ":       "m1 m2 m3",
		"-s " + a.url + " static step-down PAYMENTS settlement e": "east",
		"-s " + a.url + " parti source pa":                        "parti",
		"-s " + a.url + " parti info bil":                         "billing",
		"-s " + a.url + " parti info parti ":                      "prod",
		"-s " + a.url + " parti remove-id parti ":                 "prod",
		"-s nats://127.0.0.1:1 ORDERS/":                           "",
	} {
		words := strings.Split(line, " ")
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = "'" + w + "'"
		}
		got := ""
		within(t, line+" to be completed", func() bool { // a busy server may not answer before the shell goes on
			got = inShell(t, "bash", "--norc", "-c", `source "$0"; COMP_WORDS=(pcgtop `+strings.Join(quoted, " ")+`); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _pcgtop; echo "${COMPREPLY[*]}"; complete -p pcgtop`, script)
			return want == "" || !strings.HasPrefix(got, "\n")
		})
		if offered, bound, _ := strings.Cut(got, "\n"); offered != want || bound != "complete -F _pcgtop pcgtop\n" {
			t.Errorf("%q: %q, not %q", line, got, want)
		}
	}
}

// TestCompletionInOtherShells: fish completes; zsh takes the script.
func TestCompletionInOtherShells(t *testing.T) {
	t.Parallel()
	a := serve(t)
	t.Run("fish", func(t *testing.T) {
		script := a.script(t, "fish")
		within(t, "all to be offered", func() bool { // a busy server may not answer before the shell goes on
			got := inShell(t, "fish", "--no-config", "-c", "source "+script+"; complete -C 'pcgtop shot --screen p'; complete -C 'pcgtop -s "+a.url+" ORDERS/f'")
			return regexp.MustCompile(`(?s)palette\b.*partitions\b.*plan\b.*ORDERS/fulfillment`).MatchString(got)
		})
	})
	t.Run("zsh", func(t *testing.T) {
		inShell(t, "zsh", "-f", "-n", a.script(t, "zsh"))
		got := inShell(t, "zsh", "-f", "-c", `compdef() { :; }; _describe() { print -l -- $1 $found; }; source "$0"; words=(pcgtop shot --screen p); CURRENT=4; _pcgtop`, a.script(t, "zsh"))
		if got != "pcgtop\npalette\npartitions\nplan\n" {
			t.Errorf("%q", got)
		}
	})
}

func TestVersionAndHelp(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	a := &account{}
	for args, want := range map[string]string{
		"version":         `(?s)^pcgtop .*\nmodule    pcgtop\ngo        go1\..*\nprotocol  pcgtop/1\n`,
		"version -o json": `^\{"module":"pcgtop",.*"protocol":"pcgtop/1"`,
		"--help":          `(?s)EXAMPLES.*pcgtop replay.*EXIT CODES.*FILES.*\nWatch:\n.*\nRecord and draw:\n.*\nAct:\n.*\nConnect:\n.*\nLook:\n`,
		"replay --help":   `(?s)^Usage: pcgtop replay.*--at`,
	} {
		stdout, stderr, code := a.run(t, "", strings.Fields(args)...)
		if code != 0 || !regexp.MustCompile(want).MatchString(stdout) {
			t.Errorf("%s: %d %s%s", args, code, stdout, stderr)
		}
	}
	if stdout, stderr, code := a.run(t, "", "completion", "cmd"); code != 2 || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%d %q %q", code, stdout, stderr)
	}
}

// TestShot draws from a server and from a recording, in all three forms.
func TestShot(t *testing.T) {
	t.Parallel()
	a := serve(t)
	dir := t.TempDir()
	for _, c := range []struct{ args, file, has string }{
		{"--size 100x30 --for 2s TELEMETRY/rollup", "a.txt", `TELEMETRY/rollup(?s).*it owns 5 partitions`},
		{"--replay ../../testdata/recordings/demo.jsonl.gz --at +70s", "b.ansi", "\x1b\\[.*ORDERS"},
		{"--replay ../../testdata/recordings/demo.jsonl.gz --screen plan TELEMETRY/rollup", "c.svg", `^<svg [^>]*>(?s).*Cancel.*</svg>\n$`},
	} {
		file := filepath.Join(dir, c.file)
		if _, stderr, code := a.run(t, "", append([]string{"shot", "-o", file}, strings.Fields(c.args)...)...); code != 0 || stderr != "" {
			t.Errorf("%s: %d %s", c.args, code, stderr)
		}
		b, err := os.ReadFile(file)
		if err != nil || !regexp.MustCompile(c.has).Match(b) {
			t.Errorf("%s: %v\n%s", c.args, err, b)
		}
	}
	usage := regexp.MustCompile(`^$|x\.png|--(size|screen|keys|for|at)\b`)
	for args, says := range map[string]string{
		"-o x.png":                   ".svg, .txt or .ansi",
		"-o x.svg --size big":        "such as 120x40",
		"-o x.svg --size 0x0":        "too small",
		"-o x.svg --size 99999x9999": "too large",
		"-o x.svg --keys nonsense":   "there is no key",
		"-o x.svg --for=-1s":         "0s or more",
		"-o x.svg --at xx --replay ../../testdata/recordings/demo.jsonl.gz": "is no time",
		"-o x.svg --screen nothing":                                         "there is no screen",
		"-o x.svg --screen plan":                                            "name it, STREAM/GROUP",
		"-o x.svg NOPE":                                                     `"NOPE"`,
		"-o /no/such/folder/x.svg":                                          "/no/such/folder",
		"-o x.svg --replay /no/such":                                        "/no/such",
		"":                                                                  "--output",
	} {
		if _, stderr, code := a.run(t, "", append([]string{"shot"}, strings.Fields(args)...)...); code == 0 || (code == 2) != usage.MatchString(args) || !strings.Contains(stderr, says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: %d %s", args, code, stderr)
		}
	}
}
