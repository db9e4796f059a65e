package parti

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// Whatever is put into the partition source, it stays the source, and what is wrong with it
// is said: to who saw it before, and to who comes then.
func TestSourceAmiss(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4), Source: true})
	k := group("parti", "worker")
	const source = "source parti-source/partitions"
	kind := New("")
	w := observed(t, nc, kind)
	w.until(t, k, "the source", func(g *model.Group) bool { return says(g.Facts, source) && found(g, "source") == nil })
	for value, problem := range map[string]string{
		"garbage":                  "unreadable: not a JSON list",
		"{}":                       "unreadable: not a JSON list",
		"":                         "unreadable: not a JSON list",
		"[]":                       "has no partition in it",
		`[{"keys":["elsewhere"]}]`: "has nothing of what is assigned",
	} {
		if _, err := f.Bucket(standin.Source).Put(t.Context(), standin.SourceKey, []byte(value)); err != nil {
			t.Fatal(err)
		}
		amiss := func(g *model.Group) bool {
			s := found(g, "source")
			return s != nil && strings.Contains(s.Text, problem) && strings.Contains(s.Text, "parti-source/partitions") && says(g.Facts, source)
		}
		w.until(t, k, problem, amiss)
		observed(t, nc, New("")).until(t, k, problem+", from the start", amiss)
	}
	if err := f.Bucket(standin.Source).Purge(t.Context(), standin.SourceKey); err != nil {
		t.Fatal(err)
	}
	gone := func(why string) func(g *model.Group) bool {
		return func(g *model.Group) bool {
			_, err := kind.Source(k)
			return found(g, "source") != nil && found(g, "source").Text == why && err != nil && strings.HasSuffix(err.Error(), why)
		}
	}
	w.until(t, k, "no key", gone("the partition source parti-source/partitions is gone: the key is not there"))
	if err := js.DeleteKeyValue(t.Context(), "parti-source"); err != nil {
		t.Fatal(err)
	}
	w.until(t, k, "no bucket", gone("the partition source parti-source/partitions is gone with its bucket"))
}

// A source that only what is in it told stays one too, when that is no use any more.
func TestSourceStays(t *testing.T) {
	nc, js := serve(t)
	play(t, js, standin.Options{Workers: 2, Partitions: keys(2)})
	kv, err := js.CreateKeyValue(t.Context(), bucketConfig("parti-jobs"))
	if err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New(""))
	for value, problem := range map[string]string{"garbage": "unreadable", `[{"keys":["elsewhere"]}]`: "has nothing of what is assigned"} {
		if _, err := kv.PutString(t.Context(), "all", `[{"keys":["eu","0"]},{"keys":["eu","1"]}]`); err != nil {
			t.Fatal(err)
		}
		w.until(t, group("parti", "worker"), "the source", func(g *model.Group) bool {
			return says(g.Facts, "source parti-jobs/all") && found(g, "source") == nil
		})
		if _, err := kv.PutString(t.Context(), "all", value); err != nil {
			t.Fatal(err)
		}
		w.until(t, group("parti", "worker"), problem, func(g *model.Group) bool {
			s := found(g, "source")
			return s != nil && strings.Contains(s.Text, "parti-jobs/all") && strings.Contains(s.Text, problem) && says(g.Facts, "source parti-jobs/all")
		})
	}
}

// A commit that was never readable tells nothing: neither that nothing is assigned, nor who
// waits, nor what is parked.
func TestUnreadableFromTheStart(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4), Source: true})
	if _, err := f.Bucket(standin.Assignments).Put(t.Context(), keyCommit, []byte("x")); err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New(""))
	g, _ := w.until(t, group("parti", "worker"), "an unreadable commit", func(g *model.Group) bool { // and the source
		return found(g, "unreadable") != nil && len(g.Members) == 2 && note(g, "eu.0") != ""
	})
	if !says(g.Facts, "what is assigned is not known") || !says(g.Facts, "inferred: not to be told without the assignment") || says(g.Facts, "nothing is assigned") {
		t.Errorf("%q", g.Facts)
	}
	if m := g.Members[0]; m.State != stateAlive || !m.Live || !strings.Contains(m.Why, "the commit is unreadable") {
		t.Errorf("%+v", m)
	}
	if n := note(g, "eu.0"); n != "the commit is unreadable" {
		t.Errorf("%q", n)
	}
	for _, p := range g.Partitions {
		if p.Whose() != "unknown" || g.StateOf(p) != model.StateUnknown {
			t.Errorf("%+v", p)
		}
	}
	if hint := found(g, "unreadable").Hint; strings.Contains(hint, "before") || found(g, "parked") != nil || found(g, "orphans") != nil {
		t.Errorf("%+v", g.Findings)
	}
}

