package engine

import (
	"errors"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/pcgroups"
	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// Names that do not fit into a request end no connection, which the server would close for
// good: what would ask for them says so.
func TestNamesTooLongToAskFor(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	long := elasticGroup(t, js, "m1", strings.Repeat("n", 5000))
	elastic := must(js.KeyValue(t.Context(), "elastic-consumer-groups"))
	config := must(elastic.Get(t.Context(), long.BucketKey())).Value()
	groupToo := elasticKey("ORDERS", strings.Repeat("g", 3900))
	must(elastic.Put(t.Context(), groupToo.BucketKey(), config))
	static := must(js.CreateKeyValue(t.Context(), jetstream.KeyValueConfig{Bucket: "static-consumer-groups"}))
	streamToo := model.Key{Kind: model.KindStatic, Stream: strings.Repeat("S", 3900), Group: "g"}
	must(static.PutString(t.Context(), streamToo.BucketKey(), `{"max_members":2,"members":["a"]}`))

	e := start(t, s.ClientURL())
	keys := []model.Key{long, groupToo, streamToo}
	until(t, e, "the groups", func(s *model.Snapshot) bool {
		for _, k := range keys {
			if s.Group(k) == nil {
				return false
			}
		}
		return live(s)
	})
	name := strings.Repeat("n", 5000)
	for _, k := range keys {
		e.Focus(&k, []model.Key{k})
		docs := e.Inspect(t.Context(), k, name)
		if last := docs[len(docs)-1]; !strings.Contains(last.Problem, "too long") {
			t.Errorf("%.40s: the member's consumer: %q", k, last.Problem)
		}
		if (docs[0].Problem == "") != (k == long) {
			t.Errorf("%.40s: the config: %q", k, docs[0].Problem)
		}
		_, err := e.PlanDeletion(t.Context(), k)
		if (err == nil) != (k == long) || err != nil && !errors.Is(err, model.ErrUnusableName) {
			t.Errorf("%.40s: to be deleted: %v", k, err)
		}
		if err := pcgroups.UnpinMember(t.Context(), e.js, k.Kind, k.Stream, k.Group, name, ""); !errors.Is(err, model.ErrUnusableName) {
			t.Errorf("%.40s: stepped down: %v", k, err)
		}
		if err := e.Exists(t.Context(), strings.Repeat("S", 5000), ""); !errors.Is(err, model.ErrUnusableName) {
			t.Errorf("a stream: %v", err)
		}
		if _, _, err := e.subjects(t.Context(), strings.Repeat("S", 5000), ">"); err == nil || !strings.Contains(err.Error(), "too long") {
			t.Errorf("a stream's subjects: %v", err)
		}
	}
	if _, err := e.PlanCreation(t.Context(), long, model.Config{}); err == nil { // it answers still
		t.Error("the name is taken")
	}
	if stats := e.nc.Stats(); !e.nc.IsConnected() || stats.Reconnects > 0 {
		t.Errorf("connected: %v, reconnects: %d", e.nc.IsConnected(), stats.Reconnects)
	}
}
