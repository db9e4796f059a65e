package pcgroups

import (
	"encoding/json"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pcgtop/model"
)

// vectors are input/output pairs made by running the reference library.
type vectors struct {
	GeneratePartitionFilters []struct {
		Note           string
		Members        []string
		MaxMembers     uint            `json:"max_members"`
		MemberMappings []MemberMapping `json:"member_mappings"`
		Member, Filter string
		Filters        []string
		IsNil          bool `json:"is_nil"`
	} `json:"generate_partition_filters"`
	ElasticGetPartitionFilters []struct {
		Note    string
		Config  ElasticConsumerGroupConfig
		Member  string
		Filters []string
	} `json:"elastic_get_partition_filters"`
	Transforms []struct {
		Dest, Filter string
		MaxMembers   uint  `json:"max_members"`
		Wildcards    []int `json:"partitioning_wildcards"`
	} `json:"partitioning_transform_destination"`
	Names []struct {
		Stream, Group, Member string
		KVKey                 string `json:"kv_key"`
		ElasticConsumer       string `json:"elastic_consumer"`
		ElasticStream         string `json:"elastic_stream"`
		StaticConsumer        string `json:"static_consumer"`
	}
	StripPartition []struct{ Subject, Stripped string } `json:"strip_partition"`
	ConfigJSON     map[string][]struct {
		Bytes, Note string
		Validate    *string
	} `json:"config_json"`
	ConfigDecode []struct {
		JSON, Flavour, Note string
		DecodeError         *string `json:"decode_error"`
		Reencoded           string  `json:"reencoded_by_go"`
		Validate            *string
	} `json:"config_decode"`
	Validation []struct {
		Config        json.RawMessage
		Error         *string
		Flavour, Note string
	}
	Timers []struct {
		AckWait       time.Duration `json:"ack_wait_ns"`
		Effective     time.Duration `json:"effective_ack_wait_ns"`
		Inactive      time.Duration `json:"elastic_inactive_threshold_ns"`
		SelfCorrect   time.Duration `json:"elastic_self_correct_ns"`
		PriorityLimit time.Duration `json:"priority_timeout_ns"`
		PullExpires   time.Duration `json:"pull_expires_ns"`
	}
	Wire   map[string]json.RawMessage
	Legacy map[string]string `json:"legacy_go_v0_1_0"`
}

func loadVectors(t testing.TB) *vectors {
	t.Helper()
	raw, err := os.ReadFile("../../testdata/pcgroups-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var v vectors
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return &v
}

// anyConfig is what both kinds of config offer.
type anyConfig interface {
	Validate() error
	ModelConfig() model.Config
	IsInMembership(string) bool
}

func newConfig(flavour string) anyConfig {
	if flavour == "elastic" {
		return &ElasticConsumerGroupConfig{}
	}
	return &StaticConsumerGroupConfig{}
}

func TestVectorFilters(t *testing.T) {
	v := loadVectors(t)
	for _, c := range v.GeneratePartitionFilters {
		got := GeneratePartitionFilters(c.Members, c.MaxMembers, c.MemberMappings, c.Member, c.Filter)
		want := c.Filters
		if c.IsNil {
			want = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s, member %q: got %#v, want %#v", c.Note, c.Member, got, want)
		}
	}
	for _, c := range v.ElasticGetPartitionFilters {
		if got := ElasticGetPartitionFilters(c.Config, c.Member); !reflect.DeepEqual(got, c.Filters) {
			t.Errorf("%s, member %q: got %#v, want %#v", c.Note, c.Member, got, c.Filters)
		}
		seen := map[string]bool{}
		for _, f := range c.Config.settings().consumerFilters(c.Member) {
			if seen[f] {
				t.Errorf("%s: consumer filter %q comes twice", c.Note, f)
			}
			seen[f] = true
		}
	}
}

func TestVectorTransforms(t *testing.T) {
	for _, c := range loadVectors(t).Transforms {
		f := PartitioningFilter{Filter: c.Filter, PartitioningWildcards: c.Wildcards}
		if got := f.destination(c.MaxMembers); got != c.Dest {
			t.Errorf("%s by %v of %d: got %q, want %q", c.Filter, c.Wildcards, c.MaxMembers, got, c.Dest)
		}
	}
}

func TestVectorNames(t *testing.T) {
	for _, c := range loadVectors(t).Names {
		static, elastic := groupKey(model.KindStatic, c.Stream, c.Group), groupKey(model.KindElastic, c.Stream, c.Group)
		got := []string{bucketKey(c.Stream, c.Group), elastic.ConsumerName(c.Member), elastic.ConsumeStream(), static.ConsumerName(c.Member)}
		want := []string{c.KVKey, c.ElasticConsumer, c.ElasticStream, c.StaticConsumer}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s/%s/%s: %s", c.Stream, c.Group, c.Member, diff)
		}
	}
}

