package parti

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// A rebalance is followed version by version. Until all of a version is there, the last
// complete one is shown, and at no time are there two owners, or none.
func TestRebalance(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 3, Partitions: keys(9)})
	k := group("parti", "worker")
	w := observed(t, nc, New(""))
	w.until(t, k, "version 1", func(g *model.Group) bool { return says(g.Facts, "version 1") && says(g.Facts, "inferred: stable") })

	if err := f.Join(t.Context(), "worker-3"); err != nil {
		t.Fatal(err)
	}
	w.until(t, k, "a worker that waits", func(g *model.Group) bool {
		m := g.Member("worker-3")
		return m != nil && m.State == stateWaiting && m.Live && says(g.Facts, "inferred: scaling")
	})
	p := f.Plan("planned_scale")
	if err := p.Payloads(t.Context(), "worker-0", "worker-3"); err != nil {
		t.Fatal(err)
	}
	if err := p.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, _ := w.until(t, k, "a version in progress", func(g *model.Group) bool { return says(g.Facts, "version 1, 2 in progress") })
	if g.Revision != 1 || g.Partitions[3].Owner != "worker-0" || found(g, "payload") == nil || found(g, "payload").Severity != model.Info {
		t.Errorf("revision %d, %+v, %+v", g.Revision, g.Partitions[3], g.Findings)
	}
	if err := p.Payloads(t.Context()); err != nil {
		t.Fatal(err)
	}
	g, _ = w.until(t, k, "version 2, not applied", func(g *model.Group) bool { return g.Revision == 2 })
	if g.Partitions[3].Owner != "worker-3" || g.Partitions[3].Told().Note != "in progress: worker-0 ▸ worker-3" || !says(g.Facts, "planned scale") {
		t.Errorf("%+v %q", g.Partitions[3], g.Facts)
	}
	if m := g.Member("worker-0"); m.State != stateLagging || !says(m.Facts, "applied: 1 of 2") || !strings.HasPrefix(m.Why, "inferred: ") {
		t.Errorf("%+v", m)
	}
	if err := f.Apply(t.Context(), f.Workers()...); err != nil {
		t.Fatal(err)
	}
	g, _ = w.until(t, k, "version 2, applied", func(g *model.Group) bool { return says(g.Facts, "inferred: stable") })
	if g.Partitions[3].Told().Note != "" || len(g.Findings) > 0 {
		t.Errorf("%q %+v", g.Partitions[3].Told().Note, g.Findings)
	}
	w.onlyOwners(t, k, 9)
	if !slices.ContainsFunc(w.snapshot.Events, func(e model.Event) bool {
		return e.Text == "version 2, planned scale: 7 partitions moved" || strings.HasPrefix(e.Text, "version 2, planned scale: ")
	}) {
		t.Errorf("%+v", w.snapshot.Events)
	}
}

// onlyOwners looks at all that was ever shown: each partition was there once, and owned.
func (w *watch) onlyOwners(t *testing.T, k model.Key, partitions int) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.history {
		g := s.Group(k)
		if g == nil || len(g.Partitions) == 0 {
			continue
		}
		owned := map[string]int{}
		for _, p := range g.Partitions {
			if p.Owned() {
				owned[p.ID()]++
			}
		}
		for _, n := range owned {
			if n != 1 || len(owned) != partitions {
				t.Fatalf("at %q: owned %v", g.Facts, owned)
			}
		}
	}
}

// The legacy copies of a version that was never committed do not count.
func TestAbortedCommit(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(6)})
	f.Kill("worker-1")
	p := f.Plan("emergency")
	if err := p.Payloads(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.Aliases(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New(""))
	g, _ := w.until(t, group("parti", "worker"), "the aborted commit", func(g *model.Group) bool { return found(g, "alias-ahead") != nil })
	if g.Revision != 1 || g.Partitions[1].Owner != "worker-1" || found(g, "alias-ahead").Severity != model.Info || !strings.Contains(found(g, "alias-ahead").Text, "assignment.worker-0 at 2") {
		t.Errorf("revision %d, %+v, %+v", g.Revision, g.Partitions[1], g.Findings)
	}
	w.onlyOwners(t, group("parti", "worker"), 6)
}

