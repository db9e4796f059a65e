package glyph

import (
	"strings"
	"testing"
)

func TestNamesInASentenceLoseTheirMiddle(t *testing.T) {
	long := strings.Repeat("m", 40)
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"m3 never seen: it owns 5 partitions (10-14)", 12, "m3 never seen: it owns 5 partitions (10-14)"},
		{long + "7 never seen: it owns 2 partitions (0-1)", 12, "mmmmmm…mmmm7 never seen: it owns 2 partitions (0-1)"},
		{"no standby for " + long + "1, " + long + "2", 10, "no standby for mmmmm…mm1, mmmmm…mmm2"},
		{"9 partitions unowned: 0,2,4,6,8,10,12,14,16", 10, "9 partitions unowned: 0,2,4,6,8,10,12,14,16"},
		{"start an instance of 名前名前名前名前名前", 9, "start an instance of 名前…名前"},
	} {
		if got := Names(c.text, c.w); got != c.want {
			t.Errorf("%q in %d: %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

func TestNoNumberIsCut(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"lag +2,257 in 31s", 17, "lag +2,257 in 31s"},
		{"lag +2,257 in 31s", 16, "lag +2,257 in…"},
		{"lag +2,257 in 31s", 9, "lag…"},
		{"work stream 14,212, buffer 7 %", 17, "work stream…"},
		{"work stream 14,212, buffer 7 %", 29, "work stream 14,212, buffer…"},
		{"it owns 5 partitions (10-14), 9", 24, "it owns 5 partitions…"},
		{"pinned roll-m1-17 in 3", 17, "pinned roll-m1-1…"}, // a name
		{"123456", 4, "…"},
		{"m3 never seen", 10, "m3 never…"},
		{"abc", 0, ""},
	} {
		if got := Sentence(c.text, c.w); got != c.want || Width(got) > c.w {
			t.Errorf("%q in %d: %q, want %q", c.text, c.w, got, c.want)
		}
	}
}
