package model_test

import (
	"regexp"
	"slices"
	"testing"

	"pcgtop/model"
	"pcgtop/model/recording"
)

// TestTheRecordingSpeaksAsTheRulesDo: what the demo's recording says of its groups is what
// the rules say today of what was recorded, but for numbers. The pictures of the README and
// many frames are drawn from it; when this fails, make recording.
func TestTheRecordingSpeaksAsTheRulesDo(t *testing.T) {
	r, err := recording.Open("../testdata/recordings/demo.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var last *model.Snapshot
	told := map[model.Key]*model.Group{}
	for i := range r.Len() {
		if last, err = r.Snapshot(i); err != nil {
			t.Fatal(err)
		}
		for _, g := range last.Groups {
			told[g.Key] = model.Retell(told[g.Key], g)
		}
	}
	said := 0
	for _, g := range last.Groups {
		want, got := words(told[g.Key].Findings), words(g.Findings)
		said += len(got)
		if !slices.Equal(want, got) {
			t.Errorf("%s: the recording says\n%q\nthe rules\n%q\nrecord it anew: make recording", g.Key, got, want)
		}
	}
	if said < 2 {
		t.Errorf("%d findings are recorded: too few to tell", said)
	}
}

// words are what findings say with 0 for every number.
func words(list []model.Finding) []string {
	number := regexp.MustCompile(`\d+`)
	var all []string
	for _, f := range list {
		all = append(all, number.ReplaceAllString(f.ID+": "+f.Brief+"; "+f.Text+"; "+f.Hint, "0"))
	}
	return all
}
