package pcgroups

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"
)

const (
	fieldMembers  = "members"
	fieldMappings = "member_mappings"
)

// EditMembership replaces who owns the partitions in a stored config, and keeps
// every other byte: running members of other libraries end when null becomes [] or
// a field they know disappears, and unknown fields belong to somebody.
//
// A list that already has the meaning asked for is left as it is. An emptied list
// loses its field, a new one is appended as Go's encoding/json writes it. Of a field
// that is there twice, or in another case, one is left with the exact name, so that
// every decoder reads the same. Members and mappings exclude each other.
func EditMembership(raw []byte, members []string, mappings []MemberMapping) ([]byte, error) {
	if len(members) > 0 && len(mappings) > 0 {
		return nil, invalid("either members or member mappings must be provided, not both")
	}
	for _, m := range members {
		if !utf8.ValidString(m) {
			return nil, fmt.Errorf("%w %q: it is not valid UTF-8", ErrUnusableName, m)
		}
	}
	for _, m := range mappings {
		if !utf8.ValidString(m.Member) {
			return nil, fmt.Errorf("%w %q: it is not valid UTF-8", ErrUnusableName, m.Member)
		}
	}
	// What is there may be meaningless, but must be a JSON object.
	if _, err := scanFields(raw); err != nil {
		return nil, err
	}
	out, err := editField(raw, fieldMembers, members)
	if err != nil {
		return nil, err
	}
	return editField(out, fieldMappings, mappings)
}

func editField[T any](raw []byte, name string, list []T) ([]byte, error) {
	fields, err := scanFields(raw)
	if err != nil {
		return nil, err
	}
	var mine []int // of fields
	for i, f := range fields {
		if strings.EqualFold(f.name, name) {
			mine = append(mine, i)
		}
	}
	if len(mine) == 1 && fields[mine[0]].name == name && sameList(raw[fields[mine[0]].valueStart:fields[mine[0]].end], list) {
		return raw, nil
	}
	if len(list) == 0 {
		return removeFields(raw, fields, mine), nil
	}
	value, err := json.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", name, err)
	}
	if len(mine) == 0 {
		return appendField(raw, fields, name, value), nil
	}
	f := fields[mine[0]] // the others are behind it
	raw = removeFields(raw, fields, mine[1:])
	if f.name == name {
		return splice(raw, f.valueStart, f.end, value), nil
	}
	raw = splice(raw, f.valueStart, f.end, value)
	return splice(raw, f.keyStart, f.keyEnd, []byte(`"`+name+`"`)), nil
}

// sameList tells whether the value already reads as the list. Null and [] are the
// same here: an empty list stays as its writer spelled it.
func sameList[T any](value []byte, list []T) bool {
	var stored []T
	if err := json.Unmarshal(value, &stored); err != nil {
		return false
	}
	return len(stored) == len(list) && (len(list) == 0 || reflect.DeepEqual(stored, list))
}

// field is one member of the top object: its name without escapes, and where its
// key and value are.
type field struct {
	name                              string
	keyStart, keyEnd, valueStart, end int
}

func scanFields(raw []byte) ([]field, error) {
	if !json.Valid(raw) {
		var any json.RawMessage
		return nil, badJSON(json.Unmarshal(raw, &any))
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, errors.New("bad JSON: the config is not an object")
	}
	var fields []field
	for dec.More() {
		from := int(dec.InputOffset())
		key, err := dec.Token()
		if err != nil {
			return nil, badJSON(err)
		}
		name, _ := key.(string)
		f := field{name: name, keyEnd: int(dec.InputOffset())}
		f.keyStart = from + bytes.IndexByte(raw[from:], '"')
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, badJSON(err)
		}
		f.end = int(dec.InputOffset())
		f.valueStart = f.end - len(value)
		fields = append(fields, f)
	}
	return fields, nil
}

// removeFields takes out those at the given places, in order, each with one of the commas
// around it.
func removeFields(raw []byte, fields []field, gone []int) []byte {
	if len(gone) == 0 {
		return raw
	}
	out, at := make([]byte, 0, len(raw)), 0
	for n, i := range gone {
		from, to := fields[i].keyStart, fields[i].end
		switch {
		case i > n: // one before it stays
			from = fields[i-1].end
		case i+1 < len(fields):
			to = fields[i+1].keyStart
		}
		out = append(out, raw[at:from]...)
		at = to
	}
	return append(out, raw[at:]...)
}

func appendField(raw []byte, fields []field, name string, value []byte) []byte {
	text := `"` + name + `":` + string(value)
	if len(fields) == 0 {
		at := bytes.IndexByte(raw, '{') + 1
		return splice(raw, at, at, []byte(text))
	}
	at := fields[len(fields)-1].end
	return splice(raw, at, at, []byte(","+text))
}

// splice never writes into its argument.
func splice(raw []byte, from, to int, with []byte) []byte {
	out := make([]byte, 0, len(raw)-(to-from)+len(with))
	out = append(out, raw[:from]...)
	out = append(out, with...)
	return append(out, raw[to:]...)
}
