package engine

import (
	"testing"
)

// FuzzAnswer: whatever the server answers to whoever looks at a group as it is stored, or
// for a stream's subjects, it is a page of them, a refusal with a reason, or unreadable.
func FuzzAnswer(f *testing.F) {
	for _, body := range []string{
		"", "null", "{}", `{"error":{"code":404,"description":"stream not found"}}`, `{"error":{}}`, `{"error":null,"total":3,"state":{"subjects":{"a":1,"b":2}}}`,
		`{"total":-1,"state":{"subjects":null}}`, `{"state":{"subjects":{"a":-1}}}`, `{"error":5}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		why := refusal(body)
		all, total, err := readSubjects(body)
		switch {
		case why != "" && err == nil:
			t.Fatalf("refused (%s), and %d subjects are read", why, len(all))
		case err != nil && all != nil:
			t.Fatalf("%v, and %d subjects are read", err, len(all))
		case err == nil && total < 0:
			t.Fatalf("%d subjects in all", total)
		}
	})
}
