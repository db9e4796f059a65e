package parti

import (
	"maps"
	"slices"
	"strings"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

// manySubjects is how many messages a bucket may hold whose keys are all asked for.
const manySubjects = 10_000

// listing is what the list of all streams tells of buckets.
type listing struct {
	known   []place                   // it is known what they are for
	unknown map[string]observe.Stream // it is not, by name
	whole   bool                      // every stream told more than its name
}

// recognise finds deployments in the list of all streams by what they say themselves and by
// name, which costs no request.
func (f *following) recognise(list []observe.Stream) *listing {
	l := &listing{whole: !slices.ContainsFunc(list, silent)}
	l.known, l.unknown = f.sort(list)
	f.start(l.known)
	return l
}

// discover finds the others by the shape of keys, which is asked for once a bucket.
func (f *following) discover(l *listing) {
	known := l.known
	for bucket, s := range l.unknown {
		if f.ctx.Err() != nil {
			return
		}
		if r, asked := f.examine(bucket, s); asked && r != roleNone {
			stem, _ := stemOf(bucket)
			known = append(known, place{bucket: bucket, stem: stem, role: r})
		}
	}
	f.start(append(known, f.mates(known, l.unknown)...))
	if l.whole { // else it may be there all the same
		f.sweep()
	}
}

// silent tells of a stream of which nothing but its name is known.
func silent(s observe.Stream) bool { return !s.Answered() }

// sort parts buckets of which it is known what they are for from the others.
func (f *following) sort(list []observe.Stream) (known []place, unknown map[string]observe.Stream) {
	unknown = map[string]observe.Stream{}
	for _, s := range list {
		bucket, ok := bucketOf(s.Name())
		if !ok || silent(s) || bucket == observe.BucketName(model.KindStatic) || bucket == observe.BucketName(model.KindElastic) {
			continue
		}
		p, found := marked(s, bucket)
		if !found {
			p, found = named(bucket, defaultStem)
		}
		if !found && f.prefix != "" {
			p, found = named(bucket, f.prefix)
		}
		if !found {
			unknown[bucket] = s
			continue
		}
		known = append(known, p)
	}
	return known, unknown
}

// examine asks for the keys of a bucket by the shape that its age limit suggests, at most
// once: a bucket is not asked again. An empty one waits until it has something.
func (f *following) examine(bucket string, s observe.Stream) (role, bool) {
	f.mu.Lock()
	r, known := f.examined[bucket]
	f.mu.Unlock()
	if known {
		return r, true
	}
	if s.Facts().Messages == 0 {
		return roleNone, false
	}
	shape, is := shapeAssignment, roleAssignment
	if s.MaxAge() > 0 {
		shape, is = shapeHeartbeat, roleHeartbeat
	}
	subjects, err := f.account.Subjects(f.ctx, s.Name(), "$KV."+bucket+"."+shape)
	if f.ctx.Err() != nil {
		return roleNone, false
	}
	if err != nil || len(subjects) == 0 {
		is = roleNone
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.examined[bucket] = is
	return is, true
}

// mates finds, beside buckets of a deployment, others whose names begin alike: by their last
// word, by all of their keys, or as a possible source of partitions.
func (f *following) mates(known []place, unknown map[string]observe.Stream) []place {
	stems := map[string]bool{}
	for _, p := range known {
		if p.role == roleHeartbeat || p.role == roleAssignment {
			stems[p.stem] = true
		}
	}
	taken := map[string]bool{}
	for _, p := range known {
		taken[p.bucket] = true
	}
	var found []place
	for _, bucket := range slices.Sorted(maps.Keys(unknown)) {
		stem, _ := stemOf(bucket)
		if !stems[stem] || taken[bucket] || f.ctx.Err() != nil {
			continue
		}
		p, ok := named(bucket, stem)
		if !ok {
			if p, ok = f.mate(bucket, stem, unknown[bucket]); !ok {
				continue
			}
		}
		found = append(found, p)
	}
	return found
}

func (f *following) mate(bucket, stem string, s observe.Stream) (place, bool) {
	f.mu.Lock()
	r, known := f.examined[stem+"\x00"+bucket]
	f.mu.Unlock()
	if !known {
		n := s.Facts().Messages
		if n == 0 || n > manySubjects {
			return place{}, false
		}
		subjects, err := f.account.Subjects(f.ctx, s.Name(), "$KV."+bucket+".>")
		if p := (place{bucket: bucket, stem: stem, role: roleSource}); err != nil {
			return p, p.calledSource() // why it cannot be read, is told when it is followed
		}
		var keys []string
		for subject := range subjects {
			keys = append(keys, strings.TrimPrefix(subject, "$KV."+bucket+"."))
		}
		if r = shapeOf(keys); r == roleNone && len(keys) <= maxSources {
			r = roleSource // whether it is one, what is in it tells
		}
		f.mu.Lock()
		f.examined[stem+"\x00"+bucket] = r
		f.mu.Unlock()
	}
	return place{bucket: bucket, stem: stem, role: r}, r != roleNone
}

// maxSources is how many keys a bucket may have to be looked through for a partition source.
const maxSources = 16

// start follows what deployments the places make up.
func (f *following) start(places []place) {
	places = together(places)
	whole := map[string]bool{}
	for _, p := range places {
		if p.role == roleHeartbeat || p.role == roleAssignment {
			whole[p.stem] = true
		}
	}
	f.add(slices.DeleteFunc(places, func(p place) bool { return !whole[p.stem] })...)
}

// together lets buckets of one instance be one deployment, however they are called, unless
// two of them are for the same: then there are several, told apart by their names.
func together(places []place) []place {
	byInstance := map[string][]int{}
	for i, p := range places {
		if p.instance != "" {
			byInstance[p.instance] = append(byInstance[p.instance], i)
		}
	}
	out := slices.Clone(places)
	for _, members := range byInstance {
		roles, stems := map[role]int{}, map[string]int{}
		for _, i := range members {
			roles[places[i].role]++
			if places[i].role != roleSource {
				stems[places[i].stem]++
			}
		}
		several := false
		for r, n := range roles {
			several = several || n > 1 && r != roleSource
		}
		stem := ""
		for _, s := range slices.Sorted(maps.Keys(stems)) {
			if stem == "" || stems[s] > stems[stem] {
				stem = s
			}
		}
		if several || stem == "" {
			continue
		}
		for _, i := range members {
			out[i].stem = stem
		}
	}
	return out
}

// sweep tells once, after a connection was lost, which groups are there no more.
func (f *following) sweep() {
	if f.swept || f.ctx.Err() != nil {
		return
	}
	f.swept = true
	f.mu.Lock()
	stems := maps.Clone(f.keys)
	f.mu.Unlock()
	for stem, k := range stems {
		f.byStemMu.Lock()
		_, there := f.byStem[stem]
		f.byStemMu.Unlock()
		if !there {
			f.forget(k)
		}
	}
}
