package model

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	orbit "github.com/synadia-io/orbit.go/pcgroups"
)

func TestAssignVectors(t *testing.T) {
	raw, err := os.ReadFile("../testdata/pcgroups-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors struct {
		Grid []struct {
			MaxMembers int       `json:"max_members"`
			Members    []string  `json:"members"`
			Owners     []*string `json:"owner_by_partition"`
		} `json:"assignment_grid"`
	}
	if err := json.Unmarshal(raw, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors.Grid) != 732 {
		t.Fatalf("%d vectors, want 732", len(vectors.Grid))
	}
	for _, v := range vectors.Grid {
		a := Assign(v.MaxMembers, v.Members, nil)
		for p, want := range v.Owners {
			got, owned := a.OwnerName(p)
			if owned != (want != nil) || want != nil && got != *want {
				t.Fatalf("%d partitions, %d members: partition %d belongs to %q", v.MaxMembers, len(v.Members), p, got)
			}
		}
	}
}

// TestAssignAgainstOrbit deals random groups and asks orbit.go for each member's filters.
func TestAssignAgainstOrbit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		n := 1 + rnd.IntN(40)
		members := make([]string, rnd.IntN(50))
		for i := range members {
			members[i] = fmt.Sprintf("%c%d", []rune("mMéz")[rnd.IntN(4)], rnd.IntN(60))
		}
		var mappings []orbit.MemberMapping
		var ours []Mapping
		if len(members) == 0 {
			for i, part := range rnd.Perm(n) {
				name := fmt.Sprintf("w%d", i%5)
				j := slices.IndexFunc(ours, func(m Mapping) bool { return m.Member == name })
				if j < 0 {
					ours, mappings, j = append(ours, Mapping{Member: name}), append(mappings, orbit.MemberMapping{Member: name}), len(ours)
				}
				ours[j].Partitions = append(ours[j].Partitions, part)
				mappings[j].Partitions = append(mappings[j].Partitions, part)
			}
		}
		a := Assign(n, members, ours)
		for i, name := range a.Members {
			want, ok := PartitionsOf(orbit.GeneratePartitionFilters(members, uint(n), mappings, name, "x.>"))
			if !ok || !slices.Equal(append([]int{}, a.Owned(i)...), want) {
				t.Fatalf("n=%d members=%v mappings=%v: %s owns %v, orbit.go says %v", n, members, ours, name, a.Owned(i), want)
			}
		}
	}
}

// TestAssignGolden is what surprises people: names sort as text, and surplus members
// own nothing.
func TestAssignGolden(t *testing.T) {
	for _, c := range []struct {
		n       int
		members []string
		want    string
	}{
		{7, []string{"m10", "m2", "m1"}, "m1:0,1,6 m10:2,3 m2:4,5"},
		{7, []string{"m1", "m2", "m10", "m2"}, "m1:0,1,6 m10:2,3 m2:4,5"},
		{2, []string{"c", "a", "b"}, "a:0 b:1 c:"},
	} {
		a := Assign(c.n, c.members, nil)
		var got []string
		for i, name := range a.Members {
			got = append(got, Mapping{Member: name, Partitions: a.Owned(i)}.String())
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("Assign(%d, %v) = %s, want %s", c.n, c.members, s, c.want)
		}
	}
}

func TestAssignMappingsOutOfRange(t *testing.T) {
	a := Assign(2, nil, []Mapping{{Member: "m", Partitions: []int{7, -1, 1}}})
	if _, owned := a.OwnerName(0); owned {
		t.Error("partition 0 has an owner")
	}
	if name, _ := a.OwnerName(1); name != "m" {
		t.Errorf("partition 1 belongs to %q", name)
	}
}

func TestKeys(t *testing.T) {
	for _, c := range []struct{ stored, shown, stream string }{
		{"ORDERS.cg", "ORDERS/cg", "ORDERS"},
		{"s.g.h", "s/g.h", "s"},
		{"nodot", "nodot", ""},
	} {
		k := ParseKey(KindElastic, c.stored)
		if k.BucketKey() != c.stored || k.String() != c.shown || k.Stream != c.stream {
			t.Errorf("%q: %+v", c.stored, k)
		}
	}
}

func TestCheckMemberName(t *testing.T) {
	for _, bad := range []string{"", "bad name", "wild*", "dot.ted", "a>", "a/b", `a\b`, "tab\t", "esc\x1b", "\xff", strings.Repeat("x", 300)} {
		if CheckMemberName(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
	for _, good := range []string{"m1", "é", "名前", "a-b_c=d$", strings.Repeat("x", 200)} {
		if err := CheckMemberName(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
}

func TestRanges(t *testing.T) {
	for want, in := range map[string][]int{"": nil, "3": {3}, "0-4,15": {0, 1, 2, 3, 4, 15}, "1,3,5-6": {1, 3, 5, 6}} {
		if got := Ranges(in); got != want {
			t.Errorf("Ranges(%v) = %q, want %q", in, got, want)
		}
	}
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 27: "AB", 701: "ZZ", 702: "AAA"} {
		if got := Letter(i); got != want {
			t.Errorf("Letter(%d) = %q, want %q", i, got, want)
		}
	}
}
