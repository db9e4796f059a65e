package pcgroups

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pcgtop/model"
)

// MemberMapping gives a member exactly the partitions listed.
type MemberMapping struct {
	Member     string `json:"member"`
	Partitions []int  `json:"partitions"`
}

// PartitioningFilter chooses subjects of the origin stream, and the tokens that
// decide a message's partition: the positions, from 1, of wildcards in the filter.
// Without positions the whole subject decides.
type PartitioningFilter struct {
	Filter                string `json:"filter"`
	PartitioningWildcards []int  `json:"partitioning_wildcards"`
}

// StaticConsumerGroupConfig is a group whose members are fixed when it is made.
// MaxMembers is the number of partitions, which the origin stream itself stamps as
// the first token of each subject. Either Members or MemberMappings is set.
type StaticConsumerGroupConfig struct {
	MaxMembers     uint            `json:"max_members"`
	Filters        []string        `json:"filters,omitempty"`
	Members        []string        `json:"members,omitempty"`
	MemberMappings []MemberMapping `json:"member_mappings,omitempty"`
}

// ElasticConsumerGroupConfig is a group whose members come and go. MaxMembers is
// the number of partitions, for ever. The limits bound the work stream; -1 and 0
// mean none. Either Members or MemberMappings is set, or neither yet.
type ElasticConsumerGroupConfig struct {
	MaxMembers          uint                 `json:"max_members"`
	PartitioningFilters []PartitioningFilter `json:"partitioning_filters"`
	MaxBufferedMsgs     int64                `json:"max_buffered_msg,omitempty"`
	MaxBufferedBytes    int64                `json:"max_buffered_bytes,omitempty"`
	Members             []string             `json:"members,omitempty"`
	MemberMappings      []MemberMapping      `json:"member_mappings,omitempty"`
}

// IsInMembership tells whether the config names the member, with partitions or not.
func (config *StaticConsumerGroupConfig) IsInMembership(name string) bool {
	return config.settings().names(name)
}

// IsInMembership tells whether the config names the member, with partitions or not.
func (config *ElasticConsumerGroupConfig) IsInMembership(name string) bool {
	return config.settings().names(name)
}

// Validate tells which rule the config breaks, in the words that every port uses.
// The error wraps [ErrInvalidConfig].
func (config *StaticConsumerGroupConfig) Validate() error {
	return config.settings().validate(model.KindStatic)
}

// Validate tells which rule the config breaks, in the words that every port uses.
// The error wraps [ErrInvalidConfig].
func (config *ElasticConsumerGroupConfig) Validate() error {
	return config.settings().validate(model.KindElastic)
}

// ModelConfig is the config as the rest of the program knows it.
func (config *StaticConsumerGroupConfig) ModelConfig() model.Config {
	return config.settings().model()
}

// ModelConfig is the config as the rest of the program knows it.
func (config *ElasticConsumerGroupConfig) ModelConfig() model.Config {
	return config.settings().model()
}

// settings is what the two kinds of config have in common, so that what is said
// about both is said once. A static group's filters have no wildcard positions and
// its limits are 0.
type settings struct {
	maxMembers uint
	filters    []PartitioningFilter
	maxMsgs    int64
	maxBytes   int64
	members    []string
	mappings   []MemberMapping
}

func (config *StaticConsumerGroupConfig) settings() settings {
	s := settings{maxMembers: config.MaxMembers, members: config.Members, mappings: config.MemberMappings}
	for _, f := range config.Filters {
		s.filters = append(s.filters, PartitioningFilter{Filter: f})
	}
	return s
}

func (config *ElasticConsumerGroupConfig) settings() settings {
	return settings{
		maxMembers: config.MaxMembers,
		filters:    config.PartitioningFilters,
		maxMsgs:    config.MaxBufferedMsgs,
		maxBytes:   config.MaxBufferedBytes,
		members:    config.Members,
		mappings:   config.MemberMappings,
	}
}

// parseSettings reads a stored config as a running member does.
func parseSettings(kind model.Kind, raw []byte) (settings, error) {
	if kind == model.KindElastic {
		var c ElasticConsumerGroupConfig
		err := json.Unmarshal(raw, &c)
		return c.settings(), err
	}
	var c StaticConsumerGroupConfig
	err := json.Unmarshal(raw, &c)
	return c.settings(), err
}

