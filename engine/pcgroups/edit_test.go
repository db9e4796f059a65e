package pcgroups

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEditMembership(t *testing.T) {
	two := []MemberMapping{{Member: "a", Partitions: []int{0}}, {Member: "b>", Partitions: []int{1}}}
	for _, c := range []struct {
		name, raw string
		members   []string
		mappings  []MemberMapping
		want      string
	}{
		{"null filters stay null", `{"max_members":2,"partitioning_filters":null}`, []string{"m1"}, nil, `{"max_members":2,"partitioning_filters":null,"members":["m1"]}`},
		{"null and empty wildcards stay", `{"max_members":2,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":null},{"filter":"b.*","partitioning_wildcards":[]}],"members":["m1"]}`, []string{"m1", "m2"}, nil, `{"max_members":2,"partitioning_filters":[{"filter":"a.*","partitioning_wildcards":null},{"filter":"b.*","partitioning_wildcards":[]}],"members":["m1","m2"]}`},
		{"unknown fields stay", `{"future":{"members":["x"]},"max_members":2,"members":["a"],"z":1e2}`, []string{"b"}, nil, `{"future":{"members":["x"]},"max_members":2,"members":["b"],"z":1e2}`},
		{"spaces stay", "{ \"max_members\" : 2 , \"members\" : [ \"a\" ] }\n", []string{"b"}, nil, "{ \"max_members\" : 2 , \"members\" : [\"b\"] }\n"},
		{"same meaning, same bytes", `{"max_members":2,"members":[ "\u0061" ]}`, []string{"a"}, nil, `{"max_members":2,"members":[ "\u0061" ]}`},
		{"empty stays as spelled", `{"members":null,"max_members":2,"member_mappings":[]}`, nil, nil, `{"members":null,"max_members":2,"member_mappings":[]}`},
		{"emptied goes, last", `{"max_members":2,"members":["a"]}`, nil, nil, `{"max_members":2}`},
		{"emptied goes, first", `{ "members":["a"], "max_members":2}`, nil, nil, `{ "max_members":2}`},
		{"emptied goes, middle", `{"a":1,"members":["a"],"b":2}`, nil, nil, `{"a":1,"b":2}`},
		{"emptied goes, alone", `{"members":["a"]}`, nil, nil, `{}`},
		{"into nothing", ` { } `, []string{"a"}, nil, ` {"members":["a"] } `},
		{"members to mappings", `{"max_members":2,"members":["a"]}`, nil, two, `{"max_members":2,"member_mappings":[{"member":"a","partitions":[0]},{"member":"b\u003e","partitions":[1]}]}`},
		{"mappings to members", `{"member_mappings":[{"member":"a","partitions":[0,1]}],"max_members":2}`, []string{"a"}, nil, `{"max_members":2,"members":["a"]}`},
		{"folded name becomes exact", `{"max_members":2,"Members":["a"]}`, []string{"b"}, nil, `{"max_members":2,"members":["b"]}`},
		{"twice becomes once", `{"members":["x"],"max_members":2,"MEMBERS":["a"],"members":["y"]}`, []string{"b"}, nil, `{"members":["b"],"max_members":2}`},
		{"folded twice goes", `{"MEMBERS":["a"],"member\u0073":["y"]}`, nil, nil, `{}`},
		{"escaped name is the name", `{"max_members":2,"\u006dembers":["a"]}`, []string{"b"}, nil, `{"max_members":2,"\u006dembers":["b"]}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := strings.Clone(c.raw)
			got, err := EditMembership([]byte(c.raw), c.members, c.mappings)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if c.raw != before {
				t.Error("the argument was written to")
			}
		})
	}
}

func TestEditMembershipRefuses(t *testing.T) {
	for _, raw := range []string{"", "null", "[]", `"members"`, "{", `{"a":1}}`, `{"a":1} {}`} {
		if got, err := EditMembership([]byte(raw), []string{"a"}, nil); err == nil {
			t.Errorf("%q was edited to %s", raw, got)
		}
	}
	if _, err := EditMembership([]byte("{}"), []string{"a"}, []MemberMapping{{Member: "b"}}); !errors.Is(err, ErrInvalidConfig) {
		t.Errorf("both forms: got %v", err)
	}
	if _, err := EditMembership([]byte("{}"), []string{"\xff"}, nil); !errors.Is(err, ErrUnusableName) {
		t.Errorf("bad UTF-8: got %v", err)
	}
}

// checkEdit states what an edit must do to any JSON object.
func checkEdit(t interface{ Fatalf(string, ...any) }, raw []byte, members []string, mappings []MemberMapping) {
	out, err := EditMembership(raw, members, mappings)
	if err != nil {
		t.Fatalf("edit %q: %v", raw, err)
	}
	var got ElasticConsumerGroupConfig
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%q became %q: %v", raw, out, err)
	}
	if len(got.Members) != len(members) || len(members) > 0 && !reflect.DeepEqual(got.Members, members) {
		t.Fatalf("%q became %q: members %q, want %q", raw, out, got.Members, members)
	}
	if len(got.MemberMappings) != len(mappings) || len(mappings) > 0 && !reflect.DeepEqual(got.MemberMappings, mappings) {
		t.Fatalf("%q became %q: mappings %v, want %v", raw, out, got.MemberMappings, mappings)
	}
	// Without the two fields, both are the same bytes: text, order and spacing of
	// everything else have been kept.
	if a, b := rest(t, raw), rest(t, out); !reflect.DeepEqual(a, b) {
		t.Fatalf("%q became %q: the rest %q became %q", raw, out, a, b)
	}
	again, err := EditMembership(out, members, mappings)
	if err != nil || string(again) != string(out) {
		t.Fatalf("%q edited again became %q (%v)", out, again, err)
	}
}

// rest lists the other fields with the bytes they are written with, in order.
func rest(t interface{ Fatalf(string, ...any) }, raw []byte) []string {
	fields, err := scanFields(raw)
	if err != nil {
		t.Fatalf("scan %q: %v", raw, err)
	}
	var out []string
	for _, f := range fields {
		if !strings.EqualFold(f.name, fieldMembers) && !strings.EqualFold(f.name, fieldMappings) {
			out = append(out, string(raw[f.keyStart:f.end]))
		}
	}
	return out
}

func genObject(t *rapid.T) []byte {
	space := rapid.SampledFrom([]string{"", "", "", " ", "\n\t"})
	key := rapid.SampledFrom([]string{"max_members", "members", "Members", "MEMBERS", "memberſ", `\u006dembers`, "member_mappings", "Member_Mappings", "partitioning_filters", "future", "x,y", `q\"uote`, "{", "", ">"})
	value := func(k string) string {
		switch {
		case strings.HasSuffix(strings.ToLower(k), "members") && k != "max_members":
			return rapid.SampledFrom([]string{"null", "[]", `["a"]`, `[ "a" , "b" ]`, `["]","\"}"]`}).Draw(t, "members")
		case strings.EqualFold(k, "member_mappings"):
			return rapid.SampledFrom([]string{"null", "[]", `[{"member":"a","partitions":[0,1]}]`, `[{"member":"a"}]`}).Draw(t, "mappings")
		case k == "max_members":
			return rapid.SampledFrom([]string{"2", "64"}).Draw(t, "max")
		case k == "partitioning_filters":
			return rapid.SampledFrom([]string{"null", "[]", `[{"filter":"a.\u003e","partitioning_wildcards":null}]`}).Draw(t, "filters")
		}
		return rapid.SampledFrom([]string{"null", "1e5", "-0.0", `"a\\\"}],b"`, `{"members":["deep"]}`, `[{"a":[{}]}]`, "true"}).Draw(t, "value")
	}
	var b strings.Builder
	b.WriteString(space.Draw(t, "s") + "{")
	for i := range rapid.IntRange(0, 6).Draw(t, "fields") {
		if i > 0 {
			b.WriteString(space.Draw(t, "s") + ",")
		}
		k := key.Draw(t, "key")
		b.WriteString(space.Draw(t, "s") + `"` + k + `"` + space.Draw(t, "s") + ":" + space.Draw(t, "s") + value(k))
	}
	b.WriteString(space.Draw(t, "s") + "}" + space.Draw(t, "s"))
	return []byte(b.String())
}

func genMembership(t *rapid.T) ([]string, []MemberMapping) {
	name := rapid.SampledFrom([]string{"m1", "m10", "m2", "é", "a>b", "<&>", "\u2028", `q"`, "日本"})
	if rapid.Bool().Draw(t, "mapped") {
		return nil, rapid.SliceOfN(rapid.Custom(func(t *rapid.T) MemberMapping {
			return MemberMapping{Member: name.Draw(t, "name"), Partitions: rapid.SliceOfN(rapid.IntRange(-1, 9), 0, 4).Draw(t, "partitions")}
		}), 0, 4).Draw(t, "mappings")
	}
	return rapid.SliceOfN(name, 0, 5).Draw(t, "members"), nil
}

func TestEditMembershipProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members, mappings := genMembership(t)
		checkEdit(t, genObject(t), members, mappings)
	})
}

func FuzzEditMembership(f *testing.F) {
	for _, seed := range []string{
		`{"max_members":2,"partitioning_filters":null}`, `{"max_members":2,"Members":["a"],"members":null}`,
		`{"member_mappings":[{"member":"a","partitions":[0]}]}`, "{}", "null", `{"members":[1]}`, "{\"\xff\":1}",
	} {
		f.Add([]byte(seed), "m1", true)
	}
	f.Fuzz(func(t *testing.T, raw []byte, name string, mapped bool) {
		var config ElasticConsumerGroupConfig
		if json.Unmarshal(raw, &config) != nil || CheckMemberName(name) != nil {
			return
		}
		if _, err := scanFields(raw); err != nil {
			return // null
		}
		if mapped {
			checkEdit(t, raw, nil, []MemberMapping{{Member: name, Partitions: []int{0}}})
		} else {
			checkEdit(t, raw, []string{name, "z"}, nil)
		}
		checkEdit(t, raw, nil, nil)
	})
}
