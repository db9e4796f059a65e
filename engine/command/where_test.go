package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// Whose a partition is that cannot be told is not said to be nobody's.
func TestWhereSaysWhose(t *testing.T) {
	for said, p := range map[string]model.Place{
		"nobody owns it":           {Subject: "jobs.x"},
		"whose it is is not known": {Subject: "jobs.x", Unknown: true},
		"worker-0 (stable)":        {Subject: "jobs.x", Owner: "worker-0", State: "stable"},
	} {
		var b strings.Builder
		if err := (placed{Places: []model.Place{p}}).text(&b); err != nil || !strings.Contains(b.String(), "  "+said) {
			t.Errorf("%v: %q, want %q", err, b.String(), said)
		}
	}
}

// What waits before a subject and could not be counted is not left out: the line says so, and
// where that is no matter of how the stream was made, the verb fails.
func TestWhereSaysWhatWasNotCounted(t *testing.T) {
	key := model.Key{Kind: model.KindElastic, Stream: "S", Group: "g"}
	for _, direct := range []bool{true, false} {
		at := time.Date(2026, 3, 4, 14, 3, 22, 0, time.UTC)
		s := model.Reduce(picture(), at, model.StreamRead{Name: "S-g", Facts: model.StreamFacts{Exists: true, Direct: direct, Sources: []model.Source{{Name: "S"}}}},
			model.PartitionsCounted{Key: key, Counts: model.Counts{At: at, Every: time.Second, Error: "not permitted"}})
		var out strings.Builder
		err := Where{Group: "S/g", Subject: "0.s.a", Output: "text"}.Run(&Env{Context: t.Context(), Engine: &fake{snapshot: s}, Out: &out})
		if direct != (err != nil && err.Error() == "not everything could be read: S/g: partitions not counted: not permitted") ||
			!strings.HasSuffix(out.String(), "  what waits before it is not known: not counted: not permitted\n") {
			t.Errorf("%v: %v\n%s", direct, err, out.String())
		}
	}
}

// What could not be read is not passed off as known: it is printed as it is, and the verb
// fails with the reason.
func TestUnreadFails(t *testing.T) {
	for name, run := range map[string]func(e *Env, group string) error{
		"where": func(e *Env, group string) error {
			return Where{Group: "S/" + group, Subject: "s.a", Output: "text"}.Run(e)
		},
		"info":        func(e *Env, group string) error { return ElasticInfo{target{"S", group}}.Run(e) },
		"member-info": func(e *Env, group string) error { return ElasticMemberInfo{member{target{"S", group}, "m"}}.Run(e) },
	} {
		for group, want := range map[string]string{"g": "", "h": "not everything could be read: S/h: no answer"} {
			var out strings.Builder
			show := func(w io.Writer, g *model.Group, _ ...string) error { _, err := fmt.Fprintln(w, "m"); return err }
			err := run(&Env{Context: t.Context(), Engine: &fake{snapshot: picture()}, Out: &out, Show: show}, group)
			if fmt.Sprint(err) != cmp.Or(want, "<nil>") || !strings.Contains(out.String(), "m") {
				t.Errorf("%s of %s: %v, want %q\n%s", name, group, err, want, out.String())
			}
		}
	}
}