// loadSettings also checks the rules. Its errors name the kind, as orbit's do.
func loadSettings(kind model.Kind, raw []byte) (settings, error) {
	s, err := parseSettings(kind, raw)
	if err != nil {
		return s, fmt.Errorf("invalid JSON value for the %s consumer group's config: %w", kind, err)
	}
	if err := s.validate(kind); err != nil {
		return s, fmt.Errorf("invalid %s consumer group config: %w", kind, err)
	}
	return s, nil
}

func (s settings) names(member string) bool {
	return slices.Contains(s.members, member) ||
		slices.ContainsFunc(s.mappings, func(m MemberMapping) bool { return m.Member == member })
}

// named is everybody that names would be true of, for whoever asks about many.
func (s settings) named() map[string]bool {
	all := make(map[string]bool, len(s.members)+len(s.mappings))
	for _, m := range s.members {
		all[m] = true
	}
	for _, m := range s.mappings {
		all[m.Member] = true
	}
	return all
}

// memberNames lists everybody that decides partitions, once each and sorted.
func (s settings) memberNames() []string {
	names := slices.Clone(s.members)
	if len(names) == 0 {
		for _, m := range s.mappings {
			names = append(names, m.Member)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// sameGroup compares what never changes in a group's life, by meaning: null is [],
// and every limit below 1 is no limit.
func (s settings) sameGroup(o settings) bool {
	return s.maxMembers == o.maxMembers &&
		max(s.maxMsgs, 0) == max(o.maxMsgs, 0) &&
		max(s.maxBytes, 0) == max(o.maxBytes, 0) &&
		slices.EqualFunc(s.filters, o.filters, func(a, b PartitioningFilter) bool {
			return a.Filter == b.Filter && slices.Equal(a.PartitioningWildcards, b.PartitioningWildcards)
		})
}

// sameMembership compares who decides the partitions, by meaning: the order and
// repetition of members decide nothing.
func (s settings) sameMembership(o settings) bool {
	return slices.Equal(sortedUnique(s.members), sortedUnique(o.members)) &&
		slices.EqualFunc(sortedMappings(s.mappings), sortedMappings(o.mappings), func(a, b MemberMapping) bool {
			return a.Member == b.Member && slices.Equal(a.Partitions, b.Partitions)
		})
}

func (s settings) model() model.Config {
	c := model.Config{
		Partitions:       int(min(s.maxMembers, model.MaxPartitions)),
		MaxBufferedMsgs:  s.maxMsgs,
		MaxBufferedBytes: s.maxBytes,
		Members:          slices.Clone(s.members),
		Mappings:         modelMappings(s.mappings),
	}
	for _, f := range s.filters {
		c.Filters = append(c.Filters, model.Filter{Subject: f.Filter, Wildcards: slices.Clone(f.PartitioningWildcards)})
	}
	return c
}

func modelMappings(mappings []MemberMapping) []model.Mapping {
	var out []model.Mapping
	for _, m := range mappings {
		out = append(out, model.Mapping{Member: m.Member, Partitions: slices.Clone(m.Partitions)})
	}
	return out
}

func sortedUnique(names []string) []string {
	s := slices.Clone(names)
	slices.Sort(s)
	return slices.Compact(s)
}

func sortedMappings(mappings []MemberMapping) []MemberMapping {
	out := make([]MemberMapping, 0, len(mappings))
	for _, m := range mappings {
		partitions := slices.Clone(m.Partitions)
		slices.Sort(partitions)
		out = append(out, MemberMapping{Member: m.Member, Partitions: partitions})
	}
	slices.SortStableFunc(out, func(a, b MemberMapping) int { return strings.Compare(a.Member, b.Member) })
	return out
}

// static and elastic turn settings back into the kind they came from.
func (s settings) static() *StaticConsumerGroupConfig {
	c := &StaticConsumerGroupConfig{MaxMembers: s.maxMembers, Members: s.members, MemberMappings: s.mappings}
	for _, f := range s.filters {
		c.Filters = append(c.Filters, f.Filter)
	}
	return c
}

func (s settings) elastic() *ElasticConsumerGroupConfig {
	return &ElasticConsumerGroupConfig{
		MaxMembers:          s.maxMembers,
		PartitioningFilters: s.filters,
		MaxBufferedMsgs:     s.maxMsgs,
		MaxBufferedBytes:    s.maxBytes,
		Members:             s.members,
		MemberMappings:      s.mappings,
	}
}
