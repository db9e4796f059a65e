package observe

import (
	"fmt"
	"testing"
	"time"

	"pcgtop/model"
)

// order takes streams one after the other at a given time, as if each read took no time.
func order(p *plan, now time.Time, n int) []string {
	var names []string
	for range n {
		t, _, _ := p.take(now, anyRest)
		if t == nil {
			break
		}
		names = append(names, t.stream)
		p.done(t, false)
	}
	return names
}

func TestWhatIsOnTheScreenComesFirst(t *testing.T) {
	p := newPlan(time.Second)
	for _, g := range []string{"a", "b", "c", "d", "e"} {
		p.learn(elastic("S", g), elastic("S", g).ConsumeStream())
	}
	start := time.Now()
	if got := order(p, start, 10); len(got) != 5 {
		t.Fatalf("first round: %v", got)
	}
	open := elastic("S", "c")
	p.focus(&open, []model.Key{elastic("S", "b"), elastic("S", "c")})
	if got := order(p, start.Add(500*time.Millisecond), 10); len(got) != 0 {
		t.Errorf("nothing is due, but %v", got)
	}
	if got := order(p, start.Add(1100*time.Millisecond), 10); len(got) != 2 || got[0] != "S-c" || got[1] != "S-b" {
		t.Errorf("after a refresh: %v, want the open one, then the visible one", got)
	}
	p.news("S-b", false)
	if got := order(p, start.Add(2200*time.Millisecond), 10); len(got) != 5 || got[0] != "S-b" || got[1] != "S-c" {
		t.Errorf("%v, want the changed one on the screen, the open one, then the rest", got)
	}
}

func TestTheRestIsNotStarved(t *testing.T) {
	p := newPlan(time.Second)
	var visible []model.Key
	for i := range 30 {
		k := elastic("S", string(rune('a'+i)))
		p.learn(k, k.ConsumeStream())
		if i > 0 {
			visible = append(visible, k)
		}
	}
	p.focus(nil, visible)
	now, reads := time.Now(), 0
	for range 600 { // a minute of ten reads a second, while 29 on the screen want one each
		now = now.Add(100 * time.Millisecond)
		for _, name := range order(p, now, 1) {
			if name == "S-a" {
				reads++
			}
		}
	}
	if reads < 3 || reads > 8 {
		t.Errorf("the stream that is not on the screen was read %d times in a minute", reads)
	}
}

// In an account of thousands of streams there are always some that wait for too long: the
// screen has every second turn all the same.
func TestTheScreenIsNotStarved(t *testing.T) {
	p := newPlan(time.Second)
	var visible []model.Key
	for i := range 2000 {
		k := elastic("S", fmt.Sprintf("g%04d", i))
		p.learn(k, k.ConsumeStream())
		if i < 10 {
			visible = append(visible, k)
		}
	}
	p.focus(nil, visible)
	now, seen, rest := time.Now(), 0, 0
	for range 1200 { // a minute of the budget
		now = now.Add(50 * time.Millisecond)
		for _, name := range order(p, now, 1) {
			if name < "S-g0010" {
				seen++
			} else {
				rest++
			}
		}
	}
	if seen < 500 || rest < 500 {
		t.Errorf("read in a minute: %d on the screen, %d of the rest; want about 600 of each", seen, rest)
	}
}

func TestNewsAreCoalesced(t *testing.T) {
	p := newPlan(time.Second)
	k := static("S", "g")
	p.learn(k, k.ConsumeStream())
	p.learn(static("S", "h"), static("S", "h").ConsumeStream())
	p.focus(nil, []model.Key{k})
	start := time.Now()
	if got := order(p, start, 10); len(got) != 1 {
		t.Fatalf("two groups of one stream are read %d times", len(got))
	}
	for range 100 {
		if !p.news("S", false) {
			t.Fatal("nobody cares")
		}
	}
	if got := order(p, start.Add(10*time.Millisecond), 10); len(got) != 0 {
		t.Errorf("read at once: %v", got)
	}
	if wait := p.peek(start.Add(10*time.Millisecond), anyRest); wait > minGap {
		t.Errorf("to be read only after %v", wait)
	}
	if got := order(p, start.Add(minGap+time.Millisecond), 10); len(got) != 1 {
		t.Errorf("a hundred pieces of news are read %d times", len(got))
	}
	if p.news("OTHER", false) {
		t.Error("news of a stream without groups")
	}
	p.unlearn(k)
	p.unlearn(static("S", "h"))
	if p.cares("S") || p.cares("") {
		t.Error("a stream without groups is still read")
	}
}

func TestFailingStreamsWaitLonger(t *testing.T) {
	p := newPlan(10 * time.Millisecond)
	p.learn(elastic("S", "slow"), elastic("S", "slow").ConsumeStream())
	p.learn(elastic("S", "fine"), elastic("S", "fine").ConsumeStream())
	now := time.Now()
	for range 6 {
		now = now.Add(time.Hour)
		t1, _, _ := p.take(now, anyRest)
		t2, _, _ := p.take(now, anyRest)
		p.done(t1, t1.stream == "S-slow")
		p.done(t2, t2.stream == "S-slow")
	}
	p.mu.Lock()
	wait := time.Until(p.targets["S-slow"].retry)
	p.mu.Unlock()
	if wait < 8*time.Second || wait > maxWait {
		t.Errorf("after six failures it waits %v", wait)
	}
	p.urge()
	if p.peek(now.Add(time.Second), anyRest) != 0 {
		t.Error("asked for, it still waits")
	}
}

func TestRestLeavesPlacesFree(t *testing.T) {
	p := newPlan(time.Second)
	p.learn(elastic("S", "a"), elastic("S", "a").ConsumeStream())
	p.learn(elastic("S", "b"), elastic("S", "b").ConsumeStream())
	p.focus(nil, []model.Key{elastic("S", "b")})
	if target, rest, _ := p.take(time.Now(), noRest); target == nil || target.stream != "S-b" || rest {
		t.Errorf("%v, rest %v", target, rest)
	}
	if target, _, _ := p.take(time.Now(), noRest); target != nil {
		t.Errorf("%s although there is no place for the rest", target.stream)
	}
}

// However many streams that are not on the screen are slow, places are left for those that
// are.
func TestPlacesAreLeft(t *testing.T) {
	var p places
	for n := range maxRestReads {
		if all, rest := p.full(); all || rest {
			t.Fatalf("with %d under way: full %v, for the rest %v", n, all, rest)
		}
		p.take(true)
	}
	for n := maxRestReads; n < maxReads; n++ {
		if all, rest := p.full(); all || !rest {
			t.Fatalf("with %d under way: full %v, for the rest %v", n, all, rest)
		}
		p.take(false)
	}
	if all, rest := p.full(); !all || !rest {
		t.Errorf("with all places taken: full %v, for the rest %v", all, rest)
	}
	p.leave(true)
	if all, rest := p.full(); all || rest {
		t.Errorf("with one free again: full %v, for the rest %v", all, rest)
	}
}
