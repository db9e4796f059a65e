package parti

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"pcgtop/engine/observe"
)

// deployment is one group: what its buckets hold, as far as it was told. It implements
// [model.Teller].
type deployment struct {
	changed chan struct{} // something is new that somebody waits to see

	mu      sync.Mutex
	state   state
	buckets map[string]bucket // by name
	ahead   time.Duration     // the server's clock against ours
	stream  string            // whose consumers are the workers'; empty: not found
	reads   string            // the same as it was told last
	tried   bool              // it was told, unless there was nothing to tell
	whole   bool              // and all that could be the partition source was read then

	matched  sourceAt // the partition source, once one was told by what is in it
	durables durables // as joined last
	joint    joint
}

// bucket is what is known of a bucket itself.
type bucket struct {
	place
	exists  bool
	existed bool          // it does, or did while this program looked
	read    bool          // what is in it was told once, or cannot be
	maxAge  time.Duration // 0: for ever
	refused string        // why it cannot be read
}

func newDeployment() *deployment {
	return &deployment{changed: make(chan struct{}, 1), state: newState(), buckets: map[string]bucket{}}
}

// mark notes that a bucket is followed, and whether what is in it was told, or cannot be.
func (d *deployment) mark(p place, read bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	b := d.buckets[p.bucket]
	b.place, b.read = p, read
	d.buckets[p.bucket] = b
	if p.role == roleSource { // what is in it may make it the source
		d.whole = false
		if read {
			d.signal()
		}
	}
}

// source is where the partition source was found.
func (d *deployment) source() sourceAt {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.matched
}

// signal asks for the deployment to be told.
func (d *deployment) signal() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// TTLs of Parti's defaults, for buckets that have none: version 2, version 1.
const (
	ttlHeartbeat2, ttlHeartbeat1 = 15 * time.Second, 6 * time.Second
	ttlElection2, ttlElection1   = 10 * time.Second, 5 * time.Second
	ttlID2, ttlID1               = 75 * time.Second, 30 * time.Second
)

// ttl is how long a value of that role counts without being renewed.
func (d *deployment) ttl(r role) time.Duration {
	for _, b := range d.buckets {
		if b.role == r && b.maxAge > 0 {
			return b.maxAge
		}
	}
	old := d.state.commit.revision == 0 && len(d.state.aliases) > 0
	pick := func(two, one time.Duration) time.Duration {
		if old {
			return one
		}
		return two
	}
	switch r {
	case roleHeartbeat:
		return pick(ttlHeartbeat2, ttlHeartbeat1)
	case roleElection:
		return pick(ttlElection2, ttlElection1)
	case roleIDs:
		return pick(ttlID2, ttlID1)
	}
	return 0
}

// has tells whether a bucket of that role is there and can be read.
func (d *deployment) has(r role) bool {
	for _, b := range d.buckets {
		if b.role == r && b.exists && b.refused == "" {
			return true
		}
	}
	return false
}

// exists tells whether any of its buckets does.
func (d *deployment) exists() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, b := range d.buckets {
		if b.exists || b.refused != "" {
			return true
		}
	}
	return false
}

// commonPrefix is what most stable ids begin with, for the name of the group. Every trace of
// a worker counts: one that only has a heartbeat weighs less than one that has all. Of those
// as frequent it is the first by name.
func (d *deployment) commonPrefix() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	count := map[string]int{}
	note := func(worker string) {
		if p, ok := idPrefix(worker); ok {
			count[p]++
		}
	}
	for w := range d.state.ids {
		note(w)
	}
	for w := range d.state.heartbeats {
		note(w)
	}
	for _, v := range []*version{d.state.shown, d.state.coming} {
		if v != nil {
			for _, w := range v.workers {
				note(w)
			}
		}
	}
	common := "default"
	for _, p := range slices.Sorted(maps.Keys(count)) {
		if count[p] > count[common] {
			common = p
		}
	}
	return common
}

// workers are all that are known in any way, by name. The lock is held.
func (d *deployment) workers() []string {
	all := map[string]bool{}
	for w := range d.state.ids {
		all[w] = true
	}
	for w := range d.state.heartbeats {
		all[w] = true
	}
	for _, v := range []*version{d.state.shown, d.state.coming} {
		if v != nil {
			for _, w := range v.workers {
				all[w] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// live lists the workers whose heartbeat is young enough at a time (server clock), by name.
// Where heartbeats cannot be read, whoever renews its stable id lives.
func (d *deployment) live(now time.Time) []string {
	ttl := d.ttl(roleHeartbeat)
	var list []string
	if d.deaf() {
		for w, id := range d.state.ids {
			if now.Sub(id.at) <= d.ttl(roleIDs) {
				list = append(list, w)
			}
		}
	}
	for w, h := range d.state.heartbeats {
		if now.Sub(h.at) <= ttl {
			list = append(list, w)
		}
	}
	slices.Sort(list)
	return list
}

// aging is a text that differs when age alone has changed what is to be told: who is alive,
// whether the leader is, which handoffs are stuck.
func (d *deployment) aging(now time.Time) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var b strings.Builder
	b.WriteString(strings.Join(d.live(now), " "))
	if d.state.leader.revision > 0 && now.Sub(d.state.leader.at) > d.ttl(roleElection) {
		b.WriteString(" leaderless")
	}
	for _, key := range slices.Sorted(maps.Keys(d.state.claims)) {
		if stuck(d.state.claims[key], now) {
			b.WriteString(" " + key)
		}
	}
	if v := d.state.shown; v != nil && now.Sub(v.at) > settleTime {
		b.WriteString(" settled")
	}
	return b.String()
}

// ledger is told of one bucket of a deployment.
type ledger struct {
	*deployment
	place   place
	account observe.Account
	gone    func() // a bucket is gone
}

func (l ledger) Appeared(info observe.Stream, lost []string, _ bool) {
	l.change(func(b *bucket) bool {
		b.exists, b.existed, b.maxAge, b.refused = true, true, info.MaxAge(), ""
		l.lose(lost)
		return true
	})
}

func (l ledger) Vanished(lost []string, was bool) {
	l.change(func(b *bucket) bool {
		b.exists, b.refused = false, ""
		l.lose(lost)
		return was
	})
	if was {
		l.gone()
	}
}

func (l ledger) Refused(why string) {
	l.change(func(b *bucket) bool {
		was := b.refused
		b.refused = why
		return was != why
	})
}

func (l ledger) Took(records []observe.Record) {
	l.change(func(*bucket) (news bool) {
		for _, r := range records {
			news = l.state.take(l.place, r) || news
		}
		if l.state.commit.revision > 0 { // one version after the other; of version 1 only the newest is of use
			l.state.assemble()
		}
		return news
	})
}

func (l ledger) Dropped(keys []string) {
	l.change(func(*bucket) bool {
		l.lose(keys)
		return true
	})
}

// lose forgets keys. The lock is held.
func (l ledger) lose(keys []string) {
	for _, key := range keys {
		l.state.drop(l.place, key, l.account.Now(), false)
	}
}

// change changes what is known of the bucket, and asks for it to be told if it is news.
func (l ledger) change(f func(*bucket) (news bool)) {
	ahead := time.Until(l.account.Now())
	l.mu.Lock()
	b := l.buckets[l.place.bucket]
	b.place = l.place
	news := f(&b)
	l.buckets[l.place.bucket] = b
	l.ahead = ahead
	l.mu.Unlock()
	if news {
		l.signal()
	}
}
