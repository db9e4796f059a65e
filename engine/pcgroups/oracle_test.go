package pcgroups

import (
	"encoding/json"
	"reflect"
	"testing"

	orbit "github.com/synadia-io/orbit.go/pcgroups"
	"pgregory.net/rapid"
)

// toOrbit turns one of our values into the reference library's of the same shape.
func toOrbit[T any](t interface{ Fatal(...any) }, ours any) T {
	var theirs T
	raw, err := json.Marshal(ours)
	if err == nil {
		err = json.Unmarshal(raw, &theirs)
	}
	if err != nil {
		t.Fatal(err)
	}
	return theirs
}

func orbitMappings(mappings []MemberMapping) []orbit.MemberMapping {
	var out []orbit.MemberMapping
	for _, m := range mappings {
		out = append(out, orbit.MemberMapping(m))
	}
	return out
}

func TestOracleFilters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[abM\x{e9}]{0,2}[0-9]{0,2}`)
		members := rapid.SliceOfN(name, 0, 12).Draw(t, "members")
		n := rapid.UintRange(0, 40).Draw(t, "partitions")
		mappings := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) MemberMapping {
			return MemberMapping{Member: name.Draw(t, "name"), Partitions: rapid.SliceOfN(rapid.IntRange(-2, 50), 0, 6).Draw(t, "partitions")}
		}), 0, 6).Draw(t, "mappings")
		filter := rapid.SampledFrom([]string{">", "a.*", "b.*.>", ""}).Draw(t, "filter")
		candidates := append([]string{"nobody", ""}, members...)
		for _, m := range mappings {
			candidates = append(candidates, m.Member)
		}
		member := rapid.SampledFrom(candidates).Draw(t, "member")

		got := GeneratePartitionFilters(members, n, mappings, member, filter)
		want := orbit.GeneratePartitionFilters(members, n, orbitMappings(mappings), member, filter)
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("got %#v, want %#v", got, want)
		}

		config := ElasticConsumerGroupConfig{MaxMembers: n, Members: members, MemberMappings: mappings}
		for _, f := range rapid.SliceOfN(rapid.SampledFrom([]string{"a.*", "b.>", "a.*"}), 0, 3).Draw(t, "filters") {
			config.PartitioningFilters = append(config.PartitioningFilters, PartitioningFilter{Filter: f})
		}
		gotAll := ElasticGetPartitionFilters(config, member)
		theirs := toOrbit[orbit.ElasticConsumerGroupConfig](t, config)
		theirs.Members, theirs.MemberMappings = members, orbitMappings(mappings)
		if wantAll := orbit.ElasticGetPartitionFilters(theirs, member); !reflect.DeepEqual(gotAll, wantAll) {
			t.Fatalf("all filters: got %#v, want %#v", gotAll, wantAll)
		}
		if ours, theirs := config.IsInMembership(member), theirs.IsInMembership(member); ours != theirs {
			t.Fatalf("in membership: got %v, want %v", ours, theirs)
		}
	})
}

// More members than partitions, and names in byte order.
func TestAssignmentGrid(t *testing.T) {
	for _, c := range []struct {
		members []string
		n       uint
		want    map[string][]string
	}{
		{[]string{"m10", "m2", "m1"}, 7, map[string][]string{"m1": {"0.>", "1.>", "6.>"}, "m10": {"2.>", "3.>"}, "m2": {"4.>", "5.>"}}},
		{[]string{"m2", "m1", "m2", "m10", "m1"}, 7, map[string][]string{"m1": {"0.>", "1.>", "6.>"}, "m10": {"2.>", "3.>"}, "m2": {"4.>", "5.>"}}},
		{[]string{"a", "b", "c"}, 2, map[string][]string{"a": {"0.>"}, "b": {"1.>"}, "c": nil}},
	} {
		for member, want := range c.want {
			if got := GeneratePartitionFilters(c.members, c.n, nil, member, ">"); !reflect.DeepEqual(got, want) {
				t.Errorf("%v in %d, %s: got %v, want %v", c.members, c.n, member, got, want)
			}
		}
	}
	var members []string
	for m := range 15 {
		members = append(members, "m"+string(rune('a'+14-m)))
		for n := uint(1); n <= 12; n++ {
			for _, name := range members {
				got := GeneratePartitionFilters(members, n, nil, name, ">")
				want := orbit.GeneratePartitionFilters(members, n, nil, name, ">")
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%d members, %d partitions, %s: got %v, want %v", m+1, n, name, got, want)
				}
			}
		}
	}
}

// Counts that no server can stamp must not bring the program down.
func TestFiltersOfAbsurdCounts(t *testing.T) {
	if got := GeneratePartitionFilters([]string{"a"}, 1<<63, nil, "a", ">"); got != nil {
		t.Errorf("got %d filters", len(got))
	}
}

func TestOracleConfigBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		members, mappings := genMembership(t)
		ours := ElasticConsumerGroupConfig{
			MaxMembers:       rapid.Uint().Draw(t, "max"),
			MaxBufferedMsgs:  rapid.Int64Range(-2, 9).Draw(t, "msgs"),
			MaxBufferedBytes: rapid.Int64Range(-2, 9).Draw(t, "bytes"),
			Members:          members,
			MemberMappings:   mappings,
			PartitioningFilters: rapid.SampledFrom([][]PartitioningFilter{
				nil, {}, {{Filter: "a.*"}}, {{Filter: "a.>", PartitioningWildcards: []int{}}, {Filter: "<&", PartitioningWildcards: []int{1, 2}}},
			}).Draw(t, "filters"),
		}
		theirs := orbit.ElasticConsumerGroupConfig{
			MaxMembers: ours.MaxMembers, MaxBufferedMsgs: ours.MaxBufferedMsgs, MaxBufferedBytes: ours.MaxBufferedBytes,
			Members: ours.Members, MemberMappings: orbitMappings(ours.MemberMappings),
		}
		if ours.PartitioningFilters != nil {
			theirs.PartitioningFilters = []orbit.PartitioningFilter{}
			for _, f := range ours.PartitioningFilters {
				theirs.PartitioningFilters = append(theirs.PartitioningFilters, orbit.PartitioningFilter(f))
			}
		}
		sameBytes(t, ours, theirs)
		var filters []string
		for _, f := range ours.PartitioningFilters {
			filters = append(filters, f.Filter)
		}
		sameBytes(t,
			StaticConsumerGroupConfig{MaxMembers: ours.MaxMembers, Filters: filters, Members: members, MemberMappings: mappings},
			orbit.StaticConsumerGroupConfig{MaxMembers: ours.MaxMembers, Filters: filters, Members: members, MemberMappings: orbitMappings(mappings)})
	})
}

func sameBytes(t *rapid.T, ours, theirs any) {
	t.Helper()
	a, errA := json.Marshal(ours)
	b, errB := json.Marshal(theirs)
	if errA != nil || errB != nil || string(a) != string(b) {
		t.Fatalf("got %s (%v), want %s (%v)", a, errA, b, errB)
	}
}
