package model

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// script is a kind that says what it is told to say.
type script struct{ told Told }

func (s *script) Tell(*Stream, time.Time) Told { return s.told }

func toldKey() Key { return Key{Kind: "other", Stream: "fleet", Group: "g"} }

func durable(name string, pending, unacked uint64, at time.Time) *Consumer {
	return &Consumer{Name: name, Created: epoch(), Filters: []string{}, AckWait: 5 * time.Second, Pending: pending, AckPending: unacked, Delivered: unacked, TS: at}
}

// fleet is two members and three partitions, of which nobody owns the last.
func fleet() *script {
	return &script{Told{
		Revision: 1, News: "version 1", Facts: []string{"version 1"}, Actions: []Action{"mend"},
		Members: []ToldMember{{Name: "b", State: "live", Live: true}, {Name: "x", Foreign: true, State: StateForeign}, {Name: "a", State: "live", Live: true, Facts: []string{"zone one"}}},
		Partitions: []ToldPartition{
			{Name: "eu-1", Owner: "a", Weight: 3, Label: "big", Consumer: "d0"},
			{Name: "eu-2", Owner: "b", Note: "moves to a", Consumer: "d1"},
			{Name: "eu-3", Consumer: "d2"},
		},
	}}
}

func told(prev *Snapshot, at time.Time, s *script, more ...Observation) *Snapshot {
	return Reduce(prev, at, append([]Observation{GroupTold{Key: toldKey(), Stream: "WORK", Teller: s}}, more...)...)
}

func work(at time.Time, consumers ...*Consumer) Observation {
	return ConsumersRead{Stream: "WORK", TS: at, Consumers: consumers}
}

// A group of another kind has everything that the screens ask of a group.
func TestToldGroup(t *testing.T) {
	at := epoch()
	d1 := durable("d1", 2, 0, at)
	d1.Filters = []string{"eu.2.>"}
	s := told(nil, at, fleet(), work(at, durable("d0", 5, 1, at), d1, durable("d2", 9, 0, at)))
	g := s.Group(toldKey())
	if g == nil || g.ConsumeStream() != "WORK" || g.Pins() || g.Pushed() {
		t.Fatalf("%+v", g)
	}
	var names []string
	for _, m := range g.Members {
		names = append(names, m.Name)
	}
	if !slices.Equal(names, []string{"a", "b", "x"}) || g.Members[2].Configured {
		t.Errorf("members %v", names)
	}
	a := g.Member("a")
	if pulling, configured := g.Pulling(); pulling != 2 || configured != 2 {
		t.Errorf("%d of %d live", pulling, configured)
	}
	if a.Consumer == nil || a.Consumer.Durables != 1 || a.Consumer.Pending != 5 || a.Consumer.AckPending != 1 || !slices.Equal(a.Partitions, []int{0}) || a.Facts[0] != "zone one" {
		t.Errorf("a: %+v %+v", a, a.Consumer)
	}
	p := g.Partitions
	if len(p) != 3 || p[0].Owner != "a" || p[0].ID() != "eu-1" || p[0].Told().Weight != 3 || p[0].Told().Label != "big" || p[1].Told() != (Traits{Name: "eu-2", Note: "moves to a", Filter: "eu.2.>"}) || p[2].Owned() || p[2].Count.Pending != 9 {
		t.Errorf("partitions %+v", p)
	}
	if g.Pending != 7 || g.AckPending != 1 || g.Lag() != 17 || g.Stray() != 9 || !g.Counted() || g.About() {
		t.Errorf("pending %d, unacked %d, lag %d, stray %d", g.Pending, g.AckPending, g.Lag(), g.Stray())
	}
	if why := g.Refusal(ActionStepDown); why != "not with other groups" {
		t.Errorf("step down: %q", why)
	}
	if why := g.Refusal("mend"); why != "" {
		t.Errorf("mend: %q", why)
	}
	raw, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Snapshot
	if err := json.Unmarshal(raw, &back); err != nil || back.Restore() != nil {
		t.Fatal(err)
	}
	r := back.Group(toldKey())
	if r.ConsumeStream() != "WORK" || r.Lag() != 17 || r.Refusal("mend") != "" || r.Partitions[1].Told() != g.Partitions[1].Told() || r.Member("a").Facts[0] != "zone one" {
		t.Errorf("read back: %s", raw)
	}
}

