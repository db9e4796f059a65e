package model

import (
	"slices"
	"strconv"
	"strings"
)

// Kind tells what sort of group a config describes.
type Kind string

// The kinds that the model derives itself; any other tells its groups: see [Teller].
const (
	// KindStatic is a group whose members are fixed when it is made. They consume
	// from the origin stream itself through durables named <group>-<member>.
	KindStatic Kind = "static"
	// KindElastic is a group whose members come and go. They consume from a work
	// stream named <stream>-<group> that is sourced from the origin.
	KindElastic Kind = "elastic"
)

// MaxPartitions bounds how many partitions a group may have to be shown. A config
// that asks for more is reported as unreadable rather than allocated for.
const MaxPartitions = 1 << 16

// MaxInAll bounds how many partitions the static and elastic groups may have together: a
// config of a line can ask for as many as there can be, and a bucket holds many lines. Beyond
// it a config that asks for more than manyPartitions is reported as unreadable, too; what is
// smaller is not made to suffer for it.
const (
	MaxInAll       = 1 << 21
	manyPartitions = 1 << 10
)

// Key identifies a group: no two groups share one. A config stored under a bucket
// key without a dot has no stream.
type Key struct {
	Kind   Kind   `json:"kind"`
	Stream string `json:"stream"`
	Group  string `json:"group"`
}

// ParseKey splits a bucket key at its first dot, for a stream's name holds none.
func ParseKey(kind Kind, bucketKey string) Key {
	stream, group, ok := strings.Cut(bucketKey, ".")
	if !ok {
		return Key{Kind: kind, Group: bucketKey}
	}
	return Key{Kind: kind, Stream: stream, Group: group}
}

// BucketKey is the key under which the group's config is stored.
func (k Key) BucketKey() string {
	if k.Stream == "" {
		return k.Group
	}
	return k.Stream + "." + k.Group
}

// String is how people write the group: STREAM/GROUP.
func (k Key) String() string {
	if k.Stream == "" {
		return k.Group
	}
	return k.Stream + "/" + k.Group
}

// Compare orders keys by stream, group, then kind.
func (k Key) Compare(o Key) int {
	if c := strings.Compare(k.Stream, o.Stream); c != 0 {
		return c
	}
	if c := strings.Compare(k.Group, o.Group); c != 0 {
		return c
	}
	return strings.Compare(string(k.Kind), string(o.Kind))
}

// ConsumeStream is the stream whose consumers are the group's members: the work
// stream of an elastic group, the origin of a static one.
func (k Key) ConsumeStream() string {
	if k.Kind == KindElastic {
		return k.Stream + "-" + k.Group
	}
	return k.Stream
}

// ConsumerName is the name of the consumer that stands for a member.
func (k Key) ConsumerName(member string) string {
	if k.Kind == KindElastic {
		return member
	}
	return k.Group + "-" + member
}

// Filter is one subject filter of a group, and the positions (from 1) of the
// wildcards whose tokens choose the partition. No positions: the whole subject
// chooses. Static groups have no positions, their stream stamps the partition.
type Filter struct {
	Subject   string `json:"subject"`
	Wildcards []int  `json:"wildcards,omitempty"`
}

// Mapping gives a member exactly the partitions listed.
type Mapping struct {
	Member     string `json:"member"`
	Partitions []int  `json:"partitions"`
}

// Config is what is stored about a group, whichever library wrote it. The limits
// follow NATS: -1 and 0 mean none.
type Config struct {
	Partitions       int       `json:"partitions"`
	Filters          []Filter  `json:"filters,omitempty"`
	MaxBufferedMsgs  int64     `json:"max_buffered_msgs,omitempty"`
	MaxBufferedBytes int64     `json:"max_buffered_bytes,omitempty"`
	Members          []string  `json:"members,omitempty"`
	Mappings         []Mapping `json:"mappings,omitempty"`
}

// Mapped tells whether explicit mappings decide who owns what. If both forms are
// stored, members win, as they do in every member that runs.
func (c *Config) Mapped() bool { return len(c.Members) == 0 && len(c.Mappings) > 0 }

// Assignment is who owns each partition. Owner[p] indexes Members, or is -1 when
// nobody owns p. Members lists every configured member once, in byte order, with
// those that own nothing too.
type Assignment struct {
	Members []string
	Owner   []int
}

// Assign deals n partitions, exactly as a running member of any library does:
// members are deduplicated, sorted as bytes and cut to n; each gets a run of
// n div members, and what remains goes one by one from the front. Without members
// the mappings decide; numbers outside 0..n-1 are ignored.
func Assign(n int, members []string, mappings []Mapping) Assignment {
	a := Assignment{Owner: make([]int, n)}
	for p := range a.Owner {
		a.Owner[p] = -1
	}
	if len(members) > 0 {
		a.Members = sortedUnique(members)
		k := min(len(a.Members), n)
		if k == 0 {
			return a
		}
		run := n / k
		for p := range a.Owner {
			if p < k*run {
				a.Owner[p] = p / run
			} else {
				a.Owner[p] = p - k*run
			}
		}
		return a
	}
	names := make([]string, 0, len(mappings))
	for _, m := range mappings {
		names = append(names, m.Member)
	}
	a.Members = sortedUnique(names)
	for _, m := range mappings {
		i, _ := slices.BinarySearch(a.Members, m.Member)
		for _, p := range m.Partitions {
			if p >= 0 && p < n {
				a.Owner[p] = i
			}
		}
	}
	return a
}

// Assignment deals the config's partitions.
func (c *Config) Assignment() Assignment { return Assign(c.Partitions, c.Members, c.Mappings) }

// Owned lists the partitions of the member with this index, in order.
func (a Assignment) Owned(member int) []int {
	var owned []int
	for p, o := range a.Owner {
		if o == member {
			owned = append(owned, p)
		}
	}
	return owned
}

// Shares lists the partitions of every member, in order.
func (a Assignment) Shares() [][]int {
	shares := make([][]int, len(a.Members))
	for p, o := range a.Owner {
		if o >= 0 {
			shares[o] = append(shares[o], p)
		}
	}
	return shares
}

// OwnerName is the owner of p, and false when nobody owns it.
func (a Assignment) OwnerName(p int) (string, bool) {
	if p < 0 || p >= len(a.Owner) || a.Owner[p] < 0 {
		return "", false
	}
	return a.Members[a.Owner[p]], true
}

// PartitionsOf reads the partition numbers from a consumer's filters, which all
// libraries write as <partition>.<rest>. The second value is false when a filter
// has another form.
func PartitionsOf(filters []string) ([]int, bool) {
	partitions := make([]int, 0, len(filters))
	for _, f := range filters {
		token, _, ok := strings.Cut(f, ".")
		p, err := strconv.Atoi(token)
		if !ok || err != nil || p < 0 {
			return nil, false
		}
		partitions = append(partitions, p)
	}
	slices.Sort(partitions)
	return slices.Compact(partitions), true
}

func sortedUnique(names []string) []string {
	s := slices.Clone(names)
	slices.Sort(s)
	return slices.Compact(s)
}
