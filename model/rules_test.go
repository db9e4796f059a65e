package model

import "testing"

// TestRulesAreATable: ids are unique, the worse verdict comes first, and each says what
// it means.
func TestRulesAreATable(t *testing.T) {
	seen, rank := map[string]bool{}, 0
	for _, r := range Rules() {
		if seen[r.ID] || r.ID == "" || r.About == "" || r.Severity.rank() < 0 || r.find == nil {
			t.Errorf("%+v", r)
		}
		seen[r.ID] = true
		if r.Verdict == "" {
			continue
		}
		if r.Verdict.Rank() < rank {
			t.Errorf("%s comes after a lesser verdict", r.ID)
		}
		rank = r.Verdict.Rank()
	}
	want := []Verdict{VerdictUnreadable, VerdictOffline, VerdictBroken, VerdictStalled, VerdictBehind, VerdictDegraded, VerdictUnknown, VerdictIdle, VerdictOK}
	for i, v := range want {
		if v.Rank() != i {
			t.Errorf("%s is at %d", v, v.Rank())
		}
	}
}
