package pcgroups

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// CON-01: after any number of changes every member with partitions really consumes.
func TestChurnSettles(t *testing.T) {
	short(t)
	f := newFixture(t)
	names := []string{"m1", "m2", "m3"}
	const ackWait = 2 * time.Second
	f.elastic("g", 6, names...)
	var got ledger
	var log journal
	var running []Instance
	for _, name := range names {
		for i := range 2 {
			instance := fmt.Sprintf("%s-%d", name, i)
			running = append(running, f.joinElastic("g", name, got.handler(name, instance, time.Millisecond), oneByOne(ackWait), WithLogger(log.logger().With("instance", i))))
		}
	}
	l := f.startLoad("a", 24, 5*time.Millisecond)
	change := time.NewTicker(100 * time.Millisecond)
	defer change.Stop()
	for i := range 30 {
		<-change.C
		if name := names[i/2%3]; i%2 == 0 {
			f.must(DeleteMembers(f.ctx, f.js, "A", "g", []string{name}))
		} else {
			f.must(AddMembers(f.ctx, f.js, "A", "g", []string{name}))
		}
	}
	l.end()
	within := time.Now().Add(3 * ackWait)
	config, err := GetElasticConsumerGroupConfig(f.ctx, f.js, "A", "g")
	f.must(config, err)
	defer func() {
		for _, i := range running {
			if i.Err() != nil {
				t.Errorf("ended with %v", i.Err())
			}
		}
		for _, name := range names {
			if info := f.info("A-g", name); t.Failed() && info != nil {
				t.Logf("%s: %v of %v, %d waiting, %d pending, %+v", name, filtersOf(info.Config), ElasticGetPartitionFilters(*config, name), info.NumWaiting, info.NumPending, info.PriorityGroups)
			}
		}
		if t.Failed() {
			t.Log(log.String())
		}
	}()
	eventually(t, time.Until(within), "each member has its consumer and both instances pull", func() bool {
		for _, name := range names {
			info := f.info("A-g", name)
			if info == nil || info.NumWaiting < 2 || !sameFilters(filtersOf(info.Config), ElasticGetPartitionFilters(*config, name)) {
				return false
			}
		}
		return true
	})
	if diff := cmp.Diff(names, f.consumers("A-g")); diff != "" {
		t.Errorf("not one consumer a member: %s", diff)
	}
	eventually(t, time.Until(within), "every partition drains", func() bool {
		work, err := f.js.Stream(f.ctx, "A-g")
		return err == nil && work.CachedInfo().State.Msgs == 0
	})
	if v := got.judge(l.sent, time.Now()); v.missing+v.disorder != 0 || slices.Max(l.sent) < 5 {
		t.Errorf("%+v of %v", v, l.sent)
	}
}
