package model

import (
	"fmt"
	"strings"
	"testing"
)

// Configs of a line that ask for as many partitions as there can be are used up to a bound
// for all together, whichever come first; small groups are, however many there are.
func TestPartitionsOfAllGroups(t *testing.T) {
	key := func(n int) Key { return Key{Kind: KindElastic, Stream: "S", Group: fmt.Sprintf("g%03d", n)} }
	seen := func(n int, revision uint64, partitions int) ConfigSeen {
		return ConfigSeen{Key: key(n), Revision: revision, Config: &Config{Partitions: partitions, Members: []string{"m1"}, Filters: []Filter{{Subject: "a.*"}}}}
	}
	const most = MaxInAll / MaxPartitions
	s := Reduce(nil, epoch(), LinkSeen{State: LinkLive})
	var all []Observation
	for n := range most + 2 {
		all = append(all, seen(n, uint64(n+1), MaxPartitions))
	}
	s = Reduce(s, epoch(), all...)
	for n := range s.Groups {
		g := s.Group(key(n))
		if refused := n >= most; refused != (g.Unreadable != "") || refused != (len(g.Partitions) == 0) {
			t.Fatalf("%s: %q, %d partitions", g.Key, g.Unreadable, len(g.Partitions))
		}
	}
	last := s.Group(key(most + 1))
	if want := "unreadable config: too many partitions: with these 65,536 all groups would have more than 2,097,152, revision 34"; last.Verdict != VerdictUnreadable || !strings.Contains(last.Findings[0].Text, want) {
		t.Errorf("%s, %+v", last.Verdict, last.Findings)
	}
	// A small group is read all the same, and a change of one that is there.
	s = Reduce(s, epoch(), seen(100, 100, 16), seen(0, 101, MaxPartitions))
	if small, first := s.Group(key(100)), s.Group(key(0)); len(small.Partitions) != 16 || first.Revision != 101 || first.Unreadable != "" {
		t.Errorf("%q; %q", small.Unreadable, first.Unreadable)
	}
	// What goes leaves room.
	s = Reduce(s, epoch(), ConfigGone{Key: key(1), Revision: 102})
	s = Reduce(s, epoch(), ConfigGone{Key: key(2), Revision: 103}, seen(most, 104, MaxPartitions))
	if g := s.Group(key(most)); g.Unreadable != "" || len(g.Partitions) != MaxPartitions {
		t.Errorf("%q", g.Unreadable)
	}
	if s = Reduce(s, epoch(), BucketSeen{Kind: KindElastic, Exists: true, Reset: true}); s.inAll != 0 {
		t.Errorf("in another bucket there are still %d", s.inAll)
	}
}
