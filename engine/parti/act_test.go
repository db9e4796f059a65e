package parti

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/observe"
	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// The source is edited against a revision, and the deployment takes it up.
func TestEditSource(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4), Source: true})
	k, kind := group("parti", "worker"), New("")
	w := observed(t, nc, kind)
	w.until(t, k, "the source", func(g *model.Group) bool { return slices.Contains(g.Actions, model.ActionEditSource) })
	s, err := kind.Source(k)
	if err != nil || s.Bucket != "parti-source" || s.Key != standin.SourceKey || len(s.Partitions) != 4 {
		t.Fatalf("%+v %v", s, err)
	}
	edits := []Edit{{Kind: EditRemove, Keys: []string{"eu", "0"}}, {Kind: EditAdd, Keys: []string{"us", "1"}, Weight: 5}}
	plan, err := s.Plan(edits)
	if err != nil || plan.Removes != 1 || !plan.Packed {
		t.Fatalf("%+v %v", plan, err)
	}
	writer := kind.Writer(js)
	done, revision, err := writer.EditSource(t.Context(), k, s.Revision, edits)
	if err != nil || revision <= s.Revision || !slices.Equal(done.Lines, plan.Lines) {
		t.Fatalf("%d %+v %v", revision, done, err)
	}
	g, _ := w.until(t, k, "the new source", func(g *model.Group) bool { return found(g, "source-pending") != nil })
	if note(g, "us.1") != "pending: not assigned yet" {
		t.Errorf("%+v", g.Partitions)
	}
	if _, _, err := writer.EditSource(t.Context(), k, s.Revision, edits); !errors.Is(err, observe.ErrChanged) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("at an old revision: %v", err)
	}
	if _, _, err := writer.EditSource(t.Context(), k, revision, edits); !errors.Is(err, model.ErrRefused) {
		t.Errorf("a second time: %v", err)
	}
	entry, err := f.Bucket(standin.Source).Get(t.Context(), standin.SourceKey)
	if err != nil || entry.Revision() != revision || !gzipped(entry.Value()) {
		t.Errorf("%v %v", entry, err)
	}
	if _, _, err := writer.EditSource(t.Context(), group("parti", "other"), 1, edits); err == nil {
		t.Error("a group that is not known is edited")
	}
}

// racing is a bucket that somebody else writes to after every read, or that never answers a
// write it has made.
type racing struct {
	jetstream.KeyValue
	mute bool
}

func (r racing) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if r.mute {
		if _, err := r.KeyValue.Update(ctx, key, value, revision); err != nil {
			return 0, err
		}
		return 0, context.DeadlineExceeded
	}
	if _, err := r.Put(ctx, key, []byte(`[{"keys":["other"]}]`)); err != nil {
		return 0, err
	}
	return r.KeyValue.Update(ctx, key, value, revision)
}

func TestEditSourceRaces(t *testing.T) {
	_, js := serve(t)
	kv, err := js.CreateKeyValue(t.Context(), bucketConfig("s"))
	if err != nil {
		t.Fatal(err)
	}
	revision, err := kv.Put(t.Context(), "k", []byte(`[{"keys":["a"]}]`))
	if err != nil {
		t.Fatal(err)
	}
	edits := []Edit{{Kind: EditAdd, Keys: []string{"b"}}}
	_, written, err := editSource(t.Context(), racing{kv, true}, "k", revision, edits)
	if err != nil || written != revision+1 {
		t.Errorf("written and not answered: %d %v", written, err)
	}
	if _, _, err = editSource(t.Context(), racing{kv, false}, "k", written, []Edit{{Kind: EditRemove, Keys: []string{"b"}}}); !errors.Is(err, observe.ErrChanged) {
		t.Errorf("somebody else wrote: %v", err)
	}
	if now, err := kv.Get(t.Context(), "k"); err != nil || string(now.Value()) != `[{"keys":["other"]}]` {
		t.Errorf("%v %v", now, err)
	}
}

// A stable id is removed only when its worker is gone and its time is over.
func TestRemoveStaleID(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4)})
	k, kind := group("parti", "worker"), New("")
	w := observed(t, nc, kind)
	w.until(t, k, "version 1", func(g *model.Group) bool { return g.Revision == 1 })
	ids := f.Bucket(standin.IDs)
	revision, err := ids.Put(t.Context(), "worker-9", []byte("2026-11-29T10:00:00Z"))
	if err != nil {
		t.Fatal(err)
	}
	w.until(t, k, "an id that waits for its worker", func(g *model.Group) bool {
		return g.Member("worker-9") != nil && g.Member("worker-9").State == stateClaimed
	})
	writer := kind.Writer(js)
	for worker, why := range map[string]string{
		"worker-9": "was renewed", "worker-0": "worker-0 leads", "worker-1": "has a heartbeat", "worker-7": "gone already", "leader": "is no stable id",
	} {
		if err := writer.RemoveStaleID(t.Context(), k, worker, revision); !errors.Is(err, model.ErrRefused) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", worker, err)
		}
	}
	// By a clock that is ahead its time is over.
	later := time.Now().Add(2 * time.Minute)
	if err := removeID(t.Context(), ids, "worker-9", revision+1, ttlID2, later); !errors.Is(err, observe.ErrChanged) {
		t.Errorf("at another revision: %v", err)
	}
	if err := removeID(t.Context(), ids, "worker-9", revision, ttlID2, later); err != nil {
		t.Error(err)
	}
	if _, err := ids.Get(t.Context(), "worker-9"); !errors.Is(err, jetstream.ErrKeyNotFound) {
		t.Errorf("it is still there: %v", err)
	}
	w.until(t, k, "the worker gone", func(g *model.Group) bool { return g.Member("worker-9") == nil })
}

// A stale id is told, and offered for removal.
func TestTellsStaleID(t *testing.T) {
	d := newDeployment()
	d.buckets["ids"] = bucket{place: place{bucket: "ids", role: roleIDs}, exists: true}
	d.buckets["beats"] = bucket{place: place{bucket: "beats", role: roleHeartbeat}, exists: true}
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	d.state.ids["worker-3"] = record[struct{}]{revision: 4, at: at}
	if told := d.Tell(&model.Stream{}, at.Add(ttlID2)); len(told.Actions) != 0 || told.Members[0].State != stateClaimed {
		t.Errorf("%+v", told)
	}
	told := d.Tell(&model.Stream{}, at.Add(ttlID2+staleGrace+time.Second))
	if !slices.Equal(told.Actions, []model.Action{model.ActionRemoveID}) || told.Members[0].State != stateStale || len(told.Findings) != 1 || told.Findings[0].ID != "stale-id" {
		t.Errorf("%+v", told)
	}
	kind := New("")
	kind.open[group("parti", "x")] = d
	d.ahead = time.Until(at.Add(5 * time.Minute))
	list, err := kind.StaleIDs(group("parti", "x"))
	if err != nil || len(list) != 1 || list[0].Worker != "worker-3" || list[0].Revision != 4 || list[0].Age < 4*time.Minute {
		t.Errorf("%+v %v", list, err)
	}
}
