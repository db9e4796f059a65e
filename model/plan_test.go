package model

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func group(c *Config, revision uint64, consumers ...*Consumer) *Group {
	k := elastic("TELEMETRY", "rollup")
	return Reduce(nil, epoch(), ConfigSeen{Key: k, Revision: revision, Config: c},
		ConsumersRead{Stream: k.ConsumeStream(), TS: epoch(), Consumers: consumers}).Group(k)
}

func plan(t *testing.T, g *Group, in Intent) *Plan {
	t.Helper()
	p, err := NewPlan(g, in)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlanDrop(t *testing.T) {
	g := group(config(16, "m1", "m2", "m3"), 41, consumer("m1", "id1", epoch(), 0), consumer("m2", "id2", epoch(), 5))
	p := plan(t, g, Intent{Action: ActionDrop, Members: []string{"m3"}})
	if p.Revision != 41 || !slices.Equal(p.Members, []string{"m1", "m2"}) || p.Mappings != nil {
		t.Errorf("%+v", p)
	}
	if p.Moved() != 9 || p.Least != 5 {
		t.Errorf("%d move, %d had to; want 9 and 5", p.Moved(), p.Least)
	}
	if d := DescribeMoves(g.Config.Assignment(), Assign(16, p.Members, nil)); d != "5-7 m2▸m1, 10-14 m3▸m2, 15 m1▸m2" {
		t.Error(d)
	}
	had := 0
	for _, c := range p.Changes {
		if c.Had {
			had++
		}
	}
	if had != 5 {
		t.Errorf("%d partitions had to move", had)
	}
	if len(p.Pins) != 2 || !p.Pins[0].Certain || p.Pins[1].PinID != "id2" {
		t.Errorf("pins %+v", p.Pins)
	}
	if c := strings.Join(p.Command, " "); c != "pcgtop elastic drop TELEMETRY rollup m3" {
		t.Error(c)
	}
	if !slices.Equal(g.Config.Members, []string{"m1", "m2", "m3"}) {
		t.Error("the plan changed the group")
	}
}

func TestPlanRemapAndBalance(t *testing.T) {
	g := group(config(4, "m1", "m2"), 7)
	p := plan(t, g, Intent{Action: ActionRemap, Mappings: []Mapping{{Member: "m2", Partitions: []int{3, 0}}, {Member: "m1", Partitions: []int{1, 2}}}})
	if c := strings.Join(p.Command, " "); c != "pcgtop elastic create-mapping TELEMETRY rollup m1:1,2 m2:0,3" || p.Members != nil {
		t.Error(c, p.Members)
	}
	mapped := group(&Config{Partitions: 4, Mappings: p.Mappings}, 8)
	b := plan(t, mapped, Intent{Action: ActionBalance})
	if !slices.Equal(b.Members, []string{"m1", "m2"}) || b.Mappings != nil || b.Moved() != 2 {
		t.Errorf("%+v", b)
	}
}

// What had to move is what cannot stay, wherever the plan chooses how much each member gets.
func TestHadTo(t *testing.T) {
	g := group(config(16, "m1", "m2", "m3"), 41) // m3 has 10 to 14
	give := func(m1, m2 string) []Mapping {
		a, _ := ParseRanges(m1)
		b, _ := ParseRanges(m2)
		return []Mapping{{Member: "m1", Partitions: a}, {Member: "m2", Partitions: b}}
	}
	for _, c := range []struct {
		in          Intent
		moves, want int
	}{
		{Intent{Action: ActionDrop, Members: []string{"m3"}}, 9, 5},
		{Intent{Action: ActionAdd, Members: []string{"m4"}}, 7, 4},
		{Intent{Action: ActionRemap, Strategy: StrategyLoad, Mappings: give("0-3,15", "4-14")}, 6, 5},
		{Intent{Action: ActionRemap, Strategy: StrategyFewest, Mappings: give("0-4,10-11,15", "5-9,12-14")}, 5, 5},
		{Intent{Action: ActionRemap, Mappings: give("0-3,15", "4-14")}, 6, 5},
	} {
		if p := plan(t, g, c.in); p.Moved() != c.moves || p.HadTo() != c.want {
			t.Errorf("%+v: %d of %d had to, want %d of %d", c.in, p.HadTo(), p.Moved(), c.want, c.moves)
		}
	}
}

func TestPlanRefusals(t *testing.T) {
	balanced := group(config(3, "m1", "m2"), 1, consumer("m1", "", epoch(), 0))
	mapped := group(&Config{Partitions: 2, Mappings: []Mapping{{Member: "a", Partitions: []int{0, 1}}}}, 1)
	bad := *balanced
	bad.Unreadable = "bad JSON"
	fixed := *balanced
	fixed.Key.Kind = KindStatic
	for _, c := range []struct {
		g    *Group
		in   Intent
		says string
	}{
		{balanced, Intent{Action: ActionAdd}, "no member named"},
		{balanced, Intent{Action: ActionAdd, Members: []string{"ok", "bad name"}}, "unusable name"},
		{balanced, Intent{Action: ActionAdd, Members: []string{"m1"}}, "m1 is a member already"},
		{balanced, Intent{Action: ActionDrop, Members: []string{"m9"}}, `no member "m9"`},
		{balanced, Intent{Action: ActionBalance}, "balanced already"},
		{balanced, Intent{Action: ActionStepDown, Members: []string{"m2"}}, "no consumer"},
		{balanced, Intent{Action: ActionStepDown, Members: []string{"m1"}}, "nobody is pinned"},
		{balanced, Intent{Action: ActionRemap, Mappings: []Mapping{{Member: "m1", Partitions: []int{0, 1}}}}, "nobody is given partition 2"},
		{balanced, Intent{Action: ActionRemap, Mappings: []Mapping{{Member: "m1", Partitions: []int{0, 1, 2, 1}}}}, "partition 1 is given to m1 and to m1"},
		{balanced, Intent{Action: ActionRemap, Mappings: []Mapping{{Member: "m1", Partitions: []int{0, 1, 2, 3}}}}, "no partition 3"},
		{mapped, Intent{Action: ActionAdd, Members: []string{"b"}}, "mapped"},
		{mapped, Intent{Action: ActionDrop, Members: []string{"a"}}, "mapped"},
		{&bad, Intent{Action: ActionAdd, Members: []string{"b"}}, "unreadable"},
		{&fixed, Intent{Action: ActionRemap}, "a static group never changes"},
	} {
		_, err := NewPlan(c.g, c.in)
		if err == nil || !strings.Contains(err.Error(), c.says) || !errors.Is(err, ErrRefused) && !errors.Is(err, ErrUnusableName) {
			t.Errorf("%+v: %v, want %q", c.in, err, c.says)
		}
	}
}

func TestPlanStepDown(t *testing.T) {
	lone := consumer("m1", "id1", epoch(), 0, 1, 2)
	lone.Waiting = 1
	p := plan(t, group(config(3, "m1"), 5, lone), Intent{Action: ActionStepDown, Members: []string{"m1"}})
	if p.WritesConfig() || len(p.Pins) != 1 || p.Pins[0].PinID != "id1" || len(p.Warnings) != 1 {
		t.Errorf("%+v", p)
	}
}

// TestPlanAddsUp: whatever the plan, its changes cover every partition once and agree
// with the assignment it writes, and no plan moves fewer than the least.
func TestPlanAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`m[0-9]{1,2}`)
		n := rapid.IntRange(1, 40).Draw(t, "partitions")
		members := rapid.SliceOfN(name, 1, 12).Draw(t, "members")
		g := group(config(n, members...), 3)
		in := Intent{Action: ActionAdd, Members: []string{name.Draw(t, "name")}}
		if rapid.Bool().Draw(t, "drop") {
			in = Intent{Action: ActionDrop, Members: []string{rapid.SampledFrom(members).Draw(t, "drop")}}
		}
		p, err := NewPlan(g, in)
		if err != nil {
			return
		}
		after := Assign(n, p.Members, p.Mappings)
		for i, c := range p.Changes {
			if is, _ := after.OwnerName(i); c.Partition != i || c.After != is {
				t.Fatalf("partition %d: %+v, want %q", i, c, is)
			}
		}
		if len(p.Changes) != n || p.Least > p.Moved() {
			t.Fatalf("%d changes, %d moves, least %d", len(p.Changes), p.Moved(), p.Least)
		}
	})
}

