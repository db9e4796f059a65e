package glyph

import (
	"strings"
	"testing"
	"time"
)

func TestCleanMakesTheUnseenVisible(t *testing.T) {
	for in, want := range map[string]string{
		"orders":              "orders",
		"a b":                 "a b",
		"\x1b[31mred":         `\x1b[31mred`,
		"a\rb\nc\td":          `a\rb\nc\td`,
		"\x9b2J":              `\x9b2J`,
		"\u009b2J":            `\x9b2J`,
		"bad\xff":             `bad\xff`,
		"\u202egnp.exe":       `\u202egnp.exe`,
		"zero\u200bwidth":     `zero\u200bwidth`,
		"\U000e0041tag":       `\U000e0041tag`,
		"\x7f\x00":            `\x7f\x00`,
		"注文":                  "注文",
		"cafe\u0301":          "cafe\u0301",
		"\u0301lead":          `\u0301lead`,
		"👍":                   "👍",
		"👍🏽":                  `👍\U0001f3fd`,
		"👩\u200d👧":            `👩\u200d👧`,
		"no\u00a0break\u3000": `no\xa0break\u3000`,
		"\ufffd":              "\ufffd",
		"→ ● ▸":               "→ ● ▸",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCutAndSkipSplitNoGlyph(t *testing.T) {
	for _, text := range odd() {
		s := Clean(text)
		for w := 0; w <= Width(s)+2; w++ {
			head, n := Cut(s, w)
			if n > w || n != Width(head) || !strings.HasPrefix(s, head) {
				t.Fatalf("Cut(%q, %d) = %q, %d", s, w, head, n)
			}
			if tail := Skip(s, w); Width(tail) != max(0, Width(s)-w) {
				t.Fatalf("Skip(%q, %d) = %q, %d wide", s, w, tail, Width(tail))
			}
		}
	}
}

func TestWrapLosesNoWord(t *testing.T) {
	for _, text := range append(odd(), "the quick brown fox jumps over the lazy dog", strings.Repeat("注文", 30)) {
		s := Clean(text)
		for w := 2; w <= 40; w++ {
			got := ""
			for _, line := range Wrap(s, w) {
				if Width(line) > w {
					t.Fatalf("Wrap(%q, %d): %q", s, w, line)
				}
				got += line
			}
			if a, b := strings.ReplaceAll(got, " ", ""), strings.ReplaceAll(s, " ", ""); a != b {
				t.Fatalf("Wrap(%q, %d) = %q", s, w, got)
			}
		}
	}
}

// Of a text without end no more is drawn than a screen holds, and what is shown whole is
// wrapped while somebody waits.
func TestTextsWithoutEnd(t *testing.T) {
	for unit, size := range map[string]int{"x": 4 << 20, "注文": 1 << 17, "\xff": 1 << 17, "e\u0301": 1 << 17, "\x1b": 1 << 17} {
		s := strings.Repeat(unit, size/len(unit))
		short := Screenful(s)
		if !strings.HasSuffix(short, "…") || !strings.HasPrefix(Clean(s), strings.TrimSuffix(short, "…")) || len(short) > 5*longest {
			t.Errorf("%q: %d bytes, %q", unit, len(short), short[len(short)-20:])
		}
		begun := time.Now()
		if lines := Wrap(Clean(s), 80); Width(strings.Join(lines, "")) != Width(Clean(s)) {
			t.Errorf("%q: not all of it is in %d lines", unit, len(lines))
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("%q takes %v", unit, took)
		}
	}
}

// odd are texts that are hard to measure.
func odd() []string {
	return []string{
		"plain", "", "注文集計グループ", "👩‍👩‍👧‍👦 family", "e\u0301e\u0301e\u0301", "مرحبا بالعالم", "a\u200bb\u200dc", "🇩🇪🇫🇷🇮🇹",
		"क्षत्रिय", "☎️❤️", "ｆｕｌｌ", "zwj\u200d", "\u0600prepend", "各国e\u0301👍🏽", "\x1b[31mred", "\x9b2J", "bad\xff\xfeutf8",
		"\u202egnp.exe", "nul\x00", "\u2028line", "z\u0300\u0301\u0302\u0303\u0304\u0305\u0306", "\U000e0041tag",
	}
}
