package parti

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"pcgtop/model"
)

// Edits change what they are about and nothing else: unknown fields stay, compressed stays
// compressed.
func TestPlanEdit(t *testing.T) {
	text := `[{"keys":["a","1"],"weight":2,"label":"gpu","zone":"x"},{"keys":["b"],"weight":0},{"keys":["c"],"weight":1,"label":"old"}]`
	edits := []Edit{
		{Kind: EditWeight, Keys: []string{"a", "1"}, Weight: 7},
		{Kind: EditRemove, Keys: []string{"b"}},
		{Kind: EditLabel, Keys: []string{"c"}},
		{Kind: EditAdd, Keys: []string{"d"}, Weight: 3, Label: "tpu"},
	}
	want := `[{"keys":["a","1"],"label":"gpu","weight":7,"zone":"x"},{"keys":["c"],"weight":1},{"keys":["d"],"label":"tpu","weight":3}]`
	for _, stored := range [][]byte{[]byte(text), packed(t, text)} {
		e, err := PlanEdit(stored, edits)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := plain(e.Value)
		if err != nil || string(raw) != want || gzipped(e.Value) != gzipped(stored) || e.Packed != gzipped(stored) {
			t.Errorf("%s %v", raw, err)
		}
		if lines := []string{"a.1: weight 2 ▸ 7", "- b", "c: label old ▸ none", "+ d, weight 3, label tpu"}; !slices.Equal(e.Lines, lines) || e.Removes != 1 || len(e.Before) != 3 || len(e.After) != 3 {
			t.Errorf("%q %d", e.Lines, e.Removes)
		}
	}
}

func TestPlanEditRefuses(t *testing.T) {
	text := `[{"keys":["a"],"weight":2},{"keys":["b"],"weight":1}]`
	for _, c := range []struct {
		stored string
		edits  []Edit
		why    string
	}{
		{text, nil, "nothing changes"},
		{text, []Edit{{Kind: EditWeight, Keys: []string{"a"}, Weight: 2}}, "nothing changes"},
		{text, []Edit{{Kind: EditAdd}}, "at least one key"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"c", ""}}}, "empty key"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"c.d"}}}, "has a dot"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"c d"}}}, "has a blank"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"c\td"}}}, "has a blank"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"c", "*"}}}, "is a wildcard"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{">"}}}, "is a wildcard"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"c\xff"}}}, "not valid UTF-8"},
		{text, []Edit{{Kind: EditRemove, Keys: []string{"c\nd"}}}, `no partition "c\nd"`},
		{text, []Edit{{Kind: EditLabel, Keys: []string{"a"}, Label: "x\ny"}}, "control character"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"c"}, Label: "x\xff"}}, "not valid UTF-8"},
		{text, []Edit{{Kind: EditAdd, Keys: []string{"a"}}}, "there is a partition a already"},
		{text, []Edit{{Kind: EditRemove, Keys: []string{"z"}}}, "there is no partition z"},
		{text, []Edit{{Kind: EditLabel, Keys: []string{"z"}, Label: "x"}}, "there is no partition z"},
		{text, []Edit{{Kind: EditWeight, Keys: []string{"a"}, Weight: -1}}, "below 0"},
		{text, []Edit{{Kind: EditRemove, Keys: []string{"a"}}, {Kind: EditRemove, Keys: []string{"b"}}}, "no partition would be left"},
		{text, []Edit{{Kind: "move", Keys: []string{"a"}}}, "is no edit"},
		{`[{"keys":["a"]},{"keys":["a"]}]`, []Edit{{Kind: EditAdd, Keys: []string{"c"}}}, "there twice"},
		{`{}`, []Edit{{Kind: EditAdd, Keys: []string{"c"}}}, "unreadable"},
		{text, []Edit{{Kind: EditLabel, Keys: []string{"a"}, Label: strings.Repeat("x", maxSource)}}, "at most"},
	} {
		if _, err := PlanEdit([]byte(c.stored), c.edits); !errors.Is(err, model.ErrRefused) || !strings.Contains(err.Error(), c.why) || strings.ContainsFunc(err.Error(), unicode.IsControl) {
			t.Errorf("%s: %q", c.why, err)
		}
	}
}

// FuzzPlanEdit: whatever is stored and asked for, what is written is what Parti takes.
func FuzzPlanEdit(f *testing.F) {
	f.Add([]byte(`[{"keys":["a","1"],"weight":2,"label":"gpu","zone":[1]}]`), "add", "b/c", int64(3), "x")
	f.Add([]byte(`[{"keys":["a","1"]},{"keys":["b"]}]`), "remove", "b", int64(0), "")
	f.Add([]byte(`[{"keys":["a"]}]`), "weight", "a", int64(9), "")
	f.Add([]byte(`[{"keys":["a"],"label":"y"}]`), "label", "a", int64(0), "")
	f.Fuzz(func(t *testing.T, stored []byte, kind, keys string, weight int64, label string) {
		edit := Edit{Kind: EditKind(kind), Keys: strings.Split(keys, "/"), Weight: weight, Label: label}
		e, err := PlanEdit(stored, []Edit{edit})
		if err != nil {
			if !errors.Is(err, model.ErrRefused) {
				t.Fatal(err)
			}
			return
		}
		back, err := decodeSource(e.Value)
		if err != nil || checkSource(back) != nil || len(back) != len(e.After) || gzipped(e.Value) != gzipped(stored) {
			t.Fatalf("%q: %v", e.Value, err)
		}
		if !json.Valid(e.Value) && !gzipped(e.Value) {
			t.Fatalf("%q", e.Value)
		}
	})
}
