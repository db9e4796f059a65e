package engine

import (
	"slices"
	"testing"
	"time"

	"pcgtop/model"
)

// changes drops and adds one of the members in turn.
func changes(t *testing.T, e *Engine, s *shop, n int, drain time.Duration, members ...string) (took []time.Duration) {
	t.Helper()
	for i := range n {
		action, member := model.ActionDrop, members[i/2%len(members)]
		if i%2 == 1 {
			action = model.ActionAdd
		}
		now := until(t, e, "the last change", func(snap *model.Snapshot) bool {
			g := snap.Group(s.key)
			return live(snap) && g != nil && slices.Contains(g.Config.Members, member) == (action == model.ActionDrop)
		})
		p := plan(t, now.Group(s.key), action, member).WithDrain(drain)
		var last model.Handover
		done, err := e.Handover(t.Context(), p, func(h model.Handover) { last = h })
		if err != nil {
			t.Fatal(err)
		}
		if drain > 0 && (last.Unacked > 0 || last.Phase != model.PhaseDone || last.Flowing != last.Total) {
			t.Errorf("change %d: %s: %+v", i, done, last)
		}
		took = append(took, last.Drained)
		before := s.count() // the members work on
		poll(t, "messages are handled after the change", func() bool { return s.count() >= before+20 })
	}
	slices.Sort(took)
	return took
}

// No message is handled twice, none is lost, no two processes are on one key, and the
// order of each key is kept, over changes of the membership under load, whichever
// library the members are of.
func TestDrainedHandover(t *testing.T) {
	if testing.Short() {
		t.Skip("takes more than a second")
	}
	for _, lib := range libraries() {
		t.Run(lib.name, func(t *testing.T) {
			t.Parallel()
			s := openShop(t, lib, 16, 20*time.Millisecond, "m1", "m2", "m3", "m4")
			e := start(t, s.url)
			s.trade(64, time.Second/120)
			took := changes(t, e, s, 30, 5*time.Second, "m1", "m2", "m3", "m4")
			b := s.settled()
			t.Logf("%+v; drains took %s in the middle, %s at most", b, took[len(took)/2], took[len(took)-1])
			if b.twice+b.overlaps+b.lost+b.disorder > 0 || b.sent < 500 {
				t.Errorf("%+v", b)
			}
		})
	}
}

// What draining saves: the same changes, written at once.
func TestHandoverWithoutDraining(t *testing.T) {
	if testing.Short() {
		t.Skip("takes more than a second")
	}
	s := openShop(t, libraries()[0], 16, 20*time.Millisecond, "m1", "m2", "m3", "m4")
	e := start(t, s.url)
	s.trade(64, time.Second/120)
	changes(t, e, s, 12, 0, "m1", "m2", "m3", "m4")
	b := s.settled()
	t.Logf("%+v", b)
	if b.twice == 0 {
		t.Errorf("nothing was handled twice: this test does not show what draining is for")
	}
	if b.lost > 0 {
		t.Errorf("%d lost", b.lost)
	}
}
