package tui

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pcgtop/keymap"
	"pcgtop/model"
)

// estate is n groups that were read once, and what makes one of them another.
func estate(n int) *model.Snapshot {
	var seen []model.Observation
	for i := range n {
		seen = append(seen, estateConfig(i, 1), estateRead(i, 0))
	}
	return model.Reduce(nil, moment(), seen...)
}

func estateConfig(i int, revision uint64) model.Observation {
	return model.ConfigSeen{Key: estateKey(i), Revision: revision, Written: moment(), Config: &model.Config{Partitions: 10, Members: []string{"m1", "m2"}}}
}

func estateRead(i int, pending uint64) model.Observation {
	return model.ConsumersRead{Stream: estateKey(i).ConsumeStream(), TS: moment(), Consumers: []*model.Consumer{
		{Name: "m1", Created: moment(), TS: moment(), Pending: pending, Waiting: 1, AckWait: 5 * time.Second},
	}}
}

func estateKey(i int) model.Key {
	return model.Key{Kind: model.KindElastic, Stream: "S", Group: fmt.Sprintf("g%05d", i)}
}

// TestRowsFollowChanges: whatever changes from one picture to the next, the rows and sums
// are those that somebody sees who looks for the first time.
func TestRowsFollowChanges(t *testing.T) {
	for seed := range uint64(10) {
		rowsFollow(t, rand.New(rand.NewPCG(seed, 2)))
	}
}

func rowsFollow(t *testing.T, random *rand.Rand) {
	orders := []keymap.ID{keymap.SortVerdict, keymap.SortName, keymap.SortLag, keymap.SortMembers, keymap.SortWhy}
	s := estate(100)
	for i := range 50 { // nothing is read of these
		s = model.Reduce(s, moment(), estateConfig(100+i, 1))
	}
	o := overview{order: order{by: orders[random.IntN(len(orders))]}}
	for n := range 40 {
		var seen []model.Observation
		for range []int{1, 2, 20, 200}[random.IntN(4)] {
			read := estateRead(random.IntN(160), uint64(random.IntN(4))).(model.ConsumersRead)
			switch m2 := *read.Consumers[0]; random.IntN(4) {
			case 0:
				read.Consumers, read.Error = nil, "denied"
			case 1:
				m2.Name = "m2"
				read.Consumers = append(read.Consumers, &m2)
			}
			seen = append(seen, read)
		}
		switch i := random.IntN(160); random.IntN(10) {
		case 0, 1:
			seen = append(seen, estateConfig(i, uint64(n+2)))
		case 2:
			seen = append(seen, model.ConfigGone{Key: estateKey(i), Revision: uint64(n + 2), At: moment()})
		}
		s = model.Reduce(s, moment(), seen...)
		switch random.IntN(10) {
		case 0:
			o.order = order{by: orders[random.IntN(len(orders))], reversed: random.IntN(2) == 0}
		case 1:
			o.filter.value = []string{"", "is:need", "g0001", "-is:need"}[random.IntN(4)]
		}
		o.take(s)
		anew := overview{order: o.order, filter: o.filter}
		anew.take(s)
		if !slices.Equal(o.rows, anew.rows) || o.total != anew.total || o.need != s.InNeed() || o.failed != anew.failed || o.signs != anew.signs || o.names != anew.names {
			t.Fatalf("step %d: the rows are not those of the picture", n)
		}
		if d := cmp.Diff(anew.sums, o.sums, cmp.AllowUnexported(totals{})); d != "" {
			t.Fatalf("step %d: the sums differ: %s", n, d)
		}
	}
}

// What a picture costs follows what is new in it, not how many groups there are.
func TestPicturesCostWhatChanged(t *testing.T) {
	cost := func(groups int) float64 {
		st := newStage(t, 200, 60)
		st.blind = true
		var pictures []*model.Snapshot
		s := estate(groups)
		for i := range 8 {
			s = model.Reduce(s, moment().Add(time.Duration(i)*time.Second), estateRead(i, uint64(i%2)))
			pictures = append(pictures, s)
		}
		st.show(pictures[7])
		st.m.View()
		n := 0
		return testing.AllocsPerRun(8, func() {
			st.show(pictures[n%8])
			n++
			st.m.View()
		})
	}
	few, many := cost(100), cost(3000)
	if many > 2*few {
		t.Errorf("a picture of 3,000 groups allocates %.0f times, one of 100 groups %.0f times", many, few)
	}
}

// Groups that changed do not make all rows be sorted anew, however many move.
func TestChangesMoveTheirRows(t *testing.T) {
	before := estate(5000)
	with := func(changed int) *model.Snapshot {
		var seen []model.Observation
		for i := range changed {
			seen = append(seen, estateRead(25*i, 1))
		}
		return model.Reduce(before, moment().Add(time.Second), seen...)
	}
	quickest := func(after *model.Snapshot, prepare func(*overview)) time.Duration {
		o := overview{order: order{by: keymap.SortLag}}
		o.take(before)
		least := time.Hour
		for n := range 40 {
			prepare(&o)
			start := time.Now()
			o.take([]*model.Snapshot{after, before}[n%2])
			least = min(least, time.Since(start))
		}
		return least
	}
	one, some := quickest(with(1), func(*overview) {}), quickest(with(200), func(*overview) {})
	all := quickest(with(1), func(o *overview) { o.arranged.filter = "another" })
	t.Logf("one of 5,000 groups takes %v, 200 take %v, all take %v", one, some, all)
	if one > all/20 || some > all/4 {
		t.Errorf("one of 5,000 groups takes %v, 200 take %v, all take %v", one, some, all)
	}
}
