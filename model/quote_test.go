package model

import "testing"

func TestQuote(t *testing.T) {
	for in, want := range map[string]string{"m1": "m1", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$(x)": "'$(x)'", "m1:0,1": "m1:0,1", ";": "';'", "名": "'名'", "a!b": "'a!b'", "~root": "'~root'"} {
		if got := Quote([]string{in}); got != want {
			t.Errorf("Quote(%q) = %s, want %s", in, got, want)
		}
	}
}
