package model

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// pinned reduces a group S/g with member m, whose consumer has a pin of that id.
func pinnedGroup(pin string) *Snapshot {
	k, at := elastic("S", "g"), epoch()
	s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(2, "m")}, LinkSeen{State: LinkLive})
	c := consumer("m", pin, at, 0, 2)
	c.Created = at.Add(-time.Hour)
	return Reduce(s, at, StreamRead{Name: "S-g", Facts: StreamFacts{Known: true, Exists: true, Sources: []Source{{Name: "S"}}}},
		ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}})
}

// pulling is instances by name and the pin that each pulls with, heard long enough.
func pulling(now time.Time, pins ...string) InstancesSeen {
	seen := InstancesSeen{Stream: "S-g", Watch: &Watch{Since: epoch().Add(-time.Hour)}, Consumers: map[string][]Instance{}}
	for n, pin := range pins {
		name, id, _ := strings.Cut(pin, " ")
		name, silent := strings.CutSuffix(name, "!")
		seen.Consumers["m"] = append(seen.Consumers["m"], Instance{ID: "_INBOX." + name, PinID: id, Seen: epoch().Add(-time.Hour + time.Duration(10*n)*time.Second), LastPull: now, Silent: silent, Expires: time.Second, Asked: true, Conn: &Connection{Name: name}})
	}
	return seen
}

func rolesOf(s *Snapshot) string {
	var list []string
	for _, i := range s.Group(elastic("S", "g")).Member("m").Running {
		role := string(i.Role)
		if i.Deduced {
			role += "?"
		}
		list = append(list, i.Name()+" "+role)
	}
	return strings.Join(list, ", ")
}

func TestRoles(t *testing.T) {
	at := epoch()
	for _, c := range []struct {
		pin, want string
		pins      []string
	}{
		{"X", "b pinned, a standby", []string{"a", "b X"}},
		{"X", "b pinned, a standby, c believes it is pinned", []string{"a", "b X", "c W"}},
		{"", "a standby, b believes it is pinned", []string{"a", "b X"}},
		{"X", "a standby, b standby", []string{"a", "b"}}, // who has it did not pull since
		{"X", "", nil},
		{"X", "b pinned, a silent, c silent", []string{"a! ", "b! X", "c! W"}},
	} {
		s := Reduce(pinnedGroup(c.pin), at, pulling(at, c.pins...))
		if got := rolesOf(s); got != c.want {
			t.Errorf("%v with %q: %s, want %s", c.pins, c.pin, got, c.want)
		}
	}
}

// A new pin goes to a pull that names none: if there is one such instance, it is that
// one, until its own pulls say otherwise.
func TestANewPinIsDeduced(t *testing.T) {
	at := epoch()
	s := Reduce(pinnedGroup("X"), at, pulling(at, "a X", "b"))
	s = Reduce(s, at.Add(time.Second), PinSeen{Stream: "S-g", Consumer: "m", Reason: "admin", At: at.Add(time.Second)})
	if got := rolesOf(s); got != "b standby, a believes it is pinned" {
		t.Errorf("unpinned: %s", got)
	}
	s = Reduce(s, at.Add(time.Second), PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at.Add(1002 * time.Millisecond)})
	if got := rolesOf(s); got != "b pinned?, a believes it is pinned" {
		t.Errorf("pinned: %s", got)
	}
	if got := s.Events[0].Text; got != "pinned Y: b, 2 ms after the step-down of a" {
		t.Errorf("event %q", got)
	}
	if got := s.Events[1].Text; got != "unpinned (admin) after 1.0 s, was a" {
		t.Errorf("event %q", got)
	}
	n := len(s.Events)
	confirmed := Reduce(s, at.Add(2*time.Second), pulling(at.Add(2*time.Second), "a", "b Y"))
	if got := rolesOf(confirmed); got != "b pinned, a standby" {
		t.Errorf("confirmed: %s", got)
	}
	if len(confirmed.Events) != n {
		t.Errorf("what was known is told again: %q", confirmed.Events[0].Text)
	}
	// It pulls again without the pin: it was another one, not heard yet.
	wrong := pulling(at.Add(4*time.Second), "a", "b")
	if got := rolesOf(Reduce(s, at.Add(4*time.Second), wrong)); got != "a standby, b standby" {
		t.Errorf("refuted: %s", got)
	}
}