// An expired heartbeat is seen within a second, though the server sends nothing.
func TestExpires(t *testing.T) {
	nc, js := serve(t)
	const ttl = 3 * time.Second
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(6), HeartbeatTTL: ttl})
	k := group("parti", "worker")
	w := observed(t, nc, New(""))
	w.until(t, k, "two stable workers", func(g *model.Group) bool {
		return len(g.Members) == 2 && g.Members[0].State == stateStable && g.Members[1].State == stateStable
	})
	f.Kill("worker-1")
	entry, err := f.Bucket(standin.Heartbeats).Get(t.Context(), "heartbeat.worker-1")
	if err != nil {
		t.Fatal(err)
	}
	g, _ := w.until(t, k, "an expired heartbeat", func(g *model.Group) bool { return g.Member("worker-1").State == stateExpired })
	late := time.Since(entry.Created().Add(ttl))
	t.Logf("seen %s after it expired", late.Round(time.Millisecond))
	if late < 0 || late > time.Second && !raced {
		t.Errorf("seen %s after it expired", late)
	}
	e := found(g, "expired")
	if e == nil || e.Member != "worker-1" || !strings.Contains(e.Text, "owns 3 partitions") || g.Verdict != model.VerdictDegraded || g.Member("worker-1").Live {
		t.Errorf("%s %+v", g.Verdict, g.Findings)
	}
	// The server has removed the key meanwhile, or will: nothing changes by that.
	w.until(t, k, "worker-1 without a heartbeat", func(g *model.Group) bool { return !says(g.Member("worker-1").Facts, "heartbeat") })
	if m := w.snapshot.Group(k).Member("worker-1"); m.State != stateExpired {
		t.Errorf("%+v", m)
	}
	f.Kill("worker-0")
	w.until(t, k, "nobody", func(g *model.Group) bool { return found(g, "nobody") != nil && g.Verdict == model.VerdictBroken })
	w.until(t, k, "no leader", func(g *model.Group) bool { return found(g, "no-leader") != nil && says(g.Facts, "no leader") })
}

// Claims have a slash in their keys. Two partitions can have the same id there.
func TestHandoffs(t *testing.T) {
	nc, js := serve(t)
	parts := []standin.Partition{{Keys: []string{"a-b", "c"}}, {Keys: []string{"a", "b-c"}}, {Keys: []string{"d"}}}
	f := play(t, js, standin.Options{Workers: 2, Partitions: parts})
	k := group("parti", "worker")
	w := observed(t, nc, New(""))
	w.until(t, k, "version 1", func(g *model.Group) bool { return len(g.Partitions) == 3 })
	for _, c := range []struct {
		id, owner, pending, state string
		ttl                       time.Duration
	}{{"d", "worker-0", "", "stable", time.Second}, {"a-b-c", "worker-2", "worker-1", "prepare", time.Minute}} {
		if err := f.Claim(t.Context(), c.id, c.owner, c.pending, c.state, c.ttl); err != nil {
			t.Fatal(err)
		}
	}
	g, _ := w.until(t, k, "a handoff", func(g *model.Group) bool { return says(g.Facts, "1 handoff") })
	if n := note(g, "a.b-c"); n != "handoff: prepare, worker-2 ▸ worker-1" {
		t.Errorf("%q", n)
	}
	if note(g, "a-b.c") != "" || note(g, "d") != "" || !says(g.Facts, "inferred: rebalancing") || found(g, "handoff-stuck") != nil {
		t.Errorf("%q %q %q", note(g, "a-b.c"), note(g, "d"), g.Facts)
	}
	if err := f.Claim(t.Context(), "a-b-c", "worker-2", "worker-1", "commit", time.Second); err != nil {
		t.Fatal(err)
	}
	g, _ = w.until(t, k, "a stuck handoff", func(g *model.Group) bool { return found(g, "handoff-stuck") != nil })
	if g.Verdict != model.VerdictDegraded || !strings.HasPrefix(note(g, "a.b-c"), "handoff: commit, worker-2 ▸ worker-1, stuck for ") {
		t.Errorf("%s %q", g.Verdict, note(g, "a.b-c"))
	}
}

