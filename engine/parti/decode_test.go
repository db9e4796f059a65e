package parti

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pcgtop/engine/observe"
	"pcgtop/model"
)

func packed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestDecodeHeartbeat(t *testing.T) {
	h, _, err := decodeHeartbeat([]byte("2026-11-29T10:00:00.123456789Z"))
	if err != nil || h.Schema != 0 || !h.Timestamp.Equal(time.Date(2026, 11, 29, 10, 0, 0, 123456789, time.UTC)) {
		t.Errorf("version 1: %+v %v", h, err)
	}
	h, odd, err := decodeHeartbeat([]byte(`{"worker_id":"worker-1","schema_version":3,"capabilities":7,"labels":["gpu"],"applied_version":41,"applied_digest":18446744073709551615,"applied_at":"yesterday","timestamp":"2026-11-29T10:00:00Z","mood":"good"}`))
	if err != nil || h.Applied != 41 || h.Capabilities != canAcknowledge|canTwoPhase|canGate || !slices.Equal(h.Labels, []string{"gpu"}) || !h.AppliedAt.IsZero() {
		t.Errorf("version 2: %+v %v", h, err)
	}
	if odd.newer != 3 || !slices.Equal(odd.fields, []string{"mood"}) {
		t.Errorf("what is odd: %+v", odd)
	}
	for _, bad := range []string{"", "now", "{", "[]", `{"applied_version":"41"}`} {
		if h, _, err := decodeHeartbeat([]byte(bad)); err == nil {
			t.Errorf("%q is taken: %+v", bad, h)
		}
	}
}

func TestDecodeLeader(t *testing.T) {
	if w, err := decodeLeader([]byte("eu:worker-0:1732900000")); err != nil || w != "eu:worker-0" {
		t.Errorf("%q %v", w, err)
	}
	for _, bad := range []string{"", "worker-0", ":17"} {
		if w, err := decodeLeader([]byte(bad)); err == nil {
			t.Errorf("%q is taken: %q", bad, w)
		}
	}
}

// A value that grows without bounds when it is decompressed is refused in words.
func TestDecodeBomb(t *testing.T) {
	bomb := packed(t, strings.Repeat(" ", maxPlain+1))
	if len(bomb) > 1<<20 {
		t.Fatalf("%d bytes do not fit a message", len(bomb))
	}
	if _, err := decodeSource(bomb); !errors.Is(err, errTooBig) {
		t.Errorf("%v", err)
	}
	if _, err := plain(packed(t, strings.Repeat(" ", maxPlain))); err != nil {
		t.Errorf("as much as may be: %v", err)
	}
	if _, err := plain([]byte{0x1f, 0x8b, 0}); err == nil || errors.Is(err, errTooBig) {
		t.Errorf("broken: %v", err)
	}
}

// A payload counts only if its content is what the hash in its key says, compressed or not.
func TestPayloadHash(t *testing.T) {
	text := `{"schema_version":1,"partitions":[{"keys":["a"],"weight":2,"label":"x"}],"worker_labels":["gpu"],"worker_labels_known":true}`
	sum := sha256.Sum256([]byte(text))
	key := keyPayload + hex.EncodeToString(sum[:])
	for _, value := range [][]byte{[]byte(text), packed(t, text)} {
		r := takePayload(observe.Record{Key: key, Value: value})
		if r.problem != "" || len(r.value.Partitions) != 1 || r.value.Partitions[0].Weight != 2 || !slices.Equal(r.value.Labels, []string{"gpu"}) {
			t.Errorf("%+v", r)
		}
	}
	if r := takePayload(observe.Record{Key: key, Value: []byte(strings.Replace(text, "gpu", "cpu", 1))}); !strings.Contains(r.problem, "hash") {
		t.Errorf("another content: %+v", r)
	}
}

func TestShapes(t *testing.T) {
	for _, c := range []struct {
		keys []string
		want role
	}{
		{[]string{"heartbeat.worker-0", "heartbeat.worker-1"}, roleHeartbeat},
		{[]string{"assignment._commit", "assignment.worker-1"}, roleAssignment},
		{[]string{"claims/eu-1"}, roleHandoff},
		{[]string{"leader"}, roleElection},
		{[]string{"worker-0", "my-worker-17"}, roleIDs},
		{[]string{"worker-0", "settings"}, roleNone},
		{[]string{"heartbeat.worker-0", "other"}, roleNone},
		{nil, roleNone},
	} {
		if got := shapeOf(c.keys); got != c.want {
			t.Errorf("%q: %d, not %d", c.keys, got, c.want)
		}
	}
}

func TestNatural(t *testing.T) {
	list := []string{"p10", "p2", "p02", "p", "q1", "10", "9", "", "p2x"}
	slices.SortFunc(list, natural)
	if want := []string{"", "9", "10", "p", "p02", "p2", "p2x", "p10", "q1"}; !slices.Equal(list, want) {
		t.Errorf("%q", list)
	}
}

// FuzzDecode: whatever is stored, nothing panics, and what is refused says why.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		"2026-11-29T10:00:00Z", "worker-0:1732900000",
		`{"worker_id":"w","schema_version":1,"applied_version":3}`,
		`{"version":1,"workers":["w"],"payloads":{"w":{"key":"assignment._payload.00","payload_hash":"00"}}}`,
		`{"schema_version":1,"partitions":[{"keys":["a","b"],"weight":1}]}`,
		`{"version":1,"lifecycle":"emergency","partitions":null}`,
		`{"partition_id":"a-b","owner":"w","state":"prepare","ttl_seconds":30}`,
		`[{"keys":["a"]},{"keys":[],"weight":-1,"label":"x"}]`,
		"\x1f\x8b\x08",
	} {
		f.Add("assignment._commit", []byte(seed))
		f.Add("assignment.w", []byte(seed))
		f.Add("heartbeat.w", []byte(seed))
		f.Add("claims/a-b", []byte(seed))
		f.Add("assignment._payload.00", []byte(seed))
		f.Add("leader", []byte(seed))
	}
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		d := newDeployment()
		at := time.Date(2026, 11, 29, 10, 0, 0, 0, time.UTC)
		for r := roleIDs; r <= roleSource; r++ {
			d.buckets[key] = bucket{place: place{bucket: key, role: r}, exists: true}
			d.state.take(place{bucket: key, role: r}, observe.Record{Key: key, Revision: 1, At: at, Value: value})
		}
		told := d.Tell(&model.Stream{}, at.Add(time.Second))
		for _, p := range told.Partitions {
			if p.Name == "" {
				t.Errorf("a partition without a name: %+v", told.Partitions)
			}
		}
		for r := roleIDs; r <= roleSource; r++ {
			d.state.take(place{bucket: key, role: r}, observe.Record{Key: key, Revision: 2, At: at, Removed: true})
		}
		if told := d.Tell(&model.Stream{}, at.Add(time.Hour)); len(told.Partitions) != 0 {
			t.Errorf("left when all is gone: %+v", told.Partitions)
		}
	})
}
