package observe

import (
	"strings"
	"testing"
	"time"

	"pcgtop/model"
)

// Members and consumers that are not as they should be.
func TestRulesOfMembers(t *testing.T) {
	t.Parallel()
	w := newWard(t)
	ctx := t.Context()
	// ENG-07: names that no consumer can have, written past every check.
	names := w.elastic("NAMES", "g", 4, "ok")
	w.put(model.KindElastic, "NAMES.g", `{"max_members":4,"partitioning_filters":[{"filter":"NAMES.*","partitioning_wildcards":[1]}],"members":["bad name","dot.ted","ok","`+strings.Repeat("x", 300)+`"]}`)
	// ENG-12: more members than partitions.
	crowd := w.elastic("CROWD", "g", 2, "a", "b", "c")
	nobody := w.elastic("NOBODY", "g", 4)
	w.publish("NOBODY", 8)
	filters := w.elastic("FILTERS", "g", 4, "m1", "m2")
	w.consumer("FILTERS-g", "m1", "FILTERS.*", 200*time.Millisecond, 0)
	w.consumer("FILTERS-g", "m2", "FILTERS.*", 200*time.Millisecond, 2, 3)
	w.consumer("FILTERS-g", "stranger", "FILTERS.*", 5*time.Second, 7)
	pause := w.elastic("PAUSE", "g", 2, "m1")
	w.consumer("PAUSE-g", "m1", "PAUSE.*", time.Second, 0, 1)
	must(w.js.PauseConsumer(ctx, "PAUSE-g", "m1", time.Now().Add(time.Hour)))
	idle := w.elastic("IDLE", "g", 2, "m1")
	w.consumer("IDLE-g", "m1", "IDLE.*", 5*time.Second, 0, 1)
	gaps := w.static("GAPS", "{{partition(4,1)}}.S.{{wildcard(1)}}", `{"max_members":4,"member_mappings":[{"member":"m1","partitions":[0,1]},{"member":"m2","partitions":[2]}]}`)
	w.everything()

	w.finds(names, "cannot-run", `"bad name": it holds ' '`)
	w.finds(names, "unowned", "3 partitions unowned: 0-1,3")
	w.finds(crowd, "no-partition", "no partition for c (3 members, 2 partitions)")
	w.r.until(t, "c stands by", func(s *model.Snapshot) bool {
		return s.Group(crowd).Member("c").Why == "standby, no partition (3 members, 2 partitions)"
	})
	w.finds(crowd, "absent", "a never seen: it owns 1 partition (0)")
	w.finds(nobody, "unowned", "no members")
	w.look(nobody)
	w.finds(nobody, "unowned", "8 messages wait there")
	w.everything()
	w.finds(filters, "filters-differ", "m1 consumes partitions 0, and owns 0-1")
	if f := w.r.now().Group(filters); f.Verdict != model.VerdictBroken {
		t.Errorf("%s", f.Verdict)
	}
	for _, f := range w.r.now().Group(filters).Findings {
		if f.ID == "filters-differ" && f.Member != "m1" {
			t.Errorf("%+v", f)
		}
	}
	w.finds(filters, "foreign", "stranger is no member")
	w.finds(pause, "paused", "m1 is paused for")
	w.finds(pause, "ack-wait-short", "ack wait of 1s")
	w.finds(idle, "no-pull", "m1 has a consumer but nobody pulls")
	w.finds(gaps, "partial-mapping")
	w.finds(gaps, "unowned", "1 partition unowned: 3")
	w.put(model.KindStatic, "GAPS.a-b", `{"max_members":4,"filters":["GAPS.*"],"members":["c"]}`)
	w.put(model.KindStatic, "GAPS.a", `{"max_members":4,"filters":["GAPS.*"],"members":["b-c","z"]}`)
	w.consumer("GAPS", "a-b-c", "GAPS.*", 5*time.Second, 0, 1, 2, 3)
	w.finds(static("GAPS", "a"), "collision", "belongs to another group: GAPS/a-b")
	w.fine()
}
