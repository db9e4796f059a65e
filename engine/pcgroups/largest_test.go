package pcgroups

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/internal/natstest"
	"pcgtop/model"
)

// bucketAt is a connection to a server, and the elastic groups' bucket there.
func bucketAt(t *testing.T, config jetstream.KeyValueConfig, change ...func(*server.Options)) (jetstream.JetStream, jetstream.KeyValue) {
	t.Helper()
	nc, err := nats.Connect(natstest.Start(t, change...).ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	config.Bucket = elasticBucket
	kv, err := js.CreateKeyValue(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return js, kv
}

// manyNames are as many members' names.
func manyNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("m%06d", i)
	}
	return names
}

// soon does something that must not take much longer than it has to, on a busy machine too.
func soon[T any](t *testing.T, what string, do func() (T, error)) T {
	t.Helper()
	begun := time.Now()
	v, err := do()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if took := time.Since(begun); took > 6*time.Second {
		t.Errorf("%s takes %v", what, took)
	}
	return v
}

// A group with as many mappings as there can be, and one of 100,000 members, are changed
// while somebody waits, on a server that takes so large a config.
func TestTheLargestGroupsAreChanged(t *testing.T) {
	js, kv := bucketAt(t, jetstream.KeyValueConfig{}, func(o *server.Options) { o.MaxPayload = 8 << 20 })
	mappings := make([]MemberMapping, model.MaxPartitions)
	for p, name := range manyNames(model.MaxPartitions) {
		mappings[p] = MemberMapping{name, []int{p}}
	}
	revision, err := kv.PutString(t.Context(), "S.g", fmt.Sprintf(`{"max_members":%d,"partitioning_filters":null}`, model.MaxPartitions))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what     string
		members  []string
		mappings []MemberMapping
	}{
		{"mapping", nil, mappings}, {"mapping the same", nil, mappings}, {"balancing", manyNames(100_000), nil}, {"balancing others", manyNames(99_999), nil},
	} {
		revision = soon(t, c.what, func() (uint64, error) {
			return ApplyMembership(t.Context(), js, "S", "g", revision, c.members, c.mappings)
		})
	}
	stay := soon(t, "dropping half", func() ([]string, error) { return DeleteMembers(t.Context(), js, "S", "g", manyNames(50_000)) })
	if len(stay) != 49_999 {
		t.Errorf("%d stay", len(stay))
	}
}

// A field that a damaged config holds a hundred thousand times is put right while somebody
// waits.
func TestAFieldWithoutEnd(t *testing.T) {
	raw := []byte(`{"max_members":4,` + strings.Repeat(`"members":[],`, 100_000) + `"partitioning_filters":null}`)
	for want, members := range map[string][]string{
		`{"max_members":4,"members":["a"],"partitioning_filters":null}`: {"a"},
		`{"max_members":4,"partitioning_filters":null}`:                 nil,
	} {
		got := soon(t, "an edit", func() ([]byte, error) { return EditMembership(raw, members, nil) })
		if string(got) != want {
			t.Errorf("%.200s", got)
		}
	}
}

// What is too large to be stored is refused with its size and what to do, by the server's
// limit and by the bucket's, and what was stored stays.
func TestTooLargeToBeStored(t *testing.T) {
	for name, c := range map[string]struct {
		limit int32 // of the bucket; 0: none
		names int
		says  string
	}{
		"the server": {0, 120_000, "it would be 1,200,061 bytes"},
		"the bucket": {2000, 300, "it would be 3,061 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			js, kv := bucketAt(t, jetstream.KeyValueConfig{MaxValueSize: c.limit})
			const stored = `{"max_members":65536,"partitioning_filters":null}`
			if _, err := kv.PutString(t.Context(), "S.g", stored); err != nil {
				t.Fatal(err)
			}
			_, err := AddMembers(t.Context(), js, "S", "g", manyNames(c.names))
			if err == nil || !strings.Contains(err.Error(), "nothing was written: "+c.says) || !strings.Contains(err.Error(), "give it fewer members") {
				t.Errorf("%v", err)
			}
			if c.limit == 0 && !errors.Is(err, nats.ErrMaxPayload) {
				t.Errorf("%v", err)
			}
			if entry, err := kv.Get(t.Context(), "S.g"); err != nil || string(entry.Value()) != stored {
				t.Errorf("%s, %v", entry.Value(), err)
			}
		})
	}
}