func TestVectorConfigBytes(t *testing.T) {
	for flavour, cases := range loadVectors(t).ConfigJSON {
		for _, c := range cases {
			config := newConfig(flavour)
			if err := json.Unmarshal([]byte(c.Bytes), config); err != nil {
				t.Errorf("%s, %s: %v", flavour, c.Note, err)
				continue
			}
			if got, _ := json.Marshal(config); string(got) != c.Bytes {
				t.Errorf("%s, %s: got %s, want %s", flavour, c.Note, got, c.Bytes)
			}
			checkError(t, c.Note, config.Validate(), c.Validate)
		}
	}
}

func TestVectorDecode(t *testing.T) {
	for _, c := range loadVectors(t).ConfigDecode {
		config := newConfig(c.Flavour)
		err := json.Unmarshal([]byte(c.JSON), config)
		_, shown := DecodeConfig(model.Kind(c.Flavour), []byte(c.JSON))
		if c.DecodeError != nil {
			checkError(t, c.Note, err, c.DecodeError)
			if shown == nil || shown.Error()[:8] != "bad JSON" {
				t.Errorf("%s: got %v, want bad JSON", c.Note, shown)
			}
			continue
		}
		checkError(t, c.Note, err, nil)
		if got, _ := json.Marshal(config); string(got) != c.Reencoded {
			t.Errorf("%s: got %s, want %s", c.Note, got, c.Reencoded)
		}
		checkError(t, c.Note, config.Validate(), c.Validate)
		want := c.Validate
		if want != nil {
			text := "invalid: " + *want
			want = &text
		}
		checkError(t, c.Note, shown, want)
	}
}

func TestVectorValidation(t *testing.T) {
	cases := loadVectors(t).Validation
	if len(cases) != 61 {
		t.Errorf("got %d validation cases, want 61", len(cases))
	}
	for _, c := range cases {
		config := newConfig(c.Flavour)
		if err := json.Unmarshal(c.Config, config); err != nil {
			t.Fatalf("%s: %v", c.Note, err)
		}
		checkError(t, c.Note, config.Validate(), c.Error)
	}
}

func checkError(t *testing.T, note string, got error, want *string) {
	t.Helper()
	switch {
	case want == nil && got != nil:
		t.Errorf("%s: got the error %q, want none", note, got)
	case want != nil && got == nil:
		t.Errorf("%s: got no error, want %q", note, *want)
	case want != nil && got.Error() != *want:
		t.Errorf("%s: got the error %q, want %q", note, got, *want)
	}
}

// wire reads one part of the vectors' captured section into v.
func wire(t testing.TB, section, name string, v any) {
	t.Helper()
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(loadVectors(t).Wire[section], &parts); err != nil {
		t.Fatal(err)
	}
	raw, ok := parts[name]
	if !ok {
		t.Fatalf("the vectors have no wire.%s.%s", section, name)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatal(err)
	}
}

func wireText(t testing.TB, section, name string) string {
	t.Helper()
	var text string
	wire(t, section, name, &text)
	return text
}

// wireRequest is the captured request with its subject, as requests gives them.
func wireRequest(t testing.TB, section, name string) string {
	t.Helper()
	var captured []struct{ Payload, Subject string }
	wire(t, section, name, &captured)
	return captured[0].Subject + " " + captured[0].Payload
}
