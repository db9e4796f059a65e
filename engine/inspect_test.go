package engine

import (
	"strings"
	"testing"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// What is shown raw is what is stored, byte for byte, and what the server says; what
// cannot be read says why.
func TestInspect(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	instance(t, js, "m1")
	e := start(t, s.ClientURL())
	until(t, e, "the member's consumer", func(s *model.Snapshot) bool {
		return live(s) && s.Group(k) != nil && s.Group(k).Member("m1") != nil && s.Group(k).Member("m1").Consumer != nil
	})
	stored := must(must(js.KeyValue(t.Context(), "elastic-consumer-groups")).Get(t.Context(), k.BucketKey()))
	docs := e.Inspect(t.Context(), k, "m1")
	titles := ""
	for _, d := range docs {
		titles += d.Title + "; "
		if d.Problem != "" || d.From == "" {
			t.Errorf("%s: %s, from %q", d.Title, d.Problem, d.From)
		}
	}
	if want := "config, revision 2; work stream; origin stream; consumer of m1; "; titles != want {
		t.Fatalf("documents %q, want %q", titles, want)
	}
	if docs[0].Text != string(stored.Value()) {
		t.Errorf("config %q, stored %q", docs[0].Text, stored.Value())
	}
	for i, want := range []string{`"members":["m1"]`, `"name":"ORDERS-cg"`, `"name":"ORDERS"`, `"stream_name":"ORDERS-cg"`} {
		if !strings.Contains(docs[i].Text, want) {
			t.Errorf("%s holds no %s: %s", docs[i].Title, want, docs[i].Text)
		}
	}
	for i, d := range e.Inspect(t.Context(), elasticKey("ORDERS", "nope"), "m1") {
		if (d.Problem == "") != (i == 2) { // there is the origin
			t.Errorf("%s of a group that is not there: %q, %q", d.Title, d.Problem, d.Text)
		}
	}
}

// A viewer, who may not ask for a consumer, sees the rest, and at once.
func TestInspectAsViewer(t *testing.T) {
	s := natstest.Start(t, restricted(t, "viewer"))
	_, js := client(t, strings.Replace(s.ClientURL(), "nats://", "nats://admin:pw@", 1))
	k := elasticGroup(t, js, "m1")
	e := start(t, strings.Replace(s.ClientURL(), "nats://", "nats://user:pw@", 1))
	until(t, e, "the group", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	docs := e.Inspect(t.Context(), k, "m1")
	for _, d := range docs[:3] {
		if d.Problem != "" {
			t.Errorf("%s: %s", d.Title, d.Problem)
		}
	}
	if d := docs[3]; !strings.Contains(d.Problem, "CONSUMER.INFO") || d.Text != "" {
		t.Errorf("%s: %q, %q", d.Title, d.Problem, d.Text)
	}
}

func elasticKey(stream, group string) model.Key {
	return model.Key{Kind: model.KindElastic, Stream: stream, Group: group}
}
