package parti

import (
	"strings"

	"pcgtop/engine/observe"
)

// role is what a bucket is for.
type role int

const (
	roleNone role = iota
	roleIDs
	roleElection
	roleHeartbeat
	roleAssignment
	roleHandoff
	roleSource
)

// Metadata of what Parti's provisioning makes (provision/marker.go).
const (
	metaManaged   = "parti.io/managed"
	metaComponent = "parti.io/component"
	metaInstance  = "parti.io/instance"
)

// component is the role that metaComponent names.
func component(name string) role {
	switch name {
	case "control-plane:id":
		return roleIDs
	case "control-plane:election":
		return roleElection
	case "control-plane:heartbeat":
		return roleHeartbeat
	case "control-plane:assignment":
		return roleAssignment
	case "control-plane:handoff":
		return roleHandoff
	case "partition-source":
		return roleSource
	}
	return roleNone
}

// ending is the role that the last word of a bucket's name tells in Parti's defaults.
func ending(word string) role {
	switch word {
	case "stableid":
		return roleIDs
	case "election":
		return roleElection
	case "heartbeat":
		return roleHeartbeat
	case "assignment":
		return roleAssignment
	case "handoff":
		return roleHandoff
	}
	return roleNone
}

// ending is that word.
func (r role) ending() string {
	for _, word := range []string{"stableid", "election", "heartbeat", "assignment", "handoff"} {
		if ending(word) == r {
			return word
		}
	}
	return ""
}

// defaultStem is what the default names of buckets begin with.
const defaultStem = "parti"

// place is a bucket and what it is for.
type place struct {
	bucket, stem, instance string
	role                   role
	sure                   bool // it says so itself
}

// bucketOf is the name of the bucket that a stream stores; ok is false for other streams.
func bucketOf(stream string) (bucket string, ok bool) { return strings.CutPrefix(stream, "KV_") }

// stemOf is a bucket's name without its last word, and the word.
func stemOf(bucket string) (stem, word string) {
	i := strings.LastIndexAny(bucket, "-_")
	if i <= 0 {
		return bucket, ""
	}
	return bucket[:i], bucket[i+1:]
}

// marked is the place of a bucket that says itself what it is for.
func marked(s observe.Stream, bucket string) (place, bool) {
	meta := s.Metadata()
	r := component(meta[metaComponent])
	if r == roleNone || meta[metaManaged] == "" {
		return place{}, false
	}
	stem, _ := stemOf(bucket)
	return place{bucket: bucket, stem: stem, instance: meta[metaInstance], role: r, sure: true}, true
}

// named is the place of a bucket whose name is as the defaults are, behind the stem.
func named(bucket, stem string) (place, bool) {
	s, word := stemOf(bucket)
	if s != stem || ending(word) == roleNone {
		return place{}, false
	}
	return place{bucket: bucket, stem: stem, role: ending(word)}, true
}

// Shapes of keys that no other bucket is likely to have: what matches them tells what a
// bucket is for. A bucket with a limit of age is asked for heartbeats, others for
// assignments: one request each.
const (
	shapeHeartbeat  = "heartbeat.*"
	shapeAssignment = "assignment.>"
)

// shapeOf guesses by all keys of a bucket beside one of a known shape.
func shapeOf(keys []string) role {
	all := func(is func(string) bool) bool {
		for _, k := range keys {
			if !is(k) {
				return false
			}
		}
		return len(keys) > 0
	}
	begins := func(with string) func(string) bool {
		return func(k string) bool { return strings.HasPrefix(k, with) }
	}
	switch {
	case all(begins("heartbeat.")):
		return roleHeartbeat
	case all(begins("assignment.")):
		return roleAssignment
	case all(begins("claims/")):
		return roleHandoff
	case len(keys) == 1 && keys[0] == "leader":
		return roleElection
	case all(func(k string) bool { _, ok := idPrefix(k); return ok }):
		return roleIDs
	}
	return roleNone
}
