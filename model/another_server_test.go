package model

import (
	"strings"
	"testing"
)

// Whoever answers after the link was lost is told when it is not who answered before.
func TestAnotherServerIsTold(t *testing.T) {
	seen := func(name, cluster string) ServerSeen { return ServerSeen{Server: Server{Name: name, Cluster: cluster}} }
	s := Reduce(nil, epoch(), seen("n1", "C"))
	s = Reduce(s, epoch(), seen("n1", "C"))
	if len(s.Events) != 0 {
		t.Errorf("%+v", s.Events)
	}
	for _, c := range []struct {
		now   ServerSeen
		want  string
		moved string // for as long as it is so
	}{
		{seen("n2", "C"), "another server answers: n2 now, n1 before", ""},
		{seen("n3", "D"), "another cluster answers: n3 in D now, n2 in C before: is it the right one?", "another cluster answers: n3 in D, at first it was n1 in C"},
		{seen("x", ""), "another cluster answers: x in no cluster now, n3 in D before: is it the right one?", "another cluster answers: x in no cluster, at first it was n1 in C"},
		{seen("n2", "C"), "another cluster answers: n2 in C now, x in no cluster before: is it the right one?", ""},
	} {
		if s = Reduce(s, epoch(), c.now); len(s.Events) == 0 || s.Events[0].Text != c.want || s.Events[0].Kind != EventLink {
			t.Errorf("%+v, want %s", s.Events, c.want)
		}
		if s = Reduce(s, epoch(), c.now); s.Server.Moved() != c.moved { // it is told again and again
			t.Errorf("%q, want %q", s.Server.Moved(), c.moved)
		}
	}
}

// Of servers in no cluster another one is told for as long as it answers, if both have
// names: else they are called by ids, which change when a server starts.
func TestAnotherServerAlone(t *testing.T) {
	const id, later = "NBQW3RSMGJ5ZRJBO6WV2RNDPOCTMPDV2XZVPVDBQ7HHTTFQJVXDL6XWA", "NDHU2FYJXB2TVS5VJ7KZH7RZ5G6VYB3TKXW5MZGTKRDJ2S5QQZPZ4C7N"
	for _, c := range []struct {
		first, then Server
		moved       string
	}{
		{Server{Name: "EAST"}, Server{Name: "WEST"}, "another server answers: WEST, at first it was EAST"},
		{Server{Name: "EAST", API: "$JS.API"}, Server{Name: "WEST", API: "$JS.API"}, "another server answers: WEST, at first it was EAST"},
		{Server{Name: "EAST"}, Server{Name: "EAST"}, ""},
		{Server{Name: "EAST", Cluster: "C"}, Server{Name: "WEST", Cluster: "C"}, ""},
		{Server{Name: id}, Server{Name: later}, ""},
		{Server{Name: id}, Server{Name: "WEST"}, ""},
		{Server{Name: "EAST"}, Server{Name: id}, ""},
		{Server{Name: "LEAF1", API: "$JS.HUB.API"}, Server{Name: "LEAF2", API: "$JS.HUB.API"}, ""},
	} {
		s := Reduce(nil, epoch(), ServerSeen{Server: c.first})
		for range 2 { // it is told again and again
			s = Reduce(s, epoch(), ServerSeen{Server: c.then})
		}
		if s.Server.Moved() != c.moved {
			t.Errorf("%+v, then %+v: %q", c.first, c.then, s.Server.Moved())
		}
		if asked := len(s.Events) > 0 && strings.HasSuffix(s.Events[0].Text, ": is it the right one?"); asked != (c.moved != "") {
			t.Errorf("%+v, then %+v: %+v", c.first, c.then, s.Events)
		}
		if s = Reduce(s, epoch(), ServerSeen{Server: c.first}); s.Server.Moved() != "" {
			t.Errorf("back at %+v: %q", c.first, s.Server.Moved())
		}
	}
}
