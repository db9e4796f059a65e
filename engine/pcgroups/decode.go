package pcgroups

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"pcgtop/model"
)

// legacy is how older libraries and the Java port store a group's only filter: at
// the top of the config. Running members of today do not read it.
type legacy struct {
	Filter                string `json:"filter"`
	PartitioningWildcards []int  `json:"partitioning_wildcards"`
}

// DecodeConfig reads a stored config, whichever library wrote it: unknown fields,
// other orders and spacing, null for empty, and the single filter of the Java port
// and of orbit.go/pcgroups v0.1.0 are all fine.
//
// The error is one line for people, starting with "bad JSON" when nothing could be
// read, or with "invalid" when what was read breaks a rule. In the latter case it
// wraps [ErrInvalidConfig] and the config is returned too, so that it can be shown,
// unless it asks for more than [model.MaxPartitions] partitions.
func DecodeConfig(kind model.Kind, raw []byte) (model.Config, error) {
	s, err := parseTolerant(kind, raw)
	if err != nil {
		return model.Config{}, err
	}
	if s.maxMembers > model.MaxPartitions {
		return model.Config{}, fmt.Errorf("invalid: %w", invalid(fmt.Sprintf("max_members is %d, more than %d partitions", s.maxMembers, model.MaxPartitions)))
	}
	if err := s.validate(kind); err != nil {
		return s.model(), fmt.Errorf("invalid: %w", err)
	}
	return s.model(), nil
}

// parseTolerant reads what members read, and the legacy filter beside it.
func parseTolerant(kind model.Kind, raw []byte) (settings, error) {
	s, err := parseSettings(kind, raw)
	if err != nil {
		return settings{}, badJSON(err)
	}
	if len(s.filters) > 0 {
		return s, nil
	}
	var old legacy
	// Somebody else's fields of the same names are no reason to reject the config.
	if err := json.Unmarshal(raw, &old); err == nil && old.Filter != "" {
		s.filters = []PartitioningFilter{{Filter: old.Filter}}
		if kind == model.KindElastic {
			s.filters[0].PartitioningWildcards = old.PartitioningWildcards
		}
	}
	return s, nil
}

func badJSON(err error) error {
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) && kind.Field != "" {
		return fmt.Errorf("bad JSON: %s cannot be a %s: %w", kind.Field, kind.Value, errWrongType(kind.Type))
	}
	if kind != nil {
		return fmt.Errorf("bad JSON: not an object but %s", kind.Value)
	}
	return fmt.Errorf("bad JSON: %w", err)
}

func errWrongType(t reflect.Type) error {
	switch t.Kind() {
	case reflect.Uint:
		return errors.New("it is a whole number from 0")
	case reflect.Int, reflect.Int64:
		return errors.New("it is a whole number")
	case reflect.Slice:
		return errors.New("it is a list")
	case reflect.Struct:
		return errors.New("it is an object")
	}
	return fmt.Errorf("it is a %s", t.Kind())
}
