package parti

import (
	"slices"
	"strings"
	"testing"

	"pcgtop/engine/observe"
	"pcgtop/engine/parti/standin"
	"pcgtop/model"
)

// Both formats are shown alike: members, partitions, leader, durables, lag.
func TestBothVersions(t *testing.T) {
	for version := 1; version <= 2; version++ {
		t.Run("", func(t *testing.T) {
			nc, js := serve(t)
			play(t, js, standin.Options{Version: version, Stream: "JOBS", Workers: 3, Partitions: keys(10)})
			for i := range 7 {
				if _, err := js.Publish(t.Context(), "jobs.eu.3.x", []byte{byte(i)}); err != nil {
					t.Fatal(err)
				}
			}
			w := observed(t, nc, New(""))
			g, _ := w.until(t, group("parti", "worker"), "three stable workers and seven messages that wait", func(g *model.Group) bool {
				return g.Reads == "JOBS" && g.Lag() == 7 && len(g.Members) == 3 && says(g.Facts, "leader worker-0")
			})
			if !says(g.Facts, "version 1") || !says(g.Facts, "inferred: stable") || !says(g.Facts, "cold start") || g.Revision != 1 {
				t.Errorf("facts %q, revision %d", g.Facts, g.Revision)
			}
			for i, m := range g.Members {
				if m.State != stateStable || !m.Live || m.Consumer == nil || !says(m.Facts, "heartbeat: ") || says(m.Facts, "leader") != (i == 0) {
					t.Errorf("%+v", m)
				}
			}
			if p := g.Partitions[3]; p.ID() != "eu.3" || p.Owner != "worker-0" || p.Told().Weight != 1 {
				t.Errorf("%+v", p)
			} else if version == 2 && (p.Count == nil || p.Count.Pending != 7) {
				t.Errorf("%+v", p.Count)
			}
			if len(g.Findings) != 0 {
				t.Errorf("%+v", g.Findings)
			}
		})
	}
}

// Buckets with Parti's metadata are found whatever they are called, those without by the
// shape of their keys.
func TestFound(t *testing.T) {
	nc, js := serve(t)
	play(t, js, standin.Options{Prefix: "fleet", Instance: "prod", Workers: 2, Partitions: keys(4), Source: true})
	play(t, js, standin.Options{Prefix: "billing", Workers: 2, Partitions: keys(4), Version: 1})
	if _, err := js.CreateKeyValue(t.Context(), bucketConfig("settings")); err != nil {
		t.Fatal(err)
	}
	w := observed(t, nc, New(""))
	g, _ := w.until(t, group("fleet", "prod"), "the marked one", func(g *model.Group) bool { return len(g.Members) == 2 })
	if !says(g.Facts, "source fleet-source/partitions") || !slices.Contains(g.Actions, model.ActionEditSource) {
		t.Errorf("facts %q, actions %q", g.Facts, g.Actions)
	}
	w.until(t, group("billing", "worker"), "the one with keys of that shape", func(g *model.Group) bool {
		return len(g.Members) == 2 && says(g.Facts, "leader worker-0") && says(g.Facts, "format v1")
	})
}

// The picture is not live before the deployments that exist are told, with their lag, and
// what was there is no event.
func TestToldBeforeLive(t *testing.T) {
	nc, js := serve(t)
	for _, prefix := range []string{"parti", "billing"} {
		play(t, js, standin.Options{Prefix: prefix, Stream: "JOBS-" + prefix, Workers: 2, Partitions: keys(4)})
	}
	w := observed(t, nc, New(""))
	w.until(t, group("billing", "worker"), "live", func(*model.Group) bool { return w.live() })
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, s := range w.history {
		if s.Link.State != model.LinkLive {
			continue
		}
		for _, prefix := range []string{"parti", "billing"} {
			if g := s.Group(group(prefix, "worker")); g == nil || g.Reads == "" || g.ReadAt.IsZero() {
				t.Fatalf("live without %s: %+v", prefix, g)
			}
		}
		for _, e := range s.Events {
			if strings.Contains(e.Text, "found") {
				t.Errorf("%+v", e)
			}
		}
	}
}

// Of a stream that did not answer nothing is known but that it is there: it is not taken for
// one without metadata, and no group is given up for it.
func TestSilentBuckets(t *testing.T) {
	k := New("")
	f := &following{Kind: k, ctx: t.Context(), byStem: map[string]*followed{}}
	k.keys["parti"], k.told[group("parti", "prod")] = group("parti", "prod"), true
	silent := []observe.Stream{observe.Unanswered("KV_parti-heartbeat")}
	if known, unknown := f.sort(silent); len(known)+len(unknown) != 0 {
		t.Errorf("%+v %+v", known, unknown)
	}
	f.discover(f.recognise(silent)) // to forget a group would need an account
	if f.swept || !k.told[group("parti", "prod")] {
		t.Error("a group was given up")
	}
}
