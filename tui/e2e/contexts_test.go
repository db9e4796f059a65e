package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestContexts goes over to another NATS context on the screen: the header, the rights
// and the data are the other's, a failure changes nothing, and what is selected outside
// has no say.
func TestContexts(t *testing.T) {
	t.Parallel()
	a, b := serve(t), serve(t)
	if _, err := b.js.Conn().Request("$JS.API.STREAM.DELETE.PAYMENTS", nil, patience); err != nil {
		t.Fatal(err)
	}
	root := configured(t, "contexts:\n  two:\n    read_only: true\n", map[string]string{
		"one": `{"url":"` + a.url + `"}`, "two": `{"url":"` + b.url + `"}`, "dead": `{"url":"nats://joe:s3cret@127.0.0.1:1"}`,
	})
	selected := filepath.Join(root, "nats", "context.txt")
	if err := os.WriteFile(selected, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	term := openWith(t, 120, 40, []string{"XDG_CONFIG_HOME=" + root})
	term.see("one", "RW", "ORDERS/fulfillment", "PAYMENTS/settlement")
	if err := os.WriteFile(selected, []byte("dead"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, key := range strings.Split(":|c|t|x| |d|e|a|d|\r", "|") {
		term.press(key)
	}
	if s := term.see("still connected as before: cannot connect to nats://127.0.0.1:1"); strings.Contains(s, "s3cret") {
		t.Errorf("a credential on the screen:\n%s", s)
	}
	term.see("one", "RW", "live")

	term.press("\x0f") // ctrl+o
	term.see("NATS contexts", "one  in use")
	term.press(down, enter)
	term.see("connected by context two", "RO")
	term.see("no stream PAYMENTS", "two", "ORDERS/fulfillment")
	term.press("q")
	if code := term.exit(patience); code != 0 {
		t.Errorf("exit %d", code)
	}
	<-term.done
	restored(t, term.output())
}
