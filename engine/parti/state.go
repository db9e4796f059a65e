package parti

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"pcgtop/engine/observe"
)

// Keys of the assignment bucket, the other buckets' are told by their shapes.
const (
	keyCommit    = "assignment._commit"
	keyLog       = "assignment._commit_log."
	keyPayload   = "assignment._payload."
	keyWorker    = "assignment."
	keyHeartbeat = "heartbeat."
	keyLeader    = "leader"
	keyClaim     = "claims/"
)

// record is a stored value that was decoded.
type record[T any] struct {
	value    T
	revision uint64
	at       time.Time // server clock
	problem  string    // why it could not be decoded; empty: it was
	odd      oddities
}

func recordOf[T any](r observe.Record, value T, odd oddities, err error) record[T] {
	out := record[T]{value: value, revision: r.Revision, at: r.At, odd: odd}
	if err != nil {
		out.problem = err.Error()
	}
	return out
}

// state is what is stored of a deployment. Whoever has it holds its lock.
type state struct {
	ids        map[string]record[struct{}]
	heartbeats map[string]record[heartbeat]
	stopped    map[string]time.Time // workers that took their heartbeat back, server clock
	leader     record[string]
	commit     record[commit] // revision 0: there is none
	commitRaw  string
	payloads   map[string]record[payload] // by key
	aliases    map[string]record[assignment]
	aliasRaw   map[string]string
	claims     map[string]record[claim]
	sources    map[sourceAt]record[[]Partition]
	sourceRaw  map[sourceAt][]byte // as it is stored

	shown  *version // the last version that was complete, or what there is of the first one
	before *version // the complete one before it
	coming *version // a newer one that is not complete yet
	stale  bool     // they are to be put together anew
}

func newState() state {
	return state{
		ids: map[string]record[struct{}]{}, heartbeats: map[string]record[heartbeat]{}, stopped: map[string]time.Time{},
		payloads: map[string]record[payload]{}, aliases: map[string]record[assignment]{}, aliasRaw: map[string]string{},
		claims: map[string]record[claim]{}, sources: map[sourceAt]record[[]Partition]{}, sourceRaw: map[sourceAt][]byte{},
	}
}

// take notes a stored value of a bucket, and tells whether it is news: what is only
// renewed is none.
func (s *state) take(p place, r observe.Record) (news bool) {
	if r.Removed {
		return s.drop(p, r.Key, r.At, true)
	}
	switch p.role {
	case roleIDs:
		_, known := s.ids[r.Key]
		s.ids[r.Key] = record[struct{}]{revision: r.Revision, at: r.At}
		return !known
	case roleElection:
		return r.Key == keyLeader && s.lead(r)
	case roleHeartbeat:
		return s.beat(r)
	case roleAssignment:
		return s.assign(r)
	case roleHandoff:
		if id, ok := strings.CutPrefix(r.Key, keyClaim); ok {
			c, odd, err := decodeClaim(r.Value)
			if c.Partition == "" {
				c.Partition = id
			}
			s.claims[r.Key] = recordOf(r, c, odd, err)
			return true
		}
	case roleSource:
		list, err := decodeSource(r.Value)
		at := sourceAt{p.bucket, r.Key}
		s.sources[at], s.sourceRaw[at] = recordOf(r, list, oddities{}, err), slices.Clone(r.Value)
		return true
	}
	return false
}

func (s *state) lead(r observe.Record) (news bool) {
	worker, err := decodeLeader(r.Value)
	old := s.leader
	s.leader = recordOf(r, worker, oddities{}, err)
	return old.revision == 0 || old.value != worker || old.problem != s.leader.problem
}

func (s *state) beat(r observe.Record) (news bool) {
	worker, ok := strings.CutPrefix(r.Key, keyHeartbeat)
	if !ok {
		return false
	}
	h, odd, err := decodeHeartbeat(r.Value)
	old, known := s.heartbeats[worker]
	s.heartbeats[worker] = recordOf(r, h, odd, err)
	delete(s.stopped, worker)
	return !known || old.value.Applied != h.Applied || old.value.Capabilities != h.Capabilities ||
		!slices.Equal(old.value.Labels, h.Labels) || old.problem != s.heartbeats[worker].problem
}

