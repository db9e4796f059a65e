package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestRepeatedDeliveriesCountUp(t *testing.T) {
	s := pinnedGroup("X")
	for n := range 100 {
		s = Reduce(s, epoch(), ConsumerHappened{Stream: "S-g", Consumer: "m", Kind: EventDeliver, Text: fmt.Sprint("message ", n), At: epoch()})
	}
	if e := s.Events[0]; e.Times != 100 || e.Said() != "message 99 ×100" || len(s.Events) != 1 {
		t.Errorf("%+v", e)
	}
	var line []string
	for _, e := range s.EventsSince(s.Events[0].Seq - 1) {
		line = append(line, e.Line())
	}
	if len(line) != 1 || !strings.HasSuffix(line[0], "deliver S/g m message 99 ×100") {
		t.Errorf("%q", line)
	}
}

func TestStreamEventsReachTheirGroups(t *testing.T) {
	s := Reduce(pinnedGroup("X"), epoch(), ConfigSeen{Key: static("S", "st"), Revision: 1, Config: config(2, "m")})
	s = Reduce(s, epoch(), StreamHappened{Stream: "S", Kind: EventStream, Text: "created", At: epoch()}, StreamHappened{Stream: "S-g", Kind: EventLeader, Text: "has its leader on n1", At: epoch()}, StreamHappened{Stream: "T", Text: "x"})
	var got []string
	for _, e := range s.Events {
		if e.Kind == EventStream || e.Kind == EventLeader {
			got = append(got, e.Key.String()+": "+e.Text)
		}
	}
	if want := []string{"S/g: work stream S-g has its leader on n1", "S/st: stream S created", "S/g: origin S created"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestConfigEventsSayWhoOwnsWhat(t *testing.T) {
	s := Reduce(pinnedGroup("X"), epoch(), ConfigSeen{Key: elastic("S", "g"), Revision: 2, Config: config(2, "m", "n", "o")})
	if e := s.Events[0]; e.Text != "+n, +o, 1 m▸n" || e.Detail != "revision 2, m 0, n 1, o none" {
		t.Errorf("%+v", e)
	}
}

// A change of the membership makes every consumer anew: one line, not two a member.
func TestConsumersMadeAnewAreOneEvent(t *testing.T) {
	k, at := elastic("S", "g"), epoch().Add(time.Minute)
	s := Reduce(nil, at, ConfigSeen{Key: k, Revision: 1, Config: config(4, "m", "n", "o")})
	from := s.seen
	gone := func(name string, ms int) Observation {
		return ConsumerDeleted{Stream: "S-g", Consumer: name, At: at.Add(time.Duration(ms) * time.Millisecond)}
	}
	made := func(name string, ms int) Observation {
		return ConsumerCreated{Stream: "S-g", Consumer: name, At: at.Add(time.Duration(ms) * time.Millisecond)}
	}
	texts := func(s *Snapshot) string {
		var list []string
		for _, e := range s.EventsSince(from) {
			list = append(list, strings.TrimSpace(e.Member+" "+e.Text))
		}
		return strings.Join(list, "; ")
	}
	for name, c := range map[string]struct {
		what []Observation
		want string
	}{
		"first made":            {[]Observation{made("m", 0)}, "m consumer created"},
		"one":                   {[]Observation{gone("m", 0), made("m", 300)}, "m consumer made anew"},
		"all":                   {[]Observation{gone("m", 0), gone("n", 5), made("m", 300), gone("o", 310), made("o", 320), made("n", 400)}, "consumers made anew: m, n, o"},
		"one stays away":        {[]Observation{gone("m", 0), gone("n", 5), made("m", 300)}, "n consumer deleted; m consumer made anew"},
		"two changes":           {[]Observation{gone("m", 0), made("m", 300), gone("m", 900), made("m", 1000)}, "m consumer made anew; m consumer made anew"},
		"long after":            {[]Observation{gone("m", 0), made("m", 11_000)}, "m consumer deleted; m consumer created"},
		"a change long after":   {[]Observation{gone("m", 0), made("m", 300), gone("n", 20_000), made("n", 20_100)}, "m consumer made anew; n consumer made anew"},
		"of nobody that counts": {[]Observation{gone("x", 0), made("x", 300)}, ""},
	} {
		if got := texts(Reduce(s, at, c.what...)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
