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
		now  ServerSeen
		want string
	}{
		{seen("n2", "C"), "another server answers: n2 now, n1 before"},
		{seen("n1", "D"), "another cluster answers: n1 in D now, n2 in C before: is it the right one?"},
		{seen("x", ""), "another cluster answers: x in no cluster now, n1 in D before: is it the right one?"},
	} {
		if s = Reduce(s, epoch(), c.now); len(s.Events) == 0 || s.Events[0].Text != c.want || s.Events[0].Kind != EventLink {
			t.Errorf("%+v, want %s", s.Events, c.want)
		}
	}
}
