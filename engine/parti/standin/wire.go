package standin

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// Partition is one of what is shared.
type Partition struct {
	Keys   []string `json:"keys"`
	Weight int64    `json:"weight"`
	Label  string   `json:"label,omitempty"`
}

type heartbeatValue struct {
	Worker         string    `json:"worker_id"`
	Schema         uint8     `json:"schema_version,omitempty"`
	Capabilities   uint32    `json:"capabilities,omitempty"`
	Labels         []string  `json:"labels,omitempty"`
	LeaderRevision uint64    `json:"leader_revision,omitempty"`
	Applied        int64     `json:"applied_version,omitempty"`
	AppliedAt      time.Time `json:"applied_at"`
	Timestamp      time.Time `json:"timestamp"`
}

type payloadValue struct {
	Schema      uint8       `json:"schema_version"`
	Partitions  []Partition `json:"partitions"`
	Labels      []string    `json:"worker_labels,omitempty"`
	LabelsKnown bool        `json:"worker_labels_known,omitempty"`
}

type payloadRef struct {
	Key      string `json:"key"`
	Hash     string `json:"payload_hash"`
	Set      uint64 `json:"set_digest"`
	Revision uint64 `json:"revision"`
}

type commitValue struct {
	Version     int64                 `json:"version"`
	Leader      uint64                `json:"leader_revision"`
	Source      uint64                `json:"source_revision,omitempty"`
	SourceKnown bool                  `json:"source_revision_known,omitempty"`
	Published   time.Time             `json:"published_at"`
	Workers     []string              `json:"workers"`
	Payloads    map[string]payloadRef `json:"payloads"`
	Batch       uint64                `json:"batch_digest"`
	Parked      int                   `json:"parked_count,omitempty"`
	Previous    uint64                `json:"prev_commit_rev,omitempty"`
	Lifecycle   string                `json:"lifecycle,omitempty"`
}

type assignmentValue struct {
	Version    int64       `json:"version"`
	Lifecycle  string      `json:"lifecycle"`
	Partitions []Partition `json:"partitions"`
	Leader     uint64      `json:"leader_revision,omitempty"`
	Total      int         `json:"total_workers,omitempty"`
}

type claimValue struct {
	Partition string    `json:"partition_id"`
	Owner     string    `json:"owner"`
	Pending   string    `json:"pending_owner,omitempty"`
	State     string    `json:"state"`
	Epoch     int64     `json:"epoch"`
	Updated   time.Time `json:"last_updated"`
	TTL       int64     `json:"ttl_seconds"`
}

func encode(v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return raw, nil
}

func pack(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(raw); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	if err := w.Close(); err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return b.Bytes(), nil
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