func TestDescribeChange(t *testing.T) {
	a := config(8, "m1", "m2")
	for want, b := range map[string]*Config{
		"nothing that matters changed":       config(8, "m2", "m1"),
		"+m3, 2-3 m1▸m2, 4-5 m2▸m3, 6 m2▸m1": config(8, "m1", "m2", "m3"),
	} {
		if got := DescribeChange(a, b); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := DescribeChange(a, &Config{Partitions: 8, Filters: a.Filters, Mappings: []Mapping{{Member: "m1", Partitions: []int{0, 1, 2, 3, 4, 5, 6, 7}}}}); got != "-m2, mapped, 4-7 m2▸m1" {
		t.Error(got)
	}
}

// TestPlanWarnsOfIdleOwners: dropping those who work leaves all to one that never came.
func TestPlanWarnsOfIdleOwners(t *testing.T) {
	g := group(config(16, "m1", "m2", "m3"), 41, consumer("m1", "id1", epoch(), 0), consumer("m2", "id2", epoch(), 5))
	p := plan(t, g, Intent{Action: ActionDrop, Members: []string{"m1", "m2"}})
	if !slices.Contains(p.Warnings, "m3 is absent: the 11 partitions it gains would wait") {
		t.Errorf("%q", p.Warnings)
	}
	if p = plan(t, g, Intent{Action: ActionDrop, Members: []string{"m3"}}); len(p.Warnings) != 0 {
		t.Errorf("%q, though those who gain are running", p.Warnings)
	}
	if p = plan(t, g, Intent{Action: ActionAdd, Members: []string{"m4"}}); !slices.Contains(p.Warnings, "m4 is new: what it gains (4 partitions) waits until an instance of it runs") {
		t.Errorf("%q", p.Warnings)
	}
	if p = plan(t, g, Intent{Action: ActionAdd, Members: []string{"a", "b", "c", "d"}}); !slices.Contains(p.Warnings, "a, b, c and 1 more are new: what they gain (10 partitions) waits until instances of them run") {
		t.Errorf("%q", p.Warnings)
	}
}
