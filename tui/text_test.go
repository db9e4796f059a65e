package tui

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pcgtop/tui/glyph"

	"github.com/charmbracelet/x/ansi"
)

// odd are texts that are hard to measure.
func odd() []string {
	list := append(hostileNames(), "plain", "注文集計グループ", "👩‍👩‍👧‍👦 family", "e\u0301e\u0301e\u0301", "مرحبا بالعالم", "שלום", "a\u200bb\u200dc", "🇩🇪🇫🇷🇮🇹", "한국어", "क्षत्रिय", "ก็", "☎️❤️", "ｆｕｌｌ", "zwj\u200d", "\u0600prepend", "\u0d4eമ", "各国e\u0301👍🏽", "")
	return list
}

// Every field is exactly as wide as it was asked to be, by both ways to measure, and
// holds whole glyphs.
func TestFieldsAreEquallyWide(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		for _, text := range odd() {
			for w := 0; w <= 40; w++ {
				for name, r := range map[string]*row{
					"left":  (&row{ascii: ascii}).left(style{}, text, w),
					"right": (&row{ascii: ascii}).right(style{}, text, w),
					"name":  (&row{ascii: ascii}).name(style{}, text, w),
					"fit":   (&row{ascii: ascii}).put(style{}, text).put(style{bold: true}, text).fit(w),
					"cut":   (&row{ascii: ascii}).put(style{}, text).put(style{bold: true}, text+text).cut(3, 3+w),
				} {
					s := r.String()
					if a, b := ansi.StringWidth(s), ansi.StringWidthWc(s); a != w || b != w || r.width != w {
						t.Fatalf("%s of %q in %d: %q is %d, by code points %d, said %d", name, text, w, s, a, b, r.width)
					}
					if bad := unsafe(s); bad != "" {
						t.Fatalf("%s of %q in %d: %s in %q", name, text, w, bad, s)
					}
					if ascii && strings.ContainsFunc(withoutStyles(s), func(r rune) bool { return r >= 0x80 }) {
						t.Fatalf("%s of %q in %d: not ASCII: %q", name, text, w, s)
					}
				}
			}
		}
	}
}

// What is cut off and what is left are the whole, glyph by glyph.
func FuzzRenderName(f *testing.F) {
	for _, s := range odd() {
		f.Add(s, 80, 24)
	}
	f.Fuzz(func(t *testing.T, name string, w, h int) {
		w, h = 1+abs(w)%200, 1+abs(h)%60
		if len(name) > 1<<10 {
			name = name[:1<<10]
		}
		s := glyph.Clean(name)
		if !utf8.ValidString(s) || unsafe(s) != "" || ansi.StringWidth(s) != ansi.StringWidthWc(s) {
			t.Fatalf("glyph.Clean(%q) = %q", name, s)
		}
		wd := world{context: name, groups: []fixture{sketch().groups[0]}}
		wd.groups[0].key.Group = name
		wd.groups[0].config.Members = []string{name, "b"}
		st := newStage(t, w, h).show(wd.snapshot())
		st.press("enter", "x", "enter", "esc", "esc", "m", "]", "?")
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		n    uint64
		w    int
		want string
	}{{0, 8, "0"}, {999, 8, "999"}, {14212, 8, "14,212"}, {1234567, 9, "1,234,567"}, {1234567, 8, "1.2 M"}, {1 << 63, 8, "9.2 E"}, {99999, 5, "100 k"}, {9800, 4, "10 k"}} {
		if got := number(c.n, c.w); got != c.want {
			t.Errorf("number(%d, %d) = %q, want %q", c.n, c.w, got, c.want)
		}
	}
	for n := uint64(1); n > 0 && n < 1<<62; n *= 3 {
		for _, w := range []int{5, 6, 7, 8, 9} {
			if got := number(n, w); len(got) > w {
				t.Errorf("number(%d, %d) = %q", n, w, got)
			}
		}
	}
}
