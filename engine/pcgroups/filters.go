package pcgroups

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go/jetstream"

	"pcgtop/model"
)

// GeneratePartitionFilters lists the consumer filters of one member for one filter
// of its group: "<partition>.<filter>" for each partition it owns. With mappings it
// is "<partition>.>", in the order and with the numbers given, for the mapping
// alone decides. It is nil when the member owns nothing, and empty but not nil when
// there is nobody or nothing to deal.
func GeneratePartitionFilters(members []string, maxMembers uint, memberMappings []MemberMapping, memberName string, filter string) []string {
	switch {
	case len(members) != 0 && maxMembers > 0:
		var filters []string
		for _, p := range dealt(members, maxMembers, memberName) {
			filters = append(filters, strconv.Itoa(p)+"."+filter)
		}
		return filters
	case len(members) == 0 && len(memberMappings) != 0:
		var filters []string
		for _, p := range mapped(memberMappings, memberName) {
			filters = append(filters, strconv.Itoa(p)+".>")
		}
		return filters
	}
	return []string{}
}

// ElasticGetPartitionFilters lists the member's consumer filters for all of the
// group's filters. The same filter can come more than once: a server would refuse
// that list, so members consume with each filter once.
func ElasticGetPartitionFilters(config ElasticConsumerGroupConfig, memberName string) []string {
	return config.settings().memberFilters(memberName)
}

func (s settings) memberFilters(member string) []string {
	if len(s.filters) == 0 {
		return GeneratePartitionFilters(s.members, s.maxMembers, s.mappings, member, ">")
	}
	var filters []string
	for _, f := range s.filters {
		filters = append(filters, GeneratePartitionFilters(s.members, s.maxMembers, s.mappings, member, f.Filter)...)
	}
	return filters
}

// consumerFilters are the filters the member's consumer is made with: those of
// every library, each once and in their order.
func (s settings) consumerFilters(member string) []string {
	var filters []string
	seen := make(map[string]bool)
	for _, f := range s.memberFilters(member) {
		if !seen[f] {
			seen[f] = true
			filters = append(filters, f)
		}
	}
	return filters
}

// owned lists the member's partitions in order.
func (s settings) owned(member string) []int {
	var partitions []int
	if len(s.members) != 0 {
		partitions = dealt(s.members, s.maxMembers, member)
	} else {
		partitions = mapped(s.mappings, member)
	}
	slices.Sort(partitions)
	return slices.Compact(partitions)
}

// maxDealt is how many partitions are dealt at most. Far below it consumers have more
// filters than a server takes; above it a typing error would cost gigabytes.
const maxDealt = 1 << 24

// dealt lists the partitions of one of the members among whom all are dealt.
func dealt(members []string, maxMembers uint, member string) []int {
	if maxMembers > maxDealt {
		return nil
	}
	a := model.Assign(int(maxMembers), members, nil)
	i, found := slices.BinarySearch(a.Members, member)
	if !found {
		return nil
	}
	return a.Owned(i)
}

func mapped(mappings []MemberMapping, member string) []int {
	var partitions []int
	for _, m := range mappings {
		if m.Member == member {
			partitions = append(partitions, m.Partitions...)
		}
	}
	return partitions
}

// transforms are the subject transforms of the work stream's source: they stamp
// each message's partition in front of its subject.
func (s settings) transforms() []jetstream.SubjectTransformConfig {
	filters := s.filters
	if len(filters) == 0 {
		filters = []PartitioningFilter{{Filter: ">"}}
	}
	out := make([]jetstream.SubjectTransformConfig, 0, len(filters))
	for _, f := range filters {
		out = append(out, jetstream.SubjectTransformConfig{Source: f.Filter, Destination: f.destination(s.maxMembers)})
	}
	return out
}

// destination is the transform's destination. Without wildcard positions the server
// partitions by the whole subject (nats-server 2.12 and later).
func (f PartitioningFilter) destination(partitions uint) string {
	args := strconv.FormatUint(uint64(partitions), 10)
	for _, w := range f.PartitioningWildcards {
		args += "," + strconv.Itoa(w)
	}
	tokens := strings.Split(f.Filter, ".")
	wildcard := 0
	for i, t := range tokens {
		if t == "*" {
			wildcard++
			tokens[i] = fmt.Sprintf("{{Wildcard(%d)}}", wildcard)
		}
	}
	return "{{Partition(" + args + ")}}." + strings.Join(tokens, ".")
}
