package model

import "testing"

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