// Partitions wait in the source until the leader takes them up, and are parked when no
// worker has their label. Durables of those that are no more are told.
func TestSource(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4), Source: true, Stream: "JOBS", Labels: map[string]string{"worker-1": "gpu"}})
	k := group("parti", "worker")
	w := observed(t, nc, New(""))
	w.until(t, k, "version 1 and its durables", func(g *model.Group) bool { return g.Reads == "JOBS" && len(g.Partitions) == 4 && g.Counted() })
	next := append(keys(5)[1:], standin.Partition{Keys: []string{"x"}, Label: "tpu"}, standin.Partition{Keys: []string{"y"}, Label: "gpu", Weight: 9})
	if err := f.PutSource(t.Context(), next); err != nil {
		t.Fatal(err)
	}
	g, _ := w.until(t, k, "a pending source", func(g *model.Group) bool { return found(g, "source-pending") != nil })
	if note(g, "eu.4") != "pending: not assigned yet" || note(g, "eu.0") != "pending: leaves with the next version" || note(g, "eu.1") != "" || found(g, "source-pending").Severity != model.Info {
		t.Errorf("%+v %+v", g.Partitions, g.Findings)
	}
	if err := f.Rebalance(t.Context(), "planned_scale"); err != nil {
		t.Fatal(err)
	}
	g, _ = w.until(t, k, "version 2", func(g *model.Group) bool { return g.Revision == 2 && found(g, "orphans") != nil })
	if p := found(g, "parked"); p == nil || p.Text != "1 partition parked: nobody works on them (x)" || note(g, "x") != "parked" || found(g, "source-pending") != nil {
		t.Errorf("%+v", g.Findings)
	}
	if o := found(g, "orphans"); o.Severity != model.Info || !strings.Contains(o.Text, "1 durable of no partition or worker: "+f.Durable("eu.0")) {
		t.Errorf("%+v", o)
	}
	last := g.Partitions[len(g.Partitions)-1]
	if last.ID() != "y" || last.Owner != "worker-1" || last.Told().Label != "gpu" || last.Told().Weight != 9 || !says(g.Member("worker-1").Facts, "labels: gpu") {
		t.Errorf("%+v %q", last, g.Member("worker-1").Facts)
	}
}

// While version 1 stores a version worker by worker, the newer one owns what both have.
func TestMixedVersions(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Version: 1, Workers: 2, Partitions: keys(6)})
	k := group("parti", "worker")
	w := observed(t, nc, New(""))
	w.until(t, k, "version 1", func(g *model.Group) bool { return g.Revision == 1 })
	if err := f.Join(t.Context(), "worker-2"); err != nil {
		t.Fatal(err)
	}
	p := f.Plan("planned_scale")
	if err := p.Aliases(t.Context(), "worker-0", "worker-2"); err != nil {
		t.Fatal(err)
	}
	g, _ := w.until(t, k, "mixed versions", func(g *model.Group) bool {
		return found(g, "mixed") != nil && g.Member("worker-2").State == stateStable
	})
	if m := found(g, "mixed"); m.Severity != model.Info || m.Text != "mixed versions: worker-1 of an older version than 2" {
		t.Errorf("%+v", m)
	}
	if n := note(g, "eu.5"); n != "in progress: worker-1 (1) ▸ worker-2 (2)" {
		t.Errorf("%q", n)
	}
	if err := p.Aliases(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.until(t, k, "one version", func(g *model.Group) bool { return found(g, "mixed") == nil && note(g, "eu.5") == "" })
}

// What is not known is taken as it is, and said; what cannot be read leaves the rest shown.
func TestStrange(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4)})
	k := group("parti", "worker")
	w := observed(t, nc, New(""))
	w.until(t, k, "version 1", func(g *model.Group) bool { return g.Revision == 1 })
	put := func(bucket, key, value string) {
		t.Helper()
		if _, err := f.Bucket(bucket).Put(t.Context(), key, []byte(value)); err != nil {
			t.Fatal(err)
		}
	}
	put(standin.Heartbeats, "heartbeat.worker-7", `{"worker_id":"worker-7","schema_version":9,"zodiac":"aries","timestamp":"2026-01-01T00:00:00Z"}`)
	g, _ := w.until(t, k, "a heartbeat of the future", func(g *model.Group) bool { return g.Member("worker-7") != nil })
	if found(g, "schema") == nil || found(g, "fields") == nil || found(g, "fields").Text != "unknown fields: heartbeat zodiac" || found(g, "fields").Severity != model.Info || g.Member("worker-7").State != stateWaiting {
		t.Errorf("%+v", g.Findings)
	}
	entry, err := f.Bucket(standin.Assignments).Get(t.Context(), keyCommit)
	if err != nil {
		t.Fatal(err)
	}
	put(standin.Assignments, keyCommit, "not json")
	g, _ = w.until(t, k, "an unreadable commit", func(g *model.Group) bool { return g.Unreadable != "" })
	if g.Verdict != model.VerdictUnreadable || len(g.Partitions) != 4 || g.Partitions[0].Owner == "" || g.Revision != 1 {
		t.Errorf("%s %+v", g.Verdict, g.Partitions)
	}
	put(standin.Assignments, keyCommit, string(entry.Value()))
	w.until(t, k, "the commit again", func(g *model.Group) bool { return g.Unreadable == "" && found(g, "unreadable") == nil })
	var c map[string]any
	if err := json.Unmarshal(entry.Value(), &c); err != nil {
		t.Fatal(err)
	}
	c["version"] = 2
	ref := c["payloads"].(map[string]any)["worker-1"].(map[string]any)
	ref["key"], ref["payload_hash"] = keyPayload+strings.Repeat("0", 64), strings.Repeat("0", 64)
	raw, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	put(standin.Assignments, ref["key"].(string), `{"schema_version":1,"partitions":[]}`)
	put(standin.Assignments, keyCommit, string(raw))
	g, _ = w.until(t, k, "a payload that is not what its hash says", func(g *model.Group) bool { return found(g, "payload") != nil })
	if p := found(g, "payload"); p.Severity != model.Warning || !strings.Contains(p.Text, "worker-1 cannot be used: its content is not what the hash") || !strings.Contains(p.Text, "version 1 is shown") {
		t.Errorf("%+v", p)
	}
}