// Where one worker's part of the assignment is missing, whose the partitions are that nobody
// else has is not known; they are neither parked nor nobody's, and their durables no orphans.
func TestPayloadMissingFromTheStart(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4), Source: true, Stream: "JOBS"})
	entry, err := f.Bucket(standin.Assignments).Get(t.Context(), keyCommit)
	if err != nil {
		t.Fatal(err)
	}
	c, _, err := decodeCommit(entry.Value())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Bucket(standin.Assignments).Purge(t.Context(), c.Payloads["worker-1"].key()); err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New(""))
	k := group("parti", "worker")
	w.until(t, k, "everything", func(g *model.Group) bool { return w.live() && g.Reads == "JOBS" && !g.ReadAt.IsZero() })
	g := w.group(k)
	unknown := 0
	for _, p := range g.Partitions {
		switch p.Whose() {
		case "unknown":
			unknown++
			if p.Told().Note != "the assignment of worker-1 is not there or unreadable" {
				t.Errorf("%+v", p)
			}
		case "nobody":
			t.Errorf("%+v", p)
		}
	}
	if unknown != 2 || found(g, "parked") != nil || found(g, "orphans") != nil || found(g, "payload") == nil {
		t.Errorf("%d unknown, %+v", unknown, g.Findings)
	}
}

// Without rights on the assignments it is the same.
func TestAssignmentsRefused(t *testing.T) {
	d := newDeployment()
	d.buckets["hearts"] = bucket{place: place{bucket: "hearts", role: roleHeartbeat}, exists: true}
	d.buckets["shares"] = bucket{place: place{bucket: "shares", role: roleAssignment}, exists: true, refused: "no right"}
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	d.state.heartbeats["worker-0"] = record[heartbeat]{revision: 1, at: at}
	told := d.Tell(&model.Stream{}, at)
	if !says(told.Facts, "what is assigned is not known") || told.Members[0].State != stateAlive || !strings.Contains(told.Members[0].Why, "cannot be read") {
		t.Errorf("%+v", told)
	}
}

// When the bucket of heartbeats goes, that is the first thing said, and nobody counts as gone.
func TestHeartbeatsGone(t *testing.T) {
	nc, js := serve(t)
	play(t, js, standin.Options{Workers: 2, Partitions: keys(4)})
	k := group("parti", "worker")
	w := observed(t, nc, New(""))
	w.until(t, k, "two stable workers", func(g *model.Group) bool { return len(g.Members) == 2 && says(g.Facts, "inferred: stable") })
	if err := js.DeleteKeyValue(t.Context(), "parti-heartbeat"); err != nil {
		t.Fatal(err)
	}
	check := func(what, text string, w *watch) {
		t.Helper()
		g, _ := w.until(t, k, what, func(g *model.Group) bool { return found(g, "bucket-gone") != nil && len(g.Members) == 2 })
		if g.Findings[0].Text != text || found(g, "nobody") != nil || found(g, "expired") != nil || g.Verdict != model.VerdictDegraded {
			t.Errorf("%s: %s %+v", what, g.Verdict, g.Findings)
		}
		if m := g.Members[1]; m.State != stateUnheard || !m.Live || !strings.Contains(m.Why, "there is no bucket of heartbeats") {
			t.Errorf("%s: %+v", what, m)
		}
	}
	check("a bucket gone", "the bucket parti-heartbeat is gone", w)
	check("a bucket that never was", "no bucket of heartbeats is found", observed(t, nc, New("")))
}

// A group is called by what most of its workers are, whatever else is there at the start.
func TestNameOfMost(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 1, Partitions: keys(4)})
	for _, key := range []string{"heartbeat.a/b", "heartbeat.a-7", "heartbeat.zebra-7"} {
		if _, err := f.Bucket(standin.Heartbeats).Put(t.Context(), key, []byte("x")); err != nil {
			t.Fatal(err)
		}
	}
	observed(t, nc, New("")).until(t, group("parti", "worker"), "all that beat", func(g *model.Group) bool { return len(g.Members) == 4 })
}

// A version that cannot be is told as it is, and as a finding.
func TestVersionBelowOne(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4)})
	entry, err := f.Bucket(standin.Assignments).Get(t.Context(), keyCommit)
	if err != nil {
		t.Fatal(err)
	}
	odd := strings.Replace(string(entry.Value()), `"version":1,`, `"version":-4,`, 1)
	if _, err := f.Bucket(standin.Assignments).Put(t.Context(), keyCommit, []byte(odd)); err != nil {
		t.Fatal(err)
	}
	g, _ := observed(t, nc, New("")).until(t, group("parti", "worker"), "version -4", func(g *model.Group) bool { return found(g, "version") != nil })
	if !slices.Contains(g.Facts, "version -4") || says(g.Facts, "nothing is assigned") || len(g.Partitions) != 4 {
		t.Errorf("%q", g.Facts)
	}
}

