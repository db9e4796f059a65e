package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// configured is a folder of settings: config.yaml, and NATS contexts by name.
func configured(t *testing.T, yaml string, contexts map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files := map[string]string{"pcgtop/config.yaml": yaml}
	for name, body := range contexts {
		files["nats/context/"+name+".json"] = body
	}
	for name, body := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// command runs pcgtop with settings from a folder.
func command(t *testing.T, root string, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err strings.Builder
	cmd := exec.CommandContext(t.Context(), binary(), args...)
	cmd.Env = append(environment(t.TempDir(), env...), "XDG_CONFIG_HOME="+root, "TERM=xterm-256color")
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run() // the exit code says it
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// TestConfigSaysWhereEachSettingIsFrom: one command prints flag > environment > context
// section > file > default, for the settings and for the connection, and no secret.
func TestConfigSaysWhereEachSettingIsFrom(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	root := configured(t, "theme: light\nrefresh: 2s\nkeys: {step-down: Z}\ncontexts:\n  prod:\n    read_only: true\n", map[string]string{
		"prod": `{"url":"nats://joe:s3cret@127.0.0.1:1","user":"joe","password":"s3cret","jetstream_domain":"hub"}`,
	})
	out, stderr, code := command(t, root, []string{"PCGTOP_MAX_REQUESTS=7", "NATS_CONTEXT=prod", "NO_COLOR=1"}, "--timeout", "3s", "config", "-o", "json")
	if code != 0 || strings.Contains(out+stderr, "s3cret") {
		t.Fatalf("exit %d: %s%s", code, out, stderr)
	}
	var shown struct {
		Context              string
		Settings, Connection []struct{ Name, Value, From string }
		Keys                 []struct {
			Action, From string
			Keys         []string
		}
	}
	if err := json.Unmarshal([]byte(out), &shown); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "pcgtop", "config.yaml")
	got := map[string]string{}
	for _, v := range append(shown.Settings, shown.Connection...) {
		got[v.Name] = v.Value + " " + v.From
	}
	for name, want := range map[string]string{
		"theme": "light " + file + ":1", "refresh": "2s " + file + ":2", "read_only": "true " + file + ":6, context prod",
		"max_requests": "7 PCGTOP_MAX_REQUESTS", "timeout": "3s --timeout", "no_color": "true NO_COLOR", "ascii": "false default",
		"server": `nats://127.0.0.1:1 context "prod"`, "js-domain": `hub context "prod"`, "js-api-prefix": "$JS.hub.API js-domain",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	for _, k := range shown.Keys {
		if k.Action == "step-down" && (k.Keys[0] != "Z" || k.From != file+":3") {
			t.Errorf("step-down: %+v", k)
		}
	}
	// The context lends nothing to another server, and has no say in the settings then.
	out, _, code = command(t, root, nil, "-s", "nats://127.0.0.1:2", "config")
	if code != 0 || !strings.Contains(out, "nats://127.0.0.1:2  --server") || strings.Contains(out, "prod") || !strings.Contains(out, "step-down  Z") {
		t.Errorf("exit %d:\n%s", code, out)
	}
	if out, _, _ = command(t, root, nil, "config", "--keys"); !strings.Contains(out, "delete-group") || !strings.Contains(out, "mark-owners") {
		t.Errorf("not every action is listed:\n%s", out)
	}
}

// TestBadConfigIsRefused: one line, exit 2, before the terminal is touched or anything
// is connected to; for monitoring it is unknown.
func TestBadConfigIsRefused(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	root := configured(t, "theme: dark\nkeys:\n  drop: s\n", nil)
	file := filepath.Join(root, "pcgtop", "config.yaml")
	for _, c := range []struct {
		args []string
		code int
	}{{nil, 2}, {[]string{"demo"}, 2}, {[]string{"report"}, 2}, {[]string{"elastic", "ls", "ORDERS"}, 2}, {[]string{"config"}, 2}, {[]string{"check"}, 3}} {
		out, stderr, code := command(t, root, nil, c.args...)
		if want := "pcgtop: " + file + ":3: keys: drop: s is the key of step-down in a group: give one of the two another key\n"; code != c.code || out != "" || stderr != want {
			t.Errorf("%v: exit %d: %q %q", c.args, code, out, stderr)
		}
	}
	if _, stderr, code := command(t, root, nil, "--config", "/nowhere.yaml", "config"); code != 2 || !strings.Contains(stderr, "/nowhere.yaml: there is no such file") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "theme: dark\nkeys:\n  drop: s\n" {
		t.Errorf("the file was touched: %q, %v", text, err)
	}
}

// TestConfigIsInForce: keys, columns and read-only of the context are what the running
// program does, on the screens and on the command line.
func TestConfigIsInForce(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	a := serve(t)
	root := configured(t, "columns: [group, verdict]\nkeys: {quit: Q, help: H}\ncontexts:\n  prod:\n    read_only: true\n", map[string]string{
		"prod": `{"url":"` + a.url + `"}`, "lab": `{"url":"` + a.url + `"}`,
	})
	term := openWith(t, 120, 40, []string{"XDG_CONFIG_HOME=" + root}, "--context", "prod", "ORDERS/fulfillment")
	term.see("RO", "m1", "H help", "Q quit")
	term.press("s")
	where := "set by " + filepath.Join(root, "pcgtop", "config.yaml") + ":5, context prod"
	term.see("read-only: " + where)
	term.press(esc)
	if s := term.see("GROUP", "VERDICT", "ORDERS/analytics"); strings.Contains(s, "LAG") {
		t.Errorf("columns that were not asked for:\n%s", s)
	}
	term.press("q", "H")
	term.see("Show what the keys do")
	term.press("Q")
	if code := term.exit(patience); code != 0 {
		t.Errorf("exit %d", code)
	}
	if _, stderr, code := command(t, root, nil, "--context", "prod", "elastic", "add", "ORDERS", "fulfillment", "m9"); code != 1 || !strings.Contains(stderr, "read-only, "+where+": nothing was written") {
		t.Errorf("exit %d: %s", code, stderr)
	}
	if out, stderr, code := command(t, root, nil, "--context", "lab", "elastic", "add", "ORDERS", "fulfillment", "m9"); code != 0 {
		t.Errorf("exit %d: %s%s", code, out, stderr)
	}
}
