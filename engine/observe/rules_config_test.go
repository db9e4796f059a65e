package observe

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	orbit "github.com/synadia-io/orbit.go/pcgroups"

	"pcgtop/model"
)

// Configs that are wrong, and streams that do not fit them.
func TestRulesOfConfigs(t *testing.T) {
	w := newWard(t)
	w.put(model.KindElastic, "BAD.g", "{bad")
	w.put(model.KindElastic, "NOWORK.g", goodConfig)
	w.put(model.KindStatic, "NOSTREAM.g", goodConfig)
	w.everything()
	w.finds(elastic("BAD", "g"), "unreadable")
	w.finds(elastic("NOWORK", "g"), "no-work-stream", "NOWORK-g")
	w.finds(static("NOSTREAM", "g"), "no-stream")

	w.elastic("A", "B-C", 2, "m")
	w.put(model.KindElastic, "A-B.C", goodConfig)
	w.everything()
	w.finds(elastic("A-B", "C"), "not-our-stream", "belongs to another group")

	k := w.elastic("GONE", "g", 2, "m")
	if err := w.js.DeleteStream(t.Context(), "GONE"); err != nil {
		t.Fatal(err)
	}
	w.o.ReadNow()
	w.finds(k, "no-origin", "no origin GONE")
	w.fine()
}

// ENG-09: a config that was changed under its work stream.
func TestConfigDiffersFromWorkStream(t *testing.T) {
	w := newWard(t)
	ctx := t.Context()
	must(w.js.CreateStream(ctx, jetstream.StreamConfig{Name: "E", Subjects: []string{"a.*", "b.*"}, AllowDirect: true}))
	must(orbit.CreateElastic(ctx, w.js, "E", "g", 4, []orbit.PartitioningFilter{{Filter: "a.*", PartitioningWildcards: []int{1}}, {Filter: "b.*", PartitioningWildcards: []int{1}}}, -1, -1))
	must(orbit.AddMembers(ctx, w.js, "E", "g", []string{"m"}))
	for i := range 20 {
		must(w.js.Publish(ctx, fmt.Sprintf("a.%d", i), nil))
		must(w.js.Publish(ctx, fmt.Sprintf("b.%d", i), nil))
	}
	k := elastic("E", "g")
	w.look(k)
	w.r.until(t, "40 messages", func(s *model.Snapshot) bool { return counts(s.Group(k)) == 40 })
	if f := finding(w.r.now().Group(k), "config-differs"); f != nil {
		t.Errorf("%+v", f)
	}
	w.put(model.KindElastic, "E.g", `{"max_members":4,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	f := w.finds(k, "config-differs", "b.* is sourced and in no filter", "20 of 40 messages are out of every member's reach")
	if !strings.Contains(f.Hint, "running members will have stopped") || w.r.now().Group(k).Verdict != model.VerdictBroken {
		t.Errorf("%+v, %s", f, w.r.now().Group(k).Verdict)
	}
	w.put(model.KindElastic, "E.g", `{"max_members":8,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":[1]},{"filter":"b.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	w.finds(k, "config-differs", "a.* goes to {{Partition(4,1)}}", "0 of 40 messages")
	w.put(model.KindElastic, "E.g", `{"max_members":2,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":[1]},{"filter":"b.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	now, _ := w.r.until(t, "messages out of reach", func(s *model.Snapshot) bool {
		c := s.Group(k).Counts
		return len(s.Group(k).Partitions) == 2 && c != nil && c.Reach != nil && c.Reach.Beyond() > 0
	})
	if r := now.Group(k).Counts.Reach; r.Stored != 40 || r.Beyond() != 20 {
		t.Errorf("%+v: the tokens are 0 to 9, half of them go to partitions 2 and 3", r)
	}
	w.put(model.KindElastic, "E.g", `{"max_members":4,"partitioning_filters":[{"filter":"b.*","partitioning_wildcards":[1]},{"filter":"a.*","partitioning_wildcards":[1]}],"members":["m"]}`)
	w.r.until(t, "put back, in another order", func(s *model.Snapshot) bool { return !hasFinding(s.Group(k), "config-differs") })
	w.fine()
}

// ENG-11: static groups whose stream is stamped otherwise, or not at all.
func TestStampDiffers(t *testing.T) {
	w := newWard(t)
	balanced := func(stream string) string {
		return `{"max_members":4,"filters":["` + stream + `.*"],"members":["m1","m2"]}`
	}
	many := w.static("MANY", "{{partition(10,1)}}.S.{{wildcard(1)}}", balanced("MANY"))
	none := w.static("NONE", "", balanced("NONE"))
	last := w.static("LAST", "S.{{wildcard(1)}}.{{partition(4,1)}}", balanced("LAST"))
	right := w.static("RIGHT", "{{partition(4,1)}}.S.{{wildcard(1)}}", balanced("RIGHT"))
	stamped := static("STAMPED", "g")
	must(w.js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "STAMPED", Subjects: []string{"0.STAMPED.*", "1.STAMPED.*", "2.STAMPED.*", "3.STAMPED.*"}, AllowDirect: true}))
	w.put(model.KindStatic, "STAMPED.g", balanced("STAMPED"))
	for _, stream := range []string{"MANY", "NONE", "LAST", "RIGHT"} {
		w.publish(stream, 100)
	}
	for i := range 100 {
		must(w.js.Publish(t.Context(), fmt.Sprintf("%d.STAMPED.k%d", i%4, i), nil))
	}
	out := 0
	for i := range 100 {
		if p, _ := (model.Transform{From: "MANY.*", To: "{{partition(10,1)}}.x"}).Partition(fmt.Sprintf("MANY.k%d", i)); p > 3 {
			out++
		}
	}
	for k, texts := range map[model.Key][]string{
		many: {"stream makes 10 partitions, group covers 0-3", fmt.Sprintf("%d of 100 messages out of reach", out)},
		none: {"stamps no partition", "100 of 100 messages out of reach"},
		last: {"puts the partition in token 3", "100 of 100 messages out of reach"},
	} {
		w.look(k)
		f := w.finds(k, "stamp-differs", texts...)
		if f.Severity != model.Critical || w.r.now().Group(k).Verdict != model.VerdictBroken {
			t.Errorf("%s: %+v, %s", k, f, w.r.now().Group(k).Verdict)
		}
	}
	for _, k := range []model.Key{right, stamped} {
		w.look(k)
		w.r.until(t, "counted "+k.String(), func(s *model.Snapshot) bool { return counts(s.Group(k)) == 100 })
		if f := finding(w.r.now().Group(k), "stamp-differs"); f != nil {
			t.Errorf("%s: %+v", k, f)
		}
	}
	w.fine()
}
