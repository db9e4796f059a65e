package model

import (
	"fmt"
	"slices"
	"strings"
)

// checkMappings says which rule mappings for n partitions break, by the rules of every
// library: each member once, each partition with exactly one. The error wraps
// [ErrRefused].
func (k Key) checkMappings(n int, list []Mapping) error {
	owner, taken := make([]string, n), make([]bool, n)
	listed := map[string]bool{}
	for _, m := range list {
		if err := k.CheckMember(m.Member); err != nil {
			return err
		}
		if listed[m.Member] {
			return refuse("%s is listed twice", m.Member)
		}
		listed[m.Member] = true
		for _, p := range m.Partitions {
			if p < 0 || p >= n {
				return refuse("no partition %d: there are 0 to %d", p, n-1)
			}
			if taken[p] {
				return refuse("partition %d is given to %s and to %s", p, owner[p], m.Member)
			}
			taken[p], owner[p] = true, m.Member
		}
	}
	var nobody []int
	for p, ok := range taken {
		if !ok {
			nobody = append(nobody, p)
		}
	}
	if len(nobody) > 0 {
		return refuse("nobody is given partition %s: a mapping must cover all", Ranges(nobody))
	}
	if len(list) > n {
		return refuse("%s for %s: at most one a partition", Count(len(list), "member"), Count(n, "partition"))
	}
	return nil
}

// sortedMappings is a copy by member, each with its partitions in order.
func sortedMappings(list []Mapping) []Mapping {
	sorted := make([]Mapping, 0, len(list))
	for _, m := range list {
		owned := slices.Clone(m.Partitions)
		slices.Sort(owned)
		sorted = append(sorted, Mapping{Member: m.Member, Partitions: owned})
	}
	slices.SortFunc(sorted, func(a, b Mapping) int { return strings.Compare(a.Member, b.Member) })
	return sorted
}

// ParseMapping reads a member and what it owns: m1:0-4,15. A member's name may hold
// colons, so the last one counts.
func ParseMapping(text string) (Mapping, error) {
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return Mapping{}, fmt.Errorf("mapping %q: want MEMBER:PARTITIONS, such as m1:0-4,15", text)
	}
	owned, err := ParseRanges(text[i+1:])
	if err != nil {
		return Mapping{}, fmt.Errorf("mapping %q: %w", text, err)
	}
	return Mapping{Member: text[:i], Partitions: owned}, nil
}