// A group keeps its name and comes back with its buckets and with the connection.
func TestComesAndGoes(t *testing.T) {
	nc, js := serve(t)
	f := play(t, js, standin.Options{Workers: 2, Partitions: keys(4)})
	k := group("parti", "worker")
	watched := connect(t, nc.ConnectedUrl())
	w := observed(t, watched, New(""))
	w.until(t, k, "version 1", func(g *model.Group) bool { return g.Revision == 1 })
	if err := watched.ForceReconnect(); err != nil {
		t.Fatal(err)
	}
	if err := f.Rebalance(t.Context(), "restart"); err != nil {
		t.Fatal(err)
	}
	w.until(t, k, "version 2", func(g *model.Group) bool { return g.Revision == 2 && says(g.Facts, "inferred: stable") })
	f.Stop()
	for _, name := range []string{standin.IDs, standin.Election, standin.Heartbeats, standin.Assignments, standin.Handoffs} {
		if err := js.DeleteKeyValue(t.Context(), "parti-"+name); err != nil {
			t.Fatal(err)
		}
	}
	w.gone(t, k)
	play(t, js, standin.Options{Workers: 3, Partitions: keys(4)})
	w.until(t, k, "another one", func(g *model.Group) bool { return len(g.Members) == 3 && g.Revision == 1 })
}

// gone waits until a group is no more.
func (w *watch) gone(t *testing.T, k model.Key) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		w.mu.Lock()
		s, next := w.snapshot, w.seen
		w.mu.Unlock()
		if s.Group(k) == nil {
			return
		}
		select {
		case <-deadline:
			t.Fatalf("%s is still there: %s", k, describeAll(s))
		case <-next:
		}
	}
}

// A deployment that can be found in no other way is found by the prefix of its buckets, with
// no right to list streams.
func TestPrefix(t *testing.T) {
	nc, js := serve(t)
	play(t, js, standin.Options{Prefix: "odd", Workers: 2, Partitions: keys(4)})
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New("odd"))
	w.until(t, group("odd", "worker"), "version 1", func(g *model.Group) bool { return g.Revision == 1 && len(g.Members) == 2 })
}

// A prefix that nothing is found by is said, for as long as that is so.
func TestPrefixOfNothing(t *testing.T) {
	nc, js := serve(t)
	w := observed(t, nc, New("jobs"))
	said := func(want string) {
		t.Helper()
		w.eventually(t, want, func(s *model.Snapshot) bool {
			text := s.Sought(Name)
			return s.Link.State == model.LinkLive && (want == "" && text == "" || want != "" && strings.Contains(text, want))
		})
	}
	said("--parti jobs finds nothing: this account has no bucket jobs-stableid")
	play(t, js, standin.Options{Prefix: "jobs", Workers: 1, Partitions: keys(2)}).Stop()
	said("")
	for _, name := range []string{"stableid", "election", "heartbeat", "assignment", "handoff"} {
		if err := js.DeleteKeyValue(t.Context(), "jobs-"+name); err != nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
			t.Fatal(err)
		}
	}
	said("--parti jobs finds nothing")
}
