package engine

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	oracle "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

func records(t *testing.T, file string) []AuditRecord {
	t.Helper()
	var list []AuditRecord
	for line := range strings.Lines(string(must(os.ReadFile(file)))) {
		var r AuditRecord
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		list = append(list, r)
	}
	return list
}

// Every action is two lines of a file that only its owner reads, refused ones too, and
// no secret is in it.
func TestAudit(t *testing.T) {
	s := natstest.Start(t, func(o *server.Options) {
		o.Users = []*server.User{{Username: "admin", Password: "swordfish"}}
	})
	_, js := client(t, s.ClientURL(), nats.UserInfo("admin", "swordfish"))
	k := elasticGroup(t, js, "m1", "m2")
	file := filepath.Join(t.TempDir(), "audit")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	url := strings.Replace(s.ClientURL(), "nats://", "nats://admin:swordfish@", 1)
	e := start(t, url, func(o *Options) { o.Audit = file })
	now := until(t, e, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	old := plan(t, now.Group(k), model.ActionAdd, "m3")
	must(e.Apply(t.Context(), old))
	if _, err := e.Apply(t.Context(), old); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	if err := e.Record(model.ActionDelete, k, nil, func() error { return errors.New("no") }); err == nil {
		t.Error("the error is lost")
	}
	if info := must(os.Stat(file)); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	if strings.Contains(string(must(os.ReadFile(file))), "swordfish") {
		t.Error("a secret is in the file")
	}
	list := records(t, file)
	var got []string
	for _, r := range list {
		got = append(got, string(r.Action)+" "+r.Result)
		if r.Time.IsZero() || r.User == "" || r.Key != k || r.Server == "" || r.Process != os.Getpid() {
			t.Errorf("incomplete: %+v", r)
		}
	}
	if want := []string{"add begun", "add done", "add begun", "add failed", "delete begun", "delete failed"}; !slices.Equal(got, want) {
		t.Fatalf("%q", got)
	}
	if r := list[1]; r.Revision != old.Revision+1 || !slices.Equal(slices.Sorted(slices.Values(r.Before.Members)), []string{"m1", "m2"}) || !slices.Equal(r.After.Members, []string{"m1", "m2", "m3"}) || r.ID != list[0].ID {
		t.Errorf("%+v", r)
	}
	if r := list[3]; !strings.Contains(r.Detail, "the group changed") {
		t.Errorf("%+v", r)
	}
}

// What cannot be recorded is not done.
func TestAuditFirst(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	if _, err := Connect(t.Context(), Options{Server: s.ClientURL(), Lookup: noEnv, Audit: filepath.Join(t.TempDir(), "no", "such")}); err == nil || !strings.Contains(err.Error(), "audit file") {
		t.Errorf("%v", err)
	}
	e := start(t, s.ClientURL(), func(o *Options) { o.Audit = filepath.Join(t.TempDir(), "audit") })
	now := until(t, e, "live", func(s *model.Snapshot) bool { return live(s) && s.Group(k) != nil })
	if err := e.audit.file.Close(); err != nil { // as a full disk
		t.Fatal(err)
	}
	if _, err := e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m2")); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("%v", err)
	}
	if c := must(oracle.GetElasticConsumerGroupConfig(t.Context(), js, "ORDERS", "cg")); len(c.Members) != 1 {
		t.Errorf("%v", c.Members)
	}
}

// Undo goes back step by step while what is stored is ours, byte for byte, and not any
// further once somebody else has written.
func TestUndoStepByStep(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1", "m2")
	e := start(t, s.ClientURL())
	kv := must(js.KeyValue(t.Context(), "elastic-consumer-groups"))
	stored := func() string { return string(must(kv.Get(t.Context(), "ORDERS.cg")).Value()) }
	at := func(revision uint64) *model.Snapshot {
		t.Helper()
		return until(t, e, "the last change", func(s *model.Snapshot) bool {
			return live(s) && s.Group(k) != nil && s.Group(k).Revision == revision && len(s.Applied) == int(revision)-2
		})
	}
	first := strings.Replace(stored(), `["m2","m1"]`, `["m1","m2"]`, 1) // orbit.go writes members in any order
	must(e.Apply(t.Context(), plan(t, at(2).Group(k), model.ActionAdd, "m3")))
	second := stored()
	p := must(model.NewPlan(at(3).Group(k), model.Intent{Action: model.ActionRemap, Mappings: []model.Mapping{{Member: "m1", Partitions: []int{0, 1, 2, 3, 4, 5, 6}}, {Member: "m2", Partitions: []int{7}}}}))
	must(e.Apply(t.Context(), p))
	undo := func(revision uint64) {
		t.Helper()
		now := at(revision)
		in := must(now.Undo(now.Group(k)))
		must(e.Apply(t.Context(), must(model.NewPlan(now.Group(k), in))))
	}
	undo(4)
	if got := stored(); got != second {
		t.Errorf("%s, want %s", got, second)
	}
	undo(5)
	if got := stored(); got != first {
		t.Errorf("%s, want %s", got, first)
	}
	now := at(6)
	if in, err := now.Undo(now.Group(k)); err == nil {
		t.Errorf("undone once more: %+v", in)
	}
	must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionDrop, "m2")))
	must(oracle.AddMembers(t.Context(), js, "ORDERS", "cg", []string{"m7"}))
	now = until(t, e, "m7", func(s *model.Snapshot) bool { return s.Group(k).Member("m7") != nil && len(s.Applied) == 5 })
	if _, err := now.Undo(now.Group(k)); err == nil || !strings.Contains(err.Error(), "+m7") {
		t.Errorf("%v", err)
	}
	// Ours on top of theirs can be undone; what lies below theirs cannot.
	must(e.Apply(t.Context(), plan(t, now.Group(k), model.ActionAdd, "m8")))
	now = until(t, e, "m8", func(s *model.Snapshot) bool { return s.Group(k).Member("m8") != nil && len(s.Applied) == 6 })
	must(e.Apply(t.Context(), must(model.NewPlan(now.Group(k), must(now.Undo(now.Group(k)))))))
	now = until(t, e, "m8 gone", func(s *model.Snapshot) bool { return s.Group(k).Member("m8") == nil && len(s.Applied) == 7 })
	if _, err := now.Undo(now.Group(k)); err == nil || !strings.Contains(err.Error(), "+m7") {
		t.Errorf("%v", err)
	}
}