// The source that was found stays the source over a lost connection, whatever is in it then.
func TestSourceStaysOverReconnect(t *testing.T) {
	nc, js := serve(t)
	play(t, js, standin.Options{Workers: 2, Partitions: keys(2)})
	kv, err := js.CreateKeyValue(t.Context(), bucketConfig("parti-jobs"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), "all", `[{"keys":["eu","0"]},{"keys":["eu","1"]}]`); err != nil {
		t.Fatal(err)
	}
	k := group("parti", "worker")
	w := observed(t, connect(t, nc.ConnectedUrl()), New(""))
	w.until(t, k, "the source", func(g *model.Group) bool {
		return slices.ContainsFunc(g.Facts, func(f string) bool {
			return strings.HasPrefix(f, "source parti-jobs/all at revision 1 (has 2 of the 2 partitions")
		})
	})
	if _, err := kv.PutString(t.Context(), "all", "garbage"); err != nil {
		t.Fatal(err)
	}
	unreadable := func(g *model.Group) bool {
		return found(g, "source") != nil && says(g.Facts, "source parti-jobs/all at revision 2")
	}
	w.until(t, k, "garbage", unreadable)
	w.reconnect(t)
	if g := w.group(k); g == nil || !unreadable(g) {
		t.Errorf("after a reconnect: %+v", g)
	}
}

// A bucket that is called so is taken for the source's though it is unreadable, and another
// has what is assigned.
func TestSourceUnreadableFromTheStart(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(2), Source: true})
	kv, err := js.CreateKeyValue(t.Context(), bucketConfig("parti-backup"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kv.PutString(t.Context(), "list", `[{"keys":["eu","0"]},{"keys":["eu","1"]}]`); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Bucket(standin.Source).Put(t.Context(), standin.SourceKey, []byte("garbage")); err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New(""))
	w.until(t, group("parti", "worker"), "everything", func(*model.Group) bool { return w.live() })
	g := w.group(group("parti", "worker"))
	if s := found(g, "source"); s == nil || !strings.Contains(s.Text, "parti-source/partitions is unreadable") || !says(g.Facts, "source parti-source/partitions") || slices.Contains(g.Actions, model.ActionEditSource) {
		t.Errorf("%q %+v", g.Facts, g.Findings)
	}
}

// Where only what is in it tells the source, it is said by what it was chosen, and what else
// it could have been: on the screen, and before it is edited.
func TestSourceIsChosen(t *testing.T) {
	nc, js := serve(t)
	play(t, js, standin.Options{Workers: 2, Partitions: keys(2)})
	for bucket, value := range map[string]string{"parti-backup": `[{"keys":["eu","0"]},{"keys":["us","7"]}]`, "parti-jobs": "garbage"} {
		kv, err := js.CreateKeyValue(t.Context(), bucketConfig(bucket))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kv.PutString(t.Context(), "all", value); err != nil {
			t.Fatal(err)
		}
	}
	const why = "has 1 of the 2 partitions that are assigned; parti-jobs/all could be the source too and cannot be read as one"
	k, kind := group("parti", "worker"), New("")
	observed(t, nc, kind).until(t, k, why, func(g *model.Group) bool {
		c := found(g, "source-choice")
		return c != nil && c.Text == "parti-backup/all is taken for the partition source: "+why && says(g.Facts, "source parti-backup/all at revision 1 ("+why+")")
	})
	p, err := kind.Plan(k, model.Intent{Action: model.ActionEditSource, Edits: []string{"+eu.9"}})
	if err != nil || !slices.Contains(p.Edit.Notes, "it is taken for the partition source: "+why) {
		t.Errorf("%+v %v", p, err)
	}
}

// Nothing is the source for good while another bucket that may have more was not read.
func TestSourceWaitsForAll(t *testing.T) {
	d := newDeployment()
	at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
	list := []Partition{{Keys: []string{"a"}}, {Keys: []string{"b"}}}
	d.state.aliases["worker-0"] = record[assignment]{value: assignment{Version: 1, Partitions: list}, revision: 1, at: at}
	d.state.stale = true
	early, late := sourceAt{"parti-a", "all"}, sourceAt{"parti-b", "all"}
	for _, p := range []sourceAt{early, late} {
		d.mark(place{bucket: p.bucket, stem: "parti", role: roleSource}, p == early)
	}
	d.state.sources[early] = record[[]Partition]{value: list[:1], revision: 1, at: at}
	if told := d.Tell(&model.Stream{}, at); !says(told.Facts, "source parti-a/all") || d.source() != (sourceAt{}) {
		t.Errorf("%q, for good: %v", told.Facts, d.source())
	}
	d.state.sources[late] = record[[]Partition]{value: list, revision: 1, at: at}
	d.mark(place{bucket: late.bucket, stem: "parti", role: roleSource}, true)
	if told := d.Tell(&model.Stream{}, at); !says(told.Facts, "source parti-b/all") || d.source() != late {
		t.Errorf("%q, for good: %v", told.Facts, d.source())
	}
}
