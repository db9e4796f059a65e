package observe

import (
	"slices"
	"testing"
	"time"
)

// A stream is read for as long as a group consumes from it, wherever its groups come from
// and go to, and however often that is said.
func TestAStreamIsReadForItsGroups(t *testing.T) {
	p := newPlan(time.Second)
	is := func(when string, want ...string) {
		t.Helper()
		var names []string
		groups := 0
		for name, target := range p.targets {
			names, groups = append(names, name), groups+target.groups
		}
		if slices.Sort(names); !slices.Equal(names, want) || groups != len(p.groups) {
			t.Errorf("%s: %v are read for %d groups of %d, want %v", when, names, groups, len(p.groups), want)
		}
	}
	a, b := static("S", "a"), static("S", "b")
	p.learn(a, "S")
	p.learn(b, "S")
	p.learn(b, "S")
	is("two groups of one stream", "S")
	p.unlearn(a)
	p.unlearn(a)
	is("one went, which was said twice", "S")
	p.learn(a, "S")
	p.learn(a, "T")
	is("it is back, and moved", "S", "T")
	p.learn(b, "")
	p.learn(b, "")
	is("there is nothing to read of the other", "T")
	p.learn(b, "T")
	p.learn(a, "S")
	is("they changed places", "S", "T")
	if origins := p.origins["S"]; origins != 1 {
		t.Errorf("%d groups are of S by what they are called, want 1", origins)
	}
	p.unlearn(b)
	p.unlearn(a)
	p.unlearn(b)
	is("both went")
	if len(p.origins)+len(p.elsewhere)+p.left > 0 {
		t.Errorf("of no group is left %v, %v, %d", p.origins, p.elsewhere, p.left)
	}
}

// What a group that is waited for consumed from is not waited for when it consumes from
// something else, or is gone.
func TestAwaitedGroupMoves(t *testing.T) {
	p := newPlan(time.Second)
	k := elastic("S", "b")
	for _, stream := range []string{"S-a", "OLD"} {
		p.learn(elastic("S", stream), stream)
	}
	p.learn(k, "OLD")
	p.await("S", "b")
	if got := order(p, time.Now(), 1); !slices.Equal(got, []string{"OLD"}) {
		t.Errorf("%v, want what the group consumes from", got)
	}
	p.await("S", "b")
	p.learn(k, "NEW")
	if got := order(p, time.Now(), 1); !slices.Equal(got, []string{"NEW"}) {
		t.Errorf("%v, want what it consumes from now", got)
	}
	p.learn(k, "OLD") // which another group consumes from, too
	p.await("S", "b")
	p.unlearn(k)
	if p.allTold(); p.awaited != nil {
		t.Error("it is still waited for although nothing is to be read of it")
	}
}