// Groups made and removed by plan: what is there is looked at first, collisions are
// refused before anything is written (ENG-02), and a changed group is not deleted.
func TestFounding(t *testing.T) {
	s := natstest.Start(t)
	_, js := client(t, s.ClientURL())
	k := elasticGroup(t, js, "m1")
	e := start(t, s.ClientURL())
	until(t, e, "live", live)
	config := model.Config{Partitions: 4, Filters: []model.Filter{{Subject: "orders.*", Wildcards: []int{1}}}, MaxBufferedMsgs: 10}
	if _, err := e.PlanCreation(t.Context(), k, config); err == nil || !strings.Contains(err.Error(), "a stream ORDERS-cg exists") {
		t.Errorf("%v", err)
	}
	if _, err := e.PlanCreation(t.Context(), model.Key{Kind: model.KindElastic, Stream: "NOPE", Group: "g"}, config); err == nil || !strings.Contains(err.Error(), "no stream NOPE") {
		t.Errorf("%v", err)
	}
	g := model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "new"}
	astray := model.Config{Partitions: 4, Filters: []model.Filter{{Subject: "oders.*", Wildcards: []int{1}}}}
	if _, err := e.PlanCreation(t.Context(), g, astray); err == nil || !strings.Contains(err.Error(), `"oders.*" matches no subject of stream ORDERS, which takes orders.*`) {
		t.Errorf("%v", err)
	}
	p := must(e.PlanCreation(t.Context(), g, config))
	must(e.Apply(t.Context(), p))
	work := must(js.Stream(t.Context(), "ORDERS-new")).CachedInfo().Config
	for i, tr := range p.Creation.Transforms {
		if made := work.Sources[0].SubjectTransforms[i]; made.Source != tr.From || made.Destination != tr.To {
			t.Errorf("made %+v, shown %+v", made, tr)
		}
	}
	if work.MaxMsgs != 10 || p.Creation.WorkStream != work.Name {
		t.Errorf("%+v", work)
	}
	now := until(t, e, "the new group", func(s *model.Snapshot) bool { return s.Group(g) != nil })
	del := must(e.PlanDeletion(t.Context(), g))
	if len(del.Deletion.Removed) != 2 || del.Revision != now.Group(g).Revision {
		t.Errorf("%+v", del.Deletion)
	}
	must(oracle.AddMembers(t.Context(), js, "ORDERS", "new", []string{"x"}))
	if _, err := e.Apply(t.Context(), del); !errors.Is(err, ErrChanged) {
		t.Errorf("%v", err)
	}
	must(e.Apply(t.Context(), must(e.PlanDeletion(t.Context(), g))))
	until(t, e, "the group gone", func(s *model.Snapshot) bool { return s.Group(g) == nil })
	if _, err := js.Stream(t.Context(), "ORDERS-new"); err == nil {
		t.Error("the work stream is still there")
	}
	// The same names, joined otherwise.
	must(js.CreateStream(t.Context(), config2("ORDERS-cg2")))
	must(e.Apply(t.Context(), must(e.PlanCreation(t.Context(), model.Key{Kind: model.KindElastic, Stream: "ORDERS", Group: "cg2-x"}, config))))
	if _, err := e.PlanCreation(t.Context(), model.Key{Kind: model.KindElastic, Stream: "ORDERS-cg2", Group: "x"}, config); err == nil || !strings.Contains(err.Error(), "ORDERS-cg2-x exists") {
		t.Errorf("%v", err)
	}
}

func config2(name string) jetstream.StreamConfig {
	return jetstream.StreamConfig{Name: name, Subjects: []string{"other.*"}}
}