// What a kind finds counts as what the model finds does.
func TestToldFindings(t *testing.T) {
	at := epoch()
	f := fleet()
	s := told(nil, at, f, work(at, durable("d0", 0, 0, at), durable("d1", 0, 0, at), durable("d2", 0, 0, at)))
	if v := s.Group(toldKey()).Verdict; v != VerdictIdle {
		t.Fatalf("%s %+v", v, s.Group(toldKey()).Findings)
	}
	f.told.Findings = []ToldFinding{
		{Finding{ID: "note", Severity: Info, Text: "by the way"}, VerdictBroken},
		{Finding{ID: "worse", Severity: Warning, Text: "half of it"}, VerdictDegraded},
	}
	s = told(s, at, f)
	g := s.Group(toldKey())
	if g.Verdict != VerdictDegraded || g.Findings[0].ID != "worse" || g.Findings[1].ID != "note" {
		t.Errorf("%s %+v", g.Verdict, g.Findings)
	}
	f.told.Findings = nil
	for range 5 { // partitions of which nothing is acknowledged
		at = at.Add(3 * time.Second)
		s = told(s, at, f, work(at, durable("d0", 5, 1, at), durable("d1", 0, 0, at), durable("d2", 0, 0, at)))
	}
	g = s.Group(toldKey())
	if g.Verdict != VerdictStalled || !strings.Contains(g.Findings[0].Text, "1 partition stalled (eu-1): 6 messages wait") {
		t.Errorf("%s %+v", g.Verdict, g.Findings)
	}
}

// What changes is told: who came and went, whose state changed, what moved.
func TestToldEvents(t *testing.T) {
	at := epoch()
	f := fleet()
	s := told(nil, at, f, work(at), LinkSeen{State: LinkLive})
	seen := s.seen
	f.told.Revision, f.told.News = 2, "version 2"
	f.told.Members = []ToldMember{{Name: "a", State: "expired"}, {Name: "c", State: "live", Live: true}, {Name: "d", State: "live", Live: true}}
	f.told.Partitions[1].Owner = "c"
	s = told(s, at, f)
	var lines []string
	for _, e := range s.EventsSince(seen) {
		lines = append(lines, strings.TrimSpace(e.Member+" "+e.Text+" "+e.Detail))
	}
	want := []string{"version 2: 1 partition moved", "2 members joined c, d", "2 members left b, x", "a live ▸ expired"}
	if !slices.Equal(lines, want) {
		t.Errorf("%q", lines)
	}
	seen = s.seen
	if s = told(s, at, f); len(s.EventsSince(seen)) != 0 {
		t.Errorf("nothing changed, but %+v", s.EventsSince(seen))
	}
	s = Reduce(s, at, ConfigGone{Key: toldKey()})
	if s.Group(toldKey()) != nil {
		t.Error("it is still there")
	}
	if s = told(s, at, f); s.Group(toldKey()) == nil {
		t.Error("it does not come back")
	}
}

// A group that is known by what is stored alone needs no stream.
func TestPushedGroup(t *testing.T) {
	at := epoch()
	f := fleet()
	for i := range f.told.Partitions {
		f.told.Partitions[i].Consumer = ""
	}
	s := Reduce(nil, at, GroupTold{Key: toldKey(), Teller: f})
	g := s.Group(toldKey())
	if !g.Pushed() || g.Verdict != VerdictIdle || g.Counted() || g.Member("a").Consumer != nil {
		t.Errorf("%+v", g)
	}
}