// With two that can have it nothing is claimed, and its first pull tells.
func TestAPinIsNotGuessed(t *testing.T) {
	at := epoch()
	s := Reduce(pinnedGroup("X"), at, pulling(at, "a X", "b", "c"))
	s = Reduce(s, at, PinSeen{Stream: "S-g", Consumer: "m", Reason: "timeout", At: at.Add(time.Second)}, PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at.Add(2 * time.Second)})
	if got := rolesOf(s); got != "b perhaps pinned, c perhaps pinned, a believes it is pinned" {
		t.Errorf("%s", got)
	}
	if n := s.Group(elastic("S", "g")).Instances(); n.Pinned != 1 || n.Standby != 2 {
		t.Errorf("%s", n)
	}
	if got := s.Events[0].Text; got != "pinned Y: b or c, 1.0 s after the timeout of a" {
		t.Errorf("event %q", got)
	}
	s = Reduce(s, at.Add(3*time.Second), pulling(at.Add(3*time.Second), "b", "c Y"))
	if got := rolesOf(s); got != "c pinned, b standby" {
		t.Errorf("%s", got)
	}
	var texts []string
	for _, e := range s.Events[:2] {
		texts = append(texts, string(e.Kind)+": "+e.Text)
	}
	if got := strings.Join(texts, "; "); got != "instance: instance gone: a; pin: pinned Y: c, 1.0 s after the timeout of a" {
		t.Errorf("events %s", got)
	}
	told := 0
	for _, e := range s.Events {
		if strings.HasPrefix(e.Text, "pinned Y") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the pin is told of %d times", told)
	}
	// The same while somebody may not have been heard yet.
	early := pulling(at, "b") // and two pulls wait
	early.Watch.Since = at
	s = Reduce(Reduce(pinnedGroup("X"), at, early), at, PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at.Add(time.Second)})
	if got := rolesOf(s); got != "b standby" {
		t.Errorf("just opened: %s", got)
	}
}

func TestInstancesComeAndGo(t *testing.T) {
	at := epoch()
	s := Reduce(pinnedGroup("X"), at, pulling(at, "a X"))
	n := len(s.Events)
	s = Reduce(s, at, pulling(at, "a X", "b")) // it was there before, and is heard late
	if len(s.Events) != n+1 || s.Events[0].Text != "instance seen: b" || s.Events[0].Member != "m" {
		t.Errorf("%+v", s.Events[0])
	}
	gone := InstancesSeen{Stream: "S-g"}
	if s = Reduce(s, at, gone); len(s.Events) != n+1 || rolesOf(s) != "" || s.Group(elastic("S", "g")).Watch != nil {
		t.Errorf("nobody listens any more, and: %q %s", s.Events[0].Text, rolesOf(s))
	}
	first := pulling(at, "a X", "b")
	first.Consumers["m"][1].Seen = first.Watch.Since.Add(time.Second)
	s = Reduce(s, at, pulling(at, "a X"))
	n = len(s.Events)
	if s = Reduce(s, at, first); len(s.Events) != n {
		t.Errorf("who is found at the start has not come: %q", s.Events[0].Text)
	}
}

// Members that have just made a consumer anew have not all pulled from it: the only one
// heard is not taken for the only one there.
func TestNobodyIsDeducedAtAFreshConsumer(t *testing.T) {
	at := epoch().Add(time.Minute)
	c := consumer("m", "", at, 0, 1)
	c.Created = at.Add(-500 * time.Millisecond)
	pin := PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at, Heard: at}
	s := Reduce(pinnedGroup("X"), at, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}}, pulling(at, "a", "b"), pin)
	if got := rolesOf(s); got != "a standby, b standby" {
		t.Errorf("fresh: %s", got)
	}
	old := *c
	old.Created = at.Add(-time.Minute)
	s = Reduce(pinnedGroup("X"), at, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{&old}}, pulling(at, "a", "b"), pin)
	if got := rolesOf(s); got != "a perhaps pinned, b perhaps pinned" {
		t.Errorf("old: %s", got)
	}
}

// With the instances known, whoever has no standby is known too, and who is alone.
func TestNoStandbyByInstances(t *testing.T) {
	at := epoch().Add(time.Minute)
	said := func(pins ...string) string {
		c := consumer("m", "X", at, 0, 2) // two pulls wait: by the counts it has a standby
		c.Created = epoch().Add(-time.Hour)
		s := Reduce(pinnedGroup("X"), at, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}}, pulling(at, pins...))
		for _, f := range s.Group(elastic("S", "g")).Findings {
			if f.ID == "no-standby" {
				return f.Member + ": " + f.Text
			}
		}
		return ""
	}
	const alone = "m: no standby for m: only a pulls"
	for want, lists := range map[string][][]string{alone: {{"a X"}, {"a X", "b! "}, {"a X", "b! W"}}, "": {{"a X", "b"}, {"a", "b", "c"}, nil}} {
		for _, pins := range lists {
			if got := said(pins...); got != want {
				t.Errorf("%q: %q, want %q", pins, got, want)
			}
		}
	}
}

