package pcgroups

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pcgtop/model"
)

// One group as each library stores it.
func TestDecodeEveryPort(t *testing.T) {
	v := loadVectors(t)
	old := struct {
		Static  string `json:"static_json"`
		Elastic string `json:"elastic_json"`
	}{}
	raw, err := json.Marshal(v.Legacy)
	if err == nil {
		err = json.Unmarshal(raw, &old)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		kind model.Kind
		raw  string
		want model.Config
	}{
		{"go v0.1.0 static", model.KindStatic, old.Static, model.Config{Partitions: 2, Filters: []model.Filter{{Subject: "foo.*"}}, Members: []string{"m1", "m2"}}},
		{"go v0.1.0 elastic", model.KindElastic, old.Elastic, model.Config{Partitions: 10, Filters: []model.Filter{{Subject: "foo.*", Wildcards: []int{1}}}, MaxBufferedMsgs: -1, MaxBufferedBytes: -1, Members: []string{"m1"}}},
		{"java static", model.KindStatic, `{"max_members":4,"filter":"foo.>","members":["m1","m2"]}`, model.Config{Partitions: 4, Filters: []model.Filter{{Subject: "foo.>"}}, Members: []string{"m1", "m2"}}},
		{"java elastic", model.KindElastic, `{"max_members":4,"partitioning_filters":[{"filter":"a.*"}],"max_buffered_msg":0}`, model.Config{Partitions: 4, Filters: []model.Filter{{Subject: "a.*"}}}},
		{"python", model.KindElastic, `{"max_members": 2, "member_mappings": [{"member": "a", "partitions": [0, 1]}]}`, model.Config{Partitions: 2, Mappings: []model.Mapping{{Member: "a", Partitions: []int{0, 1}}}}},
		{"the new field wins", model.KindElastic, `{"max_members":1,"filter":"old.*","partitioning_filters":[{"filter":"new.*","partitioning_wildcards":[1]}]}`, model.Config{Partitions: 1, Filters: []model.Filter{{Subject: "new.*", Wildcards: []int{1}}}}},
		{"somebody else's filter", model.KindElastic, `{"max_members":1,"filter":{"x":1}}`, model.Config{Partitions: 1}},
	} {
		got, err := DecodeConfig(c.kind, []byte(c.raw))
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", c.name, err, diff)
		}
	}
}

func TestDecodeErrors(t *testing.T) {
	for _, c := range []struct{ raw, want string }{
		{``, "bad JSON: unexpected end of JSON input"},
		{`{"max_members":"2"}`, "bad JSON: max_members cannot be a string: it is a whole number from 0"},
		{`{"max_members":-1}`, "bad JSON: max_members cannot be a number -1: it is a whole number from 0"},
		{`{"max_members":2,"members":"m1"}`, "bad JSON: members cannot be a string: it is a list"},
		{`[]`, "bad JSON: not an object but array"},
		{`7`, "bad JSON: not an object but number"},
		{`{"max_members":0}`, "invalid: the max number of members must be >= 1"},
		{`{"max_members":70000}`, "invalid: max_members is 70000, more than 65536 partitions"},
		{`{"max_members":18446744073709551615}`, "invalid: max_members is 18446744073709551615, more than 65536 partitions"},
	} {
		_, err := DecodeConfig(model.KindElastic, []byte(c.raw))
		wantText(t, c.raw, err, c.want)
		if errors.Is(err, ErrInvalidConfig) != strings.HasPrefix(c.want, "invalid") {
			t.Errorf("%s: %v is of the wrong kind", c.raw, err)
		}
	}
	// What breaks a rule can still be shown.
	got, err := DecodeConfig(model.KindStatic, []byte(`{"max_members":4,"member_mappings":[{"member":"a","partitions":[0]}]}`))
	if err == nil || got.Partitions != 4 || len(got.Mappings) != 1 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func FuzzDecodeConfig(f *testing.F) {
	for _, c := range loadVectors(f).ConfigDecode {
		f.Add([]byte(c.JSON))
	}
	f.Add([]byte(`{"max_members":3,"filter":"a.*","partitioning_wildcards":[1],"members":["a"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		for _, kind := range []model.Kind{model.KindStatic, model.KindElastic} {
			config, err := DecodeConfig(kind, raw)
			if err != nil && (strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "bad JSON") && !errors.Is(err, ErrInvalidConfig)) {
				t.Fatalf("%q: %v", raw, err)
			}
			if config.Partitions > model.MaxPartitions || err == nil && config.Partitions < 1 {
				t.Fatalf("%q: %d partitions", raw, config.Partitions)
			}
			config.Assignment()
		}
	})
}
