package observe

import (
	"slices"
	"testing"
	"time"
)

// While somebody waits for a group, nothing else is read, whatever is on the screen; but not
// for longer than a second.
func TestAwaitedComesFirst(t *testing.T) {
	t.Parallel()
	learned := func() *plan {
		p := newPlan(time.Second)
		p.await("S", "b")
		for _, g := range []string{"a", "c"} {
			p.learn(elastic("S", g), elastic("S", g).ConsumeStream())
		}
		return p
	}
	p := learned()
	if got := order(p, time.Now(), 10); len(got) != 0 {
		t.Fatalf("read before it was found: %v", got)
	}
	if wait := p.peek(time.Now(), anyRest); wait > awaitMost {
		t.Errorf("the rest waits for %v", wait)
	}
	p.learn(elastic("S", "b"), "ELSEWHERE") // as of another kind
	if got := order(p, time.Now(), 1); !slices.Equal(got, []string{"ELSEWHERE"}) {
		t.Errorf("%v, want the one that is waited for", got)
	}
	got := order(p, time.Now(), 10)
	if slices.Sort(got); !slices.Equal(got, []string{"S-a", "S-c"}) {
		t.Errorf("%v, want the others after it", got)
	}

	got = order(learned(), time.Now().Add(awaitMost), 10)
	if slices.Sort(got); !slices.Equal(got, []string{"S-a", "S-c"}) {
		t.Errorf("%v, want the others although it was not found", got)
	}
	p = learned()
	p.allTold()
	if got = order(p, time.Now(), 10); len(got) != 2 {
		t.Errorf("%v, want the others where it does not exist", got)
	}
	p = learned()
	p.learn(elastic("S", "b"), "ELSEWHERE")
	p.allTold()
	if got = order(p, time.Now(), 1); !slices.Equal(got, []string{"ELSEWHERE"}) {
		t.Errorf("%v, want the one that is waited for", got)
	}
}
