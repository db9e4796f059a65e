package pcgroups

import (
	"fmt"
	"testing"
	"time"
)

// A group that is removed and made anew at once ends its members or not, but it leaves
// none that runs and does nothing; whoever joins then consumes.
func TestGroupMadeAnewUnderItsMembers(t *testing.T) {
	short(t)
	t.Parallel()
	for name, remove := range map[string]func(f *fixture) error{
		"deleted": func(f *fixture) error { return DeleteElastic(f.ctx, f.js, "A", "g") },
		"purged":  func(f *fixture) error { return f.kv(elasticBucket).Purge(f.ctx, "A.g") },
		"bucket deleted": func(f *fixture) error {
			return f.js.DeleteKeyValue(f.ctx, elasticBucket)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.elastic("g", 2, "m1")
			var got inbox
			var all []Instance
			for range 3 {
				all = append(all, f.joinElastic("g", "m1", got.handler("old"), oneByOne(time.Second)))
			}
			f.publish("a.before")
			eventually(t, 5*time.Second, "it consumes", func() bool { return got.count() == 1 })
			f.must(nil, remove(f))
			f.elastic("g", 2, "m1")
			all = append(all, f.joinElastic("g", "m1", got.handler("new"), oneByOne(time.Second)))
			f.publish("a.after")
			eventually(t, 8*time.Second, "the message comes", func() bool { return got.has("a.after") })
			for n, i := range all {
				if err := i.Err(); err != nil {
					t.Errorf("instance %d: %v", n, err)
				}
			}
			eventually(t, 8*time.Second, "who has not ended pulls", func() bool {
				n := 0
				for _, i := range all {
					if running(i) {
						n++
					}
				}
				info := f.info("A-g", "m1")
				return info != nil && info.NumWaiting == n && n > 0
			})
		})
	}
}

// A server that restarts in the middle of handovers costs neither messages nor order.
func TestServerRestartsDuringHandovers(t *testing.T) {
	short(t)
	t.Parallel()
	f := newFixture(t)
	f.elastic("g", 6, "m1", "m2")
	var got ledger
	var all []Instance
	for _, name := range []string{"m1", "m2", "m3"} {
		for i := range 2 {
			all = append(all, f.joinElastic("g", name, got.handler(name, fmt.Sprint(name, i), time.Millisecond), oneByOne(2*time.Second)))
		}
	}
	l := f.startLoad("a", 12, 5*time.Millisecond)
	for i := range 4 {
		n := len(got.since(time.Time{}))
		eventually(t, 10*time.Second, "messages flow", func() bool { return len(got.since(time.Time{})) > n+30 })
		if i%2 == 0 {
			f.must(AddMembers(f.ctx, f.js, "A", "g", []string{"m3"}))
		} else {
			f.must(DeleteMembers(f.ctx, f.js, "A", "g", []string{"m3"}))
		}
		f.restart()
	}
	l.drained(t, 20*time.Second, &got)
	if v := got.judge(l.sent, time.Now()); v.disorder != 0 || v.missing != 0 {
		t.Errorf("%+v", v)
	}
	for n, i := range all {
		if err := i.Err(); err != nil {
			t.Errorf("instance %d: %v", n, err)
		}
	}
}
