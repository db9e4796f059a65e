package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

// TestUncounted: what waits for a static group that nobody runs is known once its partitions
// were counted. Before, where that is not permitted, and once the count is old, no screen and
// no command says that nothing waits.
func TestUncounted(t *testing.T) {
	t.Parallel()
	denied := guarded(t, "$JS.API.DIRECT.GET.PAY")
	free := *denied
	free.url = strings.Replace(denied.url, "user:", "admin:", 1)
	js := denied.js
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "PAY", Subjects: []string{"pay.*"}, AllowDirect: true,
		SubjectTransform: &jetstream.SubjectTransformConfig{Source: "pay.*", Destination: "{{partition(4,1)}}.pay.{{wildcard(1)}}"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := orbit.CreateStatic(t.Context(), js, "PAY", "odd", 4, nil, []string{"x", "y"}, nil); err != nil {
		t.Fatal(err)
	}
	for n := range 300 {
		if _, err := js.Publish(t.Context(), fmt.Sprintf("pay.k%d", n), nil); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		at   *account
		args string
		code int
		says string // a pattern of what is printed
	}{
		{&free, "report", 0, `PAY/odd +static +4 +0/2 +0 \+0 +- +- +0 +- +- `},
		{&free, "report -o json", 0, `"group":"odd"(?s:.*)"pending":null`},
		{&free, "report PAY/odd", 0, `A +x +absent +0-1 +0 +[1-9]\d* +- +- +-\n`},
		{&free, "check PAY --rule absent=ok", 0, `ok +PAY/odd degraded, lag -\n`},
		{&free, "check PAY --lag 100:200", 2, `critical PAY/odd degraded, lag ~300\n`},
		{&free, "check PAY --lag 301 --rule absent=ok", 0, `^OK: `},
		{&free, "where PAY/odd pay.k1", 0, ` [1-9]\d* wait before it`},
		{denied, "check PAY --lag 5:10 --rule absent=ok", 3, `not-counted: the lag is not known: not permitted: `},
		{denied, "check PAY/odd --lag 5:10 --rule absent=ok", 3, `not-counted: the lag is not known: not permitted: `},
		{denied, "report PAY/odd", 0, `A +x +absent +0-1 +0 +- +- +- +-\n`},
		{denied, "where PAY/odd pay.k1", 1, `  what waits before it is not known: not counted: not permitted: (?s:.*)pcgtop: not everything could be read: PAY/odd: partitions not counted: not permitted: `},
	} {
		out, errs, code := c.at.run(t, "", strings.Fields(c.args)...)
		if code != c.code || !regexp.MustCompile(c.says).MatchString(out+errs) {
			t.Errorf("pcgtop %s: exit %d, want %d with %s\n%s%s", c.args, code, c.code, c.says, out, errs)
		}
	}
	term := open(t, 120, 30, "-s", free.url)
	unknown := regexp.MustCompile(`PAY/odd +(static +)?(4 +)?0/2 +0 \+0 +(- +){4,}`)
	term.waitFor("no lag of what nobody counted", unknown.MatchString)
	term.find("odd", "PAY/odd")
	term.waitFor("a count", regexp.MustCompile(`waits? there`).MatchString)
	term.press(esc)
	term.waitFor("the count in the list", regexp.MustCompile(`PAY/odd .* ~300 `).MatchString)
	// Counts are kept for up to half a minute, and a screen may be read while it is drawn.
	old := time.Now().Add(2 * patience)
	for !unknown.MatchString(term.text()) && time.Now().Before(old) {
		time.Sleep(50 * time.Millisecond)
	}
	if screen := term.text(); !unknown.MatchString(screen) {
		t.Errorf("it is told what nobody knows any more:\n%s", screen)
	}
	term.press("q")
	term.exit(patience)
}
