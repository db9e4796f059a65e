package observe

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"pcgtop/internal/flatline"
	"pcgtop/model"
)

// settled is a plan of so many streams, all of which were read once, of which few are on
// the screen.
func settled(streams int) (*plan, time.Time) {
	p, now := newPlan(time.Second), time.Now()
	var visible []model.Key
	for i := range streams {
		k := elastic("S", fmt.Sprintf("g%05d", i))
		p.learn(k, k.ConsumeStream())
		if i < 8 {
			visible = append(visible, k)
		}
	}
	p.focus(nil, visible)
	order(p, now, streams)
	return p, now
}

// BenchmarkFlatChoose chooses what to read next, beside other streams.
func BenchmarkFlatChoose(b *testing.B) {
	flatline.Line{Step: "next stream to read", Beside: "streams", Sizes: flatline.Groups(), Goal: 5}.Measure(b, func(n int) func() {
		p, now := settled(n)
		return func() {
			now = now.Add(50 * time.Millisecond)
			if t, _, _ := p.take(now, anyRest); t != nil {
				p.done(t, false)
			}
			p.peek(now, anyRest)
		}
	})
}

// TestTheFirstDueIsChosen: whatever happens to streams, the one chosen is the best of all
// that are due.
func TestTheFirstDueIsChosen(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	p, now := settled(40)
	var busy []*target
	for step := range 3000 {
		now = now.Add(time.Duration(r.IntN(100)) * time.Millisecond)
		k := elastic("S", fmt.Sprintf("g%05d", r.IntN(45)))
		switch r.IntN(8) {
		case 0:
			p.learn(k, k.ConsumeStream())
		case 1:
			p.unlearn(k)
		case 2:
			p.news(k.ConsumeStream(), r.IntN(2) == 0)
		case 3:
			p.listed(k.ConsumeStream(), now, pulse{consumers: r.IntN(2)})
		case 4:
			if r.IntN(9) == 0 {
				p.focus([]*model.Key{nil, &k}[r.IntN(2)], []model.Key{k, elastic("S", "g00001")}[:r.IntN(3)])
			}
		case 5:
			if len(busy) > 0 {
				p.done(busy[0], r.IntN(5) == 0)
				busy = busy[1:]
			}
		}
		rest := turn(r.IntN(3))
		best, untried := bestOfAll(p, now, rest)
		if all, _ := p.untried(); all != untried {
			t.Fatalf("step %d: %d streams count as not tried, %d are not", step, all, untried)
		}
		wait := p.peek(now, rest)
		if (wait == 0) != (best != nil) {
			t.Fatalf("step %d: %v to wait, and the best due is %+v", step, wait, best)
		}
		if best == nil || r.IntN(2) == 0 {
			continue
		}
		got, _, _ := p.take(now, rest)
		if !got.at.Equal(best.at) || got.rank != best.rank {
			t.Fatalf("step %d: chose %+v, not %+v", step, *got, *best)
		}
		busy = append(busy, got)
	}
}

// bestOfAll goes through all targets, and counts those that were not tried.
func bestOfAll(p *plan, now time.Time, rest turn) (best *target, untried int) {
	as := rank(0)
	for _, t := range p.targets {
		if !t.tried {
			untried++
		}
		at, r := p.due(t)
		off, old := r >= rankRest, now.Sub(at) > tooOld
		if t.busy || at.After(now) || off && (rest == noRest || rest == oldRest && !old) {
			continue
		}
		if off && old && !p.oldRead {
			r = rankSeen
		}
		if best == nil || r < as || r == as && at.Before(best.at) {
			best, as = t, r
		}
	}
	return best, untried
}
