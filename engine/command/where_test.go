package command

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"testing"

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
