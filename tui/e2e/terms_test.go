package e2e

import (
	"regexp"
	"strings"
	"testing"
)

// TestTerminals: what each kind of terminal is sent. In all of them the screens work by
// keys, and the terminal is given back.
func TestTerminals(t *testing.T) {
	a := serve(t)
	depths := map[string]*regexp.Regexp{
		"16 million": regexp.MustCompile(`\x1b\[[\d;]*[34]8;2;`),
		"256":        regexp.MustCompile(`\x1b\[[\d;]*[34]8;5;`),
		"16":         regexp.MustCompile(`\x1b\[([\d;]*;)?(3|4|9|10)[0-7](;|m)`),
	}
	for _, c := range []struct{ term, more, colours string }{
		{"xterm-256color", "COLORTERM=truecolor", "16 million"}, {"xterm-256color", "COLORTERM=", "256"}, {"tmux-256color", "TMUX=/tmp/none,1,0", "256"},
		{"screen-256color", "STY=1.none", "256"}, {"screen", "STY=1.none", "256"}, {"xterm", "COLORTERM=", "16"}, {"linux", "COLORTERM=", "16"}, {"vt100", "COLORTERM=", "16"},
	} {
		term := openWith(t, 80, 24, []string{"COLORTERM=", "TERM=" + c.term, c.more}, "-s", a.url)
		term.see("ORDERS/fulfillment", "VERDICT")
		term.press("j", enter)
		term.see("MEMBERS", "esc back")
		term.press("\x1bk") // at once, as over a slow line
		term.see("VERDICT")
		term.press("q")
		if code := term.exit(patience); code != 0 {
			t.Errorf("%s: exit code %d", c.term, code)
		}
		<-term.done
		out := term.output()
		restored(t, out)
		colours := "none"
		for _, name := range []string{"16", "256", "16 million"} {
			if depths[name].MatchString(out) {
				colours = name
			}
		}
		if colours != c.colours {
			t.Errorf("%s, %s: %s colours, want %s", c.term, c.more, colours, c.colours)
		}
	}
}

// A terminal that nobody has named is refused with what to do, over SSH the usual reason.
func TestTerminalWithoutAName(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the real binary")
	}
	for kind, want := range map[string]string{"": "TERM=xterm-256color", "dumb": "TERM is dumb"} {
		term := openWith(t, 80, 24, []string{"TERM=" + kind}, "demo")
		if code := term.exit(patience); code != 2 {
			t.Errorf("%q: exit code %d", kind, code)
		}
		<-term.done
		if out := term.output(); !strings.Contains(out, want) || strings.Count(strings.TrimSpace(out), "\n") > 0 {
			t.Errorf("%q: %q", kind, out)
		}
	}
}
