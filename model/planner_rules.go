package model

import (
	"math"
	"path"
	"slices"
)

// Constraints are what every deal has to keep to.
type Constraints struct {
	Alone []Alone `json:"alone,omitempty"` // a partition alone on a member
	Only  []Only  `json:"only,omitempty"`  // partitions only on some members
	Keep  []int   `json:"keep,omitempty"`  // partitions that stay where they are
}

// Alone puts a partition on a member that gets no other.
type Alone struct {
	Partition int    `json:"partition"`
	Member    string `json:"member"`
}

// Only keeps partitions to members whose name matches a pattern, in which * stands for
// any text and ? for one character. Several rules for a partition must all match.
type Only struct {
	Partitions []int  `json:"partitions"`
	Pattern    string `json:"pattern"`
}

// table is an [Ask] with members as numbers and the rules worked out.
type table struct {
	n       int
	members []string // sorted, once each
	home    []int    // the member that owns the partition now; -1: nobody, or it leaves
	weights []float64
	rules   Constraints
	fixed   []int    // the member a rule gives the partition to; -1: it is free
	reserve []bool   // the member has a partition alone
	class   []int    // of each partition: which members it may be on
	may     [][]bool // by class and member
}

func newTable(a Ask) (*table, error) {
	t := &table{n: len(a.Before.Owner), members: sortedUnique(a.Members), rules: a.Rules}
	if a.Members == nil {
		t.members = slices.Clone(a.Before.Members)
	}
	switch {
	case t.n == 0:
		return nil, refuse("there is no partition to deal")
	case len(t.members) == 0:
		return nil, refuse("there is no member to deal to")
	case a.Weights != nil && len(a.Weights) != t.n:
		return nil, refuse("%d weights for %s", len(a.Weights), Count(t.n, "partition"))
	}
	t.weights, _ = usable(a.Weights, t.n)
	t.home, t.fixed, t.class = make([]int, t.n), make([]int, t.n), make([]int, t.n)
	for p := range t.n {
		t.home[p], t.fixed[p] = -1, -1
		if name, ok := a.Before.OwnerName(p); ok {
			if i, stays := slices.BinarySearch(t.members, name); stays {
				t.home[p] = i
			}
		}
	}
	t.reserve = make([]bool, len(t.members))
	if err := t.alone(); err != nil {
		return nil, err
	}
	if err := t.only(); err != nil {
		return nil, err
	}
	return t, t.keep(a.Before)
}

// heaviestWeight bounds a weight, so that sums of them stay numbers.
const heaviestWeight = 1e300

// usable replaces weights that say nothing, and bounds those that are too large to be
// added up. The second value is false when none says anything: then all partitions are
// alike.
func usable(weights []float64, n int) ([]float64, bool) {
	out, some := make([]float64, n), false
	for p, w := range weights {
		if w > 0 { // not so for one that is no number
			out[p], some = math.Min(w, heaviestWeight), true
		}
	}
	if !some {
		for p := range out {
			out[p] = 1
		}
	}
	return out, some
}

func (t *table) partition(p int) error {
	if p < 0 || p >= t.n {
		return refuse("no partition %d: there are 0 to %d", p, t.n-1)
	}
	return nil
}

func (t *table) alone() error {
	for _, r := range t.rules.Alone {
		if err := t.partition(r.Partition); err != nil {
			return err
		}
		m, ok := slices.BinarySearch(t.members, r.Member)
		switch {
		case !ok:
			return refuse("partition %d alone on %s: there is no such member", r.Partition, r.Member)
		case t.reserve[m]:
			return refuse("two partitions alone on %s", r.Member)
		case t.fixed[r.Partition] >= 0:
			return refuse("partition %d alone on two members", r.Partition)
		}
		t.fixed[r.Partition], t.reserve[m] = m, true
	}
	return nil
}

func (t *table) only() error {
	everybody := make([]bool, len(t.members))
	for m := range everybody {
		everybody[m] = !t.reserve[m]
	}
	t.may = [][]bool{everybody}
	patterns := make([]string, t.n) // of each partition: all that it has to match
	for _, r := range t.rules.Only {
		if _, err := path.Match(r.Pattern, ""); err != nil {
			return refuse("pattern %q: %v", r.Pattern, err)
		}
		for _, p := range r.Partitions {
			if err := t.partition(p); err != nil {
				return err
			}
			patterns[p] += r.Pattern + "\n"
		}
	}
	known := map[string]int{"": 0}
	for p, all := range patterns {
		if _, ok := known[all]; !ok {
			known[all] = len(t.may)
			t.may = append(t.may, t.matching(p))
		}
		t.class[p] = known[all]
		switch m := t.fixed[p]; {
		case m >= 0 && !t.matches(p, m):
			return refuse("partition %d may not be alone on %s: it does not match %s", p, t.members[m], t.pattern(p))
		case m < 0 && !slices.Contains(t.may[t.class[p]], true):
			if all == "" {
				return refuse("partition %d has no member left: each has another alone", p)
			}
			return refuse("partition %d has no member left: none that is free matches %s", p, t.pattern(p))
		}
		if m := t.home[p]; m >= 0 && t.fixed[p] < 0 && !t.may[t.class[p]][m] {
			t.home[p] = -1 // a rule drives it away
		}
	}
	return nil
}

// matching tells which members a partition may be on.
func (t *table) matching(p int) []bool {
	may := make([]bool, len(t.members))
	for m := range may {
		may[m] = !t.reserve[m] && t.matches(p, m)
	}
	return may
}

func (t *table) matches(p, m int) bool {
	for _, r := range t.rules.Only {
		if slices.Contains(r.Partitions, p) {
			if ok, _ := path.Match(r.Pattern, t.members[m]); !ok {
				return false
			}
		}
	}
	return true
}

// pattern is the first that a partition has to match, for people.
func (t *table) pattern(p int) string {
	for _, r := range t.rules.Only {
		if slices.Contains(r.Partitions, p) {
			return r.Pattern
		}
	}
	return "*"
}

func (t *table) keep(before Assignment) error {
	for _, p := range t.rules.Keep {
		if err := t.partition(p); err != nil {
			return err
		}
		name, owned := before.OwnerName(p)
		switch {
		case !owned:
			return refuse("partition %d cannot be kept: nobody owns it", p)
		case t.fixed[p] >= 0 && t.members[t.fixed[p]] != name:
			return refuse("partition %d cannot be kept on %s: it is to be alone on %s", p, name, t.members[t.fixed[p]])
		case t.fixed[p] >= 0:
		case t.home[p] < 0:
			return refuse("partition %d cannot be kept on %s: a rule or the list of members forbids it", p, name)
		default:
			t.fixed[p] = t.home[p]
		}
	}
	return nil
}

// forced counts the partitions that no deal within the rules leaves where they are.
func (t *table) forced() int {
	n := 0
	for p, h := range t.home {
		if h < 0 || t.fixed[p] >= 0 && t.fixed[p] != h {
			n++
		}
	}
	return n
}

// balanced is the wire's own deal, if the rules let it.
func (t *table) balanced() ([]int, error) {
	a := Assign(t.n, t.members, nil)
	for p, o := range a.Owner {
		switch {
		case t.fixed[p] >= 0 && o != t.fixed[p]:
			return nil, refuse("balanced gives partition %d to %s, and the rules to %s: take another strategy", p, t.members[o], t.members[t.fixed[p]])
		case t.fixed[p] < 0 && !t.may[t.class[p]][o]:
			return nil, refuse("balanced gives partition %d to %s, which the rules forbid: take another strategy", p, t.members[o])
		}
	}
	return a.Owner, nil
}