// Waiting pulls are not instances: a pinned client keeps several out. They bound the number of
// those that stand by, until it was listened for as long as pulls wait.
func TestWaitingPullsBoundTheStandbys(t *testing.T) {
	at := epoch().Add(time.Minute)
	began := InstancesSeen{Stream: "S-g", Watch: &Watch{Since: at.Add(-2 * time.Second)}, Consumers: map[string][]Instance{"m": {{ID: "_INBOX.a", PinID: "X", Expires: time.Second}}}}
	twice := began
	twice.Watch = &Watch{Since: at.Add(-3200 * time.Millisecond)} // not yet as long as half the ack wait and a second
	denied := InstancesSeen{Stream: "S-g", Watch: &Watch{Since: epoch(), NoPulls: "denied"}}
	for name, c := range map[string]struct {
		pin              string
		waiting, unacked int
		heard            *InstancesSeen
		want             string
	}{
		"two pulls of a busy one":      {"X", 2, 1, nil, "1 +≤2"},
		"an idle one has a pull out":   {"X", 2, 0, nil, "1 +≤1"},
		"nobody else":                  {"X", 1, 0, nil, "1 +0"},
		"not pinned":                   {"", 3, 0, nil, "0 +≤3"},
		"heard: alone with two pulls":  {"X", 2, 1, new(pulling(at, "a X")), "1 +0"},
		"heard: two stand by":          {"X", 2, 1, new(pulling(at, "a X", "b", "c")), "1 +2"},
		"heard: one is silent":         {"X", 2, 1, new(pulling(at, "a X", "b!")), "1 +0"},
		"heard for too short a time":   {"X", 3, 1, &began, "1 +≤3"},
		"heard for twice their waits":  {"X", 3, 1, &twice, "1 +0"},
		"may not be heard":             {"X", 3, 1, &denied, "1 +≤3"},
		"who pulls comes by other way": {"", 2, 0, new(pulling(at)), "0 +≤2"},
	} {
		m := consumer("m", c.pin, at, 0, 1)
		m.Waiting, m.AckPending, m.AckWait = c.waiting, uint64(c.unacked), 5*time.Second
		seen := []Observation{ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{m}}}
		if c.heard != nil {
			seen = append(seen, *c.heard)
		}
		s := Reduce(Reduce(nil, epoch(), ConfigSeen{Key: elastic("S", "g"), Revision: 1, Config: config(2, "m")}), at, seen...)
		if got := s.Group(elastic("S", "g")).Instances().String(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// By the counts alone a member has no standby when no second pull waited for long, at
// moments when both would have pulled. A pull beside a busy instance may be its own: what is
// said of the member stays as it was, and does not come and go with the work.
func TestNoStandbyByCounts(t *testing.T) {
	at := epoch().Add(time.Minute)
	s := pinnedGroup("X")
	look := func(waiting int, unacked uint64) bool {
		at = at.Add(time.Second)
		c := consumer("m", "X", at, 0, 1)
		c.Waiting, c.AckPending, c.Created = waiting, unacked, epoch().Add(-time.Hour)
		s = Reduce(s, at, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}})
		return slices.ContainsFunc(s.Group(elastic("S", "g")).Findings, func(f Finding) bool { return f.ID == "no-standby" })
	}
	look(1, 0)
	for n := range 60 {
		if !look(1, uint64(n%20/10)) {
			t.Fatalf("%d s: of a member with one instance it is not said any more", n)
		}
	}
	look(2, 0)
	for n := range 60 {
		if look(1, 1) {
			t.Fatalf("%d s after a second instance pulled, and the first was busy since, nobody stands by", n+1)
		}
	}
	if !look(1, 0) {
		t.Error("a second instance is gone for a minute, and not missed")
	}
}

// A member that was started a moment ago is given time for its second instance.
func TestNoStandbyOfANewMember(t *testing.T) {
	at := epoch().Add(time.Minute)
	for since, want := range map[time.Duration]bool{5 * time.Second: false, 11 * time.Second: true} {
		c := consumer("m", "X", at, 0, 1)
		c.Waiting, c.Created = 1, at.Add(-since)
		s := Reduce(pinnedGroup("X"), at, ConsumersRead{Stream: "S-g", TS: at, Consumers: []*Consumer{c}})
		if got := slices.ContainsFunc(s.Group(elastic("S", "g")).Findings, func(f Finding) bool { return f.ID == "no-standby" }); got != want {
			t.Errorf("after %v: said %v", since, got)
		}
	}
}

// Where a subject goes is which process gets it.
func TestAPlaceNamesTheInstance(t *testing.T) {
	at := epoch()
	s := Reduce(pinnedGroup("X"), at, pulling(at, "a", "b X"))
	p, why := s.Group(elastic("S", "g")).Place("0.o.1")
	if why != "" || p.Instance == nil || p.Pinned() != "b" || p.PinID != "X" {
		t.Errorf("%+v %s", p, why)
	}
	s = Reduce(Reduce(pinnedGroup("X"), at, pulling(at, "a X", "b", "c")), at, PinSeen{Stream: "S-g", Consumer: "m", PinID: "Y", At: at.Add(time.Second)})
	if p, _ = s.Group(elastic("S", "g")).Place("0.o.1"); p.Instance != nil || p.Pinned() != "b or c" {
		t.Errorf("%+v", p)
	}
}
