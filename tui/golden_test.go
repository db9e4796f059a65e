package tui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

const goldens = "../snapshots"

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

func TestMain(m *testing.M) {
	flag.Bool("update", false, "rewrite the golden frames")
	flag.Parse()
	os.Exit(m.Run())
}

// golden compares the frame with the stored one, as plain text; styled frames are
// stored with their colours too.
func (s *stage) golden(name string, styled bool) {
	s.t.Helper()
	frame := s.m.View().Content
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	compare(s.t, filepath.Join(goldens, name+".txt"), strings.Join(lines, "\n")+"\n")
	if styled {
		compare(s.t, filepath.Join(goldens, name+".ansi"), frame+"\n")
	}
}

// colours compares the frame with its colours alone: its text is another's.
func (s *stage) colours(name string) *stage {
	s.t.Helper()
	compare(s.t, filepath.Join(goldens, name+".ansi"), s.m.View().Content+"\n")
	return s
}

func compare(t testing.TB, path, got string) {
	t.Helper()
	if updating() {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./tui -update writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs; go test ./tui -update rewrites it\n--- want\n%s\n--- got\n%s", path, want, got)
	}
}

// checkFrame asserts what holds of every frame: it fits, and holds no byte from outside
// that a terminal would act upon.
func checkFrame(t testing.TB, m *Model) {
	t.Helper()
	frame := m.View().Content
	lines := strings.Split(frame, "\n")
	if len(lines) > m.height && m.height > 0 {
		t.Fatalf("%d lines in a window of %d", len(lines), m.height)
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w > m.width {
			t.Fatalf("line %d is %d wide in a window of %d: %q", i, w, m.width, line)
		}
		if w := ansi.StringWidthWc(line); w > m.width {
			t.Fatalf("line %d is %d wide by code points in a window of %d: %q", i, w, m.width, line)
		}
	}
	if bad := unsafe(frame); bad != "" {
		t.Fatalf("%s in the frame: %q", bad, frame)
	}
}

// unsafe looks for what a terminal would act upon, beside line ends and our own styles.
func unsafe(frame string) string {
	s := withoutStyles(frame)
	if !utf8.ValidString(s) {
		return "invalid UTF-8"
	}
	for _, r := range s {
		switch {
		case r == '\n':
		case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0:
			return "a control character"
		case strings.ContainsRune("\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff", r):
			return "an invisible character"
		}
	}
	return ""
}

// withoutStyles removes SGR sequences, and nothing else.
func withoutStyles(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], "\x1b[") {
			j := i + 2
			for j < len(s) && (s[j] >= '0' && s[j] <= '9' || s[j] == ';' || s[j] == ':') {
				j++
			}
			if j < len(s) && s[j] == 'm' {
				i = j
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
