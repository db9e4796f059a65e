package parti

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Formats as in Parti's sources: types/heartbeat.go, types/assignment_commit.go,
// types/partition.go, internal/handoff.

// maxPlain bounds a value once it is decompressed, in bytes.
const maxPlain = 16 << 20

// schemaKnown is the newest schema version that this code knows.
const schemaKnown = 1

// errTooBig is wrapped when a value is refused for its size.
var errTooBig = errors.New("too big")

// gzipped tells by the first two bytes whether a value is compressed.
func gzipped(value []byte) bool {
	return len(value) > 2 && value[0] == 0x1f && value[1] == 0x8b
}

// plain is a value as it was before it was compressed, if it was.
func plain(value []byte) ([]byte, error) {
	if !gzipped(value) {
		if len(value) > maxPlain {
			return nil, fmt.Errorf("%w: %d bytes, at most %d are read", errTooBig, len(value), maxPlain)
		}
		return value, nil
	}
	r, err := gzip.NewReader(bytes.NewReader(value))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, maxPlain+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("decompress: %w", err)
	case len(out) > maxPlain:
		return nil, fmt.Errorf("%w: more than %d bytes decompressed", errTooBig, maxPlain)
	}
	return out, nil
}

// heartbeat is the value of heartbeat.<worker>.
type heartbeat struct {
	Worker         string   `json:"worker_id"`
	Schema         int      `json:"schema_version"` // 0: of version 1, which stores a time alone
	Capabilities   uint32   `json:"capabilities"`
	Labels         []string `json:"labels"`
	LeaderRevision uint64   `json:"leader_revision"`
	Applied        int64    `json:"applied_version"`
	Digest         uint64   `json:"applied_digest"`
	Source         uint64   `json:"applied_source_revision"`
	SourceKnown    bool     `json:"applied_source_revision_known"`
	AppliedAt      lenient  `json:"applied_at"`
	Timestamp      lenient  `json:"timestamp"`
}

// Bits of heartbeat.Capabilities.
const (
	canAcknowledge = 1 << iota // the applied version is told
	canTwoPhase                // handoffs in two phases
	canGate                    // handlers stand behind the processing gate
)

// lenient is a time of which it does not matter much that it cannot be read.
type lenient struct{ time.Time }

// UnmarshalJSON leaves the time zero where it is none.
func (t *lenient) UnmarshalJSON(raw []byte) error {
	var at time.Time
	if json.Unmarshal(raw, &at) == nil {
		t.Time = at
	}
	return nil
}

// decodeHeartbeat reads what either version stores: JSON begins with a brace, else it is
// a time.
func decodeHeartbeat(value []byte) (h heartbeat, odd oddities, err error) {
	if len(value) > 0 && value[0] == '{' {
		odd, err = decode(value, &h)
		odd.schema(h.Schema)
		return h, odd, err
	}
	at, err := time.Parse(time.RFC3339, string(value)) // takes fractions too
	if err != nil {
		return h, odd, fmt.Errorf("neither JSON nor a time: %s", quote(value))
	}
	h.Timestamp.Time = at
	return h, odd, nil
}

// commit is the value of assignment._commit (version 2).
type commit struct {
	Version     int64                 `json:"version"`
	Leader      uint64                `json:"leader_revision"`
	Source      uint64                `json:"source_revision"`
	SourceKnown bool                  `json:"source_revision_known"`
	Published   lenient               `json:"published_at"`
	Workers     []string              `json:"workers"`
	Payloads    map[string]payloadRef `json:"payloads"`
	Batch       uint64                `json:"batch_digest"`
	Parked      int                   `json:"parked_count"`
	ParkedSet   uint64                `json:"parked_digest"`
	Previous    uint64                `json:"prev_commit_rev"`
	Lifecycle   string                `json:"lifecycle"`
}

// payloadRef says which payload is a worker's.
type payloadRef struct {
	Key      string `json:"key"`
	Hash     string `json:"payload_hash"` // hex sha256 of the payload before it was compressed
	Set      uint64 `json:"set_digest"`
	Revision uint64 `json:"revision"`
}

// payload is the value of assignment._payload.<hash> (version 2).
type payload struct {
	Schema      int         `json:"schema_version"`
	Partitions  []Partition `json:"partitions"`
	Labels      []string    `json:"worker_labels"`
	LabelsKnown bool        `json:"worker_labels_known"`
}

// assignment is the value of assignment.<worker>: all there is in version 1, a legacy copy
// in version 2.
type assignment struct {
	Version    int64       `json:"version"`
	Lifecycle  string      `json:"lifecycle"`
	Partitions []Partition `json:"partitions"`
	Leader     uint64      `json:"leader_revision"`
	Total      int         `json:"total_workers"`
}

// claim is the value of claims/<partition id> (version 2, handoffs in two phases).
type claim struct {
	Partition string  `json:"partition_id"`
	Owner     string  `json:"owner"`
	Pending   string  `json:"pending_owner"`
	State     string  `json:"state"` // stable, prepare, commit, abort, unknown
	Epoch     int64   `json:"epoch"`
	Updated   lenient `json:"last_updated"`
	TTL       int64   `json:"ttl_seconds"`
	Conflicts int64   `json:"conflict_count"`
}

func decodeCommit(value []byte) (c commit, odd oddities, err error) {
	odd, err = decode(value, &c)
	return c, odd, err
}

func decodePayload(plain []byte) (p payload, odd oddities, err error) {
	odd, err = decode(plain, &p)
	odd.schema(p.Schema)
	return p, odd, err
}

func decodeAssignment(value []byte) (a assignment, odd oddities, err error) {
	odd, err = decode(value, &a)
	return a, odd, err
}

func decodeClaim(value []byte) (c claim, odd oddities, err error) {
	odd, err = decode(value, &c)
	return c, odd, err
}

// decodeLeader reads the value of the key leader: a worker, a colon and seconds since 1970.
func decodeLeader(value []byte) (worker string, err error) {
	i := bytes.LastIndexByte(value, ':')
	if i <= 0 {
		return "", fmt.Errorf("not WORKER:SECONDS: %s", quote(value))
	}
	return string(value[:i]), nil
}

// decodeSource reads a partition source.
func decodeSource(value []byte) ([]Partition, error) {
	raw, err := plain(value)
	if err != nil {
		return nil, err
	}
	var list []Partition
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, fmt.Errorf("not a JSON list of partitions: %w", err)
	}
	return list, nil
}

// decode reads JSON, compressed or not, into a struct, and notes what it does not know.
func decode[T any](value []byte, into *T) (oddities, error) {
	raw, err := plain(value)
	if err != nil {
		return oddities{}, err
	}
	if raw = bytes.TrimSpace(raw); len(raw) == 0 || raw[0] != '{' {
		return oddities{}, fmt.Errorf("not a JSON object: %s", quote(raw))
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return oddities{}, fmt.Errorf("not as expected: %w", err)
	}
	return oddities{fields: unknownFields(raw, into)}, nil
}

// quote is the beginning of a value, for an error.
func quote(value []byte) string {
	const most = 40
	if len(value) > most {
		return fmt.Sprintf("%q …", value[:most])
	}
	return fmt.Sprintf("%q", value)
}

// idPrefix is a stable id without its number; ok is false for what is none.
func idPrefix(id string) (prefix string, ok bool) {
	i := strings.LastIndexByte(id, '-')
	if i <= 0 || i == len(id)-1 || strings.Trim(id[i+1:], "0123456789") != "" {
		return "", false
	}
	return id[:i], true
}
