package pcgroups

import (
	"fmt"
	"strings"
	"unicode"

	"pcgtop/model"
)

// validate checks the rules that every library checks, in their order and words:
// programs compare the texts.
func (s settings) validate(kind model.Kind) error {
	if s.maxMembers < 1 {
		return invalid("the max number of members must be >= 1")
	}
	if kind == model.KindElastic {
		for _, f := range s.filters {
			if err := f.validate(); err != nil {
				return err
			}
		}
	}
	if len(s.members) != 0 && len(s.mappings) != 0 {
		return invalid("either members or member mappings must be provided, not both")
	}
	return s.validateMappings(kind)
}

func (s settings) validateMappings(kind model.Kind) error {
	if len(s.mappings) == 0 {
		return nil
	}
	if uint(len(s.mappings)) > s.maxMembers {
		return invalid("the number of member mappings must be between 1 and the max number of members")
	}
	members := make(map[string]bool, len(s.mappings))
	used := make(map[int]bool)
	for _, m := range s.mappings {
		if members[m.Member] {
			return invalid("member names must be unique")
		}
		members[m.Member] = true
		for _, p := range m.Partitions {
			if used[p] {
				return invalid("partition numbers must be used only once")
			}
			used[p] = true
			if p < 0 || uint(p) >= s.maxMembers {
				return invalid("partition numbers must be between 0 and one less than the max number of members")
			}
		}
	}
	if uint(len(used)) != s.maxMembers {
		if kind == model.KindElastic {
			return invalid("the number of unique partition numbers must be equal to the max number of members")
		}
		return invalid("the number of unique partition numbers specified in the mappings must be equal to the max number of members")
	}
	return nil
}

func (f PartitioningFilter) validate() error {
	if f.Filter == "" {
		return invalid("partitioning filters must have a non-empty filter")
	}
	tokens := strings.Split(f.Filter, ".")
	wildcards := 0
	for _, t := range tokens {
		if t == "*" {
			wildcards++
		}
	}
	if wildcards == 0 && tokens[len(tokens)-1] != ">" {
		return invalid("partitioning filters must have at least one * wildcard or end with > wildcard")
	}
	if len(f.PartitioningWildcards) > wildcards {
		return invalid("the number of partitioning wildcards must not be larger than the total number of * wildcards in the filter")
	}
	used := make(map[int]bool)
	for _, w := range f.PartitioningWildcards {
		if used[w] {
			return invalid("partitioning wildcard indexes must be unique")
		}
		used[w] = true
		if w < 1 || w > wildcards {
			return invalid("partitioning wildcard indexes must be between 1 and the number of * wildcards in the filter")
		}
	}
	return nil
}

func invalid(text string) error {
	return &plainError{text: text, is: []error{ErrInvalidConfig}}
}

// checkFilters refuses what the rules above let through and a server would not:
// subjects no stream can have, and filters that match the same subjects, of which
// the server says neither which nor whose (10147 for a work stream, 10138 for a
// consumer, nats-server 2.15).
func (s settings) checkFilters() error {
	for i, f := range s.filters {
		if err := checkSubject(f.Filter); err != nil {
			return err
		}
		for _, other := range s.filters[:i] {
			if model.Overlap(other.Filter, f.Filter) {
				return fmt.Errorf("%w: %q and %q match the same subjects", ErrOverlap, other.Filter, f.Filter)
			}
		}
	}
	return nil
}

func checkSubject(subject string) error {
	tokens := strings.Split(subject, ".")
	for i, t := range tokens {
		switch {
		case t == "":
			return invalid(fmt.Sprintf("filter %q has an empty token", subject))
		case t == ">" && i < len(tokens)-1:
			return invalid(fmt.Sprintf("filter %q goes on after its > wildcard", subject))
		case strings.ContainsFunc(t, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
			return invalid(fmt.Sprintf("filter %q holds white space", subject))
		}
	}
	return nil
}
