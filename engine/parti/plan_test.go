package parti

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/engine/observe"
	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// Changes are read as people write them.
func TestParseEdit(t *testing.T) {
	for text, want := range map[string][]Edit{
		"+eu.7":         {{Kind: EditAdd, Keys: []string{"eu", "7"}}},
		"+eu.7:3":       {{Kind: EditAdd, Keys: []string{"eu", "7"}, Weight: 3}},
		" +eu.7:3:gpu ": {{Kind: EditAdd, Keys: []string{"eu", "7"}, Weight: 3, Label: "gpu"}},
		"-eu.7":         {{Kind: EditRemove, Keys: []string{"eu", "7"}}},
		"-a:b":          {{Kind: EditRemove, Keys: []string{"a:b"}}},
		"eu:5":          {{Kind: EditWeight, Keys: []string{"eu"}, Weight: 5}},
		"eu::gpu":       {{Kind: EditLabel, Keys: []string{"eu"}, Label: "gpu"}},
		"eu:5:":         {{Kind: EditWeight, Keys: []string{"eu"}, Weight: 5}, {Kind: EditLabel, Keys: []string{"eu"}}},
		`+"a:b.-c":2`:   {{Kind: EditAdd, Keys: []string{"a:b", "-c"}, Weight: 2}},
		`"-a":2`:        {{Kind: EditWeight, Keys: []string{"-a"}, Weight: 2}},
	} {
		got, err := ParseEdit(text)
		if err != nil || !slices.EqualFunc(got, want, func(a, b Edit) bool {
			return a.Kind == b.Kind && slices.Equal(a.Keys, b.Keys) && a.Weight == b.Weight && a.Label == b.Label
		}) {
			t.Errorf("%s: %+v %v", text, got, err)
		}
	}
	for text, why := range map[string]string{
		"": "no keys", "+": "no keys", "-": "no keys", "eu": "want +KEYS", "+eu:x": "no whole number", "eu:-1": "no whole number", `-"a"b`: "behind the quoted keys",
	} {
		if _, err := ParseEdit(text); !errors.Is(err, model.ErrRefused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := parseEdits([]string{"-eu.7", "+eu.7:3"}); err == nil || !strings.Contains(err.Error(), "named twice") {
		t.Errorf("one partition twice: %v", err)
	}
}

// A plan is carried out as it stands, or not at all, and what writes it chooses bucket and
// key itself: a plan that was tampered with writes nothing else.
func TestPlanAndApply(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4), Source: true})
	k, kind := group("parti", "worker"), New("")
	w := observed(t, nc, kind)
	w.until(t, k, "the source", func(g *model.Group) bool { return slices.Contains(g.Actions, model.ActionEditSource) })
	in := model.Intent{Action: model.ActionEditSource, Edits: []string{"+us.1:5:gpu", "-eu.0", "eu.1:9"}}
	p, err := kind.Plan(k, in)
	if err != nil || p.Edit.Confirm != "remove 1" || p.Edit.Target != "parti-source/partitions" || p.Edit.Counted() != "4 partitions ▸ 4" || len(p.Edit.Lines) != 3 {
		t.Fatalf("%+v %v", p, err)
	}
	if got := strings.Join(p.Command, " "); got != "pcgtop parti source parti worker --add=us.1:5:gpu --remove=eu.0 --set=eu.1:9 --apply" {
		t.Error(got)
	}
	for what, tamper := range map[string]func(*model.Plan){
		"another revision": func(p *model.Plan) { p.Revision++ },
		"another target":   func(p *model.Plan) { p.Edit.Target = "parti-assignment/assignment._commit" },
		"other lines":      func(p *model.Plan) { p.Edit.Lines = p.Edit.Lines[:1] },
	} {
		bad, err := kind.Plan(k, in)
		if err != nil {
			t.Fatal(err)
		}
		tamper(bad)
		if _, err := kind.Apply(t.Context(), js, bad); !errors.Is(err, observe.ErrChanged) || !strings.Contains(err.Error(), "nothing was written") {
			t.Errorf("%s: %v", what, err)
		}
	}
	revision, err := kind.Apply(t.Context(), js, p)
	if err != nil || revision <= p.Revision {
		t.Fatalf("%d %v", revision, err)
	}
	entry, err := f.Bucket(standin.Source).Get(t.Context(), standin.SourceKey)
	if err != nil || entry.Revision() != revision {
		t.Fatalf("%v %v", entry, err)
	}
	list, err := decodeSource(entry.Value())
	if err != nil || len(list) != 4 || list[0].Weight != 9 || list[3].dotted() != "us.1" || list[3].Label != "gpu" {
		t.Errorf("%+v %v", list, err)
	}
	w.until(t, k, "the new source", func(g *model.Group) bool { return note(g, "us.1") != "" })
	if _, err := kind.Apply(t.Context(), js, p); err == nil {
		t.Error("it was written twice")
	}
	for why, in := range map[string]model.Intent{
		"cannot be done":          {Action: model.ActionDelete},
		"worker-0 has a heart":    {Action: model.ActionRemoveID, Members: []string{"worker-0"}},
		"leader has no stable id": {Action: model.ActionRemoveID, Members: []string{"leader"}},
		"one stable id at a time": {Action: model.ActionRemoveID},
	} {
		if _, err := kind.Plan(k, in); !errors.Is(err, model.ErrRefused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", why, err)
		}
	}
}

// A stale id is planned for, and its plan ends when the worker is back.
func TestPlanRemoval(t *testing.T) {
	d := newDeployment()
	d.buckets["ids"] = bucket{place: place{bucket: "ids", role: roleIDs}, exists: true}
	d.buckets["beats"] = bucket{place: place{bucket: "beats", role: roleHeartbeat}, exists: true}
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	d.state.ids["worker-3"] = record[struct{}]{revision: 4, at: at}
	kind, k := New(""), group("parti", "x")
	kind.open[k] = d
	d.ahead = time.Until(at.Add(5 * time.Minute))
	in := model.Intent{Action: model.ActionRemoveID, Members: []string{"worker-3"}}
	p, err := kind.Plan(k, in)
	if err != nil || p.Revision != 4 || p.Edit.Target != "ids/worker-3" || p.Edit.Counted() != "1 stable id ▸ 0" || !strings.Contains(p.Edit.Notes[0], "has no heartbeat") {
		t.Fatalf("%+v %v", p, err)
	}
	d.ahead = time.Until(at.Add(30 * time.Second))
	if _, err := kind.Plan(k, in); err == nil || !strings.Contains(err.Error(), "was renewed 30 s ago") {
		t.Errorf("young: %v", err)
	}
	d.ahead = time.Until(at.Add(5 * time.Minute))
	d.state.heartbeats["worker-3"] = record[heartbeat]{at: at.Add(4 * time.Minute)}
	if _, err := kind.Apply(t.Context(), nil, p); !errors.Is(err, model.ErrRefused) || !strings.Contains(err.Error(), "has a heartbeat") {
		t.Errorf("alive: %v", err)
	}
}