func (s *state) assign(r observe.Record) (news bool) {
	switch {
	case r.Key == keyCommit:
		c, odd, err := decodeCommit(r.Value)
		s.commit, s.commitRaw, s.stale = recordOf(r, c, odd, err), string(r.Value), true
	case strings.HasPrefix(r.Key, keyPayload):
		if old, known := s.payloads[r.Key]; known && old.problem == "" {
			return false // the key says what it holds: it was written again
		}
		s.payloads[r.Key] = takePayload(r)
		s.stale = s.stale || s.coming != nil || s.shown == nil || len(s.shown.missing) > 0
	case strings.HasPrefix(r.Key, keyLog), strings.HasPrefix(r.Key, keyWorker+"_"):
		return false
	case strings.HasPrefix(r.Key, keyWorker):
		worker := strings.TrimPrefix(r.Key, keyWorker)
		a, odd, err := decodeAssignment(r.Value)
		s.aliases[worker] = recordOf(r, a, odd, err)
		if raw, err := plain(r.Value); err == nil {
			s.aliasRaw[worker] = string(raw)
		}
		s.stale = s.stale || s.commit.revision == 0
	default:
		return false
	}
	return true
}

// takePayload decodes a payload and compares it with the hash that its key promises.
func takePayload(r observe.Record) record[payload] {
	raw, err := plain(r.Value)
	if err != nil {
		return recordOf(r, payload{}, oddities{}, err)
	}
	sum := sha256.Sum256(raw)
	if want := strings.TrimPrefix(r.Key, keyPayload); hex.EncodeToString(sum[:]) != want {
		return record[payload]{revision: r.Revision, at: r.At, problem: "its content is not what the hash in its key says"}
	}
	p, odd, err := decodePayload(raw)
	return recordOf(r, p, odd, err)
}

// assemble puts the version that counts together. A commit decides, whatever the legacy
// copies say; one that is not complete waits, and what was complete before it stays.
func (s *state) assemble() {
	if !s.stale {
		return
	}
	s.stale = false
	var v *version
	switch {
	case s.commit.revision > 0 && s.commit.problem != "":
		return
	case s.commit.revision > 0:
		v = committed(s.commit, s.payloads)
	case len(s.aliases) > 0:
		v = gathered(s.aliases)
	default:
		s.shown, s.before, s.coming = nil, nil, nil
		return
	}
	complete := len(v.missing) == 0 || v.commit == nil
	switch {
	case !complete && s.shown != nil && len(s.shown.missing) == 0:
		s.coming = v
		return
	case s.shown != nil && s.shown.number != v.number:
		s.before = s.shown
	}
	s.shown, s.coming = v, nil
	maps.DeleteFunc(s.stopped, func(w string, _ time.Time) bool { return !slices.Contains(v.workers, w) })
}

// drop notes that a key is gone. Somebody removed it, or it expired.
func (s *state) drop(p place, key string, at time.Time, removed bool) (news bool) {
	switch p.role {
	case roleIDs:
		delete(s.ids, key)
	case roleElection:
		if key != keyLeader {
			return false
		}
		s.leader = record[string]{at: at}
	case roleHeartbeat:
		worker := strings.TrimPrefix(key, keyHeartbeat)
		if _, known := s.heartbeats[worker]; known && removed {
			s.stopped[worker] = at
		}
		delete(s.heartbeats, worker)
	case roleAssignment:
		return s.unassign(key)
	case roleHandoff:
		delete(s.claims, key)
	case roleSource:
		delete(s.sources, sourceAt{p.bucket, key})
		delete(s.sourceRaw, sourceAt{p.bucket, key})
	}
	return true
}

func (s *state) unassign(key string) (news bool) {
	switch {
	case key == keyCommit:
		s.commit, s.commitRaw = record[commit]{}, ""
	case strings.HasPrefix(key, keyPayload):
		delete(s.payloads, key)
		return false // what is shown has it already
	case strings.HasPrefix(key, keyWorker+"_"):
		return false
	default:
		worker := strings.TrimPrefix(key, keyWorker)
		delete(s.aliases, worker)
		delete(s.aliasRaw, worker)
	}
	s.stale = true
	return true
}

// raw is the assignment as it is stored, compressed or not.
func (s *state) raw() string {
	if s.commit.revision > 0 {
		return s.commitRaw
	}
	if len(s.aliasRaw) == 0 {
		return ""
	}
	all := make(map[string]json.RawMessage, len(s.aliasRaw))
	for w, raw := range s.aliasRaw {
		if all[keyWorker+w] = json.RawMessage(raw); !json.Valid([]byte(raw)) {
			return strings.Join(slices.Sorted(maps.Values(s.aliasRaw)), "\n")
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return ""
	}
	return string(text)
}
