package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// storeless is the server's refusal to pause a consumer that it has left without a store:
// nats-server 2.15 does that now and then where one of a name is made while another is being
// deleted, as members of orbit.go do it.
const storeless = 10104

// changes drops and adds one of the members in turn. It ends early at a consumer without a
// store, of which the handover has to say that it wrote nothing.
func changes(t testing.TB, e *Engine, s *shop, n int, drain time.Duration, members ...string) (took []time.Duration, whole bool) {
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
		var refused *jetstream.APIError
		if errors.As(err, &refused) && refused.ErrorCode == storeless && strings.HasSuffix(err.Error(), "nothing was written, and no member stays paused") {
			return nil, false
		}
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
	return took, true
}

// drained makes n drained changes under load and checks that no message is handled
// twice, none is lost, no two processes are on one key, and each key keeps its order.
func drained(t testing.TB, lib library, n int) {
	t.Helper()
	var s *shop
	var took []time.Duration
	for whole, shops := false, 1; !whole; shops++ {
		if shops > 3 {
			t.Fatal("in three shops the server left a consumer without a store")
		}
		s = openShop(t, lib, 16, 20*time.Millisecond, "m1", "m2", "m3", "m4")
		e := start(t, s.url)
		s.trade(64, time.Second/120)
		if took, whole = changes(t, e, s, n, 5*time.Second, "m1", "m2", "m3", "m4"); !whole {
			s.close()
		}
	}
	b := s.settled()
	t.Logf("%+v; drains took %s in the middle, %s at most", b, took[len(took)/2], took[len(took)-1])
	if b.twice+b.overlaps+b.lost+b.disorder > 0 || b.sent < 60*n/4 {
		t.Errorf("%+v", b)
	}
}

func TestDrainedHandover(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes more than a second")
	}
	drained(t, libraries()[0], 4)
}

// BenchmarkDrainedHandover is the same over 30 changes, with the members of each
// library.
func BenchmarkDrainedHandover(b *testing.B) {
	for _, lib := range libraries() {
		b.Run(lib.name, func(b *testing.B) {
			for b.Loop() {
				drained(b, lib, 30)
			}
		})
	}
}

// BenchmarkHandoverWithoutDraining is what draining saves: changes written at once.
func BenchmarkHandoverWithoutDraining(b *testing.B) {
	for b.Loop() {
		s := openShop(b, libraries()[0], 16, 20*time.Millisecond, "m1", "m2", "m3", "m4")
		e := start(b, s.url)
		s.trade(64, time.Second/120)
		changes(b, e, s, 12, 0, "m1", "m2", "m3", "m4")
		found := s.settled()
		b.ReportMetric(float64(found.twice), "twice")
		b.ReportMetric(float64(found.overlaps), "overlaps")
		if found.lost > 0 {
			b.Errorf("%d lost", found.lost)
		}
	}
}
